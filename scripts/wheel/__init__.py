"""Checks of built wheels, and what they need: run by `nox -s wheel` and `nox -s aarch64`."""
