"""python -m cudnn_cffi.api: the commands of this room alone."""

import sys

from .cli import main

sys.exit(main())
