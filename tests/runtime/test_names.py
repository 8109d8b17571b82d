"""Names of the front door and of the modules of releases, absent ones included."""

from __future__ import annotations

import inspect
import pickle
import pydoc
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import cudnn_cffi
import pytest
from cudnn_cffi import errors, v8_9_7, v9_0_0, v9_28_0
from cudnn_cffi._advice import said
from cudnn_cffi._front import resolve as _resolve
from cudnn_cffi._index import CALLS, HISTORY, RELEASES
from cudnn_cffi._tables import elsewhere
from cudnn_cffi.versions import version_key

from tests.conftest import Program


def refused(module: ModuleType, name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert caught.value.name == name
    assert caught.value.obj is module
    return str(caught.value)


# Names that a release lacks


@pytest.mark.parametrize(
    ("module", "name", "when"),
    [
        (v8_9_7, "CUDNN_POINTWISE_ATAN2", "added in 9.1.0"),
        (v8_9_7, "CTCGradMode", "added in 9.0.0"),
        (v8_9_7, "cudnnCTCGradMode_t", "added in 9.0.0"),
        (v8_9_7, "GnnCscGraph", "added in 9.26.0"),
        (v8_9_7, "cudnnGetLastErrorString", "added in 9.0.0"),
        (v9_0_0, "CUDNN_SM_50", "removed in 9.0.0"),
        (v9_0_0, "Algorithm", "removed in 9.0.0"),
        (v9_0_0, "AlgorithmDescriptor", "removed in 9.0.0"),
        (v9_28_0, "cudnnSetRNNDescriptor_v6", "removed in 9.0.0; use cudnnSetRNNDescriptor_v8"),
    ],
)
def test_a_release_says_when_it_came_or_went(module: ModuleType, name: str, when: str) -> None:
    version = module.__name__.rpartition(".v")[2].replace("_", ".")
    assert refused(module, name) == f"cuDNN {version} has no {name}: it was {when}"


def test_the_front_door_says_it_for_the_library_that_is_loaded(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        program("absent_names", library)


@pytest.mark.parametrize("release", RELEASES)
def test_help_names_releases_among_which_the_one_asked_for_is(release: str) -> None:
    module = import_module(f"cudnn_cffi.v{release.replace('.', '_')}")
    for name in ("DataType", "RNNPaddingMode", "Fraction"):
        if not hasattr(module, name):
            continue
        found = re.search(
            r"as in cuDNN (\S+)(?: to (\S+))?\.\n", f"{getattr(module, name).__doc__}\n"
        )
        assert found, getattr(module, name).__doc__
        first, last = (version_key(each) for each in (found[1], found[2] or found[1]))
        assert first <= version_key(release) <= last


def test_functions_came_and_went_when_the_index_says() -> None:
    first, last = next(iter(RELEASES)), list(RELEASES)[-1]
    for name, (since, removed, _) in HISTORY.items():
        assert elsewhere(name, first) == (f"added in {since}" if since != first else "")
        assert elsewhere(name, last) == (f"removed in {removed}" if removed else "")


def test_to_ask_whether_there_is_a_name_reads_no_other_release(run: Any) -> None:
    done = run(
        """
        import sys
        from cudnn_cffi import v8_9_7

        assert not hasattr(v8_9_7, "CTCGradMode"), v8_9_7.CTCGradMode
        from cudnn_cffi._tables import tables
        print(*tables.__globals__["_all"])
        """
    )
    assert done.stdout == "8.9.6\n"


def test_a_typo_is_told_what_is_near() -> None:
    text = refused(v9_28_0, "CUDNN_DATA_FLAOT")
    assert text == "cuDNN 9.28.0 has no CUDNN_DATA_FLAOT; did you mean CUDNN_DATA_FLOAT?"
    assert refused(v9_28_0, "nonsense") == "cuDNN 9.28.0 has no nonsense"


def test_the_error_survives_pickling() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(v8_9_7, "CTCGradMode")  # noqa: B009
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, AttributeError)
    assert str(again) == str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TensorDesc", "; did you mean TensorDescriptor?"),
        ("tensordescriptor", "; did you mean TensorDescriptor?"),
        ("BadParmError", "; did you mean BadParamError?"),
        ("SpatialConvolution", ": use ops.convolution"),
        ("Conv2d", ": use ops.convolution"),
        ("softmax", ": use ops.softmax"),
        ("batch_norm", ": use ops.batch_norm"),
        ("backward", ": use the method backward of an operation"),
        ("dnn_conv", "ops.convolution"),
        ("dnn_pool", "ops.max_pool"),
        ("GpuDnnPoolDesc", "ops.max_pool"),
        ("GpuDnnDropoutOp", "ops.dropout"),
        ("dnn_spatialtf", "ops.grid_sample"),
        ("dnn_batch_normalization_train", "ops.batch_norm"),
        ("dnn_rnn", "ops.rnn"),
        ("dnn_available", "load"),
        ("find", "choose="),
        ("setMode", "choose="),
        ("setPersist", "choose="),
        ("useFindEx", "benchmark"),
        ("configureMath", "allow_tf32"),
        ("mathType", "allow_tf32"),
        ("max_deterministic", "ops.max_pool"),
        ("conv_supported", "ops.candidates"),
        ("enabled", "convert(model, back=True)"),
        ("v99_0_0", ": the newest known release is v"),
    ],
)
def test_words_of_other_packages_are_told_what_there_is(name: str, text: str) -> None:
    assert text in refused(cudnn_cffi, name)


