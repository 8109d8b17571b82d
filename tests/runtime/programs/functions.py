"""Functions under C names, looked at as Python functions: run one of the checks below by name."""

import gc
import inspect
import sys
import weakref
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errors


def raised(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def raises(kind, call, *arguments):
    """The very class of error, not one of those below it."""
    error = raised(call, *arguments)
    assert type(error) is kind, error


set4d: Any
get4d: Any
set4d, get4d = cudnn.cudnnSetTensor4dDescriptor, cudnn.cudnnGetTensor4dDescriptor
x = cudnn.TensorDescriptor()


def it_tells_its_name_signature_and_text() -> None:
    assert set4d.__name__ == set4d.__qualname__ == "cudnnSetTensor4dDescriptor", set4d.__name__
    assert set4d.__module__ == "cudnn_cffi.calls.ops", set4d.__module__
    signature = inspect.signature(set4d)
    assert list(signature.parameters) == ["tensorDesc", "format", "dataType", "n", "c", "h", "w"], (
        list(signature.parameters)
    )
    assert signature.parameters["format"].annotation == "TensorFormat", signature.parameters[
        "format"
    ].annotation
    assert signature.return_annotation == "None", signature.return_annotation
    assert inspect.get_annotations(set4d)["format"] == "TensorFormat", inspect.get_annotations(
        set4d
    )["format"]
    assert "tensorDesc: cudnnTensorDescriptor_t" in (inspect.getdoc(set4d) or ""), inspect.getdoc(
        set4d
    )
    assert inspect.isroutine(set4d), set4d
    assert callable(set4d), set4d
    assert "def cudnnSetTensor4dDescriptor(" in inspect.getsource(set4d), inspect.getsource(set4d)
    assert "cudnnSetTensor4dDescriptor" in repr(set4d), repr(set4d)
    import pydoc

    text = " ".join(pydoc.plain(pydoc.render_doc(set4d)).split())
    assert "tensorDesc: 'TensorDescriptor | int', format: 'TensorFormat'," in text, text
    assert "Set `format`, `dataType`, `n`, `c`, `h` and `w` of `tensorDesc`." in text, text


def arguments_go_by_place_by_name_and_out_of_containers() -> None:
    import functools

    whole = {"format": 0, "dataType": 1, "n": 5, "c": 6, "h": 7, "w": 8}
    calls: list[Any] = [
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
        assert get4d(x)[:5] == (1, 5, 6, 7, 8), get4d(x)[:5]
    assert get4d(tensorDesc=x) == get4d(x), get4d(tensorDesc=x)


def wrong_arguments_are_told_in_pythons_own_words(call: str, message: str) -> None:
    error = raised(lambda: eval(call))
    assert type(error) is TypeError, error
    assert message in str(error), error


def it_is_copied_and_pickled_by_name() -> None:
    import copy
    import pickle

    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(set4d, protocol)) is set4d, pickle.loads(
            pickle.dumps(set4d, protocol)
        )
    assert copy.copy(set4d) is copy.deepcopy(set4d) is set4d, copy.copy(set4d)
    assert {set4d: 1}[cudnn.cudnnSetTensor4dDescriptor] == 1, {set4d: 1}[
        cudnn.cudnnSetTensor4dDescriptor
    ]


def it_takes_attributes_weak_references_and_an_instance() -> None:
    set4d.note = 1
    assert set4d.note == 1, set4d.note
    assert set4d.__dict__["note"] == 1, set4d.__dict__["note"]
    del set4d.note
    assert not hasattr(set4d, "note"), set4d
    assert weakref.ref(set4d)() is set4d, weakref.ref(set4d)()

    class Mine:
        _cudnnTensorDescriptor_t = x.address
        get = get4d

    assert Mine.get(x) == Mine().get() == get4d(x), Mine.get(x)


def objects_that_only_look_right_are_told_apart() -> None:
    class Has:
        def __init__(self, address):
            self._cudnnTensorDescriptor_t = address

    assert get4d(Has(x.address)) == get4d(x), get4d(Has(x.address))
    address: object
    for address in ("text", None, 1.5, -1, 1 << 64, []):
        error = raised(get4d, Has(address))
        assert isinstance(error, errors.ArgumentError | errors.ClosedError), (address, error)
        assert "tensorDesc" in str(error), str(error)
    for nothing in (0, Has(0)):
        error = raised(get4d, nothing)
        assert isinstance(error, errors.NullPointerError), error
    for value in ("text", None, 1.5, -1, 1 << 64, [], x.__class__, object()):
        error = raised(get4d, value)
        assert isinstance(error, errors.ArgumentError), (value, error)

    class Number(int):
        pass

    assert get4d(Number(x.address)) == get4d(x), get4d(Number(x.address))


def what_an_argument_raises_of_its_own_is_left_alone() -> None:
    class Stop(BaseException):
        pass

    class Bad:
        def __init__(self, error):
            self.error = error

        @property
        def _cudnnTensorDescriptor_t(self):
            raise self.error

    for error in (
        Stop(),
        KeyboardInterrupt(),
        MemoryError(),
        RuntimeError(),
        OSError(),
        IndexError(),
    ):
        assert raised(get4d, Bad(error)) is error, raised(get4d, Bad(error))
    error = raised(get4d, Bad(ValueError("not now")))
    assert isinstance(error, errors.ArgumentError) and "not now" in str(error), error


def an_index_error_of_an_argument_is_left_alone_where_arrays_are_given_too() -> None:
    class Bad:
        @property
        def _cudnnTensorDescriptor_t(self):
            raise IndexError("mine")

    error = raised(cudnn.cudnnGetTensorNdDescriptor, Bad(), 4)
    assert type(error) is IndexError and error.args == ("mine",), error
    error = raised(cudnn.cudnnGetTensorNdDescriptor, 0, 4)
    assert isinstance(error, errors.NullPointerError) and error.__context__ is None, (
        error.__context__
    )


def none_where_an_object_is_optional() -> None:
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
    assert "handle: expected a cudnnHandle_t, got None" in str(error), error


def no_reference_is_lost_or_kept() -> None:
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


def blocks_of_memory_do_not_grow() -> None:
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


def hashes_of_results_are_those_of_tuples() -> None:
    set4d(x, 0, 0, 1, 2, 3, 4)
    assert hash(get4d(x)) == hash(tuple(get4d(x))) != 0, hash(get4d(x))
    assert get4d(x) in {tuple(get4d(x))}, get4d(x)


def the_class_makes_nothing_by_itself() -> None:
    kind = type(set4d)
    for make in (kind, lambda: object.__new__(kind)):
        raises(TypeError, make)
    for name in ("__call__", "new"):
        raises(TypeError, setattr, kind, name, 1)
    raises(AttributeError, setattr, set4d, "__wrapped__", set4d)
    raises(AttributeError, delattr, set4d, "__wrapped__")
    set4d.__dict__.clear()
    set4d(x, 0, 0, 1, 2, h=3, w=4)

    from cudnn_cffi import _call

    alone: Any = _call.quick("cudnnDestroy", "", ("_cudnnHandle_t",), (None,))
    text = str(raised(alone, other=1))
    assert "takes 1 arguments, by their places" in text, text
    alone.__wrapped__ = alone
    raises(RecursionError, alone)
    for results in ((), (None, None), (int, None)):
        raises(LookupError, _call.quick, "cudnnDestroy", "", ("_cudnnHandle_t",), results)
    slots, ten = ("_cudnnTensorDescriptor_t",), (None,) * 10
    raises(LookupError, _call.quick, "cudnnGetTensor4dDescriptor", "q" * 9, slots, ten)


def an_unused_one_is_collected() -> None:
    from cudnn_cffi import _call

    made: Any = _call.quick("cudnnDestroy", "", ("_cudnnHandle_t",), (None,))

    @_call.instead(made)
    def cudnnDestroy(handle):
        """Text."""
        return made(handle)  # noqa: F821  deleted below

    assert cudnnDestroy is made, cudnnDestroy
    assert cudnnDestroy.__doc__ == "Text.", cudnnDestroy.__doc__
    seen = weakref.ref(made)
    made.__dict__["me"] = made  # a cycle besides the one through the function that it replaces
    del made, cudnnDestroy
    gc.collect()
    assert seen() is None, seen()
    for bad in [("cudnnNever", "", (), ()), ("cudnnDestroy", "", (), (None,)), ("cudnnDestroy",)]:
        raised(_call.quick, *bad)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
