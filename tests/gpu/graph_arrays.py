"""Arrays for the operands of a plan: inputs with random values, outputs full of poison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TYPES = {
    "FLOAT": "float32",
    "HALF": "float16",
    "BFLOAT16": "bfloat16",
    "DOUBLE": "float64",
    "INT8": "int8",
    "UINT8": "uint8",
    "INT32": "int32",
    "INT64": "int64",
    "BOOLEAN": "bool",
    "FP8_E4M3": "float8_e4m3fn",
    "FP8_E5M2": "float8_e5m2",
    "FP8_E8M0": "float8_e8m0fnu",
}


def laid_out(torch: Any, values: Any, operand: Any) -> Any:
    """Return values on the device, in an operand's data type and strides."""
    size = 1 + sum((n - 1) * step for n, step in zip(operand.shape, operand.strides, strict=True))
    kind = getattr(torch, TYPES[operand.data_type])
    memory = torch.zeros(size, dtype=torch.float64, device="cuda").to(kind)
    array = memory.as_strided(operand.shape, operand.strides)
    array.copy_(values.to("cuda"))
    return array


def random_input(torch: Any, operand: Any, kind: Any) -> Any:
    """Return values of an input: of one kind that cases name, or normal."""
    shape = operand.shape
    if isinstance(kind, list):
        return torch.tensor(kind, dtype=torch.float64).reshape(shape)
    if kind == "index" or (operand.data_type.startswith("INT") and operand.data_type != "INT8"):
        return torch.zeros(shape, dtype=torch.float64)
    values = torch.randn(shape, dtype=torch.float64)
    if operand.data_type in ("INT8", "UINT8"):
        return torch.randint(0 if operand.data_type == "UINT8" else -8, 8, shape).double()
    if kind == "positive":
        return values.abs() + 0.5
    if kind == "unit":
        return values.tanh()
    if kind == "few":
        return torch.randint(-2, 3, shape).double()
    if kind == "hundreds":
        return values.abs() * 50 + 150
    return values


def poisoned(torch: Any, operand: Any) -> Any:
    """Return an array in which each element that is not written is seen."""
    kind = getattr(torch, TYPES[operand.data_type])
    floating = kind.is_floating_point
    poison = float("nan") if floating else 77
    values = torch.full(operand.shape, poison, dtype=torch.float64, device="cuda")
    return laid_out(torch, values, operand)


def computed(torch: Any, plan: Any, *given: Any, **named: Any) -> Any:
    """Return the only output of a plan, which it computes where poison was, as in its workspace."""
    (output,) = plan.outputs
    result = poisoned(torch, output)
    space = torch.full((max(plan.workspace_size, 1),), 255, dtype=torch.uint8, device="cuda")
    if named:
        plan(*given, **named, **{output.name: result}, workspace=space)
    else:
        plan(*given, result, workspace=space)
    torch.cuda.synchronize()
    return result


def run(torch: Any, plan: Any, kinds: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Run a plan on fresh inputs; return the inputs in float64 and the outputs, on the host."""
    arguments: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    made = []
    late = []
    for operand in plan.operands:
        if not operand.is_argument:
            continue
        if operand.role == "output":
            arguments[operand.name] = poisoned(torch, operand)
            made.append(operand.name)
            continue
        kind = kinds.get(operand.name)
        if isinstance(kind, tuple):  # computed from the other inputs
            late.append((operand, kind[1]))
            continue
        if operand.by_value:
            arguments[operand.name] = 1.5
            inputs[operand.name] = 1.5
            continue
        array = laid_out(torch, random_input(torch, operand, kind), operand)
        arguments[operand.name] = array
        inputs[operand.name] = array.cpu().double()
    for operand, function in late:
        array = laid_out(torch, function(torch, inputs), operand)
        arguments[operand.name] = array
        inputs[operand.name] = array.cpu().double()
    plan(**arguments)
    torch.cuda.synchronize()
    return inputs, [arguments[name].cpu() for name in made]


def error_of(torch: Any, result: Any, reference: Any) -> float:
    """Return the norm of the error over that of the reference; infinity for NaN."""
    result, reference = result.double(), torch.as_tensor(reference).double()
    assert result.shape == reference.shape
    difference = result - reference
    if difference.isnan().any():
        return float("inf")
    return float(difference.norm() / reference.norm().clamp(min=1e-30))
