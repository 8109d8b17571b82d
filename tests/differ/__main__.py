"""Compare drawn cases with float64 and PyTorch: `nox -s differ` runs this."""

import sys

from .core import main

sys.exit(main(sys.argv[1:]))
