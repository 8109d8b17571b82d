"""First attempts of users: words of other packages, and misspelt ones, get an answer that helps."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import re
import sys
from types import ModuleType
from typing import Any

import cudnn_cffi
import pytest
from cudnn_cffi import choice, errors, graph, ops
from cudnn_cffi._advice import options as words
from cudnn_cffi._operation import option_errors as options
from cudnn_cffi._operation.functions import FUNCTIONS, MadeFrom
from cudnn_cffi._operation.operation import CLASSES

#: The same, of which a type checker knows nothing: what is written here is wrong on purpose.
tried: Any = ops
scope: Any = choice


def hint(error: BaseException) -> str:
    return str(error).partition("hint: ")[2]


@pytest.mark.parametrize(
    ("make", "begins"),
    [
        (lambda: tried.Convolution(border_mode="half"), "use padding;"),
        (lambda: tried.Convolution(subsample=2), "use stride;"),
        (lambda: tried.Convolution(pading=1), "did you mean padding?"),
        (lambda: tried.ConvolutionBackwardFilter(pading=1), "did you mean padding?"),
        (lambda: tried.convolution(1, 2, algo="none"), "use choose;"),
        (
            lambda: tried.convolution(1, 2, workspace_limit=3),
            'use choose, as in choose={"workspace_',
        ),
        (lambda: tried.LSTM(3, 4, num_layers=2), "use layers;"),
        (lambda: tried.Softmax(dim=1), "use axis;"),
        (lambda: tried.Reduction(dim=1), "use axes;"),
        (lambda: tried.attention(1, 2, 3, attn_mask=4), "use bias;"),
        (lambda: tried.attention(1, 2, 3, attn_scale=4), "use scale;"),
        (lambda: tried.attention(1, 2, 3, gamma=4), "options: "),
        (lambda: tried.convolution(1, 2, attn_mask=4), "options: "),
        (lambda: tried.layer_norm(1, 2, 3, gamma=4), "use scale;"),
        (lambda: tried.layer_norm(1, 2, 3, attn_scale=4), "options: "),
        (lambda: tried.multi_head_attention(1, 2, 3, 4, 5, attn_mask=4), "options: "),
        (lambda: tried.attention(1, 2, 3, block_table=4), "use page_table_k and page_table_v;"),
        (lambda: tried.LSTM(3, 4, lengths=(1, 2)), "pass it where the operation is called;"),
        (lambda: tried.GRU(3, 4, nonsense=1), "options: input_size,"),
        (lambda: tried.Activation("sigmoyd"), "did you mean sigmoid?"),
        (lambda: tried.Convolution(choose="tiem"), "did you mean time?"),
        (lambda: tried.Convolution(choose="IMPLICIT_GEM"), "did you mean IMPLICIT_GEMM?"),
        (lambda: tried.LSTM(3, 4, choose="persist"), "did you mean PERSIST_STATIC?"),
        (lambda: tried.BatchNorm("persistent"), "did you mean spatial_persistent?"),
        (lambda: tried.Spec.like((1, 2, 3, 4), "hlf"), "did you mean half?"),
        (lambda: tried.Spec.like((1, 2, 3, 4), "half", "nwhc"), "did you mean NHWC?"),
        (lambda: tried.Transform("NCHW_VECT_C"), "one of NCHW,"),
        (lambda: tried.Convolution(choose="fastest"), "use time, with workspace_limit=-1"),
        (lambda: scope(fwd="time").__enter__(), "use forward;"),
        (lambda: scope(workspace="1 MiB").__enter__(), "use workspace_limit;"),
        (lambda: scope(determinstic=True).__enter__(), "did you mean deterministic?"),
    ],
)
def test_an_argument_of_another_package_is_refused_with_ours(make: Any, begins: str) -> None:
    with pytest.raises(errors.ArgumentError) as caught:
        make()
    assert hint(caught.value).startswith(begins)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("word", sorted(words()))
def test_each_synonym_leads_to_arguments_that_operations_have(word: str) -> None:
    having = 0
    for cls in ops.OPERATIONS.values():
        ours_of = options._names(cls.__init__), options._names(cls.__call__)
        names = {*ours_of[0], *ours_of[1]}
        having += any(names >= set(key.replace(" if ", " ").split()) for key in words()[word])
        if word not in names:
            told = hint(options.refused(cls.word, word, *ours_of))
            ours = re.findall(r"\w+", told.partition(";")[0])[1:] if told.startswith("use") else ()
            assert set(ours[:1]) <= names
    assert having


@pytest.mark.parametrize(
    ("module", "name", "says"),
    [
        (ops, "conv2d", ": use ops.convolution"),
        (ops, "MaxPool2d", ": use ops.max_pool"),
        (ops, "deconvolution_2d", ": use ops.convolution_transpose"),
        (ops, "batch_normalization", ": use ops.batch_norm"),
        (ops, "layernorm", "; did you mean layer_norm?"),
        (ops, "rope", ": use Graph.rope"),
        (ops, "cross_entopy", "; did you mean cross_entropy?"),
        (ops, "linear", ": use Graph.matmul, or your array library: cuBLAS computes it"),
        (choice, "chioces", "; did you mean choices?"),
        (cudnn_cffi, "fuse", ": import it from cudnn_cffi.torch"),
        (cudnn_cffi, "conv_bwd_algo", ": use conv_bwd_data_algo and conv_bwd_filter_algo"),
    ],
)
def test_a_name_that_a_module_lacks(module: ModuleType, name: str, says: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert says in str(caught.value)


@pytest.mark.parametrize("module", [ops, choice])
@pytest.mark.parametrize("name", ["benchmark", "deterministic", "workspace_limit", "verbose"])
def test_no_setting_is_set_in_vain(module: ModuleType, name: str) -> None:
    with pytest.raises(AttributeError, match=r"to set: "):
        setattr(module, name, True)
    assert name not in vars(module)


@pytest.mark.parametrize("module", [ops, choice])
def test_what_is_there_can_be_replaced(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "relu" if module is ops else "choices"
    monkeypatch.setattr(module, name, len)
    assert getattr(module, name) is len


@pytest.mark.parametrize("module", [ops, choice])
def test_what_a_module_lists_is_for_its_users(module: ModuleType) -> None:
    listed = dir(module)
    assert {"candidates"} <= set(listed)
    for name in listed:
        value = getattr(module, name)
        assert not isinstance(value, ModuleType), name
        assert name not in ("annotations", "Any", "sys", "TYPE_CHECKING"), name


@pytest.mark.usefixtures("cudnn")
@pytest.mark.parametrize("module", [ops, choice, graph])
def test_help_lists_what_there_is(module: ModuleType) -> None:
    text = pydoc.plain(pydoc.render_doc(module))
    classes = text.partition("CLASSES")[2].partition("FUNCTIONS")[0]
    for name in dir(module):
        if isinstance(getattr(module, name), type) and module is not graph:
            assert f" {name}(" in classes or f"class {name}" in classes, name
    for name in {ops: ("relu", "lstm", "convolution"), choice: ("save", "set_default")}.get(
        module, ()
    ):
        assert f"\n    {name}(" in text.partition("FUNCTIONS")[2], name
    assert module is not graph or "class Graph(" in classes


def test_import_star_takes_the_same() -> None:
    for name, module in (("ops", ops), ("choice", choice)):
        space: dict[str, Any] = {}
        exec(f"from cudnn_cffi.{name} import *", space)
        assert {each for each in space if each != "__builtins__"} == set(dir(module))


def test_candidates_know_every_function(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = sys.modules["cudnn_cffi._operation.candidates"]
    asked: list[Any] = []
    monkeypatch.setattr(ops.Operation, "candidates", lambda made, *_, **__: asked.append(made))
    for name in (name for name, made in candidates.FUNCTIONS.items() if made.fixed):
        ops.candidates(name, None)
        ops.candidates(getattr(ops, name), None)
    named, given = asked[::2], asked[1::2]
    assert [repr(each) for each in named] == [repr(each) for each in given]
    assert repr(ops.Activation("tanh")) in [repr(each) for each in named]
    assert repr(ops.Pooling("sum")) in [repr(each) for each in named]
    with pytest.raises(errors.ArgumentError, match=r"no 'conv2d': use ops.convolution"):
        ops.candidates("conv2d")


def test_several_results_are_no_array() -> None:
    for cls in (ops.AttentionResults, ops.RNNResults, ops.NormResults, ops.Dropped):
        one = cls(*range(len(cls._fields)))
        with pytest.raises(AttributeError, match=f"it is a tuple of {', '.join(cls._fields)}"):
            _ = one.shape  # type: ignore[union-attr]
        assert not hasattr(one, "__array__")
        assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)


@pytest.mark.parametrize(("name", "record"), sorted(FUNCTIONS.items()))
def test_functions_refuse_what_they_set_and_what_they_do_not_have(
    name: str, record: MadeFrom
) -> None:
    function = getattr(ops, name)
    needed = [
        each
        for each, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty
    ]
    arrays = dict.fromkeys(needed, object())
    for option in (*record.fixed, *record.renames.values(), *record.cls.derived, "no_such_option"):
        with pytest.raises(errors.ArgumentError, match=f"{name}: there is no argument '{option}'"):
            function(**arrays, **{option: record.fixed.get(option, 1)})


def _booleans() -> list[tuple[str, str]]:
    """Return the words of operations, and their options that are booleans."""
    return sorted(
        (word, name)
        for word, cls in CLASSES.items()
        for name, each in inspect.signature(cls).parameters.items()
        if each.annotation == "bool"
    )


@pytest.mark.parametrize("value", ["no", "", None, 2, [1]])
@pytest.mark.parametrize(("word", "name"), _booleans())
def test_options_that_are_booleans_take_nothing_else(word: str, name: str, value: object) -> None:
    with pytest.raises(errors.ArgumentError, match=f"^{name}: expected True or False, got "):
        CLASSES[word](**{name: value})


class Several:
    """Has several elements, and no truth, as arrays of some libraries."""

    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise RuntimeError("ambiguous")

    __hash__ = object.__hash__


def test_booleans_of_other_libraries_are_booleans() -> None:
    numpy = pytest.importorskip("numpy")
    for value in (1, 1.0, numpy.bool_(True), numpy.int8(1), numpy.ones(())):
        assert tried.Convolution(flip=value).options["flip"] is True
    assert tried.Reduction("add", keep_axes=numpy.bool_(False)).options["keep_axes"] is False
    for wrong in (numpy.ones(2), Several(), numpy.array("no")):
        with pytest.raises(errors.ArgumentError, match=r"^flip: expected True or False, got "):
            tried.Convolution(flip=wrong)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tried.convolution(1, 2, flip="no"),
        lambda: tried.average_pool(1, count_padding="no"),
        lambda: tried.candidates("convolution", ops.Spec.like((1, 8, 8, 8)), time="no"),
        lambda: tried.candidates("convolution", ops.Spec.like((1, 8, 8, 8)), gradients="no"),
        lambda: tried.LSTM(3, 4)(1, 2, training="no"),
        lambda: tried.CTCLoss()(1, 2, gradient="no"),
        lambda: cudnn_cffi.load_network("no-such-file", rebuild="no"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_calls_that_are_booleans_take_nothing_else(call: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="expected True or False, got 'no'"):
        call()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda x: ops.Activation().plan(x, handle="h"), "handle: expected a Handle, got a str"),
        (lambda x: ops.ConvolutionBackwardData().plan(x, x, shape=4), "shape: expected"),
        (lambda x: ops.CTCLoss().plan(x, None, None, None), "labels: expected"),
        (lambda x: ops.CTCLoss().plan(x, [[1], ["a"]], None, None), "labels: expected"),
        (lambda x: ops.Im2Col(2).backward(x, 4), "shape: expected"),
    ],
)
def test_arguments_of_calls_with_wrong_types_are_named(call: Any, says: str) -> None:
    with pytest.raises(errors.ArgumentError, match=says):
        call(ops.Spec.like((2, 8, 4), "float32"))
