"""Classify parameters by ordered rules over names and types, then by facts.toml.

A rule sees a parameter with its function and answers with the fields of `model.Parameter` that
it knows, or with nothing. The first rule that answers decides. Facts come last, by name, and
replace fields. A pointer that no rule explains, one whose rule nothing proves, and a fact that
matches nothing, are errors: a new release must be understood, not guessed at.
"""

from .ctype import CType as CType
from .errors import ClassificationError as ClassificationError
from .facts import Facts as Facts
from .proofs import Question as Question
from .roles import classify as classify
from .roles import classify_again as classify_again
from .roles import disagreements as disagreements
