"""How tests say that something is refused."""

import contextlib
from typing import Iterator

import pytest
from keystead import KeysteadError


@contextlib.contextmanager
def refuses(code: str, match: str | None = None) -> Iterator[None]:
    with pytest.raises(KeysteadError, match=match) as refused:
        yield
    assert refused.value.code == code, refused.value
    # Short, however large the value; lower case at the start, as every message here.
    message = str(refused.value)
    assert 0 < len(message) < 600 and not message[0].isupper(), message
