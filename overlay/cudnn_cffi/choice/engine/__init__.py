"""Engines of a computation: knobs, known errors, rounding, and plans of them."""
