"""Trees of files that nobody should have, given to `diff --uses`.

For any input: no traceback, an exit status that means what the manual says, a report that its
readers can read, a file that could not be read said, and an end.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cudnn_cffi.api.formats import FORMATS

pytestmark = pytest.mark.attack

pytest.importorskip("elftools", reason="the extra 'uses' is not installed")

TREES = 12
#: Seconds for all formats of a tree, on a machine that does other things too.
LIMIT = 60

#: Runs the commands in one process; less memory than /dev/zero has zeros.
CHILD = """
import contextlib, io, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from cudnn_cffi.api.cli import main
old, new, out, *rest = sys.argv[1:]
for format in {formats!r}:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        status = main(["diff", old, new, "-f", format, "-o", out + format, "--uses", *rest])
    print(status, said.getvalue().encode("unicode_escape").decode())
"""

SOURCES = [
    "#include <cudnn.h>\n#if CUDNN_VERSION >= 9000\nint a;\n#else\ncudnnSaveAlgorithm(h);\n#endif\n",
    '#include "x.h"\nnamespace n { int cudnnSaveAlgorithm(int); }\nn::cudnnSaveAlgorithm(1);\n',
    '#define WRAP(n) cudnn##n\nWRAP(SaveAlgorithm)\n"libcudnn.so.8"; dlsym(h, "cudnnRNNSetClip");\n',
    'void *get(const char *n) { return dlsym(l, n); }\nget("cudnnRNNGetClip"); // \'\n',
    'size_t v = cudnnGetVersion(); if (v / 1000 == 8) { x.cscRevOffsets = R"("; }\n',
    "/* cudnn */ #define A B\n#define B A + CUDNN_VERSION\n#if A\ncudnnHandle_t h;\n#endif\n",
]
PYTHONS = [
    "import cudnn_cffi as c\ndef f(d: 'c.RNNDescriptor | None'):\n    d.set_clip(1)\nc.Status.BAD_PARAM\n",
    "import ctypes\nl = ctypes.CDLL('libcudnn.so.8')\nCUDNN_STATUS_BAD_PARAM = 3\nl.cudnnSaveAlgorithm()\n",
    "# -*- coding: latin-1 -*-\nx = 'ä'; cudnnSaveAlgorithm; v = cudnnGetVersion() // 1000\n",
    "cdef extern from 'cudnn_ops_infer.h':\n    int cudnnSaveAlgorithm(void*)\n",
]
PIECES = [b"\0", b"\\\n", b"\r", b'"', b"'", b"#if ", b"#endif\n", b"#else\n", b"(", b"{", b"##"]
PIECES += [b"/*", b"*/", b"\xef\xbb\xbf"]
STEMS = [
    "a",
    "n\udcff",
    "\u2028",
    "x\ny",
    "\x1b[31m",
    "a'b\"c<&>",
    "%0A::error::",
    "-f",
    "a b",
    "*",
]
STEMS += ["\\", "..c", "ä", "|", "n" * 200, "`]", "\t"]
SUFFIXES = [".c", ".h", ".cc", ".hpp", ".cu", ".cuh", ".inl", ".py", ".pyi", ".pyx", ".pxd", ".C"]


def deep(draw: random.Random) -> bytes:
    """One construct inside another, or after it, many times."""
    depth = draw.choice([90, 1000, 20_000, 100_000])
    left, right = draw.choice(
        [
            *[("(", ")"), ("{", "}"), ("[", "]"), ("-", ""), ("!", ""), ("not ", ""), ("1+", "")],
            *[
                ("a.", ""),
                ("f(", ")"),
                ("lambda:", ""),
                ("~", ""),
                ("T<", ">"),
                ("/*", ""),
                ('"', ""),
            ],
            *[
                ("x if 1 else ", ""),
                ('R"a(', ""),
                ("\\\n", ""),
                ("cudnnCreate.", ""),
                ("#if (\n", ""),
            ],
            *[
                ("int cudnnCreate, ", ""),
                ("dlsym(", ""),
                ("{dlsym(h, n)", "}"),
                ("f()", "()"),
                ("a\n", ""),
            ],
            *[("#if CUDNN_VERSION < 9\n", "\n#endif\n"), ("#define A(cudnnX) cudnn##cudnnX\n", "")],
            *[("namespace n { int cudnnCreate(); ", "}"), ("} else if (cudnnCreate()) {", "")],
            *[
                ("if 1:\n ", ""),
                ("cudnnCreate::", ""),
                ("'", ""),
                ("cudnn##", ""),
                ("v=cudnnGetVersion();", ""),
            ],
        ]
    )
    depth = min(depth, 1_500_000 // len(left + right))
    head = draw.choice(["x = ", "int x = ", "#if ", "#define X ", ""])
    text = f"cudnnSaveAlgorithm(1)\n{head}{left * depth}1{right * depth}\ncudnnRNNSetClip(h)\n"
    return text.encode()


def chain(draw: random.Random) -> bytes:
    """The chain of an `else if` that translates names."""
    branches = "".join(
        f'  else if (!strcmp(s, "{number}")) return CUDNN_DATA_FLOAT;\n'
        for number in range(draw.choice([100, 800, 5000]))
    )
    return f"int f(const char *s) {{ if (0) {{}}\n{branches} }}\n".encode()


def mutated(draw: random.Random) -> bytes:
    """Sources with pieces of others, lost and doubled pieces, and bytes that are no text."""
    text = bytearray("".join(draw.choices(SOURCES + PYTHONS, k=draw.randint(1, 6))), "utf-8")
    for _ in range(draw.randint(0, 60)):
        start = draw.randrange(len(text) + 1)
        end = min(len(text), start + draw.randint(0, 12))
        odd = [b"", bytes(text[start:end]) * 2, draw.randbytes(3), *PIECES]
        text[start:end] = draw.choice(odd)
    return bytes(text)


def binary(draw: random.Random) -> bytes:
    """An ELF file that was cut or changed, or something that only begins like one."""
    whole = Path(sys.executable).resolve().read_bytes()[: draw.choice([4, 16, 64, 3000, 400_000])]
    text = bytearray(whole if draw.random() < 0.7 else b"\x7fELF" + draw.randbytes(3000))
    for _ in range(draw.choice([0, 1, 5, 40])):
        # the head of the file is what leads a reader astray
        text[draw.randrange(min(len(text), draw.choice([64, 4000, 1 << 20])))] = draw.randrange(256)
    text[:4] = b"\x7fELF"
    return bytes(text) + draw.choice([b"", b"cudnnCreate\0" * 9])


def program(draw: random.Random, folder: Path, compiler: str | None) -> bytes:
    """A library that uses cuDNN, changed in a few places."""
    if compiler is None:
        return binary(draw)
    path = folder / "program.so"
    if not path.exists():
        source = "int cudnnSaveAlgorithm(void); int f(void) { return cudnnSaveAlgorithm(); }"
        flags = ["-shared", "-fPIC", "-x", "c", "-", "-o", str(path)]
        subprocess.run([compiler, *flags], input=source, text=True, check=True)
    text = bytearray(path.read_bytes())
    for _ in range(draw.choice([1, 3, 30])):
        text[draw.randrange(4, len(text))] = draw.randrange(256)
    return bytes(text[: draw.choice([len(text), draw.randrange(4, len(text))])])


def name_of(draw: random.Random) -> str:
    return f"{draw.choice(STEMS)}{draw.randrange(1000)}{draw.choice(SUFFIXES)}"


def special(draw: random.Random, path: Path) -> None:
    """A path with the name of a source that is no readable file."""
    makers: list[Callable[[], object]] = [
        lambda: path.symlink_to(path.name),
        lambda: path.symlink_to("nowhere"),
        lambda: path.symlink_to("/dev/zero"),
        lambda: path.symlink_to("/dev/full"),
        lambda: path.symlink_to("/proc/self/mem"),
        lambda: path.symlink_to(".."),
        lambda: os.mkfifo(path),
        lambda: path.mkdir(),
        lambda: _sparse(path),
        lambda: _socket(path),
        lambda: path.write_bytes(b""),
    ]
    draw.choice(makers)()


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 42)


def _socket(path: Path) -> None:
    here = Path.cwd()
    try:  # the path of a socket must be short
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.fsencode(path.name)[:90])
    finally:
        os.chdir(here)


def plant(draw: random.Random, root: Path, folder: Path) -> None:
    """A tree of folders with whatever there is."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    folders = [root]
    for _ in range(draw.randint(0, 3)):
        folders.append(draw.choice(folders) / f"d\udcfe{draw.randrange(1000)}")
        folders[-1].mkdir(exist_ok=True)
    for _ in range(draw.randint(1, 14)):
        path = draw.choice(folders) / name_of(draw)
        if os.path.lexists(path):
            continue
        kind = draw.choice(["text", "text", "text", "special", "special", "binary", "program"])
        if kind == "special":
            special(draw, path)
        elif kind == "text":
            path.write_bytes(draw.choice([deep, chain, mutated, mutated])(draw))
        else:
            content = binary(draw) if kind == "binary" else program(draw, folder, compiler)
            path.with_name(f"{path.name}.so").write_bytes(content)


