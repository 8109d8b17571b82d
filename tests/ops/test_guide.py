"""The guide to operations names what there is, and nothing else."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import cudnn_cffi as cudnn
import pytest
from cudnn_cffi import ops
from cudnn_cffi._call.spec import WRAPPERS, read_spec
from cudnn_cffi.choice import policy, policy_words
from cudnn_cffi.ops.element.activation import ACTIVATIONS

DOCS = Path(__file__).parents[2] / "docs"
TEXT = "".join((DOCS / f"{name}.md").read_text("utf-8") for name in ("operations", "choosing"))
NAMES = set(re.findall(r"`([^`\n]+)`", TEXT))


@pytest.mark.parametrize("word", sorted(ops.OPERATIONS))
def test_every_operation_is_there(word: str) -> None:
    cls = ops.OPERATIONS[word]
    assert cls.__name__ in NAMES or cls.__name__.endswith("Backward")
    assert word in NAMES or word == "activation", "its words are there"
    assert callable(getattr(ops, word))


def test_every_function_has_its_class() -> None:
    functions = {name for name in dir(ops) if name.islower() and callable(getattr(ops, name))}
    assert functions - set(ops.OPERATIONS) == {"candidates", "explain", "record", "rnn_backward"}
    assert ops.OPERATIONS["max_pool"] is ops.Pooling
    assert ops.OPERATIONS["relu"] is ops.Activation
    assert "pooling" not in ops.OPERATIONS, "it is no function"


def test_functions_and_classes_of_the_table_exist() -> None:
    table = TEXT.partition("| function | formula |")[2].partition("\n\n")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    assert len(rows) > 50
    for row in rows:
        for name in re.findall(r"`(\w+)`", row[1]):
            assert hasattr(ops, name), name
        for name in re.findall(r"`(cudnn\w+)`", row[5]):
            assert hasattr(cudnn, name), name


def test_every_function_that_computes_is_there() -> None:
    """After an operation, or among those that say why there is none."""
    texts = [(DOCS / f"{name}.md").read_text("utf-8") for name in ("operations", "recurrent")]
    known = set(re.findall(r"`(cudnn\w+)", "".join(texts)))
    known |= {f"{name}Ex" for name in known if name.startswith("cudnnFind")}
    computing = [
        name
        for name in WRAPPERS
        if any(each.kind == "device" for each in read_spec(name).parameters)
    ]
    assert len(computing) > 60
    missing = [name for name in computing if name not in known]
    assert not missing


def test_functions_without_an_operation_exist() -> None:
    table = TEXT.partition("| C function | instead, or why |")[2].partition("\n\n")[0]
    names = re.findall(r"`(cudnn\w+)`", table)
    assert len(names) > 25
    for name in names:
        assert name in WRAPPERS, name


def test_every_word_and_setting_is_there() -> None:
    for word in policy_words.WORDS:
        assert f'"{word}"' in NAMES, word
    for setting in policy.Rule._fields[1:]:
        assert setting in NAMES, setting
    for name in vars(cudnn)["_SETTINGS"]:
        assert name in TEXT, name
    assert policy.VARIABLE in TEXT


#: Arguments of an operation that its function sets itself, or that only objects take.
SET_BY_FUNCTIONS = {
    "self", "kind", "input_size", "state", "network", "more", "deterministic", "seed",
}  # fmt: skip
SET_BY = {
    "log_softmax": {"log"}, "add": {"operation", "propagate_nan"}, "activation": {"activation"},
    **{word: {"activation"} for word in ACTIVATIONS},
    "gru": {"clip", "projection_size"}, "scale": {"value"}, "rnn_backward_data": {"choose"},
    "rnn_backward_weights": {"choose"},
}  # fmt: skip


def known_of(cls: type[ops.Operation]) -> set[str]:
    """Return the options of a class, and the arguments of its call."""
    return {*inspect.signature(cls).parameters, *inspect.signature(cls.__call__).parameters}


def test_help_of_functions_names_all_arguments() -> None:
    """And what is raised, and what computes it."""
    assert len(ops.OPERATIONS) > 70
    for word, cls in ops.OPERATIONS.items():
        function = getattr(ops, word)
        text = function.__doc__
        assert "\n    Raises:\n" in text, word
        assert "\n    Computed by " in text, word
        named = {
            name.strip()
            for names in re.findall(r"^        ([\w, \n]+?):", text, re.M)
            for name in names.split(",")
        }
        taken = inspect.signature(function).parameters
        assert set(taken) <= named, word
        assert not [each for each in taken.values() if each.kind is each.VAR_KEYWORD], word
        assert named & {*known_of(cls), *taken} == set(taken), word
        left = known_of(cls) - named - {*cls.derived}
        assert left <= SET_BY_FUNCTIONS | SET_BY.get(word, set()), word
