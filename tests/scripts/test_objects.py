"""The tables of descriptors and errors are those of the classes."""

from __future__ import annotations

from scripts import objects


def test_the_page_has_the_tables_of_the_classes() -> None:
    text = objects.PAGE.read_text(encoding="utf-8")
    assert objects.with_tables(text) == text, "run python -m scripts.objects"


def test_a_row_has_class_methods_or_built_in_bases() -> None:
    rows = list(objects.descriptor_rows())
    assert "| `DropoutDescriptor` | `with_state(handle, rate, seed, states=)` |" in rows
    assert sum("..." in row for row in rows) >= 2
    errors = "\n".join(objects.error_rows())
    assert "| `KeyError`, `AttributeError` |" in errors
    assert "`RuntimeError`" not in errors
