"""Models as files: each layer a plan or a function of cuDNN's, with folded weights."""

from .package import package as package
