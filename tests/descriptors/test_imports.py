"""Heavy modules are imported when they are used."""

from __future__ import annotations

from typing import Any


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


def test_networks_need_neither_graphs_nor_choices(run: Any) -> None:
    code = """
        import sys
        import cudnn_cffi as cudnn

        cudnn.load_network, cudnn.Network
        ours = [f"cudnn_cffi.{each}" for each in ("choice", "errata", "graph", "kernels", "ops")]
        print(sorted({*ours, "numpy", "torch", "hashlib", "inspect"} & set(sys.modules)))
    """
    done = run(code, None)
    assert done.stdout == "[]\n", done.stdout + done.stderr


def test_operations_and_graphs_are_neither_saved_nor_explained_at_first(run: Any) -> None:
    code = """
        import sys
        from cudnn_cffi import Graph, ops

        ops.explain, ops.convolution, Graph.to_json
        print(sorted({"msgspec", "numpy", "torch", "subprocess", "tempfile"} & set(sys.modules)))
    """
    done = run(code, None)
    assert done.stdout == "[]\n", done.stdout + done.stderr


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
