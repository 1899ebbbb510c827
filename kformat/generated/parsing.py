"""`parse` as `kformat.codec.constructs` has it; the stub next to this file says what it gives for which format.

Made from formats/*.ksy by `make generate`; do not edit.
"""

from kformat.codec.constructs import parse as parse
