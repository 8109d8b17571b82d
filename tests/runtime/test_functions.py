"""What is called under a C name behaves as a function of Python's does, compiled or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., None]

SETUP = """
import gc, inspect, sys, weakref
import cudnn_cffi as cudnn
from cudnn_cffi import errors

def raised(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")

set4d, get4d = cudnn.cudnnSetTensor4dDescriptor, cudnn.cudnnGetTensor4dDescriptor
x = cudnn.TensorDescriptor()
"""


@pytest.fixture(params=["api", "abi"])
def child(request: pytest.FixtureRequest, run: Callable[..., object], cudnn_library: Path) -> Run:
    def call(code: str) -> None:
        run(SETUP + code, cudnn_library, CUDNN_CFFI_MODE=request.param)

    return call


def test_it_tells_its_name_signature_and_text(child: Run) -> None:
    child("""
assert set4d.__name__ == set4d.__qualname__ == "cudnnSetTensor4dDescriptor"
assert set4d.__module__ == "cudnn_cffi.calls.ops"
signature = inspect.signature(set4d)
assert list(signature.parameters) == ["tensorDesc", "format", "dataType", "n", "c", "h", "w"]
assert signature.parameters["format"].annotation == "TensorFormat"
assert signature.return_annotation == "None"
assert inspect.get_annotations(set4d)["format"] == "TensorFormat"
assert "tensorDesc: cudnnTensorDescriptor_t" in inspect.getdoc(set4d)
assert inspect.isroutine(set4d) and callable(set4d)
assert "def cudnnSetTensor4dDescriptor(" in inspect.getsource(set4d)
assert "cudnnSetTensor4dDescriptor" in repr(set4d)
import pydoc
text = " ".join(pydoc.plain(pydoc.render_doc(set4d)).split())
assert "tensorDesc: 'TensorDescriptor | int', format: 'TensorFormat'," in text
assert "Set `format`, `dataType`, `n`, `c`, `h` and `w` of `tensorDesc`." in text
""")


def test_arguments_go_by_place_by_name_and_out_of_containers(child: Run) -> None:
    child("""
import functools
whole = dict(format=0, dataType=1, n=5, c=6, h=7, w=8)
calls = [
    lambda: set4d(x, 0, 1, 5, 6, 7, 8),
    lambda: set4d(x, 0, 1, 5, 6, w=8, h=7),
    lambda: set4d(tensorDesc=x, **whole),
    lambda: set4d(*(x, 0, 1, 5, 6, 7, 8)),
    lambda: set4d(x, **whole),
    lambda: set4d.__call__(x, 0, 1, 5, 6, 7, 8),
    lambda: set4d.__call__(x, **whole),
    functools.partial(set4d, x, 0, 1, 5, 6, 7, 8),
    functools.partial(set4d, x, 0, 1, w=8, c=6, n=5, h=7),
    lambda: list(map(set4d, [x], [0], [1], [5], [6], [7], [8])),
]
for call in calls:
    set4d(x, 0, 0, 1, 1, 1, 1)
    call()
    assert get4d(x)[:5] == (1, 5, 6, 7, 8)
assert get4d(tensorDesc=x) == get4d(x)
""")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("set4d()", "missing 7 required positional arguments"),
        ("set4d(x, 0, 0, 1, 1, 1)", "missing 1 required positional argument: 'w'"),
        ("set4d(x, 0, 0, 1, 1, 1, 1, 1)", "takes 7 positional arguments but 8 were given"),
        ("set4d(x, 0, 0, 1, 1, 1, q=1)", "unexpected keyword argument 'q'"),
        ("set4d(x, 0, 0, 1, 1, 1, 1, w=1)", "multiple values for argument 'w'"),
        ("set4d(x, 0, 0, 1, 1, 1, h=1)", "multiple values for argument 'h'"),
        ("set4d(x, 0, 0, 1, 1, 1, **{1: 2})", "keywords must be strings"),
        ("set4d.__call__(x, 0)", "missing 5 required positional arguments"),
        ("get4d(x, x)", "takes 1 positional argument but 2 were given"),
    ],
)
def test_wrong_arguments_are_told_in_pythons_own_words(child: Run, call: str, message: str) -> None:
    child(f"""
error = raised(lambda: {call})
assert type(error) is TypeError, error
assert {message!r} in str(error), error
""")


def test_it_is_copied_and_pickled_by_name(child: Run) -> None:
    child("""
import copy, pickle
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    assert pickle.loads(pickle.dumps(set4d, protocol)) is set4d
assert copy.copy(set4d) is copy.deepcopy(set4d) is set4d
assert {set4d: 1}[cudnn.cudnnSetTensor4dDescriptor] == 1
""")


def test_it_takes_attributes_weak_references_and_an_instance(child: Run) -> None:
    child("""
set4d.note = 1
assert set4d.note == 1 and set4d.__dict__["note"] == 1
del set4d.note
assert not hasattr(set4d, "note")
assert weakref.ref(set4d)() is set4d

class Mine:
    _cudnnTensorDescriptor_t = x.address
    get = get4d

assert Mine.get(x) == Mine().get() == get4d(x)
""")


def test_objects_that_only_look_right_are_told_apart(child: Run) -> None:
    child("""
class Has:
    def __init__(self, address):
        self._cudnnTensorDescriptor_t = address

assert get4d(Has(x.address)) == get4d(x)
for address in ("text", None, 1.5, -1, 1 << 64, []):
    error = raised(get4d, Has(address))
    assert isinstance(error, errors.ArgumentError | errors.ClosedError), (address, error)
    assert "tensorDesc" in str(error)
for nothing in (0, Has(0)):
    error = raised(get4d, nothing)
    assert isinstance(error, errors.NullPointerError), error
for value in ("text", None, 1.5, -1, 1 << 64, [], x.__class__, object()):
    error = raised(get4d, value)
    assert isinstance(error, errors.ArgumentError), (value, error)

class Number(int):
    pass

assert get4d(Number(x.address)) == get4d(x)
""")


def test_what_an_argument_raises_of_its_own_is_left_alone(child: Run) -> None:
    child("""
class Stop(BaseException):
    pass

class Bad:
    def __init__(self, error):
        self.error = error
    @property
    def _cudnnTensorDescriptor_t(self):
        raise self.error

for error in (Stop(), KeyboardInterrupt(), MemoryError(), RuntimeError(), OSError(), IndexError()):
    assert raised(get4d, Bad(error)) is error
error = raised(get4d, Bad(ValueError("not now")))
assert isinstance(error, errors.ArgumentError) and "not now" in str(error), error
""")


def test_an_index_error_of_an_argument_is_left_alone_where_arrays_are_given_too(
    child: Run,
) -> None:
    child("""
class Bad:
    @property
    def _cudnnTensorDescriptor_t(self):
        raise IndexError("mine")

error = raised(cudnn.cudnnGetTensorNdDescriptor, Bad(), 4)
assert type(error) is IndexError and error.args == ("mine",), error
error = raised(cudnn.cudnnGetTensorNdDescriptor, 0, 4)
assert isinstance(error, errors.NullPointerError) and error.__context__ is None, error.__context__
""")


def test_none_where_an_object_is_optional(child: Run) -> None:
    child("""
import ctypes
from cudnn_cffi import _call
from cudnn_cffi._specs import SPECS

name = "cudnnNormalizationForwardInference"
seen = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 2000)  # in the place of what takes a device
place = list(SPECS).index(name)
_call.lib.cudnn_cffi_bind(place, ctypes.cast(seen, ctypes.c_void_p).value)
call = getattr(cudnn, name)
before = (1 << 20, 0, 0, 0, 1.0, 0.0, x, 0, x, 0, 0, x, 0, 0)
error = raised(call, *before, None, 0, None, x, 0, 1e-5, 1)
assert isinstance(error, errors.BadParamError) and error.__context__ is None, error.__context__
assert "zDesc=None" in str(error) and "xDesc=Tensor" in str(error), error
error = raised(call, None, *before[1:], None, 0, None, x, 0, 1e-5, 1)
assert "handle: a cudnnHandle_t was expected, None came" in str(error), error
""")


def test_no_reference_is_lost_or_kept(child: Run) -> None:
    child("""
