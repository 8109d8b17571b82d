"""From headers to declarations: libclang, and the constant expressions of macros."""
