"""Explain why a graph has no plan: find the nearest graph that has one, and say what differs."""

from __future__ import annotations

from .explaining import explain as explain
from .result import Explanation as Explanation
