"""Write the types of functions that are made from records.

The classes of operations give overlay/cudnn_cffi/ops/__init__.pyi. In overlay/cudnn_cffi/compat,
the records of methods give frontend/methods/operations.pyi, and those of functions give
_cupy/functions.pyi, _libcudnn/functions.pyi and _libcudnn/first_functions.pyi. The enums of
frontend/enums.py, whose members are words, give enums.pyi. The names of the overlay at the front
door give overlay/cudnn_cffi/_own.pyi. Run
`python -m scripts.stubs` after a change of an operation's `__call__` or `__init__`, or of such a
record; or with `--check` to see whether the files are up to date.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from cudnn_cffi import ops
from cudnn_cffi._front import resolve
from cudnn_cffi._operation import functions
from cudnn_cffi.compat import _words
from cudnn_cffi.compat._cupy import constants
from cudnn_cffi.compat._cupy import functions as cupy
from cudnn_cffi.compat._cupy.raw import RESULTS as CUPY_RESULTS
from cudnn_cffi.compat._libcudnn import first_functions as libcudnn_1
from cudnn_cffi.compat._libcudnn import functions as libcudnn
from cudnn_cffi.compat._libcudnn.base import RESULTS as LIBCUDNN_RESULTS
from cudnn_cffi.compat.frontend import enums
from cudnn_cffi.compat.frontend.methods import records

from . import pages

ROOM = Path(ops.__file__).parent
TARGET = ROOM / "__init__.pyi"

OWN_HEAD = """# Written by scripts/stubs.py from _front/resolve.py: change that.
\"\"\"Names of the overlay at the front door, for type checkers.\"\"\"

"""

HEAD = "# Written by scripts/stubs.py from the classes of operations: change these.\n"

ENUMS_HEAD = """# Written by scripts/stubs.py from the enums of NVIDIA's front end: change these.
from enum import Enum
"""

METHODS = Path(records.__file__).with_name("operations.pyi")

METHODS_HEAD = """# Written by scripts/stubs.py from the records of methods: change these.
import builtins
from collections.abc import Mapping, Sequence
from typing import NoReturn, Unpack
from .. import enums
from ..tensors import Operand, OutDims, Tensor
from .options import AllOptions, Options
from .records import Method

Made = Tensor | list[Tensor] | list[Tensor | None]

class Operations:
    def _add(
        self, method: Method, given: Mapping[str, object], name: str, compute_data_type: object,
        out_dims: OutDims | None = None,
    ) -> Made: ...
    def _add_attention(
        self, method: Method, tensors: tuple[object, ...], options: dict[str, object]
    ) -> Made: ...
"""

#: The types of some parameters, and that of the result.
Variant = tuple[dict[str, str], str]


def switched(option: str, off: str, on: str, default: str = "False") -> list[Variant]:
    """Return the variants of a function whose result depends on an option."""
    other = "True" if default == "False" else "False"
    first, second = (off, on) if default == "False" else (on, off)
    return [
        ({option: f"Literal[{default}] = ..."}, first),
        ({option: f"Literal[{other}]"}, second),
        ({option: "bool"}, f"{off} | {on}"),
    ]


def scaled(plain: list[Variant], result: str) -> list[Variant]:
    """Return the variants of attention, with those for FP8, which has scales."""
    return [
        *(({"descale_q": "None = ...", **types}, answer) for types, answer in plain),
        ({"descale_q": "Array"}, result),
    ]


NORM = switched("statistics", "ArrayT", "NormResults[ArrayT, ArrayT]")
NETWORK = switched("training", "RNNResults[ArrayT, None]", "RNNResults[ArrayT, RNNReserve]")

#: The variants of functions whose arguments decide what they return.
OVERLOADS: dict[str, list[Variant]] = {
    "attention": scaled(
        switched("stats", "AttentionResults[ArrayT, None]", "AttentionResults[ArrayT, ArrayT]"),
        "AttentionFP8Results[ArrayT, ArrayT | None]",
    ),
    "attention_backward": scaled(
        switched("dsink", "AttentionGradients[ArrayT]", "AttentionSinkGradients[ArrayT]"),
        "AttentionFP8Gradients[ArrayT]",
    ),
    "ctc_loss": switched(
        "gradient", "CTCResults[ArrayT, None]", "CTCResults[ArrayT, ArrayT]", default="True"
    ),
    "group_norm": NORM,
    "gru": NETWORK,
    "instance_norm": NORM,
    "layer_norm": NORM,
    "lstm": NETWORK,
    "multi_head_attention": switched(
        "training", "MultiHeadResults[ArrayT, None]", "MultiHeadResults[ArrayT, ArrayT]"
    ),
    "reduce": switched("indices", "ArrayT", "tuple[ArrayT, ArrayT]"),
    "rms_norm": switched("statistics", "ArrayT", "NormResults[ArrayT, None]"),
    "rnn": NETWORK,
}


@cache
def imports_of(module: ModuleType) -> dict[str, str]:
    """Return where the names of a module's annotations come from."""
    path = Path(str(module.__file__))
    package = module.__name__.split(".")[:-1]
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for each in node.names:
                found[each.asname or each.name] = f"{origin} {each.name}"
        elif isinstance(node, ast.ClassDef):
            found[node.name] = f"{module.__name__} {node.name}"
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, f"{module.__name__} {node.target.id}")
    return found


