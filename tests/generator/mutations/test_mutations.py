"""Headers of a next release: each change is right in tables and calls, or left out and named."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Container
from pathlib import Path
from typing import NamedTuple

import pytest
from cudnn_cffi.api import model, store
from cudnn_cffi.api.diff import Finding, compare
from cudnn_cffi.api.records import Side
from cudnn_cffi.api.rules import AXES
from cudnn_cffi.api.uses import narrow

from generator import classify, pipeline, tree
from generator.classify.proofs import declared
from generator.headers import CudaHeaders, HeaderError, HeaderSet, Registry
from tests.compilers import c_library
from tests.generator import fake
from tests.generator.mutations import changes, functions, types
from tests.generator.mutations.mutation import CONFIRMED, STATED, Mutation, mutated

ALL = (*functions.MUTATIONS, *types.MUTATIONS, *changes.MUTATIONS)

CALLED = [each for each in ALL if each.call]

#: Mutations that are called without a sanitizer, too.
SAMPLE = (
    "array_of_a_stated_length",
    "array_or_number",
    "array_with_its_size",
    "numbers_of_all_sizes",
    "memory_with_its_descriptor",
    "memory_for_text",
    "new_object",
    "callback_with_a_name",
    "aligned_struct",
    "enum_of_eight_bytes",
)


class Next(NamedTuple):
    """The newest release, and one with all mutations."""

    newest: HeaderSet
    cuda: CudaHeaders
    old: model.Api
    headers: HeaderSet
    api: model.Api  # for comparing
    parsed: HeaderSet  # for calling, with the facts that a person adds
    called: model.Api


@pytest.fixture(scope="module")
def next_() -> Next:
    release = store().releases()[-1]
    try:
        with Registry() as registry:
            newest, cuda = registry.fetch(release.build), registry.cuda_headers()
    except HeaderError as error:
        pytest.skip(f"no headers of cuDNN {release.version}: {error}")
    headers = mutated(newest, ALL)
    with pytest.raises(classify.ClassificationError) as caught:
        pipeline.api_from_headers(headers, cuda)
    facts = classify.Facts.load()
    add_lines(facts, str(caught.value))
    ((parsed, called),) = pipeline.read([headers], cuda, strict=False, facts=facts)[1]
    old = pipeline.api_from_headers(newest, cuda)
    api = pipeline.api_from_headers(headers, cuda, facts, strict=False, keep_guesses=True)
    return Next(newest, cuda, old, headers, api, parsed, called)


def add_lines(facts: classify.Facts, message: str) -> None:
    """Add to facts the lines that a message gives, of the mutations that want it."""
    for section in (CONFIRMED, STATED):
        wanted = {each.subject for each in ALL if each.facts == section}
        for line in re.split(rf"elow \[{section}\]:\n", message)[1].splitlines():
            if not line.startswith('"'):
                break
            if re.split(r"[.(]", line[1:])[0] in wanted:
                getattr(facts, section).update(tomllib.loads(line))


def test_there_are_many() -> None:
    assert len(ALL) == len({each.id for each in ALL}) >= 85
    assert {each.id for each in CALLED} >= set(SAMPLE)
    assert all(each.roles is not None or each.named or each.found is not None for each in ALL)


# Roles and remarks


@pytest.mark.parametrize("mutation", [m for m in ALL if m.roles is not None], ids=lambda m: m.id)
def test_parameters_are_what_they_are_said_to_be(next_: Next, mutation: Mutation) -> None:
    (function,) = (f for f in next_.called.functions if f.name == mutation.subject)
    roles = [
        (p.direction, p.kind, p.memory, p.length, p.count, p.owner, "optional" * p.optional)
        for p in function.parameters
    ]
    # An address may always be NULL.
    shown = "; ".join(" ".join(filter(None, role)) for role in roles)
    assert shown.replace("buffer host optional", "buffer host") == mutation.roles


@pytest.mark.parametrize("mutation", [m for m in ALL if m.named], ids=lambda m: m.id)
def test_what_is_left_out_or_an_address_is_named(next_: Next, mutation: Mutation) -> None:
    assert [each for each in next_.parsed.remarks if each.startswith(mutation.named)]


def test_nothing_else_is_named(next_: Next) -> None:
    names = {word for each in ALL for word in re.findall(r"\w+", f"{each.add} {each.edit}")}
    for remark in next_.parsed.remarks:
        assert re.split(r"[:.]", remark)[0] in names


# The diff


def said(finding: Finding, added: Container[str | None]) -> str:
    """The rule of a finding, and what it is about: the whole, if that is new or has parts."""
    whole = finding.kind in ("parameter", "member") or finding.owner in added
    return f"{finding.rule} {finding.owner if whole else finding.name}"


@pytest.fixture(scope="module")
def found(next_: Next) -> dict[str, list[Finding]]:
    findings = compare(next_.old, next_.api)
    added = {finding.name for finding in findings if finding.rule == "enum-added"}
    those: dict[str, list[Finding]] = {}
    for finding in findings:
        those.setdefault(said(finding, added), []).append(finding)
    return those


@pytest.mark.parametrize("mutation", ALL, ids=lambda m: m.id)
def test_the_diff_reports_it_by_its_rule(
    found: dict[str, list[Finding]], mutation: Mutation
) -> None:
    assert mutation.findings <= found.keys()


def test_the_diff_reports_nothing_else(found: dict[str, list[Finding]]) -> None:
    expected = {each for mutation in ALL for each in mutation.findings}
    assert found.keys() - expected == {f"tables-outdated cudnn_cffi.v{'9_28_1'}"}


@pytest.fixture(scope="module")
def concerned(next_: Next, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """By mutation, what concerns the program that depends on it."""
    folder = tmp_path_factory.mktemp("programs")
    for each in ALL:
        suffix, program = each.source
        (folder / f"{each.id}.{suffix}").write_text(program)
    old, new = (Side(api.release, api.release, api.release) for api in (next_.old, next_.api))
    items, _ = narrow((old, next_.old), (new, next_.api), [str(folder)], AXES)
    told: dict[str, set[str]] = {each.id: set() for each in ALL}
    for item in items:
        for place in item.places:
            told[Path(place.path).stem].add(f"{item.rule} {item.name}|{item.owner}")
    return told


@pytest.mark.parametrize("mutation", ALL, ids=lambda m: m.id)
def test_a_program_that_depends_on_it_is_found_and_no_other(
    concerned: dict[str, set[str]], found: dict[str, list[Finding]], mutation: Mutation
) -> None:
    own = [finding for key in mutation.findings for finding in found[key]]
    about = [f for f in own if f.name == mutation.subject or f.kind in ("parameter", "member")]
    # A name that the model lacks is one that no release has.
    unknown = {f"name-unknown {mutation.name}|None"}
    assert concerned[mutation.id] - unknown <= {f"{f.rule} {f.name}|{f.owner}" for f in own}
    assert {f"{f.rule} {f.name}|{f.owner}" for f in about} <= concerned[mutation.id]
    assert about or not mutation.findings


# Calls


def assembled(folder: Path, next_: Next, *, native: bool = False) -> Path:
    """The package of the mutated release alone."""
    contents = tree.Contents()
    pipeline.add(contents, next_.parsed, next_.called)
    tree.write(folder / "tree", tree.files(contents.merged()))
    return fake.put_together(folder, folder / "tree", native=native)


def library(folder: Path, next_: Next, *flags: str) -> Path:
    """A libcudnn with the functions that mutations give a body."""
    include = folder / "include"
    for name, data in {**next_.cuda.files, **next_.headers.files}.items():
        (include / name).parent.mkdir(parents=True, exist_ok=True)
        (include / name).write_bytes(data)
    (include / "cuda_fp8.h").write_text("typedef struct { char a; } __nv_fp8_e4m3;\n")
    headers = "".join(f'#include "{name}"\n' for name in ["cudnn.h", *sorted(next_.headers.files)])
    lines = [headers, "#include <stdint.h>\nsize_t cudnnGetVersion(void) { return 99900; }"]
    lines += ["size_t cudnnGetCudartVersion(void) { return 13000; }"]
    lines += ['const char *cudnnGetErrorString(cudnnStatus_t s) { return s ? "bad" : "good"; }']
    known = {function.name: function for function in next_.called.functions}
    for each in ALL:
        if each.body is not None:
            lines += [definition(known[each.subject], each.body), each.also]
    return c_library(folder / "libcudnn.so.9", "\n".join(lines), *flags, f"-I{include}")


def definition(function: model.Function, body: str) -> str:
    """A function with its body in C."""
    taken = [
        p.type.replace("(*)", f"(*{p.name})") if "(*)" in p.type else declared(p)
        for p in function.parameters
    ]
    end = "" if function.result == "void" else " return 0;"
    return f"{function.result} {function.name}({', '.join(taken) or 'void'}) {{ {body}{end} }}"


PROGRAM = """
import ctypes, json, re, sys
import cudnn_cffi

