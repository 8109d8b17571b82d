"""Fixtures of plans, for arrays that go into them."""

from tests.plan.conftest import driver as driver
from tests.plan.conftest import standin as standin
