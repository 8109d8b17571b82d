"""Pickles that version 0.1 made: they name modules that have other names now."""

from __future__ import annotations

import pickle
import subprocess
import sys

import cudnn_cffi as c
import pytest
from cudnn_cffi import choice, graph, ops
from cudnn_cffi.compat import cupy_backends_cudnn, cupy_cudnn, libcudnn

_HERE = {
    "c": c,
    "choice": choice,
    "graph": graph,
    "ops": ops,
    "cupy_backends_cudnn": cupy_backends_cudnn,
    "cupy_cudnn": cupy_cudnn,
    "libcudnn": libcudnn,
}

#: An expression, and the pickle of its value by version 0.1.
PICKLES: dict[str, bytes] = {
    "ops.Convolution(padding=1)": b"\x80\x03ccudnn_cffi.ops.convolution\nConvolution\n)\x81}(X\x07\x00\x00\x00options}(X\x07\x00\x00\x00paddingK\x01X\x06\x00\x00\x00strideK\x01X\x08\x00\x00\x00dilationK\x01X\x06\x00\x00\x00groupsNX\x04\x00\x00\x00flip\x89X\n\x00\x00\x00activationNX\x0b\x00\x00\x00coefficientNuX\x06\x00\x00\x00policyNub.",
    "ops.ConvolutionTranspose(stride=2)": b"\x80\x03ccudnn_cffi.ops.convolution\nConvolutionTranspose\n)\x81}(X\x07\x00\x00\x00options}(X\x07\x00\x00\x00paddingK\x00X\x06\x00\x00\x00strideK\x02X\x08\x00\x00\x00dilationK\x01X\x06\x00\x00\x00groupsNX\x04\x00\x00\x00flip\x89X\x0e\x00\x00\x00output_paddingK\x00uX\x06\x00\x00\x00policyNub.",
    "ops.ConvolutionBackwardData()": b"\x80\x03ccudnn_cffi.ops.gradients\nConvolutionBackwardData\n)\x81}(X\x07\x00\x00\x00options}(X\x07\x00\x00\x00paddingK\x00X\x06\x00\x00\x00strideK\x01X\x08\x00\x00\x00dilationK\x01X\x06\x00\x00\x00groupsNX\x04\x00\x00\x00flip\x89uX\x06\x00\x00\x00policyNub.",
    "ops.Pooling(window=2)": b"\x80\x03ccudnn_cffi.ops.pooling\nPooling\n)\x81}(X\x07\x00\x00\x00options}(X\x04\x00\x00\x00kindX\x03\x00\x00\x00maxX\x06\x00\x00\x00windowK\x02X\x06\x00\x00\x00strideNX\x07\x00\x00\x00paddingK\x00X\r\x00\x00\x00deterministic\x89X\x05\x00\x00\x00batch\x88uX\x06\x00\x00\x00policyNub.",
    "ops.Softmax()": b"\x80\x03ccudnn_cffi.ops.softmax\nSoftmax\n)\x81}(X\x07\x00\x00\x00options}(X\x04\x00\x00\x00axisK\x01X\x03\x00\x00\x00log\x89X\x08\x00\x00\x00accurate\x88uX\x06\x00\x00\x00policyNub.",
    "ops.LayerNorm()": b"\x80\x03ccudnn_cffi.ops.norms\nLayerNorm\n)\x81}(X\x07\x00\x00\x00options}(X\x07\x00\x00\x00epsilonG>\xe4\xf8\xb5\x88\xe3h\xf1X\n\x00\x00\x00statistics\x89uX\x06\x00\x00\x00policyNub.",
    "ops.BatchNorm()": b"\x80\x03ccudnn_cffi.ops.batch_norm\nBatchNorm\n)\x81}(X\x07\x00\x00\x00options}(X\x04\x00\x00\x00modeX\x07\x00\x00\x00spatialX\x07\x00\x00\x00epsilonG>\xe4\xf8\xb5\x88\xe3h\xf1X\x08\x00\x00\x00momentumG?\xb9\x99\x99\x99\x99\x99\x9auX\x06\x00\x00\x00policyNub.",
    "ops.BatchNormActivation()": b"\x80\x03ccudnn_cffi.ops.batch_norm_activation\nBatchNormActivation\n)\x81}(X\x07\x00\x00\x00options}(X\x04\x00\x00\x00modeX\x07\x00\x00\x00spatialX\x07\x00\x00\x00epsilonG>\xe4\xf8\xb5\x88\xe3h\xf1X\x08\x00\x00\x00momentumG?\xb9\x99\x99\x99\x99\x99\x9auX\x06\x00\x00\x00policyNub.",
    "ops.GroupNorm(2)": b"\x80\x03ccudnn_cffi.ops.group_norm\nGroupNorm\n)\x81}(X\x07\x00\x00\x00options}(X\x06\x00\x00\x00groupsK\x02X\x07\x00\x00\x00epsilonG>\xe4\xf8\xb5\x88\xe3h\xf1X\n\x00\x00\x00statistics\x89uX\x06\x00\x00\x00policyNub.",
    "ops.LocalResponseNorm()": b"\x80\x03ccudnn_cffi.ops.local_norms\nLocalResponseNorm\n)\x81}(X\x07\x00\x00\x00options}(X\x04\x00\x00\x00sizeK\x05X\x05\x00\x00\x00alphaG?\x1a6\xe2\xeb\x1cC-X\x04\x00\x00\x00betaG?\xe8\x00\x00\x00\x00\x00\x00X\x01\x00\x00\x00kG?\xf0\x00\x00\x00\x00\x00\x00uX\x06\x00\x00\x00policyNub.",
    "ops.Attention()": b"\x80\x03ccudnn_cffi.ops.attention\nAttention\n)\x81}(X\x07\x00\x00\x00options}(X\x05\x00\x00\x00scaleNX\x06\x00\x00\x00causal\x89X\x06\x00\x00\x00windowNX\x08\x00\x00\x00diagonalX\x08\x00\x00\x00top_leftX\x07\x00\x00\x00dropoutG\x00\x00\x00\x00\x00\x00\x00\x00X\x0c\x00\x00\x00max_q_lengthNX\r\x00\x00\x00max_kv_lengthNX\x05\x00\x00\x00scoreNX\x04\x00\x00\x00formNX\x05\x00\x00\x00stats\x89uX\x06\x00\x00\x00policyNub.",
    "ops.MultiHeadAttention(2, 4)": b"\x80\x03ccudnn_cffi.ops.multi_head\nMultiHeadAttention\n)\x81}(X\x05\x00\x00\x00stateccudnn_cffi.ops.states\nRandomState\nq\x00G\x00\x00\x00\x00\x00\x00\x00\x00N\x86RX\x0c\x00\x00\x00output_stateh\x00G\x00\x00\x00\x00\x00\x00\x00\x00N\x86RX\x07\x00\x00\x00_counts}X\x07\x00\x00\x00options}(X\x05\x00\x00\x00headsK\x02X\x06\x00\x00\x00q_sizeK\x04X\x06\x00\x00\x00k_sizeK\x04X\x06\x00\x00\x00v_sizeK\x04X\x0c\x00\x00\x00q_projectionK\x00X\x0c\x00\x00\x00k_projectionK\x00X\x0c\x00\x00\x00v_projectionK\x00X\x0c\x00\x00\x00o_projectionK\x00X\x05\x00\x00\x00scaleG?\xe0\x00\x00\x00\x00\x00\x00X\x04\x00\x00\x00bias\x89X\x07\x00\x00\x00dropoutG\x00\x00\x00\x00\x00\x00\x00\x00X\x0e\x00\x00\x00output_dropoutG\x00\x00\x00\x00\x00\x00\x00\x00X\x04\x00\x00\x00seedNX\x0b\x00\x00\x00batch_first\x88X\x06\x00\x00\x00causal\x89uX\x06\x00\x00\x00policyNub.",
    "ops.LSTM(4, 4)": b"\x80\x03ccudnn_cffi.ops.recurrent\nLSTM\n)\x81}(X\x07\x00\x00\x00networkq\x00ccudnn_cffi.ops.networks\nNetwork\n)\x81q\x01}(X\x04\x00\x00\x00cellq\x02X\x04\x00\x00\x00LSTMq\x03X\n\x00\x00\x00input_sizeq\x04K\x04X\x0b\x00\x00\x00hidden_sizeq\x05K\x04X\x06\x00\x00\x00layersq\x06K\x01X\r\x00\x00\x00bidirectionalq\x07\x89X\n\x00\x00\x00directionsK\x01X\x04\x00\x00\x00biasq\x08X\x0b\x00\x00\x00DOUBLE_BIASX\x0f\x00\x00\x00projection_sizeq\tK\x00X\n\x00\x00\x00state_sizeK\x04X\x05\x00\x00\x00stateccudnn_cffi.ops.states\nRandomState\nG\x00\x00\x00\x00\x00\x00\x00\x00N\x86RX\x0b\x00\x00\x00batch_firstq\n\x89X\x06\x00\x00\x00packedq\x0b\x89X\x05\x00\x00\x00batchq\x0c\x88X\n\x00\x00\x00skip_inputq\r\x89X\x04\x00\x00\x00clipq\x0eNX\x07\x00\x00\x00_counts}ubX\x07\x00\x00\x00optionsq\x0f}(h\x04K\x04h\x05K\x04h\x06K\x01h\x07\x89h\x08\x88h\tNX\x07\x00\x00\x00dropoutG\x00\x00\x00\x00\x00\x00\x00\x00X\x04\x00\x00\x00seedNh\n\x89h\x0b\x89h\x0c\x88h\r\x89h\x0eNuX\x06\x00\x00\x00policyq\x10NX\r\x00\x00\x00backward_dataccudnn_cffi.ops.recurrent_gradients\nRNNBackwardData\n)\x81}(h\x00h\x01h\x0f}h\x02h\x03sh\x10NubX\x10\x00\x00\x00backward_weightsccudnn_cffi.ops.recurrent_gradients\nRNNBackwardWeights\n)\x81}(h\x00h\x01h\x0f}h\x02h\x03sh\x10Nubub.",
    'ops.Activation("relu")': b"\x80\x03ccudnn_cffi.ops.activations\nActivation\n)\x81}(X\x05\x00\x00\x00_kindccudnn_cffi.ops.activations\nKind\n(X\x04\x00\x00\x00RELUq\x00Nh\x00\x88t\x81X\x08\x00\x00\x00_numbers}X\x07\x00\x00\x00options}(X\n\x00\x00\x00activationX\x04\x00\x00\x00reluX\x0b\x00\x00\x00coefficientNuX\x06\x00\x00\x00policyNub.",
    "ops.Dropout(0.5, seed=3)": b"\x80\x03ccudnn_cffi.ops.dropout\nDropout\n)\x81}(X\x05\x00\x00\x00stateccudnn_cffi.ops.states\nRandomState\nG?\xe0\x00\x00\x00\x00\x00\x00K\x03\x86RX\x07\x00\x00\x00options}(X\x04\x00\x00\x00rateG?\xe0\x00\x00\x00\x00\x00\x00X\x04\x00\x00\x00seedK\x03uX\x06\x00\x00\x00policyNub.",
    "ops.CrossEntropy()": b"\x80\x03ccudnn_cffi.ops.cross_entropy\nCrossEntropy\n)\x81}(X\x07\x00\x00\x00options}(X\t\x00\x00\x00reductionX\x04\x00\x00\x00meanX\x0c\x00\x00\x00ignore_indexJ\x9c\xff\xff\xffX\x0f\x00\x00\x00label_smoothingG\x00\x00\x00\x00\x00\x00\x00\x00uX\x06\x00\x00\x00policyNub.",
    "ops.CTCLoss()": b"\x80\x03ccudnn_cffi.ops.losses\nCTCLoss\n)\x81}(X\x07\x00\x00\x00options}(X\t\x00\x00\x00normalize\x88X\r\x00\x00\x00deterministic\x88X\x10\x00\x00\x00max_label_lengthM\x00\x01X\x12\x00\x00\x00skip_out_of_bounds\x89uX\x06\x00\x00\x00policyNub.",
    'ops.TensorOperation("add")': b"\x80\x03ccudnn_cffi.ops.tensors\nTensorOperation\n)\x81}(X\x05\x00\x00\x00_nameX\x03\x00\x00\x00ADDX\x07\x00\x00\x00options}(X\t\x00\x00\x00operationX\x03\x00\x00\x00addX\x06\x00\x00\x00alpha2G?\xf0\x00\x00\x00\x00\x00\x00X\r\x00\x00\x00propagate_nan\x88uX\x06\x00\x00\x00policyNub.",
    'ops.Reduction("add")': b"\x80\x03ccudnn_cffi.ops.tensors\nReduction\n)\x81}(X\x05\x00\x00\x00_nameX\x03\x00\x00\x00ADDX\x07\x00\x00\x00options}(X\t\x00\x00\x00operationX\x03\x00\x00\x00addX\x04\x00\x00\x00axesNX\t\x00\x00\x00keep_axes\x89X\x07\x00\x00\x00indices\x89X\r\x00\x00\x00propagate_nan\x88uX\x06\x00\x00\x00policyNX\x04\x00\x00\x00sums\x88ub.",
    "ops.GridSample()": b"\x80\x03ccudnn_cffi.ops.spatial\nGridSample\n)\x81}(X\x07\x00\x00\x00options}X\x06\x00\x00\x00policyNub.",
    "ops.Aggregation()": b"\x80\x03ccudnn_cffi.ops.aggregation\nAggregation\n)\x81}(X\x07\x00\x00\x00options}X\t\x00\x00\x00operationX\x03\x00\x00\x00sumsX\x06\x00\x00\x00policyNub.",
    "ops.CausalConvolution()": b"\x80\x03ccudnn_cffi.ops.causal\nCausalConvolution\n)\x81}(X\x07\x00\x00\x00options}(X\n\x00\x00\x00activationNX\r\x00\x00\x00channels_last\x89uX\x06\x00\x00\x00policyNub.",
    "ops.Im2Col(3)": b"\x80\x03ccudnn_cffi.ops.folding\nIm2Col\n)\x81}(X\x07\x00\x00\x00options}(X\x06\x00\x00\x00windowK\x03X\x06\x00\x00\x00strideK\x01X\x07\x00\x00\x00paddingK\x00X\x08\x00\x00\x00dilationK\x01uX\x06\x00\x00\x00policyNub.",
    "ops.NormResults(1, 2, 3)": b"\x80\x03ccudnn_cffi.ops.statistics\nNormResults\nK\x01K\x02K\x03\x87\x81.",
    "ops.AttentionResults(1, 2)": b"\x80\x03ccudnn_cffi.ops.attention\nAttentionResults\nK\x01K\x02\x86\x81.",
    "ops.AggregationResults(1, 2)": b"\x80\x03ccudnn_cffi.ops.aggregation\nAggregationResults\nK\x01K\x02\x86\x81.",
    "ops.RNNResults(1, 2, 3, 4)": b"\x80\x03ccudnn_cffi.ops.recurrent_gradients\nRNNResults\n(K\x01K\x02K\x03K\x04t\x81.",
    'ops.Spec.like((2, 3), "float32")': b"\x80\x03ccudnn_cffi.ops.specs\nSpec\n(X\x07\x00\x00\x00float32K\x02K\x03\x86K\x03K\x01\x86NK\x10t\x81.",
    "ops.convolution": b"\x80\x03ccudnn_cffi.ops.convolution\nconvolution\n.",
    "ops.softmax": b"\x80\x03ccudnn_cffi.ops.softmax\nsoftmax\n.",
    "ops.max_pool": b"\x80\x03ccudnn_cffi.ops.pooling\nmax_pool\n.",
    "ops.layer_norm": b"\x80\x03ccudnn_cffi.ops.norms\nlayer_norm\n.",
    "ops.candidates": b"\x80\x03ccudnn_cffi.ops.candidates\ncandidates\n.",
    "ops.record": b"\x80\x03ccudnn_cffi.ops.recording\nrecord\n.",
    "ops.Classic": b"\x80\x03ccudnn_cffi.ops.classic\nClassic\n.",
    "ops.RNNReserve": b"\x80\x03ccudnn_cffi.ops.recurrent_gradients\nRNNReserve\n.",
    "c.has": b"\x80\x03ccudnn_cffi._resolve\nhas\n.",
    "graph.alibi_slopes": b"\x80\x03ccudnn_cffi.graph.attention\nalibi_slopes\n.",
    "choice.export": b"\x80\x03ccudnn_cffi.choice.files\nexport\n.",
    'choice.Policy.of("time")': b"\x80\x03ccudnn_cffi.choice.policy\nPolicy\n(ccudnn_cffi.choice.policy\nRule\nq\x00(X\x04\x00\x00\x00timeNNNNNNNt\x81h\x00(X\x04\x00\x00\x00timeNNNNNNNt\x81h\x00(X\x04\x00\x00\x00timeNNNNNNNt\x81h\x00(X\x04\x00\x00\x00timeNNNNNNNt\x81t\x81.",
    'choice.Policy.of({"pick": "time", "tf32": False})': b"\x80\x03ccudnn_cffi.choice.policy\nPolicy\n(ccudnn_cffi.choice.policy\nRule\nq\x00(X\x04\x00\x00\x00timeNNNN\x89NNt\x81h\x00(X\x04\x00\x00\x00timeNNNN\x89NNt\x81h\x00(X\x04\x00\x00\x00timeNNNN\x89NNt\x81h\x00(X\x04\x00\x00\x00timeNNNN\x89NNt\x81t\x81.",
    "choice.default_policy()": b"\x80\x03ccudnn_cffi.choice.policy\n_Whole\n(ccudnn_cffi.choice.policy\nRule\nq\x00(NNNNNNNNt\x81h\x00(NNNNNNNNt\x81h\x00(NNNNNNNNt\x81h\x00(NNNNNNNNt\x81t\x81.",
    "choice.no_cache": b"\x80\x03ccudnn_cffi.choice.memory\nno_cache\n.",
    "choice.Knob": b"\x80\x03ccudnn_cffi.choice.knobs\nKnob\n.",
    "choice.Timing": b"\x80\x03ccudnn_cffi.choice.bench\nTiming\n.",
    "choice.Refusal": b"\x80\x03ccudnn_cffi.choice.refusals\nRefusal\n.",
    "choice.Candidate": b"\x80\x03ccudnn_cffi.choice.engines\nCandidate\n.",
    "choice.Tuned": b"\x80\x03ccudnn_cffi.choice.tuning\nTuned\n.",
    "cupy_backends_cudnn.CuDNNError(3)": b"\x80\x03ccudnn_cffi.compat._cupy_raw\nCuDNNError\nK\x03\x85R}(X\x06\x00\x00\x00statusK\x03X\x06\x00\x00\x00_infos]ub.",
    "cupy_backends_cudnn.createRNNDescriptor": b"\x80\x03ccudnn_cffi.compat._cupy_recurrent\ncreateRNNDescriptor\n.",
    "cupy_cudnn.create_tensor_descriptor": b"\x80\x03ccudnn_cffi.compat._cupy_descriptors\ncreate_tensor_descriptor\n.",
    "libcudnn.cudnnStatusBadParam": b"\x80\x03ccudnn_cffi.compat._libcudnn_tables\ncudnnStatusBadParam\n.",
    "libcudnn.cudnnConvolutionForward": b"\x80\x03ccudnn_cffi.compat._libcudnn_convolutions\ncudnnConvolutionForward\n.",
}