hook = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda event: event + 1)
INTEGERS = {1: ctypes.c_uint8, 4: ctypes.c_int32, 8: ctypes.c_int64}

def filled(width, count, call):
    "Return what a call writes to memory for exactly this number of numbers."
    memory = (INTEGERS[width] * count)()
    call(ctypes.addressof(memory))
    return tuple(memory)

def numbers(width, *values):
    return (INTEGERS[width] * len(values))(*values)

def floats(*values):
    return (ctypes.c_float * len(values))(*values)

given = {name: globals()[name] for name in ("hook", "filled", "numbers", "floats")}
for code in json.loads(sys.argv[1]):
    names = set(re.findall(r"\\b(?:cudnn[A-Z]|CUDNN_|[A-Z]\\w+Descriptor)\\w*", code))
    try:
        found = {name: getattr(cudnn_cffi, name) for name in names}
        print(repr(eval(code, {**given, "sizeof": ctypes.sizeof, **found})), flush=True)
    except Exception as error:
        print(type(error).__name__, error, flush=True)
"""


def outcomes(site: Path, made: Path, mode: str, calls: list[str], **env: str) -> list[str]:
    """Return what calls give, a line each, and last what ended the process."""
    code = PROGRAM.replace("sys.argv[1]", repr(json.dumps(calls)))
    done = fake.run(site, code, made, mode, **env)
    return [*done.stdout.splitlines(), *([done.stderr] if done.returncode else [])]


def test_a_sample_is_called(next_: Next, tmp_path: Path) -> None:
    sample = [each for each in ALL if each.id in SAMPLE]
    made, site = library(tmp_path, next_), assembled(tmp_path, next_)
    done = outcomes(site, made, "abi", [each.call for each in sample])
    told = {each.id: line for each, line in zip(sample, done, strict=True)}
    assert told == {each.id: repr(each.gives) for each in sample}


@pytest.fixture(scope="module")
def sanitized(next_: Next, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """The package and the library, both watched by ASan and UBSan, and what to load first."""
    gcc = shutil.which("gcc")
    if gcc is None or os.name != "posix":
        pytest.skip("ASan is preloaded into Python, which needs gcc")
    names = [f"-print-file-name=lib{name}.so" for name in ("asan", "ubsan")]
    paths = [subprocess.run([gcc, n], capture_output=True, text=True).stdout.strip() for n in names]
    if not all(map(os.path.isabs, paths)):
        pytest.skip("gcc has no sanitizers")
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    folder = tmp_path_factory.mktemp("sanitized")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", gcc)
        patch.setenv("CFLAGS", flags)
        site = assembled(folder, next_, native=True)
    return site, library(folder, next_, *flags.split()), " ".join(paths)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["api", "abi"])
@pytest.mark.parametrize("mutation", CALLED, ids=lambda m: m.id)
def test_it_is_called_under_a_sanitizer(
    sanitized: tuple[Path, Path, str], mutation: Mutation, mode: str
) -> None:
    site, made, preloaded = sanitized
    watched = {
        "LD_PRELOAD": preloaded,
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself leaks
        "PYTHONMALLOC": "malloc",  # Python's own hides the ends of small blocks
    }
    assert outcomes(site, made, mode, [mutation.call], **watched) == [repr(mutation.gives)]


@pytest.mark.slow
def test_the_sanitizer_finds_what_a_guess_would_do(
    sanitized: tuple[Path, Path, str],
) -> None:
    """An address of memory for one number, where the function writes three."""
    site, made, preloaded = sanitized
    watched = {"LD_PRELOAD": preloaded, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    call = "filled(8, 1, lambda at: cudnnGetOthers(1, 300, at))"
    assert "heap-buffer-overflow" in outcomes(site, made, "api", [call], **watched)[-1]