class Has:
    def __init__(self, address):
        self._cudnnTensorDescriptor_t = address

large = 1 << 40  # not one of the ints that Python shares
mine, wrong, text = Has(x.address), Has("no"), "n" * 50
ways = [
    lambda: set4d(mine, 0, 0, 1, 2, 3, 4),
    lambda: set4d(mine, 0, 0, 1, 2, h=3, w=4),
    lambda: set4d.__call__(mine, 0, 0, 1, 2, 3, 4),
    lambda: get4d(mine),
    lambda: raised(set4d, mine, 0, 0, -1, 2, 3, 4),  # a status
    lambda: raised(set4d, mine, 0, 0, large, 2, 3, 4),
    lambda: raised(set4d, mine, 0, 0, text, 2, 3, 4),
    lambda: raised(set4d, wrong, 0, 0, 1, 2, 3, 4),
    lambda: raised(set4d, mine, 0, 0, 1, 2, 3, q=text),
    lambda: raised(set4d, mine, text),
    lambda: raised(set4d, 0, mine, 0, 0, 1, 1, 1),
]
def counts():
    gc.collect()
    return [sys.getrefcount(each) for each in (mine, wrong, text, large, set4d, get4d, None)]

for way in ways:
    for _ in range(100):
        way()
    before = counts()
    for _ in range(500):
        way()
    after = counts()
    # None is everybody's: where its count is kept at all, it may move by some.
    assert before[:-1] == after[:-1] and abs(before[-1] - after[-1]) < 400, (before, after)
