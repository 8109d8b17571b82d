"""The parts of the modules that have CuPy's names."""