TORCH: dict[str, bytes] = {
    "functional.conv2d": b"\x80\x03ccudnn_cffi.torch.functional.convolution\nconv2d\n.",
    "functional.layer_norm": b"\x80\x03ccudnn_cffi.torch.functional.norms\nlayer_norm\n.",
    "functional.group_norm": b"\x80\x03ccudnn_cffi.torch.functional.local_norms\ngroup_norm\n.",
    "functional.scaled_dot_product_attention": b"\x80\x03ccudnn_cffi.torch.functional.attention\nscaled_dot_product_attention\n.",
    "functional.causal_convolution": b"\x80\x03ccudnn_cffi.torch.functional.causal\ncausal_convolution\n.",
    "functional.unfold": b"\x80\x03ccudnn_cffi.torch.functional.columns\nunfold\n.",
    "functional.batch_norm_activation": b"\x80\x03ccudnn_cffi.torch.functional.fused_norms\nbatch_norm_activation\n.",
    "functional.multi_head_attention": b"\x80\x03ccudnn_cffi.torch.functional.multi_head\nmulti_head_attention\n.",
    "torch.convert": b"\x80\x03ccudnn_cffi.torch.converting\nconvert\n.",
    "torch.Report": b"\x80\x03ccudnn_cffi.torch.converting\nReport\n.",
    "torch.Profile": b"\x80\x03ccudnn_cffi.torch.profiling\nProfile\n.",
    "torch.Choices": b"\x80\x03ccudnn_cffi.torch.choosing\nChoices\n.",
    "modules.MaxPool2d(2)": b"\x80\x03ccudnn_cffi.torch.modules.pooling\nMaxPool2d\n)\x81}(X\x08\x00\x00\x00training\x88X\x0b\x00\x00\x00_parameters}X\x08\x00\x00\x00_buffers}X\x1b\x00\x00\x00_non_persistent_buffers_setcbuiltins\nset\n]\x85RX\x13\x00\x00\x00_backward_pre_hooksccollections\nOrderedDict\nq\x00)RX\x0f\x00\x00\x00_backward_hooksh\x00)RX\x16\x00\x00\x00_is_full_backward_hookNX\x0e\x00\x00\x00_forward_hooksh\x00)RX\x1a\x00\x00\x00_forward_hooks_with_kwargsh\x00)RX\x1c\x00\x00\x00_forward_hooks_always_calledh\x00)RX\x12\x00\x00\x00_forward_pre_hooksh\x00)RX\x1e\x00\x00\x00_forward_pre_hooks_with_kwargsh\x00)RX\x11\x00\x00\x00_state_dict_hooksh\x00)RX\x15\x00\x00\x00_state_dict_pre_hooksh\x00)RX\x1a\x00\x00\x00_load_state_dict_pre_hooksh\x00)RX\x1b\x00\x00\x00_load_state_dict_post_hooksh\x00)RX\x08\x00\x00\x00_modules}X\x0b\x00\x00\x00kernel_sizeK\x02X\x06\x00\x00\x00strideK\x02X\x07\x00\x00\x00paddingK\x00X\x08\x00\x00\x00dilationK\x01X\x0e\x00\x00\x00return_indices\x89X\t\x00\x00\x00ceil_mode\x89ub.",
    "modules.GELU()": b"\x80\x03ccudnn_cffi.torch.modules.activations\nGELU\n)\x81}(X\x08\x00\x00\x00training\x88X\x0b\x00\x00\x00_parameters}X\x08\x00\x00\x00_buffers}X\x1b\x00\x00\x00_non_persistent_buffers_setcbuiltins\nset\n]\x85RX\x13\x00\x00\x00_backward_pre_hooksccollections\nOrderedDict\nq\x00)RX\x0f\x00\x00\x00_backward_hooksh\x00)RX\x16\x00\x00\x00_is_full_backward_hookNX\x0e\x00\x00\x00_forward_hooksh\x00)RX\x1a\x00\x00\x00_forward_hooks_with_kwargsh\x00)RX\x1c\x00\x00\x00_forward_hooks_always_calledh\x00)RX\x12\x00\x00\x00_forward_pre_hooksh\x00)RX\x1e\x00\x00\x00_forward_pre_hooks_with_kwargsh\x00)RX\x11\x00\x00\x00_state_dict_hooksh\x00)RX\x15\x00\x00\x00_state_dict_pre_hooksh\x00)RX\x1a\x00\x00\x00_load_state_dict_pre_hooksh\x00)RX\x1b\x00\x00\x00_load_state_dict_post_hooksh\x00)RX\x08\x00\x00\x00_modules}X\x0b\x00\x00\x00approximateX\x04\x00\x00\x00noneub.",
    "modules.Dropout()": b"\x80\x03ccudnn_cffi.torch.modules.others\nDropout\n)\x81}(X\x08\x00\x00\x00training\x88X\x0b\x00\x00\x00_parameters}X\x08\x00\x00\x00_buffers}X\x1b\x00\x00\x00_non_persistent_buffers_setcbuiltins\nset\n]\x85RX\x13\x00\x00\x00_backward_pre_hooksccollections\nOrderedDict\nq\x00)RX\x0f\x00\x00\x00_backward_hooksh\x00)RX\x16\x00\x00\x00_is_full_backward_hookNX\x0e\x00\x00\x00_forward_hooksh\x00)RX\x1a\x00\x00\x00_forward_hooks_with_kwargsh\x00)RX\x1c\x00\x00\x00_forward_hooks_always_calledh\x00)RX\x12\x00\x00\x00_forward_pre_hooksh\x00)RX\x1e\x00\x00\x00_forward_pre_hooks_with_kwargsh\x00)RX\x11\x00\x00\x00_state_dict_hooksh\x00)RX\x15\x00\x00\x00_state_dict_pre_hooksh\x00)RX\x1a\x00\x00\x00_load_state_dict_pre_hooksh\x00)RX\x1b\x00\x00\x00_load_state_dict_post_hooksh\x00)RX\x08\x00\x00\x00_modules}X\x01\x00\x00\x00pG?\xe0\x00\x00\x00\x00\x00\x00X\x07\x00\x00\x00inplace\x89ub.",
    "modules.Softmax(1)": b"\x80\x03ccudnn_cffi.torch.modules.activations\nSoftmax\n)\x81}(X\x08\x00\x00\x00training\x88X\x0b\x00\x00\x00_parameters}X\x08\x00\x00\x00_buffers}X\x1b\x00\x00\x00_non_persistent_buffers_setcbuiltins\nset\n]\x85RX\x13\x00\x00\x00_backward_pre_hooksccollections\nOrderedDict\nq\x00)RX\x0f\x00\x00\x00_backward_hooksh\x00)RX\x16\x00\x00\x00_is_full_backward_hookNX\x0e\x00\x00\x00_forward_hooksh\x00)RX\x1a\x00\x00\x00_forward_hooks_with_kwargsh\x00)RX\x1c\x00\x00\x00_forward_hooks_always_calledh\x00)RX\x12\x00\x00\x00_forward_pre_hooksh\x00)RX\x1e\x00\x00\x00_forward_pre_hooks_with_kwargsh\x00)RX\x11\x00\x00\x00_state_dict_hooksh\x00)RX\x15\x00\x00\x00_state_dict_pre_hooksh\x00)RX\x1a\x00\x00\x00_load_state_dict_pre_hooksh\x00)RX\x1b\x00\x00\x00_load_state_dict_post_hooksh\x00)RX\x08\x00\x00\x00_modules}X\x03\x00\x00\x00dimK\x01X\x04\x00\x00\x00fast\x89ub.",
}

