"""Every family whose objects need no device is created and destroyed; print how many."""

import cudnn_cffi as cudnn
from cudnn_cffi._index import FAMILIES

ops = cudnn.CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS
needs = {  # what cuDNN asks for besides the place to put the object
    "BackendDescriptor": lambda: (cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR,),
    "FusedOpsConstParamPack": lambda: (ops,),
    "FusedOpsVariantParamPack": lambda: (ops,),
    "FusedOpsPlan": lambda: (ops,),
}
made = []
for name in FAMILIES:
    # These two need a device: a handle, and a plan for an RNN that is set up with one.
    if name in ("Handle", "PersistentRNNPlan") or not cudnn.has(name):
        continue
    cls = getattr(__import__("cudnn_cffi.families").families, name)
    item = cls(*needs[name]()) if name in needs else cls()
    assert item.address, item
    assert not item.closed, item
    item.close()
    item.close()
    assert item.closed, item
    try:
        item.address
    except cudnn.CudnnError as error:
        assert "closed" in str(error), str(error)
    else:
        raise AssertionError("a closed object gave an address")
    made.append(name)
print(len(made))
