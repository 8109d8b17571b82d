"""What the front door and the modules of releases say of names, those that they lack included."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import cudnn_cffi
import pytest
from cudnn_cffi import errors, v8_9_7, v9_0_0, v9_28_0
from cudnn_cffi._index import HISTORY, RELEASES
from cudnn_cffi._tables import elsewhere


def refused(module: ModuleType, name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert caught.value.name == name
    assert caught.value.obj is module
    return str(caught.value)


# What a release lacks


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
    run: Any, cudnn_libraries: list[Path]
) -> None:
    code = """
        import cudnn_cffi as cudnn

        def refused(name):
            try:
                getattr(cudnn, name)
            except AttributeError as error:
                assert (error.name, error.obj) == (name, cudnn)
                return str(error)
            raise AssertionError(name)

        if cudnn.cudnnGetVersion() < 9000:
            for name in ("CUDNN_STATUS_NOT_SUPPORTED_SHAPE", "CTCGradMode", "cudnnCTCGradMode_t"):
                assert refused(name).endswith(": it was added in 9.0.0"), refused(name)
        else:
            for name in ("CUDNN_SM_50", "Algorithm"):
                assert refused(name).endswith(": it was removed in 9.0.0"), refused(name)
        assert refused("DataTipe").endswith("; did you mean DataType?"), refused("DataTipe")
        """
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        run(code, library)


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

        assert not hasattr(v8_9_7, "CTCGradMode")
        print(*(name for name in sys.modules if name.startswith("cudnn_cffi.tables.")))
        """
    )
    assert done.stdout == "cudnn_cffi.tables.v8_9_6\n"


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


# What there is


def test_dir_has_public_names_and_all_of_them_can_be_had(run: Any) -> None:
    run(
        """
        import cudnn_cffi as cudnn

        names = dir(cudnn)
        assert {"has", "load", "errors", "DataType", "cudnnCreate", "__version__"} <= set(names)
        assert not {"os", "sys", "import_module", "annotations", "TYPE_CHECKING"} & set(names)
        assert [name for name in names if name[0] == "_"] == ["__version__"]
        for name in names:
            getattr(cudnn, name)
        assert cudnn.libraryPropertyType.MAJOR_VERSION == 0
        """,
        CUDNN_CFFI_LIBRARY="/nowhere",
    )


@pytest.mark.parametrize("name", [None, 5, b"DataType"])
def test_only_a_name_can_be_asked_for(name: Any) -> None:
    with pytest.raises(errors.ArgumentError, match=f"name: a str was expected, {name!r} came"):
        cudnn_cffi.has(name)


# Structs


@pytest.mark.parametrize(
    ("record", "values", "text"),
    [
        ("Fraction", {"numerator": "x"}, "Fraction.numerator: a whole number was expected, 'x'"),
        ("Fraction", {"denominator": 2.5}, "Fraction.denominator: a whole number was expected, 2"),
        ("GnnCscGraph", {"cscIndices": "x"}, "cscIndices: an address or None was expected, 'x'"),
        ("GnnCscGraph", {"idxType": "x"}, "GnnCscGraph.idxType: a whole number was expected, 'x'"),
        ("GnnMhaParams", {"activationAlpha": "x"}, "activationAlpha: a number was expected, 'x'"),
        ("Debug", {"reserved": [0] * 99}, "Debug.reserved: at most 15 values were expected, "),
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
