"""The shapes of networks: traced from torchvision, and by the figures of transformers.

    python -m benchmarks.engines.trace

runs each network of `NETWORKS` on PyTorch's meta device, which computes nothing, and writes the
shapes of all layers to shapes.json beside this file, each once, with the networks that have it. It
needs torch and torchvision. Shapes of transformers and of networks with instance norms follow from
the figures in `TRANSFORMERS` and `U_NETS`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("shapes.json")

#: Networks of torchvision, with the extents of their images: of videos frames come first.
NETWORKS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        (
            "resnet18", "resnet50", "resnet152", "resnext50_32x4d", "resnext101_64x4d",
            "wide_resnet50_2", "regnet_x_800mf", "regnet_x_3_2gf", "regnet_x_16gf",
            "regnet_y_400mf", "regnet_y_1_6gf", "regnet_y_8gf", "regnet_y_32gf",
            "efficientnet_b0", "mobilenet_v3_small", "mobilenet_v3_large", "mobilenet_v2",
            "mnasnet1_0", "mnasnet1_3", "shufflenet_v2_x1_0", "shufflenet_v2_x2_0",
            "convnext_tiny", "convnext_base", "convnext_large", "densenet121", "densenet161",
            "swin_t", "swin_b", "vit_b_16", "vit_l_16", "vgg16_bn", "alexnet", "googlenet",
            "squeezenet1_1", "maxvit_t", "resnext101_32x8d", "wide_resnet101_2", "regnet_x_400mf",
            "regnet_x_1_6gf", "regnet_x_8gf", "regnet_x_32gf", "regnet_y_800mf", "regnet_y_3_2gf",
            "regnet_y_16gf", "mnasnet0_5", "mnasnet0_75", "shufflenet_v2_x0_5",
            "shufflenet_v2_x1_5", "densenet169", "densenet201", "swin_s", "vit_b_32", "vit_l_32",
            "vit_h_14",
        ),
        (224, 224),
    ),
    "efficientnet_b1": (240, 240), "efficientnet_b2": (288, 288), "efficientnet_b3": (300, 300),
    "efficientnet_b4": (380, 380), "efficientnet_b5": (456, 456), "efficientnet_b6": (528, 528),
    "efficientnet_b7": (600, 600), "efficientnet_v2_s": (384, 384),
    "efficientnet_v2_m": (480, 480), "efficientnet_v2_l": (480, 480),
    "inception_v3": (299, 299), "swin_v2_t": (256, 256), "swin_v2_b": (256, 256),
    "r3d_18": (16, 112, 112), "mc3_18": (16, 112, 112), "r2plus1d_18": (16, 112, 112),
    "s3d": (16, 224, 224), "mvit_v1_b": (16, 224, 224), "mvit_v2_s": (16, 224, 224),
    "swin3d_t": (16, 224, 224), "swin3d_b": (16, 224, 224),
}  # fmt: skip

#: Networks whose convolutions are also there with what `fuse` joins to them.
FUSED = ("resnet18", "resnet50", "wide_resnet50_2", "vgg16_bn")

#: Images of a batch, and videos.
BATCH, VIDEOS = 32, 8

#: Figures of transformers, as their published configurations have them: width, width between the
#: layers of a block, heads, heads of keys, width of a head, norm, whether a query sees later keys,
#: and pairs of batch and length.
TRANSFORMERS: dict[str, tuple[int, int, int, int, int, str, bool, tuple[tuple[int, int], ...]]] = {
    "bert-base": (768, 3072, 12, 12, 64, "layer", True, ((32, 128), (32, 512))),
    "bert-large": (1024, 4096, 16, 16, 64, "layer", True, ((32, 128), (16, 512))),
    "electra-small": (256, 1024, 4, 4, 64, "layer", True, ((64, 128), (32, 512))),
    "gpt2": (768, 3072, 12, 12, 64, "layer", False, ((8, 1024),)),
    "gpt2-xl": (1600, 6400, 25, 25, 64, "layer", False, ((4, 1024),)),
    "opt-1.3b": (2048, 8192, 32, 32, 64, "layer", False, ((4, 2048),)),
    "gpt-neox-20b": (6144, 24576, 64, 64, 96, "layer", False, ((1, 2048),)),
    "falcon-7b": (4544, 18176, 71, 1, 64, "layer", False, ((2, 2048),)),
    "starcoder2-3b": (3072, 12288, 24, 2, 128, "layer", False, ((1, 4096),)),
    "llama-2-7b": (4096, 11008, 32, 32, 128, "rms", False, ((2, 4096), (8, 512))),
    "llama-2-13b": (5120, 13824, 40, 40, 128, "rms", False, ((1, 4096),)),
    "llama-3-8b": (4096, 14336, 32, 8, 128, "rms", False, ((1, 2048), (1, 8192), (4, 4096))),
    "llama-3-70b": (8192, 28672, 64, 8, 128, "rms", False, ((1, 1024), (1, 4096))),
    "llama-3.2-1b": (2048, 8192, 32, 8, 64, "rms", False, ((4, 2048), (1, 8192))),
    "tinyllama-1.1b": (2048, 5632, 32, 4, 64, "rms", False, ((8, 2048),)),
    "mistral-7b": (4096, 14336, 32, 8, 128, "rms", False, ((2, 4096),)),
    "qwen2.5-0.5b": (896, 4864, 14, 2, 64, "rms", False, ((8, 2048),)),
    "qwen2.5-7b": (3584, 18944, 28, 4, 128, "rms", False, ((2, 2048), (1, 8192))),
    "phi-3-mini": (3072, 8192, 32, 32, 96, "rms", False, ((2, 4096),)),
    "gemma-2b": (2048, 16384, 8, 1, 256, "rms", False, ((2, 2048),)),
    "t5-small": (512, 2048, 8, 8, 64, "rms", True, ((64, 512),)),
    "t5-large": (1024, 4096, 16, 16, 64, "rms", True, ((16, 512),)),
    "whisper-small": (768, 3072, 12, 12, 64, "layer", True, ((16, 1500),)),
    "whisper-medium": (1024, 4096, 16, 16, 64, "layer", True, ((8, 1500),)),
    "wav2vec2-base": (768, 3072, 12, 12, 64, "layer", True, ((16, 499),)),
    "clip-vit-l-14": (1024, 4096, 16, 16, 64, "layer", True, ((32, 257),)),
    "sd-1.5": (640, 2560, 8, 8, 80, "layer", True, ((8, 1024),)),
    "sdxl": (640, 2560, 10, 10, 64, "layer", True, ((2, 4096),)),
    "dit-xl-2": (1152, 4608, 16, 16, 72, "layer", True, ((32, 256),)),
}

#: Networks with instance norms by their figures: the batch, whether pixels become half as many by
#: convolutions (else by poolings), and for each level the channels and the extents.
U_NETS: dict[str, tuple[int, bool, tuple[tuple[int, tuple[int, ...]], ...]]] = {
    "nnunet-3d": (2, True, (
        (32, (128, 128, 128)), (64, (64, 64, 64)), (128, (32, 32, 32)), (256, (16, 16, 16)),
        (320, (8, 8, 8)), (320, (4, 4, 4)),
    )),
    "nnunet-2d": (12, True, (
        (32, (512, 512)), (64, (256, 256)), (128, (128, 128)), (256, (64, 64)), (512, (32, 32)),
        (512, (16, 16)), (512, (8, 8)),
    )),
    "unet-3d": (2, False, (
        (32, (96, 96, 96)), (64, (48, 48, 48)), (128, (24, 24, 24)), (256, (12, 12, 12)),
        (512, (6, 6, 6)),
    )),
    "fast-style": (4, True, ((32, (256, 256)), (64, (128, 128)), (128, (64, 64)))),
    "cyclegan": (1, True, ((64, (256, 256)), (128, (128, 128)), (256, (64, 64)))),
    "pix2pix": (8, True, (
        (64, (128, 128)), (128, (64, 64)), (256, (32, 32)), (512, (16, 16)), (512, (8, 8)),
    )),
}  # fmt: skip


def _shape(array: Any) -> list[int]:
    return [int(each) for each in array.shape]


def layers(name: str, size: Sequence[int]) -> Iterator[tuple[str, dict[str, Any]]]:
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
        if kind == "convolution" and len(args[0].shape) in (4, 5) and not args[6]:
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
            found.append(("layer_norm", {"rows": math.prod(shape) // width, "width": width}))
        elif "_pool" in kind and kind[:3] in ("max", "avg") and "backward" not in kind:
            count = len(args[0].shape) - 2
            window = _each(args[1], count)
            found.append(
                ("pooling", {
                    "x": _shape(args[0]), "kind": kind[:3].replace("avg", "average"),
                    "window": window, "stride": _each(args[2], count) if len(args) > 2 and args[2]
                    else window, "padding": _each(args[3] if len(args) > 3 else 0, count),
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

    video = len(size) == 3
    image = torch.empty(VIDEOS if video else BATCH, 3, *size, device="meta")
    make = getattr(torchvision.models.video if video else torchvision.models, name)
    try:
        with torch.device("meta"):
            network = make(weights=None).train()
    except NotImplementedError:  # it computes its widths by tensors
        network = make(weights=None).train().to("meta")
    with torch.no_grad(), Attention(), Layers():
        network(image)
    yield from found


def chains(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the kind and the figures of a network's convolutions with what `fuse` joins to them."""
    import torch
    import torchvision
    from cudnn_cffi.torch.fusion.building import Settings, Way
    from cudnn_cffi.torch.fusion.pipeline import Pipeline
    from cudnn_cffi.torch.fusion.trace.eager import Like
    from cudnn_cffi.torch.fusion.trace.shadow import to_shadow
    from cudnn_cffi.torch.fusion.trace.tracing import to_form
    from cudnn_cffi.torch.fusion.values import Values

    found: list[dict[str, Any]] = []

    def note(part: Any, specs: Any) -> Way:
        if part.kind == "convolution" and part.conv.groups == 1:
            conv, word = part.conv, part.activation and part.activation[0]
            found.append({
                "x": _shape(specs["x"]), "w": _shape(specs["w"]), "stride": list(conv.stride),
                "padding": list(conv.padding), "dilation": list(conv.dilation), "groups": 1,
                "residual": "residual" in specs, "activation": word,
            })  # fmt: skip
        return Way(None, "torch")

    last = torch.channels_last
    model = getattr(torchvision.models, name)(weights=None).eval().half().to(memory_format=last)
    x = torch.empty(BATCH, 3, *NETWORKS[name], dtype=torch.half).to(memory_format=last)
    pipeline = Pipeline(to_shadow(model), Settings(), kernels=False)
    with torch.no_grad():
        form, tensors = to_form((x,), {})
        likes = [Like.of(each) for each in tensors]
        Values(pipeline.parts(form), likes, pipeline.folder, note)
    for each in found:
        yield "fused_convolution", each


