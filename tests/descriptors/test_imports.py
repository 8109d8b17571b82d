"""Heavy modules are imported when they are used."""

from __future__ import annotations

from typing import Any

import pytest


def test_descriptors_need_no_array_library(cudnn: Any, run: Any) -> None:
    code = """
        import sys
        import cudnn_cffi as cudnn

        assert not {"cudnn_cffi.descriptors", "cudnn_cffi.handles"} & set(sys.modules)
        x = cudnn.TensorDescriptor.packed((1, 2, 3, 4))
        conv = cudnn.ConvolutionDescriptor.cross_correlation()
        handle = cudnn.Handle.from_address(0x1234)
        print(sorted({"numpy", "torch", "cuda", "ml_dtypes"} & set(sys.modules)))
    """
    done = run(code, cudnn.load().path)
    assert done.stdout == "[]\n", done.stdout + done.stderr


@pytest.mark.parametrize(
    ("used", "unused"),
    [
        (
            "cudnn_cffi.load_network, cudnn_cffi.Network",
            "cudnn_cffi.choice cudnn_cffi.errata cudnn_cffi.graph cudnn_cffi.kernels "
            "cudnn_cffi.ops numpy torch hashlib inspect",
        ),
        (  # operations and graphs are neither saved nor explained at first
            "cudnn_cffi.ops.explain, cudnn_cffi.ops.convolution, cudnn_cffi.Graph.to_json",
            "msgspec numpy torch subprocess tempfile",
        ),
    ],
)
def test_what_is_not_needed_is_not_imported(run: Any, used: str, unused: str) -> None:
    code = f"import sys, cudnn_cffi\n{used}\nprint(set({unused.split()}) & set(sys.modules))"
    done = run(code, None)
    assert done.stdout == "set()\n", done.stdout + done.stderr


def test_the_overlay_is_preferred_to_what_was_emitted(cudnn: Any) -> None:
    from cudnn_cffi import families

    for name in dir(families):
        emitted = getattr(families, name)
        if isinstance(emitted, type) and hasattr(emitted, "_c_name") and emitted.__name__ == name:
            if name == "Family" or not cudnn.has(name):
                continue
            assert issubclass(getattr(cudnn, name), emitted)
    assert cudnn.cudnnTensorDescriptor_t is cudnn.TensorDescriptor
    assert callable(cudnn.handle), "the function, not a module of that name"