#: Functions and classes that other pickles name: of descriptors, devices, and graphs' results.
PRIVATE = {
    "cudnn_cffi.api.successors": ["Successor"],
    "cudnn_cffi.api.suppress": ["Suppression"],
    "cudnn_cffi.choice.devices": ["DeviceProperties"],
    "cudnn_cffi.descriptors.configured": ["_restore"],
    "cudnn_cffi.graph.norms": ["NormResults", "NormGradients", "FinalizedStatistics"],
    "cudnn_cffi.graph.special": ["SoftmaxResults"],
    "cudnn_cffi.ops.networks": ["Network"],
}


@pytest.mark.parametrize("text", PICKLES)
def test_pickles_of_version_0_1_load(text: str) -> None:
    expected = eval(text, _HERE)
    loaded = pickle.loads(PICKLES[text])
    assert type(loaded) is type(expected)
    assert loaded is expected or repr(loaded) == repr(expected)


@pytest.mark.parametrize("text", TORCH)
def test_pickles_of_torch_load(text: str) -> None:
    pytest.importorskip("torch")
    import cudnn_cffi.torch as torch
    from cudnn_cffi.torch import functional, modules

    expected = eval(text, {"torch": torch, "functional": functional, "modules": modules})
    loaded = pickle.loads(TORCH[text])
    assert loaded is expected or repr(loaded) == repr(expected)


