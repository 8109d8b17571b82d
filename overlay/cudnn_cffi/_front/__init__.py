"""Look names up for the front door, and for the modules of releases."""