class Names:
    """The names that annotations use, and where they come from."""

    def __init__(self) -> None:
        self.origins: dict[str, str] = {}

    def resolve(self, annotation: str, module: ModuleType) -> str:
        """Return an annotation in the names of the stub, which are imported."""
        known = imports_of(module)

        def look(match: re.Match[str]) -> str:
            name = match[0]
            if name not in known:
                return name
            if name in ("Array", "ArrayT"):  # modules have them from several others
                return name
            unique = name
            while self.origins.setdefault(unique, known[name]) != known[name]:
                unique += "_"
            return unique

        words = re.split(r"""("[^"]*"|'[^']*')""", annotation)
        return "".join(
            each if place % 2 else re.sub(r"(?<![\w.])[A-Za-z_]\w*", look, each)
            for place, each in enumerate(words)
        )

    def lines(self) -> list[str]:
        """Return the imports."""
        lines = []
        for name, origin in self.origins.items():
            module, own = origin.split(" ")
            lines.append(f"from {module} import {own}{'' if own == name else f' as {name}'}")
        return sorted(lines)


def types_of(record: functions.MadeFrom, made: Any, names: Names) -> dict[str, str]:
    """Return the types of a function's arguments and of its result."""
    found: dict[str, str] = {}
    plain = getattr(made, "__wrapped__", made)
    for method in (record.cls.__init__, record.cls.__call__):
        inner = functions.plain_function(method)
        module = sys.modules[inner.__module__]
        for name, annotation in inner.__annotations__.items():
            found[name] = names.resolve(str(annotation), module)
    for name, annotation in plain.__annotations__.items():
        option = record.renames.get(name, name)
        found.setdefault(name, found.get(option, str(annotation)))
    return found


def define(name: str, record: functions.MadeFrom, names: Names) -> list[str]:
    """Return the lines of a function: several for overloads."""
    made = getattr(ops, name)
    plain = getattr(made, "__wrapped__", made)
    types = types_of(record, made, names)
    signature = functions.signature_of(plain)
    lines: list[str] = []
    for own, result in OVERLOADS.get(name, [({}, types["return"])]):
        texts: list[str] = []
        star = False
        for each in signature.parameters.values():
            if each.kind is each.KEYWORD_ONLY and not star:
                texts, star = [*texts, "*"], True
            given = "" if each.default is each.empty else " = ..."
            texts.append(f"{each.name}: {own.get(each.name) or types[each.name] + given}")
        lines += ["@overload"] if own else []
        lines.append(f"def {name}({', '.join(texts)}) -> {result}: ...")
    return lines


def write() -> str:
    """Return the text of the stub."""
    names = Names()
    names.origins.update(ArrayT="cudnn_cffi.types ArrayT", Array="cudnn_cffi.types Array")
    names.origins.update(Literal="typing Literal", overload="typing overload")
    source = (ROOM / "__init__.py").read_text(encoding="utf-8")
    kept = [
        line
        for line in re.findall(r"^from \.\S+ import \w+ as \w+$", source, re.M)
        if line.split()[-1] not in functions.FUNCTIONS
    ]
    own = {line.split()[-1]: line for line in kept}
    lines = [
        line
        for name, record in sorted(functions.FUNCTIONS.items())
        for line in define(name, record, names)
    ]
    for name in own:
        names.origins.pop(name, None)
    text = "\n".join([HEAD, *names.lines(), "", *kept, "", OPERATIONS, "", *lines, ""])
    return text


def define_method(method: records.Method) -> str:
    """Return the line of a method of a front end's graph."""
    texts, by_name = ["self"], False
    for each in method.arguments:
        if each.by_name and not by_name:
            texts, by_name = [*texts, "*"], True
        texts.append(f"{each.name}: {each.type}{' = ...' if each.default else ''}")
    if not method.operation:
        all_ = "" if "scale_o" in method.ports else "All"
        texts.append(f"**options: Unpack[{all_}Options]")
    head = f"    def {method.name}({', '.join(texts)}) -> {method.returns}:"
    return f'{head}\n        """{method.help}"""'


