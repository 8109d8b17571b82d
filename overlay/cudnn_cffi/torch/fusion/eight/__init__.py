"""Eight bits: ranges by calibration, quantized weights, and plans where they win."""

from .asking import to_narrowing as to_narrowing
from .precision import Precision as Precision
from .precision import PrecisionReport as PrecisionReport
