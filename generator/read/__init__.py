"""From headers to declarations: libclang, and the values of macros."""
