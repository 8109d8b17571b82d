"""The formula of each method that adds an operation, for its help and its page.

Tensors have the names of the arguments; y is the result, ' transposes a matrix.
"""

from __future__ import annotations

from typing import TypeVar

#: A line for each method: its name, then the formula; lines with an indent go on.
_TEXT = """
abs y = abs(x)
ada_layer_norm y[n] = (x[n] - mean) / sqrt(variance + epsilon) * scale[n] + bias[n]
add y = a + b
add_square y = a + b^2
atan2 y = atan2(a, b)
attention o = softmax(scale q k' + bias) v
attention_backward p = softmax(s); dv = p' do; ds = p (do v' - sum of do o); dq = scale ds k;
    dk = scale ds' q
batch_norm y = (x - mean) / sqrt(variance + epsilon) * scale + bias, over N and the spatial axes
batch_norm_inference y = (x - mean) * inv_variance * scale + bias
binary_select y = x where condition, else b
block_scale_dequantize y = x * scale of the block
block_scale_quantize scale by the largest abs(x) of each block; y = x / scale
bn_bwd_weights with n = (x - mean) inv_std: dscale = sum of dy n; dbias = sum of dy
bn_finalize eq_scale = scale / sqrt(variance + epsilon); eq_bias = bias - eq_scale sum / count
cast y = x in another data type
ceil y = ceil(x)
concatenate y = tensors, one after the other along axis
contract_band_matrix y = the diagonals of x from -lower to upper; the inverse of expand_band_matrix
convolution y[n, k, p] = sum over c, r of x[n, c, stride p + dilation r - padding] w[k, c, r]
convolution_backward_data dx = dy * w', the gradient of convolution for x
convolution_backward_filter dw = x' * dy, the gradient of convolution for w
convolution_transpose y = x * w', the gradient of a convolution for its input
cos y = cos(x)
diagonal_band_mask y[i, j] = x[i, j] on one side of the diagonal, else fill
div y = a / b
elu y = x where x > 0, else alpha (exp(x) - 1)
elu_backward dx = dy where x > 0, else dy alpha exp(x)
equal y = a == b
erf y = erf(x)
exp y = exp(x)
expand y[i, j] = x[i, 0]
expand_band_matrix y[i, j] = the element of x on diagonal j - i, or padding_value outside of it
floor y = floor(x)
floor_mod y = a - b floor(a / b)
gelu y = x (1 + erf(x / sqrt(2))) / 2
gelu_approx_tanh y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
gelu_approx_tanh_backward dx = dy f'(x), f as gelu_approx_tanh
gelu_backward dx = dy f'(x), f as gelu
gen_index y[i, j] = the index along axis
gen_stats sum[c] = sum of x[n, c, p]; square_sum[c] = sum of x[n, c, p]^2
greater y = a > b
greater_equal y = a >= b
identity y = x
instance_norm y = (x - mean) / sqrt(variance + epsilon) * scale + bias, over the spatial axes
layer_norm y = (x - mean) / sqrt(variance + epsilon) * scale + bias, over the axes of scale
less y = a < b
less_equal y = a <= b
log y = log(x)
logical_and y = a and b
logical_not y = not x
logical_or y = a or b
matmul c[i, j] = sum over k of a[i, k] b[k, j]
max y = max(a, b)
min y = min(a, b)
mod y = a - b trunc(a / b)
moe_grouped_matmul y[t] = token[t] weight[e], for tokens t of expert e
moe_grouped_matmul_backward dweight[e] = sum over tokens t of expert e of token[t]' dy[t]
mul y = a b
neg y = -x
norm_backward n = (x - mean) inv_variance; dx = scale inv_variance (dy - mean(dy) - n mean(dy n))
norm_forward y = (x - mean) / sqrt(variance + epsilon) * scale + bias, over the axes of the mode
not_equal y = a != b
paged_cache_load y[b, h, page s + i] = container[page_table[b, page], h, i], with pages of s vectors
pointwise y = mode(operands), element by element
pow y = a^b
reciprocal y = 1 / x
reduction y = sum of x over dims; or product, min, max, largest abs(x), mean, norms, by mode
relu y = max(x, 0); between clips min(max(x, lower_clip), upper_clip)
relu_backward dx = dy where x > 0, else 0
resample y = max or mean of x over each window; or bilinear interpolation
resample_backward dx = dy at the largest element of each window; or dy / elements of the window
reshape y = x with other extents
rms_norm y = x / sqrt(mean of x^2 + epsilon) * scale + bias, over the axes of scale
rng y = random numbers of the distribution
rope y = x, rotated in pairs of elements by the angles of frequencies
rope_backward dx = dy, rotated back by the angles of frequencies
rsqrt y = 1 / sqrt(x)
sigmoid y = 1 / (1 + exp(-x))
sigmoid_backward dx = dy s (1 - s), s = sigmoid(x)
signal y = x; flag = value, or a wait for it
sin y = sin(x)
slice y = x[start:limit:step]
softmax y = exp(x) / sum of exp(x) over the last axis
softplus y = log(1 + exp(beta x)) / beta
softplus_backward dx = dy / (1 + exp(-beta x))
sqrt y = sqrt(x)
sub y = a - b
swish y = x / (1 + exp(-beta x))
swish_backward dx = dy f'(x), f as swish
tan y = tan(x)
tanh y = tanh(x)
tanh_backward dx = dy (1 - tanh(x)^2)
transpose y[i[permutation]] = x[i]
"""

#: The formulas by the names of methods.
FORMULAS: dict[str, str] = dict(
    line.split(" ", 1) for line in _TEXT.strip().replace("\n    ", " ").splitlines()
)

_C = TypeVar("_C", bound=type[object])


def told(cls: _C) -> _C:
    """Put the formulas of a class's methods after the first paragraph of their help."""
    for name, formula in FORMULAS.items():
        method = cls.__dict__[name]
        head, _, rest = (method.__doc__ or "").partition("\n\n")
        indent = rest[: len(rest) - len(rest.lstrip(" "))]
        if head:
            method.__doc__ = f"{head}\n\n{indent}Formula: {formula}\n\n{rest}".rstrip()
    return cls
