"""Headers of cuDNN in, a Python package out; see docs/design.md."""
