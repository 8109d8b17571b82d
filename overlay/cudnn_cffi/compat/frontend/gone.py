"""The names of the front end's module that are not here, and why."""

from __future__ import annotations

#: Functions of cuDNN itself that are here under their C names.
CLASSIC = {
    "causal_conv1d_forward": "cudnnCausalConv1dForward",
    "causal_conv1d_backward": "cudnnCausalConv1dBackward",
    "causal_conv1d_nwh_forward": "cudnnCausalConv1dNwhForward",
    "causal_conv1d_nwh_backward": "cudnnCausalConv1dNwhBackward",
    "b2b_causal_conv1d_forward": "cudnnB2BCausalConv1dForward",
    "b2b_causal_conv1d_backward": "cudnnB2BCausalConv1dBackward",
    "fft_causal_conv1d_forward": "cudnnFFTCausalConv1dForward",
    "fft_causal_conv1d_backward": "cudnnFFTCausalConv1dBackward",
    "long_fft_causal_conv1d_forward": "cudnnLongFFTCausalConv1dForward",
    "long_fft_causal_conv1d_backward": "cudnnLongFFTCausalConv1dBackward",
    "long_fft_causal_conv1d_get_buffer_sizes": "cudnnLongFFTCausalConv1dGetBufferSizes",
}

