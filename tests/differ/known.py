"""Differences that are documented, and stay."""

from __future__ import annotations

import re
from typing import NamedTuple

from .draw import Draw

__all__ = ["KNOWN", "reason"]


class Known(NamedTuple):
    """A difference.

    Attributes:
        part: whose cases have it, as a pattern.
        choices: what they picked, as a pattern of `Draw.shown`.
        text: what differs, as a pattern.
        why: the reason, and where the documentation says so.
    """

    part: str
    choices: str
    text: str
    why: str


#: The lowest or largest number of a type, and half of it.
LOWEST = r"-?(65504|3\.[34]\d+e\+38|1\.79769e\+308|32752|1\.[67]\d+e\+38|8\.98847e\+307)"

#: Data of which parts of a sum are large, and numbers that HALF rounds to infinity.
OF_ONE_SIGN = "very_positive|very_negative|extremes"
BEYOND_HALF = r"((6[6-9]\d{3}|[7-9]\d{4}|[1-9]\d{5})(\.\d+)?|\d[.\d]*e\+\d\d)"

KNOWN = (
    Known(
        "functions|modules|operations",
        r"=([Cc]onv|transposed).*=(minus_)?(infinity|nan|extremes)",
        r": -?inf, exact nan|: nan, exact -?inf",
        "infinity times the zeros of the padding: docs/operations.md",
    ),
    Known(
        "functions|operations",
        r"=(conv|transposed).* (in1|w)_data=((minus_)?infinity|nan)",
        r"^(y0|gradient0).*: (\S+, exact nan|nan, exact \S+), ",
        "filters with infinities or NaN times the zeros of the padding: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"=([Cc]onv|transposed).* groups=(?!1 ).*=((minus_)?infinity|nan)",
        r"^(y0|gradient\d).*: nan, exact -?\d",
        "infinities or NaN of other groups: docs/operations.md",
    ),
    Known(
        "operations",
        r"=transposed .*x_data=((minus_)?infinity|nan)",
        r"^y0.*: (\S+, exact nan|nan, exact \S+), ",
        "images with infinities or NaN times the zeros that a stride inserts: docs/operations.md",
    ),
    Known(
        "functions|modules",
        r"=[Cc]onv.* in0_data=((minus_)?infinity|nan)",
        r"^gradient1.*: (\S+, exact nan|nan, exact \S+), ",
        "images with infinities or NaN times the zeros of the padding: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"[Pp]ool.*=(minus_)?infinity",
        rf": {LOWEST}, exact -?inf",
        "windows of -inf have the lowest finite number: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"[Ss]oft[Mm]ax.*=(minus_infinity|infinity|nan)",
        r": (nan|-?0|-?inf), exact (nan|-?0)",
        "rows with infinities or NaN: docs/operations.md",
    ),
    Known(
        "operations",
        r"=softmax .*(beta=2.0|direction=backward) .*=minus_infinity",
        ", exact nan, ",
        "rows with infinities or NaN, and what was in the output: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"(RMSNorm|rms_norm|form=rms) .*=(minus_)?infinity",
        "^(y0|gradient0).*: -?0, exact nan, other nan",
        "finite elements of a row with an infinity: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"=((Batch|Group|Instance|Layer|RMS)Norm|(batch|group|instance|layer|rms)_norm|norm ).*=extremes",
        r"^y0.*: (nan, exact -?\d|-?0, exact -?\d[.\d]*e-3\d, )",
        "squares that overflow: docs/operations.md",
    ),
    Known(
        "operations",
        r"=norm (spatial=1 .*extent0=1 |(?!spatial).*extent0=1 extent1=1 |.*(extent\d=1 ){3})"
        "form=group groups=",
        r"^y0.*: -?\d",
        "a group of one element is its bias, up to rounding: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"=(ReLU6?|relu6?|clipped_relu|ELU|elu|LeakyReLU|leaky_relu).*=nan",
        r": (nan|-?0), exact|^gradient0",
        "gradients where x is NaN: docs/operations.md",
    ),
    Known(
        "operations",
        "word=leaky_relu .*direction=backward .*=nan",
        "^y0",
        "gradients where x is NaN: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        "=(LeakyReLU|leaky_relu).*=minus_infinity",
        "^y0.*: -?0, exact nan, ",
        "-inf with a slope of 0: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"=(ELU|elu)\b.*=denormal",
        r"^y0.*: -?0, exact -\d[.\d]*e-30?\d, ",
        "numbers whose exponential rounds to 1: docs/operations.md",
    ),
    Known(
        "operations",
        r"=reduce .*mode=(max .*=minus_infinity|min .*=infinity)",
        rf"^y0.*: {LOWEST}, exact -?inf",
        "maxima of -inf and minima of inf: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"=(RMSNorm|rms_norm|LayerNorm|layer_norm).*=denormal",
        r"^gradient\d.*: -?\d[.\d]*(e-3\d)?, exact -?\d[.\d]*e-3\d, ",
        "numbers below the smallest normal float32: docs/operations.md",
    ),
    Known(
        "functions|modules",
        r"=([Mm]ax_?[Pp]ool\dd).*=nan in0_layout=expanded",
        "^gradient0",
        "which of several NaN in a window has the gradient: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"=(SiLU|silu|swish)\b.*=extremes",
        r"^(gradient0|y0).*: -?0, exact",
        "gradients of SiLU where x + 1 rounds to x: docs/operations.md",
    ),
    Known(
        "functions|modules",
        r"=(layer_norm|LayerNorm|rms_norm|RMSNorm) ",
        r"^gradient0.*, exact -?(0|\d[.\d]*e-\d\d), other -?(0|\d[.\d]*e-\d\d)$",
        "gradients of rows of one or two elements are zero, up to rounding: docs/operations.md",
    ),
    Known(
        "further_operations",
        r"=norm gradient (?!.*form=(instance|group|batch)).*extent0=1 ",
        r"^y0.*: -?(0\.000\d+|\d[.\d]*e-\d\d), exact -?0, other -?0$",
        "gradients of rows of one or two elements are zero, up to rounding: docs/operations.md",
    ),
    Known(
        "further_operations",
        r"=norm gradient .*extent0=1 .*form=group ",
        r"^y1.*: -?(0\.000\d+|\d[.\d]*e-\d\d), exact -?0, other -?0$",
        "gradients of scales of groups of one element are zero, up to rounding: docs/operations.md",
    ),
    Known(
        "functions|modules",
        r"=(cross_entropy|CrossEntropyLoss) .*=(minus_)?infinity",
        r": (nan|-?inf), exact (nan|-?inf)",
        "infinite logits, targets and weights: docs/operations.md",
    ),
    Known(
        "functions|modules",
        r"=(cross_entropy|CrossEntropyLoss) .*=minus_infinity",
        r"^gradient0.*: \S+, exact nan, ",
        "rows of -inf: docs/operations.md",
    ),
    Known(
        "functions",
        r"=scaled_dot_product_attention .*=extremes",
        r": (nan|-?0), exact",
        "scores that overflow: docs/operations.md",
    ),
    Known(
        "functions",
        r"=scaled_dot_product_attention .*=nan .*gradient=True",
        r"^gradient[12].*: \S+, exact nan, ",
        "keys that a query with a NaN does not see: docs/operations.md",
    ),
    Known(
        "functions",
        r"=scaled_dot_product_attention .*=(minus_)?infinity",
        r"^(y0|gradient\d).*: \S+, exact nan, ",
        "rows with infinite scores: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        r"=([Cc]onv|transposed)(?!.*\bfloat64).*=extremes",
        r": (-?inf|nan), exact -?\d(\.\d+)?e\+3[789], ",
        "partial sums that overflow: docs/operations.md",
    ),
    Known(
        "functions|modules|operations",
        rf"=([Cc]onv|transposed)(?=.*\bfloat16).*=({OF_ONE_SIGN})",
        rf": (-?inf|nan), exact -?{BEYOND_HALF}, ",
        "parts of sums of HALF that overflow, as the sum does: docs/operations.md",
    ),
    Known(
        "functions|modules",
        r"=(group_norm|GroupNorm) .*=(minus_)?infinity",
        r"^(gradient0|y0).*: -?inf, exact nan, other nan",
        "infinite scales: docs/operations.md",
    ),
    Known(
        "functions|modules",
        r"=(BatchNorm\dd|batch_norm) .*=(minus_)?infinity",
        r"^state\d.*: nan, exact -?inf",
        "running statistics of infinities: docs/operations.md",
    ),
    Known(
        "operations",
        r"=(convolution|transposed) .*direction=(filter|data) .*=((minus_)?infinity|nan)",
        r"^y0.*: (\S+, exact nan|nan, exact \S+), ",
        "gradients with infinities or NaN times the zeros of the padding: docs/operations.md",
    ),
    Known(
        "functions|modules",
        r"=(ctc_loss|CTCLoss) .*in0_layout=expanded",
        r"^(y0|gradient0)",
        "cuDNN normalizes logarithms of probabilities: help of ctc_loss",
    ),
    Known(
        "functions|modules|operations",
        r"=(gelu_tanh|gelu|GELU)\b.*=((minus_)?infinity|extremes)",
        r"^(y0|gradient0).*: -?\d\S*, exact nan",
        "the limit of the gradient of GELU by tanh: docs/operations.md",
    ),
    Known(
        "further_operations",
        "=in place factor=0.0.*=((minus_)?infinity|nan)",
        "^y0.*: -?0, exact nan, ",
        "a factor of 0: docs/operations.md",
    ),
    Known(
        "further_operations",
        "=images of columns.*=((minus_)?infinity|nan)",
        r"^y0.*: nan, exact -?(\d|inf)",
        "infinite elements make NaN of their neighbours: help of col2im",
    ),
    Known(
        "networks",
        "",
        r"modified by an inplace operation: .* output 0 of Cudnn(LocalResponseNorm|Pooling)Backward",
        "changes in place of what gradients read: docs/torch.md",
    ),
    Known(
        "functions|modules",
        r"=(local_response_norm|LocalResponseNorm) .*=very_(positive|negative)",
        "^gradient0",
        "gradients of large numbers cancel: docs/operations.md",
    ),
)


def reason(draw: Draw, text: str) -> str:
    """Return why a case may differ as the text says; "" if it may not."""
    for each in KNOWN:
        if (
            re.fullmatch(each.part, draw.part)
            and re.search(each.choices, draw.shown())
            and re.search(each.text, text)
        ):
            return each.why
    return ""
