"""Compare emitted tables with a C compiler and with real libraries.

For each release a C file is made from what was emitted, one declaration a line that compiles only
where it is true. So a wrong number is found where a program would find it, whatever the parser
and the templates believe. Declarations of the headers that the tables lack are looked for, too.
"""

from __future__ import annotations

from .judge import KINDS, Verdict, VerifyError, Wrong, verify

__all__ = ["KINDS", "Verdict", "VerifyError", "Wrong", "verify"]