#: Names of kernels and modules that the front end has written itself, in Python, CuTe and Triton.
GONE = frozenset(
    (
        "AlignedHCABackward BSA BlockScaledTensor CSA CSACompressorBackward "
        "CSACompressorForward CausalConv3dWithCacheSm100 CompactGqaBackward "
        "Conv3dBiasResidualPadSm100 Conv3dRawSm100 Conv3dRmsNormSiluPadSm100 "
        "Conv3dRmsNormSiluSm100 DSA DiscreteGroupedGemmDswigluSm100 "
        "DiscreteGroupedGemmSwigluSm100 EngramGateSavedBackward EngramGateSavedForward "
        "FlexAttentionBwd FlexAttentionFwd GatedAttentionBlockBwd GatedAttentionBlockFwd "
        "GemmAmaxSm100 GemmDsreluSm100 GemmProjRopeMxfp8Bf16InSm100 "
        "GemmProjRopeMxfp8Mxfp8InSm100 GemmSreluSm100 GemmSwigluSm100 GroupedGemmDgluSm100 "
        "GroupedGemmDsreluSm100 GroupedGemmDswigluSm100 GroupedGemmGluHadamardQuantSm100 "
        "GroupedGemmGluHadamardSm100 GroupedGemmGluSm100 GroupedGemmQuantSm100 GroupedGemmSm100 "
        "GroupedGemmSreluSm100 GroupedGemmSwigluSm100 GroupedGemmWgradSm100 "
        "MhcProjectionBackward MoeEp MoeEpAutotuneCandidateResult MoeEpAutotuneResult "
        "MoeEpBackwardWeightStaging MoeEpBackwardWeights MoeEpConfig MoeEpDataPathConfig "
        "MoeEpFc1WeightLayout MoeEpForwardWeightStaging MoeEpForwardWeights MoeEpModelConfig "
        "MoeEpNativeBackwardWeights MoeEpNativeDiscreteBackwardWeights "
        "MoeEpNativeDiscreteForwardWeights MoeEpNativeDiscreteWeight MoeEpNativeForwardWeights "
        "MoeEpNativeWeight MoeEpNativeWeightLayout MoeEpNativeWeightStorageMode "
        "MoeEpParallelConfig MoeEpTrainingBackwardOutputs MoeEpTrainingForwardOutputs "
        "MoeEpTrainingWgradOperands MoeEpTuningConfig MoeFormat MoeTensor NSA "
        "Nvfp4AttentionQatBackward RmsNormRhtAmaxSm100 RmsNormSiluPadSm100 RopeQDQInplace "
        "TailRoPEForward TriangleAttentionFwd TriangleMultiplicativeUpdateFwd "
        "VisionRoPEBackward aligned_hca_backward_wrapper b2b_causal_conv1d_backward "
        "b2b_causal_conv1d_forward block_sparse_attention_backward "
        "block_sparse_attention_forward block_sparse_attention_fp8_forward "
        "causal_conv1d_backward causal_conv1d_forward causal_conv1d_nwh_backward "
        "causal_conv1d_nwh_forward causal_conv3d_with_cache_wrapper_sm100 compact_gqa_backward "
        "conv3d_bias_residual_pad_wrapper_sm100 conv3d_raw_wrapper_sm100 "
        "conv3d_rmsnorm_silu_pad_wrapper_sm100 conv3d_rmsnorm_silu_wrapper_sm100 "
        "create_mask_plan csa_compressor_backward_wrapper csa_compressor_forward_wrapper "
        "datatypes discrete_grouped_gemm discrete_grouped_gemm_dswiglu_jax_sm100 "
        "discrete_grouped_gemm_dswiglu_wrapper_sm100 discrete_grouped_gemm_swiglu_jax_sm100 "
        "discrete_grouped_gemm_swiglu_wrapper_sm100 engram_gate_saved_backward "
        "engram_gate_saved_forward experimental fft_causal_conv1d_backward "
        "fft_causal_conv1d_forward fla flex_attn_func gated_attention_block "
        "gated_attention_block_backward gated_attention_block_forward gemm_amax_jax_sm100 "
        "gemm_amax_wrapper_sm100 gemm_dsrelu_jax_sm100 gemm_dsrelu_wrapper_sm100 "
        "gemm_proj_rope_mxfp8_jax_sm100 gemm_proj_rope_mxfp8_wrapper_sm100 gemm_srelu_jax_sm100 "
        "gemm_srelu_wrapper_sm100 gemm_swiglu_jax_sm100 gemm_swiglu_wrapper_sm100 "
        "get_grouped_gemm_wgrad_workspace_size_sm100 gnn gnn_activation_op gnn_agg_op "
        "gnn_agg_simple_backward gnn_agg_simple_forward gnn_mha_gat_backward "
        "gnn_mha_gat_forward gnn_mha_gat_v2_backward gnn_mha_gat_v2_forward grouped_gemm "
        "grouped_gemm_dglu_jax_sm100 grouped_gemm_dglu_wrapper_sm100 "
        "grouped_gemm_dsrelu_jax_sm100 grouped_gemm_dsrelu_wrapper_sm100 "
        "grouped_gemm_dswiglu_wrapper_sm100 grouped_gemm_glu_hadamard_jax_forward "
        "grouped_gemm_glu_hadamard_quant_jax_forward "
        "grouped_gemm_glu_hadamard_quant_wrapper_sm100 grouped_gemm_glu_hadamard_wrapper_sm100 "
        "grouped_gemm_glu_jax_sm100 grouped_gemm_glu_wrapper_sm100 grouped_gemm_jax_sm100 "
        "grouped_gemm_quant_jax_forward grouped_gemm_quant_wrapper_sm100 "
        "grouped_gemm_srelu_jax_forward grouped_gemm_srelu_wrapper_sm100 "
        "grouped_gemm_swiglu_wrapper_sm100 grouped_gemm_wgrad_jax_sm100 "
        "grouped_gemm_wgrad_wrapper_sm100 grouped_gemm_wrapper_sm100 hstu_attention_backward "
        "hstu_attention_forward hstu_lmsd_backward hstu_lmsd_forward jax "
        "long_fft_causal_conv1d_backward long_fft_causal_conv1d_forward "
        "long_fft_causal_conv1d_get_buffer_sizes mask_to_kv_lengths mhc_projection_backward "
        "moe_ep nvfp4_attention_qat_backward ops pack_backward_weights "
        "pack_causal_conv3d_weight_sm100 pack_conv3d_weight_sm100 pack_forward_weights "
        "prefix_mask_to_kv_lengths rmsnorm_rht_amax_wrapper_sm100 "
        "rmsnorm_silu_pad_wrapper_sm100 rope_qdq_inplace sdpa_torch tail_rope torch "
        "triangle_attention triangle_multiplicative_update vision_rope_backward_wrapper "
    ).split()
)


def reason(name: str) -> str:
    """Return why a name of `GONE` is not here, and what to use instead."""
    instead = CLASSIC.get(name)
    if instead is not None:
        return f"{name}: call cudnn_cffi.{instead}, the function of cuDNN"
    return (
        f"{name} is a kernel, or a module, of NVIDIA's front end itself and not of cuDNN; "
        "cudnn_cffi does not have it: import the front end for it"
    )
