"""Replace operations that a release or its engines lack; cut graphs into several plans."""
