"""Ask libraries for the schema of their backend descriptors, and write the answers into models.

It says how many elements an attribute takes, whether it has to be set, its default, what it holds.
Real libraries tell it (`generator.schema.probe`); their answers are kept in answers/, and what none
tells is in facts.toml. `explain` writes both into a model.
"""

from .answers import AnswersError as AnswersError
from .explain import Explainer as Explainer
from .explain import SchemaError as SchemaError
from .explain import explain as explain
from .explain import forget as forget
