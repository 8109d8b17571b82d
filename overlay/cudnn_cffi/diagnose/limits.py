"""Errors of results that are right, and the largest numbers, by data types."""

#: Relative errors that are right, by the data type of a result; `LIMIT` for all others.
LIMITS = {"HALF": 1e-2, "BFLOAT16": 5e-2, "FP8_E4M3": 0.13, "FP8_E5M2": 0.26, "INT8": 0.02}
LIMIT = 2e-3

#: The largest numbers of data types, which larger ones overflow.
LARGEST = {"HALF": 65504.0, "BFLOAT16": 3.39e38, "FLOAT": 3.4028234e38}
