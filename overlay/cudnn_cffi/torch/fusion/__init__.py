"""Models for inference: norms folded, layers computed at once, all prepared for each shape."""

from .fused import Fused as Fused
from .fused import fuse as fuse
from .report import Report as Report
