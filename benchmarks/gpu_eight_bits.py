"""Time of fused networks with layers of 8 bits on a GPU, beside float16, and what is lost.

Both are captured, with engines chosen by timing, and timed in turns in one process. The weights are
random, the statistics of norms those of random images; the cosine is that of the logits of 8 bits
and of float16, of 256 images that are not those of the calibration.

    python -m benchmarks.gpu_eight_bits [--networks resnet50,convnext_tiny] [--batch 256]
                                        [--dtypes float8_e4m3,int8] [--report] [--record]
"""

from __future__ import annotations

import sys
import time
from functools import partial
from importlib import import_module
from typing import Any

from benchmarks import records
from benchmarks.timing import in_turns, of_device

#: Images of the calibration, and runs that are timed.
CALIBRATION, ROUNDS = 64, 7


def network(torch: Any, name: str, batch: int) -> tuple[Any, Any, Any]:
    """Return a network in float16, images, and others for the calibration."""
    torch.manual_seed(0)
    model = getattr(import_module("torchvision").models, name)(weights=None).cuda()
    norms = [each for each in model.modules() if isinstance(each, torch.nn.BatchNorm2d)]
    x = torch.randn(batch + CALIBRATION, 3, 224, 224, device="cuda")
    for each in norms:
        each.momentum = 1.0
        torch.nn.init.uniform_(each.weight, 0.5, 1.5)
        torch.nn.init.normal_(each.bias, 0.0, 0.3)
    with torch.no_grad():
        model.train()(x[batch:])
    for each in model.modules():
        if hasattr(each, "layer_scale"):  # else blocks of ConvNeXt add a millionth
            torch.nn.init.uniform_(each.layer_scale, 0.1, 0.5)
    model = model.eval().to(dtype=torch.float16, memory_format=torch.channels_last)
    x = x.half().contiguous(memory_format=torch.channels_last)
    return model, x[:batch], x[batch:]


def compare(torch: Any, y: Any, right: Any) -> dict[str, float]:
    """Return how near logits are, also without what those of all images have in common."""
    cosine = torch.nn.functional.cosine_similarity
    around = right.mean(0)
    cosines = cosine(y, right)
    return {
        "cosine": float(cosines.mean()),
        "least_cosine": float(cosines.min()),
        "cosine_without_mean": float(cosine(y - around, right - around).mean()),
        "error": float((y - right).norm() / right.norm()),
    }


def layers(report: Any) -> dict[str, dict[str, float]]:
    """Return the times and losses of layers that were timed, by their names."""
    return {
        row.name: {
            "us": row.time, "us_float16": row.time_wide, "error": row.error, "cosine": row.cosine
        }
        for row in report
        if row.time is not None
    }  # fmt: skip


def measure(torch: Any, name: str, options: Any) -> dict[str, dict[str, Any]]:
    """Return the times of a network in float16 and with layers of 8 bits."""
    from cudnn_cffi.torch import fuse

    model, x, others = network(torch, name, options.batch)
    found: dict[str, dict[str, Any]] = {}
    calls = {}
    with torch.no_grad():
        for dtype in ("float16", *options.dtypes.split(",")):
            start = time.perf_counter()
            more = {} if dtype == "float16" else {"dtype": dtype, "calibration": [others]}
            fused = fuse(model, choose=options.choose, capture=True, **more)
            y = fused(x).double()
            torch.cuda.synchronize()
            row = found[dtype] = {"ready_s": time.perf_counter() - start}
            calls[dtype] = lambda fused=fused: fused(x)
            if dtype == "float16":
                right = y
                continue
            row |= compare(torch, y, right)
            narrow = [each for each in fused.precision if each.dtype == dtype]
            row |= {"layers": len(narrow), "of": len(fused.precision)}
            row["each"] = layers(fused.precision)
            if options.report:
                print(fused.precision, flush=True)
        ways = {dtype: partial(of_device, torch, call, 5) for dtype, call in calls.items()}
        times = in_turns(ways, ROUNDS)
    for dtype, taken in times.items():
        found[dtype]["us"] = taken
        found[dtype]["of_float16"] = found[dtype]["us"] / found["float16"]["us"]
        if "each" in found[dtype]:
            pairs = [(row["us"], row["us_float16"]) for row in found[dtype]["each"].values()]
            saved = sum(max(0.0, before - after) for after, before in pairs)
            found[dtype]["bound"] = 1.0 - saved / found["float16"]["us"]
    return found


def main() -> int:
    """Measure, print, and write the record if asked to."""
    parser = records.parser(__doc__)
    parser.add_argument("--networks", default="resnet50,convnext_tiny")
    parser.add_argument("--dtypes", default="float8_e4m3,int8")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--choose", default="time")
    parser.add_argument("--report", action="store_true", help="print the data type of each layer")
    options = parser.parse_args()
    torch = import_module("torch")
    values: dict[str, dict[str, dict[str, Any]]] = {}
    for name in options.networks.split(","):
        rows = values[name] = measure(torch, name, options)
        for dtype, row in rows.items():
            shown = {key: round(each, 6) for key, each in row.items() if key != "each"}
            print(f"{name} {dtype} {row['of_float16']:.3f}", shown, flush=True)
    subject = ("overlay/cudnn_cffi/torch/fusion",)
    records.finish(options, "gpu_eight_bits", values, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
