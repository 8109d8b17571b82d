"""Models for inference and training: layers computed at once, inference prepared for shapes."""

from . import fused
from .fused import Fused as Fused
from .fused import fuse as fuse
from .report import Report as Report
from .training.model import FusedTraining as FusedTraining

fused.trainers.append(FusedTraining)
