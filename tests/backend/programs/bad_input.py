"""Values and children that no descriptor takes are refused before cuDNN is called, and nothing leaks."""

import gc
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
import cudnn_cffi.backend
import numpy as np
import pytest
from cudnn_cffi import DataType, PointwiseMode, errors
from cudnn_cffi._attributes import DESCRIPTORS
from cudnn_cffi._call import watching

from tests.backend.replay import preload, tensor

preload(sys.argv[1:])
#: Its types would refuse most of this.
backend: Any = cudnn_cffi.backend
T = backend.TensorDescriptor
CONV = backend.OperationConvolutionForwardDescriptor
closed = tensor([1, 1, 1, 1])
closed.close()
plain = cudnn.BackendDescriptor(cudnn.BackendDescriptorType.TENSOR_DESCRIPTOR)
x = tensor([1, 1, 1, 1])


class FarAway:
    """Says that its memory is where no address reaches."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"data": (1 << 64, False), "shape": (4,), "typestr": "|u1", "version": 3}


#: Class, keyword, value, what the error says after naming both.
TABLE = [
    (T, "data_type", "HALFF", "expected a DataType, got 'HALFF'"),
    (T, "data_type", 99, "expected a DataType, 99 is not one of its members"),
    (T, "data_type", 1.0, "expected a DataType, got 1.0"),
    (T, "data_type", True, "expected a DataType, got True"),
    (T, "data_type", PointwiseMode.ADD, "expected a DataType, got PointwiseMode.ADD"),
    (T, "data_type", x, "expected a DataType, got a TensorDescriptor"),
    (T, "dimensions", 5, "expected a sequence, got 5"),
    (T, "dimensions", "12", "expected a sequence, got '12'"),
    (T, "dimensions", b"12", "expected a sequence, got a bytes"),
    (T, "dimensions", {1: 2}, "expected a sequence, got a dict"),
    (T, "dimensions", (1, 2.5), "element 1: expected an int, got a float"),
    (T, "dimensions", (1, None), "element 1: expected an int, got a NoneType"),
    (T, "dimensions", (Fraction(3, 2),), "element 0: expected an int, got a Fraction"),
    (T, "dimensions", [1 << 63], f"element 0: {1 << 63} is out of range"),
    (T, "dimensions", [1] * 65, "expected at most 8 elements, got 65"),
    (T, "unique_id", "a", "expected an int, got a str"),
    (T, "unique_id", 1 << 64, f"{1 << 64} is out of range"),
    (T, "unique_id", [1], "expected an int, got a list"),
    (T, "is_virtual", 2, "expected a bool, got 2"),
    (T, "is_virtual", "yes", "expected a bool, got 'yes'"),
    (T, "constant_value", "here", "expected an address or an array, got 'here'"),
    (T, "constant_value", -1, "-1 is out of range"),
    (CONV, "x", 5, "expected a TensorDescriptor, got 5"),
    (CONV, "x", [x], "expected a TensorDescriptor, got a list"),
    (CONV, "x", plain, "expected a TensorDescriptor, got a BackendDescriptor"),
    (CONV, "x", T.open(), "expected a finalized TensorDescriptor, got one that is not"),
    (CONV, "x", closed, "the TensorDescriptor is closed"),
    (CONV, "conv_desc", x, "expected a ConvolutionDescriptor, got a TensorDescriptor"),
    (CONV, "x", cudnn.TensorDescriptor(), "expected a TensorDescriptor, got a cudnn_cffi.descriptors.tensor.Tensor"),
    (CONV, "alpha", "1", "expected a float, got a str"),
    (CONV, "alpha", 1e300, "1e+300 is out of range of a float"),
    (CONV, "alpha", 1j, "expected a float, got a complex"),
    (backend.OperationGraphDescriptor, "ops", [x],
     "element 0: expected an OperationDescriptor, got a TensorDescriptor"),
    (backend.OperationGraphDescriptor, "ops", x, "expected a sequence, got a TensorDescriptor"),
    (backend.OperationGraphDescriptor, "handle", "h", "expected a Handle or its address"),
    (backend.DevicePropDescriptor, "json_representation", b"{}", "expected a str, got a bytes"),
    (backend.DevicePropDescriptor, "json_representation", "{}\0", "expected a str without NUL"),
    (backend.VariantPackDescriptor, "override_shapes", [5], "element 0: expected a sequence, got 5"),
    (backend.VariantPackDescriptor, "override_shapes", [[1.5]], "element 0: expected an int, got a"),
    (backend.VariantPackDescriptor, "workspace", FarAway(), ""),
    (backend.ResampleDescriptor, "strides", [(1, 0)], "element 0: "),
    (backend.ResampleDescriptor, "strides", [(1, 2, 3)], "element 0: "),
]  # fmt: skip

counts: Counter[str] = Counter()
watching.watch(lambda name, _: counts.update([name]))
for cls, keyword, value, text in TABLE:
    if keyword not in {each.name for each in cls.attributes()}:
        continue
    for make in (cls, cls.open):
        with pytest.raises(errors.CudnnError) as told:
            make(**{keyword: value})
        assert told.value.message.startswith(f"{cls.__name__}.{keyword}: {text}"), told.value
        assert told.value.status is None  # cuDNN was not called

with pytest.raises(errors.ArgumentError, match="has no attribute 'data_typ'") as told:
    T(data_typ=1)
assert "did you mean data_type?" in told.value.hint
assert "byte_alignment" in told.value.hint
with pytest.raises(TypeError):
    T(nothing=1)
with pytest.raises(errors.ArgumentError, match=r"numerical_note is read only"):
    backend.EngineDescriptor(numerical_note=[])
with pytest.raises(errors.ArgumentError, match="is not a type of descriptors"):
    backend.OperationDescriptor()
with pytest.raises(errors.BadParamError, match="TensorDescriptor: ") as told:
    T(data_type="HALF")
assert told.value.hint == "required and not set: dimensions, strides"
with pytest.raises(errors.CudnnError):  # by Finalize
    CONV(x=x)
watching.watch(None)
created = counts["cudnnBackendCreateDescriptor"]
assert created > 40, counts
del told
gc.collect()
assert created == counts["cudnnBackendDestroyDescriptor"], counts

M = backend.MatmulDescriptor
if any(each.uninitialized for each in M.attributes()):
    with pytest.raises(errors.ArgumentError, match=r"MatmulDescriptor\.comp_type: must be set in"):
        M()
assert M(comp_type="FLOAT").comp_type is DataType.FLOAT

with pytest.raises(errors.CudnnError) as told:
    x.set(unique_id=2)
assert told.value.hint == "a finalized TensorDescriptor cannot be changed; make another one"
assert x.unique_id == 1

# Values that are accepted.
assert T.open(dimensions=np.array([1, 2])).dimensions == (1, 2)
assert T.open(dimensions=range(1, 4)).dimensions == (1, 2, 3)
assert T.open(data_type=DataType.HALF).data_type is DataType.HALF
assert T.open(data_type="half").data_type is DataType.HALF
assert T.open(data_type="CUDNN_DATA_HALF").data_type is DataType.HALF
assert T.open(data_type=int(DataType.HALF)).data_type is DataType.HALF
assert T.open(is_virtual=np.bool_(True)).is_virtual


# A value whose conversion closes what gets it.
class Closer:
    """An int that closes a tensor when it is asked for."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __index__(self) -> int:
        self.owner.close()
        return 1