def _attention(b: int, s: int, h: int, keys: int, d: int, both: bool) -> dict[str, Any]:
    return {
        "batch": int(b), "length": int(s), "heads": int(h), "key_heads": int(keys),
        "width": int(d), "causal": not both,
    }  # fmt: skip


def _each(value: Any, count: int) -> list[int]:
    several = [value] if isinstance(value, int) else list(value)
    return [int(each) for each in (several * count if len(several) == 1 else several)]


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


def levels(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the kind and the figures of the layers of a network with levels."""
    batch, strided, several = U_NETS[name]
    above, size = 3 if len(several[0][1]) == 2 else 1, several[0][1]
    for place, (channels, extents) in enumerate(several):
        rank = len(extents)
        steps = [a // b for a, b in zip(size, extents, strict=True)]
        if place and not strided:
            yield "pooling", {
                "x": [batch, above, *size], "kind": "max", "window": steps, "stride": steps,
                "padding": [0] * rank,
            }  # fmt: skip
            size, steps = extents, [1] * rank
        for inputs, source, stride in ((above, size, steps), (channels, extents, [1] * rank)):
            yield "convolution", {
                "x": [batch, inputs, *source], "w": [channels, inputs, *[3] * rank],
                "stride": stride, "padding": [1] * rank, "dilation": [1] * rank, "groups": 1,
            }  # fmt: skip
        yield "instance_norm", {"x": [batch, channels, *extents]}
        above, size = channels, extents


def main() -> None:
    """Write all shapes, each once, in the order in which networks have them."""
    found: dict[str, tuple[str, dict[str, Any], list[str]]] = {}
    sources = [*((name, layers(name, size)) for name, size in NETWORKS.items())]
    sources += [(name, blocks(name)) for name in TRANSFORMERS]
    sources += [(name, levels(name)) for name in U_NETS]
    sources += [(name, chains(name)) for name in FUSED]
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
