"""The shapes of networks: traced from torchvision, and by the figures of transformers.

    python -m benchmarks.engines.trace

runs each network of `NETWORKS` on PyTorch's meta device, which computes nothing, and writes the
shapes of all layers to shapes.json beside this file, each once, with the networks that have it. It
needs torch and torchvision. Shapes of transformers follow from the figures in `TRANSFORMERS`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("shapes.json")

#: Networks of torchvision, with the extents of their images.
NETWORKS = {
    "resnet18": 224, "resnet50": 224, "resnext50_32x4d": 224, "wide_resnet50_2": 224,
    "regnet_y_8gf": 224, "efficientnet_b0": 224, "efficientnet_v2_s": 384,
    "mobilenet_v3_large": 224, "mobilenet_v2": 224, "mnasnet1_0": 224, "shufflenet_v2_x1_0": 224,
    "convnext_tiny": 224, "densenet121": 224, "swin_t": 224, "vit_b_16": 224, "vgg16_bn": 224,
    "alexnet": 224, "googlenet": 224, "inception_v3": 299, "squeezenet1_1": 224,
}  # fmt: skip

#: Images of a batch.
BATCH = 32

#: Figures of transformers, as their published configurations have them: width, width between the
#: layers of a block, heads, heads of keys, width of a head, norm, whether a query sees later keys,
#: and pairs of batch and length.
TRANSFORMERS: dict[str, tuple[int, int, int, int, int, str, bool, tuple[tuple[int, int], ...]]] = {
    "bert-base": (768, 3072, 12, 12, 64, "layer", True, ((32, 128), (32, 512))),
    "bert-large": (1024, 4096, 16, 16, 64, "layer", True, ((32, 128), (16, 512))),
    "gpt2": (768, 3072, 12, 12, 64, "layer", False, ((8, 1024),)),
    "gpt2-xl": (1600, 6400, 25, 25, 64, "layer", False, ((4, 1024),)),
    "llama-3-8b": (4096, 14336, 32, 8, 128, "rms", False, ((1, 2048), (1, 8192), (4, 4096))),
    "llama-3.2-1b": (2048, 8192, 32, 8, 64, "rms", False, ((4, 2048), (1, 8192))),
    "mistral-7b": (4096, 14336, 32, 8, 128, "rms", False, ((2, 4096),)),
    "qwen2.5-7b": (3584, 18944, 28, 4, 128, "rms", False, ((2, 2048), (1, 8192))),
    "t5-large": (1024, 4096, 16, 16, 64, "rms", True, ((16, 512),)),
    "whisper-medium": (1024, 4096, 16, 16, 64, "layer", True, ((8, 1500),)),
    "clip-vit-l-14": (1024, 4096, 16, 16, 64, "layer", True, ((32, 257),)),
    "sd-1.5": (640, 2560, 8, 8, 80, "layer", True, ((8, 1024),)),
}


def _shape(array: Any) -> list[int]:
    return [int(each) for each in array.shape]


def layers(name: str, size: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the kind and the figures of each layer of a network, also those of equal shape."""
    import torch
    import torchvision
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    found: list[tuple[str, dict[str, Any]]] = []

    class Attention(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function is torch.nn.functional.scaled_dot_product_attention:
                b, h, s, d = args[0].shape
                found.append(("attention", _attention(b, s, h, h, d, True)))
            return function(*args, **(kwargs or {}))

    class Layers(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = function(*args, **(kwargs or {}))
            _add(str(function), args, result)
            return result

    def _add(function: str, args: Any, result: Any) -> None:
        kind = function.split(".")[1]
        if kind == "convolution" and len(args[0].shape) == 4:
            x, w, _, stride, padding, dilation, _, _, groups = args[:9]
            found.append(
                ("convolution", {
                    "x": _shape(x), "w": _shape(w), "stride": list(stride),
                    "padding": list(padding), "dilation": list(dilation), "groups": groups,
                })
            )  # fmt: skip
        elif kind in ("native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update"):
            found.append(("batch_norm", {"x": _shape(args[0])}))
        elif kind == "native_layer_norm":
            shape = _shape(args[0])
            width = shape[-1]
            found.append(("layer_norm", {"rows": _product(shape) // width, "width": width}))
        elif kind in ("max_pool2d_with_indices", "avg_pool2d"):
            window = _pair(args[1])
            found.append(
                ("pooling", {
                    "x": _shape(args[0]), "kind": kind[:3].replace("avg", "average"),
                    "window": window, "stride": _pair(args[2]) if len(args) > 2 and args[2] else
                    window, "padding": _pair(args[3]) if len(args) > 3 else [0, 0],
                })
            )  # fmt: skip
        elif kind in ("mean", "_adaptive_avg_pool2d") and len(args[0].shape) == 4:
            if kind == "mean" and _shape(result)[2:] != [1, 1]:
                return
            x, y = _shape(args[0]), _shape(result)
            if x[2] > y[2] and not any(a % b for a, b in zip(x[2:], y[2:], strict=True)):
                window = [a // b for a, b in zip(x[2:], y[2:], strict=True)]
                found.append(
                    ("pooling", {
                        "x": x, "kind": "average", "window": window, "stride": window,
                        "padding": [0, 0],
                    })
                )  # fmt: skip
        elif kind in ("mm", "addmm"):
            a, b = args[-2:]
            found.append(("product", {"m": a.shape[0], "n": b.shape[1], "k": a.shape[1]}))
        elif kind == "bmm":
            a, b = args[-2:]
            found.append(
                ("batched_product", {
                    "batch": a.shape[0], "m": a.shape[1], "n": b.shape[2], "k": a.shape[2],
                })
            )  # fmt: skip

    image = torch.empty(BATCH, 3, size, size, device="meta")
    make = getattr(torchvision.models, name)
    try:
        with torch.device("meta"):
            network = make(weights=None).train()
    except NotImplementedError:  # it computes its widths by tensors
        network = make(weights=None).train().to("meta")
    with torch.no_grad(), Attention(), Layers():
        network(image)
    yield from found


def _attention(b: int, s: int, h: int, keys: int, d: int, both: bool) -> dict[str, Any]:
    return {
        "batch": int(b), "length": int(s), "heads": int(h), "key_heads": int(keys),
        "width": int(d), "causal": not both,
    }  # fmt: skip


def _pair(value: Any) -> list[int]:
    several = [value] if isinstance(value, int) else list(value)
    return [int(each) for each in (several * 2 if len(several) == 1 else several)]


def _product(extents: list[int]) -> int:
    size = 1
    for each in extents:
        size *= each
    return size


def blocks(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the kind and the figures of the layers of a transformer's block."""
    width, inner, heads, keys, head, norm, both, pairs = TRANSFORMERS[name]
    for batch, length in pairs:
        rows = batch * length
        products = {
            (heads * head, width), (keys * head, width), (width, heads * head), (inner, width),
            (width, inner),
        }  # fmt: skip
        for n, k in sorted(products):
            yield "product", {"m": rows, "n": n, "k": k}
        yield f"{norm}_norm", {"rows": rows, "width": width}
        yield "attention", _attention(batch, length, heads, keys, head, both)


def main() -> None:
    """Write all shapes, each once, in the order in which networks have them."""
    found: dict[str, tuple[str, dict[str, Any], list[str]]] = {}
    sources = [*((name, layers(name, size)) for name, size in NETWORKS.items())]
    sources += [(name, blocks(name)) for name in TRANSFORMERS]
    for name, several in sources:
        for kind, figures in several:
            key = json.dumps([kind, figures], sort_keys=True)
            networks = found.setdefault(key, (kind, figures, []))[2]
            if name not in networks:
                networks.append(name)
    lines = [json.dumps([kind, figures, names]) for kind, figures, names in found.values()]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    kinds = [kind for kind, _, _ in found.values()]
    print(f"{len(kinds)} shapes:", {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)})


if __name__ == "__main__":
    main()