for keyword, wrap in (("unique_id", lambda each: each), ("dimensions", lambda each: [each])):
    owner = T.open()
    with pytest.raises(errors.ClosedError):
        owner.set(**{keyword: wrap(Closer(owner))})
    assert owner.closed
del owner, Closer, wrap


# A class that derives from an emitted one is one of its type.
class Packed(T):  # type: ignore[misc, valid-type]
    """A tensor."""


assert {each.name for each in Packed.attributes()} == {each.name for each in T.attributes()}
packed = Packed(data_type="HALF", dimensions=(1, 2, 2), strides=(4, 2, 1), byte_alignment=16)
assert CONV.open(x=packed).x is packed and "Packed" in repr(packed)
del packed, Packed

# Attributes that this release lacks.
for cls in (T, backend.EngineDescriptor, backend.OperationMatmulDescriptor):
    for name in DESCRIPTORS[cls.__name__][1]:
        if name in {each.name for each in cls.attributes()}:
            assert name in dir(cls)
            continue
        assert name not in dir(cls), (name, cls, cls._absent())
        assert not hasattr(x if cls is T else cls.open(), name)
        with pytest.raises(errors.ArgumentError, match=rf"{cls.__name__}\.{name}: added in 9\."):
            cls.open(**{name: 1})

P = backend.VariantPackDescriptor
if "override_shapes" in {each.name for each in P.attributes()}:
    with P(unique_ids=[1], data_pointers=[None], override_unique_ids=[1],
           override_shapes=[[2, 3]], override_strides=[(3, 1)]) as pack:  # fmt: skip
        assert pack.override_shapes == ((2, 3),) and pack.override_strides == ((3, 1),)
        pack.initialize()
        assert not pack.finalized
        with pytest.raises(errors.NotFinalizedError):
            pack.override_shapes
        assert pack.set(unique_ids=[7], data_pointers=[16]).finalize() is None
        assert pack.workspace is None or pack.workspace == 0
    del pack

# A descriptor that is not finalized, and one that is closed.
y = T.open(unique_id=3)
assert not y.finalized and y.unique_id == 3
assert "not finalized" in repr(y)
with pytest.raises(errors.NotFinalizedError, match=r"TensorDescriptor\.strides: "):
    y.strides
y.set(data_type="FLOAT", dimensions=(1, 2, 2), strides=(4, 2, 1), byte_alignment=16).finalize()
assert y.finalized and y.dimensions == (1, 2, 2)
with y:
    pass
assert y.closed and not y.finalized and repr(y) == "<TensorDescriptor closed>"
with pytest.raises(errors.ClosedError, match=r"TensorDescriptor\.unique_id"):
    y.unique_id
with pytest.raises(errors.ClosedError):
    y.set(unique_id=1)
lent = T.from_address(x.address, x)
assert lent.dimensions == (1, 1, 1, 1) and "dimensions=(1, 1, 1, 1)" in repr(lent)
with pytest.raises(errors.NotSupportedError, match="was not made here"):
    lent.ragged_offset_desc
assert x.ragged_offset_desc is None

del told, lent, make, value, cls, TABLE, plain
gc.collect()
left = [each for each in gc.get_objects() if isinstance(each, backend.Descriptor)]
assert {*map(id, left)} <= {*map(id, (x, y, closed))}, left
print("done")
