"""Text of emitted files: templates, layout, docstrings, and names that clash."""