def test_errors_are_told_where_they_are_by_the_modules_of_releases() -> None:
    assert refused(v9_28_0, "BadParamError").endswith("; did you mean cudnn_cffi.BadParamError?")
    assert cudnn_cffi.BadParamError is cudnn_cffi.errors.BadParamError


def test_advice_names_what_there_is() -> None:
    newest, front = dir(v9_28_0), vars(cudnn_cffi)
    for word, text in said("name").items():
        named = re.findall("`([^`]*)`", text)
        assert named, word
        for name in named:
            first, _, rest = name.partition(".")
            ours = {*_resolve.OURS, *front["_SUBMODULES"], *front["_SETTINGS"]}
            assert first in newest or first in {*ours, "__version__"}, (word, name)
            assert not rest or hasattr(getattr(cudnn_cffi, first), rest), (word, name)


@pytest.mark.parametrize("name", ["v99_0_0", "v1", "", "_", "nonsense", "Nonsense", "é", "v" * 999])
@pytest.mark.parametrize("module", [cudnn_cffi, v9_28_0, v9_28_0.DataType])
def test_to_ask_for_any_name_is_no_error(module: ModuleType, name: str) -> None:
    assert not hasattr(module, name)
    assert getattr(module, name, None) is None
    refused(module, name)


def test_exceptions_are_names_of_the_front_door() -> None:
    own = [each for each in vars(errors).values() if isinstance(each, type)]
    classes = sorted(each.__name__ for each in own if issubclass(each, errors.CudnnError))
    assert classes == [name for name, module in _resolve.OVERLAY.items() if module == "errors"]


# Names that are set


@pytest.mark.parametrize(
    ("module", "name", "text"),
    [
        (v9_28_0, "benchmark", ": set it on the package, as in cudnn_cffi.benchmark = True"),
        (v9_28_0, "verbose", ": set it on the package"),
        (cudnn_cffi, "benchmark_limit", ": name most= in choice.set_default"),
        (cudnn_cffi, "algorithm", ": name choose= in a call of ops"),
        (cudnn_cffi, "Nonsense", ""),
        (v9_28_0, "Nonsense", ""),
    ],
)
def test_a_setting_that_does_not_exist_is_refused(module: ModuleType, name: str, text: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}' to set") as caught:
        setattr(module, name, True)
    assert text in str(caught.value)
    assert not hasattr(module, name)


@pytest.mark.parametrize("module", ["cudnn_cffi", "cudnn_cffi.v9_28_0"])
def test_what_exists_can_be_replaced(program: Any, module: str) -> None:
    """In a child, since a module of a release refuses a library of another that a test loaded."""
    program("names_replaced", None, module)


def test_submodules_can_be_imported(program: Program) -> None:
    program("submodules")


# Names that are listed


def test_dir_has_public_names_and_all_of_them_can_be_had(run: Any) -> None:
    run(
        """
        import cudnn_cffi as cudnn

        names = dir(cudnn)
        assert {"has", "load", "errors", "DataType", "cudnnCreate", "__version__"} <= set(names), names
        assert not {"os", "sys", "import_module", "annotations", "TYPE_CHECKING"} & set(names), names
        assert [name for name in names if name[0] == "_"] == ["__version__"], names
        for name in names:
            getattr(cudnn, name)
        assert cudnn.libraryPropertyType.MAJOR_VERSION == 0, cudnn.libraryPropertyType
        """,
        CUDNN_CFFI_LIBRARY="/nowhere",
    )


