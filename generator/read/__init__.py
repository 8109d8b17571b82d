"""Turn headers into declarations by libclang, and evaluate macros."""