def test_layers_in_pickles_are_found() -> None:
    pytest.importorskip("torch")
    from cudnn_cffi.torch.autograd.layer import Layer

    for name in ("norms\nLayerNorm", "convolution\nConvolution", "local_norms\nGroupNorm"):
        found = pickle.loads(f"ccudnn_cffi.torch.functional.{name}\n.".encode())
        assert issubclass(found, Layer)
    assert callable(pickle.loads(b"ccudnn_cffi.torch.layer\n_again\n."))


@pytest.mark.parametrize("module", PRIVATE)
def test_private_names_in_pickles_are_found(module: str) -> None:
    for name in PRIVATE[module]:
        found = pickle.loads(f"c{module}\n{name}\n.".encode())
        assert found.__name__ == name


def test_a_function_stays_where_a_module_once_had_its_name() -> None:
    pickle.loads(PICKLES["ops.Softmax()"])
    assert callable(ops.softmax)
    assert callable(ops.convolution)


def test_names_that_no_module_had_are_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"ops\.softmaxes"):
        pickle.loads(b"ccudnn_cffi.ops.softmaxes\nSoftmax\n.")
    with pytest.raises(AttributeError, match="Softmin"):
        pickle.loads(b"ccudnn_cffi.ops.softmax\nSoftmin\n.")


def test_the_table_of_old_names_is_read_only_where_one_is_missing() -> None:
    code = "import sys, cudnn_cffi.ops; print('cudnn_cffi._front.moved' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
