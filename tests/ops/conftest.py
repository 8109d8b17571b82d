"""Fixtures for operations without a GPU: the libraries and stand-ins that choosing needs too."""

from tests.choice.conftest import describing as describing
from tests.choice.conftest import no_driver as no_driver
from tests.plan.conftest import compiled as compiled
from tests.plan.conftest import driver as driver
from tests.plan.conftest import known_arrays as arrays  # noqa: F401
from tests.plan.conftest import standin as standin
