"""Explain why a computation has no plan: find the nearest one that has, and say what differs.

The search itself is imported by the first call: operations have `explain`, and few need it.
"""

from __future__ import annotations

from .graphs.front import explain as explain
from .questions import answer_question as answer_question
from .questions import answer_text as answer_text
from .result import Explanation as Explanation
