"""The values of C's constant expressions, as far as macros in headers use them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

_SUFFIX = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]+)\b")
_FLOAT_SUFFIX = re.compile(
    r"(?<![\w.])((?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)[fFlL]\b"
)
_OCTAL = re.compile(r"(?<![\w.])0([0-7]+)(?![\w.])")
_CAST = re.compile(
    r"\(\s*(?:unsigned|signed|int|long|size_t|\w+_t)(?:\s+(?:int|long))*\s*\)\s*(?=[\w(])"
)

Number = int | float


class NotConstant(ValueError):  # noqa: N818 - it is an answer, not a failure
    """The text is no constant expression that these rules know."""


def to_python(text: str) -> str:
    """Return the Python spelling of a C expression over integers and doubles.

    `/` is left as it is: whether it truncates depends on the operands, see `evaluate`.
    """
    text = _CAST.sub("", text)
    text = _SUFFIX.sub(r"\1", text)
    text = _FLOAT_SUFFIX.sub(r"\1", text)
    return _OCTAL.sub(r"0o\1", text).strip()


def evaluate(text: str, lookup: Callable[[str], Number]) -> Number:
    """Return the value of a C constant expression; `lookup` gives the value of a name in it.

    Raises:
        NotConstant: where the text is something else. Exceptions of `lookup` pass through.
    """
    try:
        tree = ast.parse(to_python(text), mode="eval")
    except (SyntaxError, ValueError) as error:
        raise NotConstant(text) from error
    return _value(tree.body, lookup)


def _value(node: ast.expr, lookup: Callable[[str], Number]) -> Number:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return lookup(name)
        case ast.UnaryOp(op=op, operand=operand):
            value = _value(operand, lookup)
            match op:
                case ast.USub():
                    return -value
                case ast.UAdd():
                    return value
                case ast.Invert() if isinstance(value, int):
                    return ~value
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, _value(left, lookup), _value(right, lookup))
    raise NotConstant(ast.unparse(node))


def _binary(op: ast.operator, a: Number, b: Number) -> Number:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div() if isinstance(a, float) or isinstance(b, float):
            return a / b
    if isinstance(a, int) and isinstance(b, int):
        match op:
            case ast.Div() if b:
                return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
            case ast.Mod() if b:
                return a - b * ((abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1))
            case ast.LShift() if 0 <= b < 64:
                return a << b
            case ast.RShift() if 0 <= b < 64:
                return a >> b
            case ast.BitOr():
                return a | b
            case ast.BitAnd():
                return a & b
            case ast.BitXor():
                return a ^ b
    raise NotConstant(f"{a} {type(op).__name__} {b}")
