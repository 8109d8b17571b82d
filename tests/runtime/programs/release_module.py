"""The module of one release has the names and numbers of that release only."""

from cudnn_cffi import v8_9_7, v9_10_0, v9_10_1, v9_28_0

assert v8_9_7.Status.BAD_PARAM == 3, v8_9_7.Status.BAD_PARAM
assert v9_28_0.Status.BAD_PARAM == 2000, v9_28_0.Status.BAD_PARAM
assert v9_10_0.BackendDescriptorType is not v9_10_1.BackendDescriptorType, (
    v9_10_0.BackendDescriptorType
)
assert v9_28_0.cudnnDataType_t is v9_28_0.DataType, v9_28_0.cudnnDataType_t
assert v9_28_0.CUDNN_DATA_FLOAT is v9_28_0.DataType.FLOAT, v9_28_0.CUDNN_DATA_FLOAT
assert v9_28_0.DataType(999).name == "UNKNOWN_999", v9_28_0.DataType(999).name
assert v9_28_0.DataType(999) == 999, v9_28_0.DataType(999)
assert v9_28_0.AttnMode(99) == 99, v9_28_0.AttnMode(99)
assert v9_28_0.CUDNN_STATUS_CATEGORY(2004) == 2000, v9_28_0.CUDNN_STATUS_CATEGORY(2004)
assert "cudnnSetRNNDescriptor_v6" in dir(v8_9_7), dir(v8_9_7)
for name, text in (
    ("cudnnSetRNNDescriptor_v6", "removed in 9.0.0; use cudnnSetRNNDescriptor_v8"),
    ("nonsense", "no nonsense"),
):
    try:
        getattr(v9_28_0, name)
    except AttributeError as error:
        assert text in str(error), error
    else:
        raise AssertionError(name)
import pickle

assert pickle.loads(pickle.dumps(v9_28_0.DataType.HALF)) is v9_28_0.DataType.HALF, pickle.loads(
    pickle.dumps(v9_28_0.DataType.HALF)
)
