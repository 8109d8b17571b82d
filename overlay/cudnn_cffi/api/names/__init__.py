"""Names of the C API and of Python: forms, successors, and types that functions reach."""
