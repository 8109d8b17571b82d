"""Compile headers in memory by libclang, without files of the host."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import clang.cindex as cx

from .. import GeneratorError

TARGET = "x86_64-unknown-linux-gnu"


CUDNN, CUDA, _C = "/cudnn/", "/cuda/", "/c/"
MAIN = "/main.c"
STAND_INS = "/c/lacking.h"  # for types that CUDA's headers lack

#: All of C's library that cuDNN's and CUDA's headers use, in terms of the compiler's own macros;
#: and what a next release may include without using more of it.
_C_LIBRARY = {
    "stddef.h": "typedef __SIZE_TYPE__ size_t;\ntypedef __PTRDIFF_TYPE__ ptrdiff_t;\n"
    "typedef __WCHAR_TYPE__ wchar_t;\n#define NULL ((void *)0)\n",
    "stdint.h": "".join(
        f"typedef __{sign}INT{bits}_TYPE__ {sign.lower()}int{bits}_t;\n"
        for sign in ("", "U")
        for bits in (8, 16, 32, 64)
    )
    + "typedef __INTPTR_TYPE__ intptr_t;\ntypedef __UINTPTR_TYPE__ uintptr_t;\n",
    "stdbool.h": "#define bool _Bool\n#define true 1\n#define false 0\n",
    "limits.h": "#define INT_MAX __INT_MAX__\n#define INT_MIN (-__INT_MAX__ - 1)\n",
    "features.h": "",
    "inttypes.h": '#include "stdint.h"\n',
    "assert.h": "#define assert(condition) ((void)0)\n",
    "float.h": "",
    "math.h": "",
    "string.h": '#include "stddef.h"\n',
    "time.h": "typedef long clock_t;\n",
    "stdlib.h": '#include "stddef.h"\n',
}


class ParseError(GeneratorError):
    """Headers that do not compile, or that say something the model has no place for."""


class Lacking(NamedTuple):
    """Headers and types of CUDA that cuDNN's headers use, and that CUDA's headers lack."""

    headers: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


NOTHING = Lacking()

NEWER = "; name the include folder of a newer CUDA: --cuda-headers DIR"


def compile_all(
    headers: Mapping[str, bytes], cuda: Mapping[str, bytes]
) -> tuple[cx.TranslationUnit, Lacking]:
    """Parse headers, with something in the place of what CUDA's headers lack."""
    lacking = NOTHING
    while True:
        unit = compile_headers(headers, cuda, lacking=lacking)
        errors = "\n".join(
            d.spelling for d in unit.diagnostics if d.severity >= cx.Diagnostic.Error
        )
        files = (*lacking.headers, *dict.fromkeys(_NO_HEADER.findall(errors)))
        types = tuple(dict.fromkeys(_NO_TYPE.findall(errors)))
        if not files:
            types = tuple(name for name in types if _OF_CUDA.fullmatch(name))
        found = Lacking(files, (*lacking.types, *types))
        if found == lacking:
            return unit, lacking
        lacking = found


def compile_headers(
    headers: Mapping[str, bytes],
    cuda: Mapping[str, bytes],
    more: str = "",
    lacking: Lacking = NOTHING,
) -> cx.TranslationUnit:
    """Parse headers with CUDA's and the lines in the place of a C library; `more` follows them."""
    # driver_types.h first: some releases use cudaStream_t without including it themselves.
    includes = "".join(f'#include "{name}"\n' for name in included(headers))
    files = [(MAIN, includes + more)]
    for prefix, contents in ((CUDNN, headers), (CUDA, cuda)):
        files += [(prefix + name, decoded(data)) for name, data in contents.items()]
    files += [(_C + name, text) for name, text in _C_LIBRARY.items()]
    files += [(CUDA + name, "") for name in lacking.headers]
    stand_ins = (f"typedef struct {{ char unknown; }} {name};\n" for name in lacking.types)
    files.append((STAND_INS, "".join(stand_ins)))
    # CUDNN_WARN_DEPRECATED makes the headers' own deprecation macro an attribute that shows.
    arguments = ["-xc", "-std=c11", "-nostdinc", "-target", TARGET, "-DCUDNN_WARN_DEPRECATED"]
    arguments += ["-ferror-limit=0", "-include", STAND_INS]
    arguments += [f"-I{prefix}" for prefix in (_C, CUDNN, CUDA)]
    try:
        return cx.Index.create().parse(
            MAIN,
            args=arguments,
            unsaved_files=files,
            options=0 if more else cx.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
        )
    except cx.LibclangError as error:
        reason = str(error).partition(" To provide")[0]
        raise ParseError(
            f"libclang cannot be loaded: {reason} Install the package that has it, and no other "
            "one called clang: pip install libclang"
        ) from error
    except cx.TranslationUnitLoadError as error:
        raise ParseError(f"libclang could not parse these headers at all: {error}") from error


def included(headers: Mapping[str, bytes]) -> list[str]:
    """Return what the main file includes, a line each."""
    return ["stddef.h", *sorted(headers, key=lambda name: (name != "cudnn.h", name))]


def decoded(data: bytes) -> str:
    """Return the text of a header."""
    return data.decode("utf-8", "replace")


def refuse_errors(unit: cx.TranslationUnit, included: Sequence[str]) -> None:
    """Raise for the errors of the parser, with file, line and text."""
    errors = [d for d in unit.diagnostics if d.severity >= cx.Diagnostic.Error]
    if not errors:
        return
    shown: dict[str, None] = {}  # a header that is included twice is wrong twice
    for error in errors:
        location = error.location
        if location.file is not None and location.file.name == MAIN:
            # A declaration that a header does not finish is found after it.
            shown[f"end of {included[location.line - 1]}: {error.spelling}"] = None
            continue
        name = location.file.name.rpartition("/")[2] if location.file else "command line"
        shown[f"{name}:{location.line}:{location.column}: {error.spelling}"] = None
    more = f"\n(and {len(shown) - 5} more)" if len(shown) > 5 else ""
    raise ParseError("the headers do not compile:\n" + "\n".join([*shown][:5]) + more)


#: Errors about headers and types that are missing from CUDA's headers, most likely.
_NO_HEADER = re.compile(r"'((?!cudnn)(?:cu|nv)[\w/]*\.h)' file not found")
_NO_TYPE = re.compile(r"unknown type name '((?!cudnn)\w+)'")
_OF_CUDA = re.compile(r"(cuda|CU|nv|__nv)\w*")
