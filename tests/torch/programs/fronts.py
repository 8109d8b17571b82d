"""Kernels of the extension make calls that a kernel in Python has offered, and no others."""

import sys
from typing import Any

import torch
from cudnn_cffi.torch.autograd import recorder


def main() -> None:
    extension = recorder.extension()
    if sys.argv[1] != "extension":
        assert extension is None
        return
    ran: list[str] = []
    refused: dict[str, str] = {}
    is_ours = True
    answers: list[Any] = [torch.zeros(3)]
    own = torch.library.get_kernel("aten::convolution", "CPU")

    def compute(*given: Any, **named: Any) -> Any:
        ran.append("known")
        assert [each.shape for each in given] == [w.shape][: len(given)] and list(named) == ["last"]
        assert named["last"].shape == (1, 2, 8, 8)
        if isinstance(answers[0], BaseException):
            raise answers[0]
        return answers[0]

    def convolve(x: Any, w: Any, padding: Any) -> Any:
        return own.call_boxed(keys, x, w, None, [1, 1], padding, [1, 1], False, [0, 0], 1)

    def kernel(_: object, x: Any, w: Any, padding: Any, *more: Any) -> Any:
        ran.append("python")
        counters = (lambda: ran.append("count"),)
        parts = ((refused, compute, ("last",), None, (1, 0), 0),)
        extension.offer((parts if is_ours else (), counters, None))
        return convolve(x, w, padding)

    def pytorchs(_: object, x: Any, w: Any, padding: Any, *more: Any) -> Any:
        ran.append("pytorch's")
        return convolve(x, w, padding)

    library = torch.library.Library("aten", "IMPL")
    theirs = torch.library.Library("aten", "IMPL")
    theirs.impl("cudnn_convolution", pytorchs, "CPU", with_keyset=True)
    below = extension.kernel("cudnn_convolution", "CPU")
    library.impl("cudnn_convolution", kernel, "CPU", with_keyset=True)
    kept = [torch.library.get_kernel("aten::cudnn_convolution", "CPU")]
    front = extension.cover("cudnn_convolution", "CPU", below)
    kept.append(torch.library.get_kernel("aten::cudnn_convolution", "CPU"))
    x, w = torch.randn(1, 2, 8, 8), torch.randn(2, 2, 3, 3)
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
    expected = [convolve(x, w, [n, n]) for n in range(2)]
    function = torch.ops.aten.cudnn_convolution
    more = [1, 1], [1, 1], 1, False, False, True

    def call(*wanted: str, padding: int = 0, x: Any = x, w: Any = w) -> Any:
        ran.clear()
        with torch.no_grad():
            found = function(x, w, [padding, padding], *more)
        assert ran == list(wanted), (ran, wanted)
        if wanted[-1] in ("python", "pytorch's") and x.dtype == torch.float32:
            torch.testing.assert_close(found, expected[padding])
        return found

    call("python")
    assert call("known", "count") is not None
    assert call("known", "count").shape == (3,)
    # Other options, data types and switches are other calls.
    call("python", padding=1)
    call("python", x=x.double(), w=w.double())
    torch.backends.cudnn.deterministic = True
    call("python")
    torch.backends.cudnn.deterministic = False
    call("known", "count", padding=1)
    # Calls that were refused, and errors, are for Python's kernel; interrupts are not.
    refused["this"] = "why"
    call("python")
    refused.clear()
    answers[0] = RuntimeError("not today")
    call("known", "python")
    answers[0] = KeyboardInterrupt()
    try:
        call("known")
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError("an interrupt was lost")
    answers[0] = torch.ones(2)
    call("known", "count")
    extension.forget()
    call("python")
    call("known", "count")
    extension.forget()
    is_ours = False
    call("python")
    call("pytorch's")
    call("pytorch's")
    call("python", padding=1)
    is_ours = True
    extension.forget()
    call("python")
    call("known", "count")
    del front
    call("python")
    library._destroy()
    theirs._destroy()
    try:
        extension.cover("cudnn_convolution", "CPU", None)
    except ValueError:
        pass
    else:
        raise AssertionError("a kernel of another kind")
    for bad in (
        None,
        (1, 2),
        (1, 2, 3),
        ((), 2, 3),
        ((4,), (), 6),
        (((1, 2, 3, 4, (), 6),), (), 7),
    ):
        try:
            extension.offer(bad)
        except TypeError:
            continue
        raise AssertionError(bad)


main()
print("right")
