"""Functions that a type goes through."""

from __future__ import annotations

from cudnn_cffi.api import model, store
from cudnn_cffi.api.names.reach import functions_by_type

from tests.api.models import H, api, enum, function, member, parameter, record


def test_by_value_behind_a_pointer_in_a_struct_and_through_a_callback() -> None:
    found = functions_by_type(
        api(
            enums=(enum("cudnnE_t", A=0), enum("cudnnInner_t", B=0)),
            records=(
                record(member("e", type="cudnnInner_t"), name="cudnnS_t"),
                record(member("s", type="cudnnS_t"), name="cudnnOuter_t"),
            ),
            callbacks=(
                model.Callback("cudnnC_t", H, "void", (parameter("s", "const cudnnS_t *"),)),
            ),
            functions=(
                function("cudnnF", parameter("e", "cudnnE_t")),
                function("cudnnG", parameter("o", "const cudnnOuter_t *")),
                function("cudnnH", parameter("c", "cudnnC_t")),
                function("cudnnI", parameter("e", "cudnnE_t *", direction="out")),
                function("cudnnJ", parameter("n", "int"), result="cudnnE_t"),
            ),
        )
    )
    assert found["cudnnE_t"] == {"cudnnF", "cudnnI", "cudnnJ"}
    assert found["cudnnInner_t"] == found["cudnnS_t"] == {"cudnnG", "cudnnH"}
    assert found["cudnnOuter_t"] == {"cudnnG"}


def test_what_goes_through_memory_of_any_type() -> None:
    backend = {"cudnnBackendSetAttribute", "cudnnBackendGetAttribute"}
    models = store()
    found = functions_by_type(models.api("9.28.0"))
    assert backend <= found["cudnnBackendAttributeName_t"]
    assert backend <= found["cudnnBackendHeurMode_t"]  # no function takes it
    assert backend <= found["cudnnDataType_t"]  # others take it too
    assert "cudnnBackendCreateDescriptor" in found["cudnnBackendDescriptorType_t"]
    assert not backend & found["cudnnGnnCscGraph_t"]
    assert "cudnnGnnAggSimpleForward" in found["cudnnGnnCscGraph_t"]


def test_every_type_of_every_release_goes_through_some_function() -> None:
    without = {
        (release, name)
        for release in ("8.5.0", "9.0.0", "9.28.0")
        for api in [store().api(release)]
        for name in (*(e.name for e in api.enums), *(r.name for r in api.records))
        if not functions_by_type(api)[name]
    }
    assert without == set()