def test_an_import_looks_nothing_up(run: Any) -> None:
    done = run(
        """
        import sys
        import cudnn_cffi
        print(*sorted(name for name in sys.modules if name.startswith("cudnn_cffi")))
        cudnn_cffi.errors, cudnn_cffi.v9_28_0, dir(cudnn_cffi), cudnn_cffi.cudnnCreate
        import cudnn_cffi.library
        print(cudnn_cffi.library.current())
        """
    )
    assert done.stdout == "cudnn_cffi cudnn_cffi._version\nNone\n"


@pytest.mark.parametrize("module", ["cudnn_cffi", "cudnn_cffi.v9_28_0"])
def test_import_star_and_help_have_the_whole_api(module: str, program: Program) -> None:
    done = program("import_star", None, module, CUDNN_CFFI_LIBRARY="/nowhere")
    assert done.stdout == ""


def test_dir_has_what_the_release_in_use_has(program: Program, cudnn_libraries: list[Path]) -> None:
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        done = program("dir_of_release", library)
        assert re.search(r"(added|removed) in 9\.0\.0|since 9\.0\.0", done.stdout), done.stdout


def test_help_of_an_enum_is_about_its_members() -> None:
    kind = v9_28_0.ConvolutionFwdAlgo
    assert {name for name in dir(kind) if name[0] != "_"} == set(kind.__members__)
    text = pydoc.plain(pydoc.render_doc(kind))
    assert "WINOGRAD = <ConvolutionFwdAlgo.WINOGRAD: 6>" in text
    assert "CUDNN_CONVOLUTION_FWD_ALGO_" in text
    assert len(text.splitlines()) < 60
    assert {name for name in dir(v9_28_0.AttnMode) if name[0] != "_"} >= set(
        v9_28_0.AttnMode.__members__
    )


def test_docstrings_have_no_star_that_begins_emphasis() -> None:
    """A C prototype is a literal block for Sphinx: elsewhere `*x` is the start of emphasis."""
    checked = 0
    for name, module in CALLS.items():
        text = inspect.getdoc(getattr(import_module(f"cudnn_cffi.calls.{module}"), name)) or ""
        plain, mark, literal = text.partition("::\n\n")
        assert mark, name
        assert all(line.startswith("    ") for line in literal.rstrip().splitlines()), name
        assert not re.search(r"(^|\s)\*(?=\S)", plain), name
        checked += " *" in literal
    assert checked > 100
    assert "::\n\n    import cudnn_cffi as cudnn\n" in (cudnn_cffi.__doc__ or "")


@pytest.mark.parametrize("name", [None, 5, b"DataType"])
def test_only_a_name_can_be_asked_for(name: Any) -> None:
    with pytest.raises(errors.ArgumentError, match=f"name: expected a str, got {name!r}"):
        cudnn_cffi.has(name)


# Structs


@pytest.mark.parametrize(
    ("record", "values", "text"),
    [
        ("Fraction", {"numerator": "x"}, "Fraction.numerator: expected a whole number, got 'x'"),
        ("Fraction", {"denominator": 2.5}, "Fraction.denominator: expected a whole number, got 2"),
        ("GnnCscGraph", {"cscIndices": "x"}, "cscIndices: expected an address or None, got 'x'"),
        ("GnnCscGraph", {"idxType": "x"}, "GnnCscGraph.idxType: expected a whole number, got 'x'"),
        ("GnnMhaParams", {"activationAlpha": "x"}, "activationAlpha: expected a number, got 'x'"),
        ("Debug", {"reserved": [0] * 99}, "Debug.reserved: expected at most 15 values, "),
    ],
)
def test_a_value_that_does_not_fit_is_named(record: str, values: Any, text: str) -> None:
    made = getattr(v9_28_0, record)
    with pytest.raises(errors.ArgumentError, match=text):
        made(**values)
    ((field, value),) = values.items()
    with pytest.raises(TypeError, match=text):
        setattr(made(), field, value)


def test_values_by_place_and_by_name() -> None:
    half = v9_28_0.Fraction(1, denominator=2)
    assert (half.numerator, half.denominator) == (1, 2)
