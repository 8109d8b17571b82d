"""First attempts of users on graphs, and the answers."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import Graph, choice, errors, graph, ops
from cudnn_cffi._advice import said
from cudnn_cffi.choice.filters import to_filters


def untyped() -> tuple[Any, Any, Any]:
    """Return a graph, its input and its filters, of which type checkers know nothing."""
    g = Graph()
    return g, g.tensor((8, 4, 16, 16), name="x"), g.tensor((4, 4, 3, 3), name="w")


#: Words of others, and the method that is meant, where that is all that the hint says.
MEANT = {
    word: text.removeprefix("use ")
    for word, text in sorted(said("method").items())
    if text.removeprefix("use ").isidentifier()
}


@pytest.mark.parametrize("name", MEANT)
def test_a_method_of_another_package_leads_to_one_that_there_is(name: str) -> None:
    g, *_ = untyped()
    with pytest.raises(AttributeError) as caught:
        getattr(g, name)
    ours = str(caught.value).partition(": use ")[2]
    assert ours == MEANT[name]
    assert callable(getattr(g, ours))


@pytest.mark.parametrize(
    ("name", "says"),
    [("gelo", ": did you mean gelu?"), ("convolutoin", ": did you mean convolution?"),
     ("xyzzy", "'xyzzy'"), ("_repr_html_", "'_repr_html_'")],
)  # fmt: skip
def test_a_misspelt_method(name: str, says: str) -> None:
    g, *_ = untyped()
    with pytest.raises(AttributeError) as caught:
        getattr(g, name)
    assert str(caught.value).endswith(says)


@pytest.mark.parametrize(
    ("call", "begins"),
    [
        (lambda g, x, w: g.convolution(x, w, pad=1), "use padding;"),
        (lambda g, x, w: g.convolution(x, w, pading=1), "did you mean padding?"),
        (lambda g, x, w: g.convolution(x, w, groups=2), "they follow from the channels of x and w"),
        (lambda g, x, w: g.reduction(x, axis=1), "use dims;"),  # noqa: ARG005
        (lambda g, x, w: g.softmax(x, axis=1), "one of x,"),  # noqa: ARG005
        (lambda g, x, w: g.matmul(x, w, dtype="half"), "use data_type;"),
        (lambda g, x, w: g.relu(x, uper_clip=2.0), "did you mean upper_clip?"),  # noqa: ARG005
        (lambda g, x, w: g.pointwise("sigmoid_fvd", x), "did you mean SIGMOID_FWD?"),  # noqa: ARG005
        (lambda g, x, w: g.reduction(x, "avgg"), "did you mean AVG?"),  # noqa: ARG005
    ],
)
def test_an_argument_is_refused_with_what_is_meant(call: Any, begins: str) -> None:
    g, x, w = untyped()
    before = g.copy()
    with pytest.raises(errors.ArgumentError) as caught:
        call(g, x, w)
    assert str(caught.value).partition("hint: ")[2].startswith(begins)
    assert g == before


@pytest.mark.parametrize(
    ("word", "mode"), [("sum", "ADD"), ("mean", "AVG"), ("Max", "MAX"), ("l2", "NORM2")]
)
def test_reductions_know_the_words_of_array_libraries(word: str, mode: str) -> None:
    (g, x, _), (other, y, _) = untyped(), untyped()
    g.output(g.reduction(x, word, dims=(2, 3), name="r"), name="y")
    other.output(other.reduction(y, mode, dims=(2, 3), name="r"), name="y")
    assert g == other


@pytest.mark.parametrize(
    ("limit", "bytes_"), [("1 MiB", 1 << 20), ("64kb", 1 << 16), (12, 12), (-1, None), (None, None)]
)
def test_limits_of_workspaces_are_numbers_or_texts(limit: Any, bytes_: int | None) -> None:
    assert to_filters({"workspace_limit": limit}).workspace_limit == bytes_


@pytest.mark.parametrize("limit", ["much", 1.5, True, -2])
def test_what_is_no_limit_is_refused(limit: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="workspace_limit: expected a number of bytes"):
        to_filters({"workspace_limit": limit})


def test_a_filter_is_refused_with_what_is_meant() -> None:
    for name, begins in {
        "workspace": "use workspace_limit;",
        "determinstic": "did you mean",
    }.items():
        with pytest.raises(errors.ArgumentError) as caught:
            to_filters({name: True})
        assert str(caught.value).partition("hint: ")[2].startswith(begins)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("OperationSdpaFwdDescriptor", "; did you mean OperationSDPAFwdDescriptor?"),
        ("OperationMatmul", "; did you mean OperationMatmulDescriptor?"),
        ("TensorDesc", "; did you mean TensorDescriptor?"),
        ("Nonsense", "'Nonsense'"),
    ],
)
def test_a_class_of_descriptors_under_a_wrong_name(name: str, says: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(graph, name)
    assert str(caught.value).endswith(says)
    assert "annotations" not in dir(graph)


@pytest.mark.parametrize("module", [choice, graph, ops])
def test_names_that_are_there_are_not_looked_for_in_python(module: Any) -> None:
    """A class with such a method takes three times as long for `ops.relu`, too."""
    assert not hasattr(type(module), "__getattr__")
    assert "__getattr__" in vars(module)
    assert not hasattr(module, "nonsense")
