"""Computations that cuDNN has compiled: plans, what they take, and how they run."""

from .computation import Computation as Computation
from .operand import Operand as Operand
from .plan import Plan as Plan
from .sequence import Sequence as Sequence
