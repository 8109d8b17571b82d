"""C's constant expressions, as macros use them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.read import cexpr
from generator.read.cexpr import NotConstant


def value(text: str, **names: Any) -> int | float:
    def lookup(name: str) -> int | float:
        if name not in names:
            raise NotConstant(name)
        return names[name]

    return cexpr.evaluate(text, lookup)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("07", 7),
        ("0777", 511),
        ("0x1F", 31),
        ("0x1e5f", 7775),
        ("0x1e5L", 485),
        ("0xFFFFFFFFu", 0xFFFFFFFF),
        ("12uLL", 12),
        ("1.5", 1.5),
        ("1.5f", 1.5),
        (".5F", 0.5),
        ("1e-5", 1e-5),
        ("1e3f", 1000.0),
        ("+3", 3),
        ("- -3", 3),
        ("~5", -6),
        ("(uint32_t)7", 7),
        ("(unsigned long)(7)", 7),
        ("1 << 4 | 1", 17),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("a + b", 5),
        ("3.0 / 2", 1.5),
    ],
)
def test_values(text: str, expected: float) -> None:
    found = value(text, a=2, b=3)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7 / 2", 3), ("-7 / 2", -3), ("7 / -2", -3), ("-7 % 3", -1), ("7 % -3", 1)],
)
def test_division_of_integers_is_cut_towards_zero(text: str, expected: int) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "()", "f(1)", "x", '"text"', "a b", "1 / 0", "1 << 64", "1 << -1", "1.5 << 2", "~1.5",
     "True", "[1]", "1 if 2 else 3", "__attribute__((deprecated))", "2 ** 3", "sizeof(int)"],
)  # fmt: skip
def test_everything_else_is_no_constant(text: str) -> None:
    with pytest.raises(NotConstant):
        value(text)


NUMBERS = st.integers(0, 2**31)


def spelled(number: int) -> st.SearchStrategy[str]:
    """The ways to write a number in C."""
    forms = [str(number), hex(number), f"{number:#X}", f"0{number:o}", f"({number})"]
    plain = st.sampled_from(forms[:4])
    return st.one_of(
        st.sampled_from(forms),
        st.tuples(plain, st.sampled_from(["u", "U", "l", "UL", "ull", "LL"])).map("".join),
    )


@given(NUMBERS.flatmap(lambda n: st.tuples(st.just(n), spelled(n))))
def test_a_number_is_the_same_however_it_is_written(pair: tuple[int, str]) -> None:
    number, text = pair
    assert value(text) == number


def expressions() -> st.SearchStrategy[tuple[str, int]]:
    """Texts with the values that Python, where its operators are C's, gives them."""

    def combined(
        pairs: st.SearchStrategy[tuple[str, int]],
    ) -> st.SearchStrategy[tuple[str, int]]:
        return st.tuples(pairs, st.sampled_from("+*/%|&^"), pairs).map(_combine)

    return st.recursive(NUMBERS.map(lambda n: (str(n), n)), combined, max_leaves=8)


def _combine(parts: tuple[tuple[str, int], str, tuple[str, int]]) -> tuple[str, int]:
    (left, a), operator, (right, b) = parts
    if operator in "/%" and b == 0:
        operator = "+"
    results = {"+": a + b, "*": a * b, "|": a | b, "&": a & b, "^": a ^ b}
    if b:
        results |= {"/": a // b, "%": a % b}
    return f"({left}) {operator} ({right})", results[operator]


@given(expressions())
def test_expressions_over_natural_numbers_are_pythons(pair: tuple[str, int]) -> None:
    text, expected = pair
    assert value(text) == expected
    python = cexpr.to_python(text).replace("/", "//")
    assert eval(python) == expected