""")


def test_blocks_of_memory_do_not_grow(child: Run) -> None:
    child("""
def work():
    for _ in range(2000):
        set4d(x, 0, 0, 1, 2, 3, 4)
        get4d(x)
        set4d(x, 0, 0, 1, 2, h=3, w=4)
        raised(set4d, x, 0, 0, -1, 2, 3, 4)
        raised(set4d, x, 0, 0, "n", 2, 3, 4)
    gc.collect()
    return sys.getallocatedblocks()

work()
before = work()
after = work()
assert after - before < 1000, (before, after)  # each way is gone 2000 times
""")


def test_hashes_of_results_are_those_of_tuples(child: Run) -> None:
    child("""
set4d(x, 0, 0, 1, 2, 3, 4)
assert hash(get4d(x)) == hash(tuple(get4d(x))) != 0
assert get4d(x) in {tuple(get4d(x))}
""")


def test_the_class_makes_nothing_by_itself(run: Callable[..., object], cudnn_library: Path) -> None:
    run(
        SETUP
        + """
kind = type(set4d)
for make in (kind, lambda: object.__new__(kind)):
    assert type(raised(make)) is TypeError
for name in ("__call__", "new"):
    assert type(raised(setattr, kind, name, 1)) is TypeError
assert type(raised(setattr, set4d, "__wrapped__", set4d)) is AttributeError
assert type(raised(delattr, set4d, "__wrapped__")) is AttributeError
set4d.__dict__.clear()
set4d(x, 0, 0, 1, 2, h=3, w=4)

from cudnn_cffi import _call
alone = _call.quick("cudnnDestroy", "", ("_cudnnHandle_t",), (None,))
assert "takes 1 arguments, by their places" in str(raised(alone, other=1))
alone.__wrapped__ = alone
assert type(raised(alone)) is RecursionError
for results in ((), (None, None), (int, None)):
    assert type(raised(_call.quick, "cudnnDestroy", "", ("_cudnnHandle_t",), results)) is LookupError
assert type(raised(_call.quick, "cudnnGetTensor4dDescriptor", "q" * 9,
                   ("_cudnnTensorDescriptor_t",), (None,) * 10)) is LookupError
""",
        cudnn_library,
        CUDNN_CFFI_MODE="api",
    )


def test_an_unused_one_is_collected(run: Callable[..., object], cudnn_library: Path) -> None:
    run(
        SETUP
        + """
from cudnn_cffi import _call
made = _call.quick("cudnnDestroy", "", ("_cudnnHandle_t",), (None,))

@_call.instead(made)
def cudnnDestroy(handle):
    "Text."
    return made(handle)

assert cudnnDestroy is made and cudnnDestroy.__doc__ == "Text."
seen = weakref.ref(made)
made.me = made  # a cycle besides the one through the function that it replaces
del made, cudnnDestroy
gc.collect()
assert seen() is None
for bad in [("cudnnNever", "", (), ()), ("cudnnDestroy", "", (), (None,)), ("cudnnDestroy",)]:
    raised(_call.quick, *bad)
""",
        cudnn_library,
        CUDNN_CFFI_MODE="api",
    )
