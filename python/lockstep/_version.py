"""The version, which `make wheel` and the test of this package compare with version.h's."""

__version__ = "0.1.0"
