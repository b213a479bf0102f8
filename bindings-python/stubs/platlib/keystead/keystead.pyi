# The native module, which `keystead/__init__.py` hands on as it is.
from keystead import *
from keystead import __all__ as __all__