def write_methods() -> str:
    """Return the text of the stub of a front end's graph."""
    lines = [define_method(each) for each in records.METHODS.values()]
    gone = "(self, *tensors: object, **options: object) -> NoReturn: ..."
    lines += [f"    def {word}{gone}" for word in records.ENGINES_IN_PYTHON]
    return "\n".join([METHODS_HEAD, *lines, ""])


CUPY_HEAD = """
from .constants import *
from .raw import CuDNNAlgoPerf as CuDNNAlgoPerf
from .raw import CuDNNError as CuDNNError
from .raw import check_status as check_status
from .raw import getFilterNdDescriptor as getFilterNdDescriptor
from .raw import getVersion as getVersion
from .raw import setDropoutDescriptor as setDropoutDescriptor
"""

LIBCUDNN_HEAD = """
import ctypes
from .tables import (
    cudnnConvolutionBwdDataAlgoPerf, cudnnConvolutionBwdFilterAlgoPerf, cudnnConvolutionFwdAlgoPerf,
)
"""


def write_functions(module: ModuleType, head: str, results: Mapping[str, tuple[Any, str]]) -> str:
    """Return the text of the stub of functions that follow from records.

    Args:
        module: the module of the functions; its RECORDS has the records.
        head: the lines before.
        results: the types of results, after what makes them, by the words of records.
    """
    lines = []
    for name, record in module.RECORDS.items():
        given = ", ".join(f"{each}: object" for each in record.parameters)
        lines.append(f"def {name}({given}) -> {results[record.result][1]}: ...")
    top = "# Written by scripts/stubs.py from the records of functions: change these."
    records = "from .._records import Record\nRECORDS: dict[str, Record]\n"
    if hasattr(module, "get_build_version"):
        lines.append("get_build_version = getVersion")
    return "\n".join([top, head, records, *lines, ""])


def write_enums() -> str:
    """Return the text of enums.pyi: the classes with their members, and the functions."""
    source = Path(enums.__file__).read_text(encoding="utf-8")
    lines = [ENUMS_HEAD]
    for each in ast.parse(source).body:
        members = list(getattr(enums, each.name)) if isinstance(each, ast.ClassDef) else []
        if isinstance(each, ast.ClassDef) and members:
            lines.append(f"class {each.name}(Enum):")
            lines += [f"    {member.name} = {member.value}" for member in members]
        elif isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
            each.body = [ast.Expr(ast.Constant(...))]
            lines.append(ast.unparse(each))
        elif isinstance(each, ast.Assign):
            lines.append(f"{ast.unparse(each.targets[0])}: int")
    return "\n".join(lines)


def stubs() -> dict[Path, str]:
    """Return the texts of the stubs, by their files."""
    found = {TARGET: write(), METHODS: write_methods()}
    own = (f"from .{module} import {name} as {name}\n" for name, module in resolve.OVERLAY.items())
    found[ROOM.with_name("_own.pyi")] = OWN_HEAD + "".join(own)
    found[Path(enums.__file__).with_suffix(".pyi")] = write_enums()
    names = "\n".join(f"{name}: int" for name in _words.CONSTANTS)
    text = (
        f"# Written by scripts/stubs.py from _words.py.\n\nCUDNN_BN_MIN_EPSILON: float\n{names}\n"
    )
    found[Path(constants.__file__).with_suffix(".pyi")] = text
    for module, head, results in (
        (cupy, CUPY_HEAD, CUPY_RESULTS),
        (libcudnn, LIBCUDNN_HEAD, LIBCUDNN_RESULTS),
        (libcudnn_1, LIBCUDNN_HEAD, LIBCUDNN_RESULTS),
    ):
        path = Path(str(module.__file__)).with_suffix(".pyi")
        found[path] = write_functions(module, head, results)
    return found


OPERATIONS = "OPERATIONS: dict[str, type[Operation]]"


def formatted(text: str) -> str:
    """Return the text as Ruff lays it out."""
    import subprocess

    command = [sys.executable, "-m", "ruff"]
    for how in (["check", "-q", "--fix", "--select", "I,F401"], ["format", "-q"]):
        done = subprocess.run(
            [*command, *how, "--stdin-filename", str(TARGET), "-"],
            input=text, capture_output=True, text=True, check=True,
        )  # fmt: skip
        text = done.stdout
    return text


if __name__ == "__main__":
    texts = {path: formatted(text) for path, text in stubs().items()}
    raise SystemExit(pages.write(__doc__, texts))
