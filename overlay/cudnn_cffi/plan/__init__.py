"""Plans: compiled computations, their operands, and their execution."""

from .computation import Computation as Computation
from .operand import Operand as Operand
from .plan import Plan as Plan
from .sequence import Sequence as Sequence