def readable(format: str, path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    assert not set(map(chr, [*range(9), 11, 12, *range(14, 32), 127])) & set(text)
    if format in ("json", "sarif"):
        json.loads(text)
    elif format == "junit":
        ElementTree.fromstring(text)
    elif format == "github":
        assert all(line.startswith("::") for line in text.splitlines())


@pytest.mark.parametrize("number", range(TREES))
def test_a_hostile_tree(seed: int, number: int, tmp_path: Path) -> None:
    draw = random.Random(f"{seed} {number}")
    root = tmp_path / "tree"
    root.mkdir()
    plant(draw, root, tmp_path)
    real = draw.random() < 0.5
    if real:  # something to find in spite of all that
        (root / "zz.c").write_text("int x = cudnnSaveAlgorithm();\n")
    steps = [("8.9.7", "9.0.0"), ("9.0.0", "8.9.7"), ("9.10.0", "9.10.1"), ("9.28.0", "9.27.0")]
    old, new = draw.choice(steps[:1] if real else steps)
    paths = [str(root)]
    if draw.random() < 0.3:
        others = [path for path in sorted(root.rglob("*")) if path.name[0] != "-"]
        paths += [str(path) for path in draw.sample(others, min(2, len(others)))]
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(formats=FORMATS), old, new, f"{tmp_path}/out.", *paths],
        capture_output=True,
        timeout=LIMIT,
    )
    said = done.stderr.decode(errors="backslashreplace")
    assert done.returncode == 0, said
    assert "Traceback" not in said
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(FORMATS), said
    statuses = {int(line.partition(" ")[0]) for line in lines}
    (status,) = statuses  # every format of one comparison ends alike
    for format, line in zip(FORMATS, lines, strict=True):
        if status == 2:
            assert line.startswith("2 error: "), line
            assert not (tmp_path / f"out.{format}").exists()
        else:
            assert status in (0, 1)
            readable(format, tmp_path / f"out.{format}")
    if real and len(paths) == 1:
        assert status == 1
        assert "zz.c" in (tmp_path / "out.text").read_text()
