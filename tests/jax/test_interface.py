"""The structs of XLA's interface are those of the header that comes with jaxlib."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.compilers import c_compiler

jax = pytest.importorskip("jax")

NATIVE = Path(__file__).parents[2] / "native"

#: Structs, and their fields, with the names of XLA's.
STRUCTS = {
    ("xla_extension", "XLA_FFI_Extension_Base"): "size=struct_size type next",
    ("xla_version", "XLA_FFI_Api_Version"): (
        "size=struct_size extension=extension_start major=major_version minor=minor_version"
    ),
    ("xla_metadata", "XLA_FFI_Metadata"): "size=struct_size version=api_version traits",
    ("xla_asking", "XLA_FFI_Metadata_Extension"): "base=extension_base metadata",
    ("xla_buffer", "XLA_FFI_Buffer"): (
        "size=struct_size extension=extension_start type=dtype data rank extents=dims"
    ),
    ("xla_buffers", "XLA_FFI_Args"): (
        "size=struct_size extension=extension_start count=size types item=args"
    ),
    ("xla_buffers", "XLA_FFI_Rets"): (
        "size=struct_size extension=extension_start count=size types item=rets"
    ),
    ("xla_number", "XLA_FFI_Scalar"): "type=dtype value",
    ("xla_attributes", "XLA_FFI_Attrs"): (
        "size=struct_size extension=extension_start count=size types names value=attrs"
    ),
    ("xla_to_error", "XLA_FFI_Error_Create_Args"): (
        "size=struct_size extension=extension_start message code=errc"
    ),
    ("xla_to_stream", "XLA_FFI_Stream_Get_Args"): (
        "size=struct_size extension=extension_start context=ctx stream"
    ),
    ("xla_api", "XLA_FFI_Api"): (
        "size=struct_size extension=extension_start version=api_version internal=internal_api "
        "create_error=XLA_FFI_Error_Create error_message=XLA_FFI_Error_GetMessage "
        "destroy_error=XLA_FFI_Error_Destroy register_handler=XLA_FFI_Handler_Register "
        "get_stream=XLA_FFI_Stream_Get"
    ),
    ("xla_frame", "XLA_FFI_CallFrame"): (
        "size=struct_size extension=extension_start api context=ctx stage inputs=args results=rets "
        "attributes=attrs"
    ),
}

NUMBERS = {
    "XLA_METADATA": "XLA_FFI_Extension_Metadata",
    "XLA_MAY_CAPTURE": "XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE",
    "XLA_EXECUTE": "XLA_FFI_ExecutionStage_EXECUTE",
    "XLA_SCALAR": "XLA_FFI_AttrType_SCALAR",
    "XLA_S64": "XLA_FFI_DataType_S64",
    "XLA_INVALID_ARGUMENT": "XLA_FFI_Error_Code_INVALID_ARGUMENT",
    "XLA_FAILED_PRECONDITION": "XLA_FFI_Error_Code_FAILED_PRECONDITION",
    "XLA_INTERNAL": "XLA_FFI_Error_Code_INTERNAL",
}


def test_structs_and_numbers(tmp_path: Path) -> None:
    lines = ['#include "xla.h"', '#include "xla/ffi/api/c_api.h"']
    for (ours, theirs), fields in STRUCTS.items():
        for each in fields.split():
            own, _, other = each.partition("=")
            one = f"offsetof(struct {ours}, {own})", f"offsetof({theirs}, {other or own})"
            two = (
                f"sizeof(((struct {ours} *)0)->{own})",
                f"sizeof((({theirs} *)0)->{other or own})",
            )
            lines += [f'_Static_assert({a} == {b}, "{ours}.{own}");' for a, b in (one, two)]
    lines += [f'_Static_assert({a} == (int){b}, "{a}");' for a, b in NUMBERS.items()]
    source = tmp_path / "interface.c"
    source.write_text("\n".join(lines) + "\n", encoding="ascii")
    folders = [NATIVE, jax.ffi.include_dir(), sysconfig.get_path("include")]
    command = [c_compiler(), "-fsyntax-only", *[f"-I{each}" for each in folders], str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_field_is_compared() -> None:
    text = (NATIVE / "xla.h").read_text(encoding="ascii")
    for (ours, _), fields in STRUCTS.items():
        body = text.partition(f"struct {ours} {{")[2].partition("\n};")[0]
        declared = sum(line.count(",") + 1 for line in body.splitlines() if line.endswith(";"))
        calls = sum(line.count(",") for line in body.splitlines() if ")(" in line)
        assert declared - calls == len(fields.split()), ours
