"""The parts of the modules that have the names of cudnn-python-wrappers."""
