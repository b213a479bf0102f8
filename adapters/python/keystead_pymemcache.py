"""keystead for pymemcache: a hasher for its ``HashClient``, and a client that keeps a cache warm through a transition.

The hasher alone is enough for a cluster file that does not change while the program runs::

    placement = Placement("cluster.json")
    client = HashClient(list(placement.addresses.values()), hasher=lambda: ClusterHasher(placement))

:class:`ClusterClient` is for one that does.
"""

from collections.abc import Iterable
from typing import Any, Literal, Protocol

from pymemcache.client.hash import HashClient  # type: ignore[import-untyped]  # pymemcache has annotations, but no py.typed
from pymemcache.serde import LegacyWrappingSerde  # type: ignore[import-untyped]

from keystead_placement import Placement

__all__ = ["ClusterClient", "ClusterHasher"]


class ClusterHasher:
    """The interface of pymemcache's hashers: nodes are addresses.

    ``HashClient`` takes a failing server out with ``remove_node`` and puts it back with ``add_node``. Meanwhile its keys go to the next node in their
    ranking, the same in every program that sees the failure, and all other keys stay.
    """

    def __init__(self, placement: Placement) -> None:
        self._placement = placement
        self._usable: frozenset[str] = frozenset()

    def add_node(self, node: str) -> None:
        self._usable |= {node}

    def remove_node(self, node: str) -> None:
        self._usable -= {node}

    def get_node(self, key: str | bytes) -> str | None:
        """The address of the key's owner among the nodes that are in, None where there is none."""
        return self._placement.place(key, self._usable)


class _SecondHasher(ClusterHasher):
    """Names the other place of a key that is being moved, and no substitute when that fails."""

    def get_node(self, key: str | bytes) -> str | None:
        return next((place for place in self._placement.places(key)[1:] if place in self._usable), None)


class Serde(Protocol):
    """As for ``HashClient``."""

    def serialize(self, key: Any, value: Any) -> tuple[Any, int]: ...
    def deserialize(self, key: Any, value: Any, flags: int) -> Any: ...


class _Stored:
    """Hands through what is stored, with its flags: a value is carried from place to place as it is."""

    def serialize(self, key: Any, value: Any) -> tuple[Any, int]:
        return value, 0

    def deserialize(self, key: Any, value: Any, flags: int) -> tuple[Any, int]:
        return value, flags


class ClusterClient:
    """A memcached client by a cluster file, which may be replaced while it is in use.

    While a transition is published a key can be at two places. A read that misses at the first looks at the second, and fills the first; a write goes to
    the first and deletes at the second; a delete goes to both. So no value is lost on the way, and no old one is found again.

    placement: where a key is.
    fill_expire: seconds for which a value lives that is carried to its new place; memcached does not tell how long it had left. Take what you write with.
    serde: as for ``HashClient``; without it a value is ``bytes``.
    options: those of ``HashClient``, such as ``timeout``, ``ignore_exc`` or ``use_pooling``. Here ``default_noreply`` is False: whoever has written can
        rely on it that all others see it.
    """

    def __init__(self, placement: Placement, *, fill_expire: int = 0, serde: Serde | None = None, **options: Any) -> None:
        self._placement = placement
        self._fill_expire = fill_expire
        self._serde: Serde = serde or LegacyWrappingSerde(None, None)
        options = {"default_noreply": False, **options, "serde": _Stored()}
        self._first = HashClient([], hasher=lambda: ClusterHasher(placement), **options)
        self._second = HashClient([], hasher=lambda: _SecondHasher(placement), **options)
        self._follow()

    def refresh(self) -> Literal["same", "newer"]:
        """Take over the cluster file if it has changed, as :meth:`Placement.refresh`. Call it every few seconds, or when told to."""
        answer = self._placement.refresh()
        self._follow()
        return answer

    def _follow(self) -> None:
        addresses = set(self._placement.addresses.values())
        for client in (self._first, self._second):
            known = set(client.clients)
            for address in addresses - known:
                host, _, port = address.rpartition(":")
                client.add_server(address if address.startswith("/") else (host, int(port)))
            for address in known - addresses:
                client.hasher.remove_node(address)
                client.clients.pop(address).close()

    def get(self, key: str | bytes, default: Any = None) -> Any:
        return self.get_many([key]).get(key, default)

    def get_many(self, keys: Iterable[str | bytes]) -> dict[str | bytes, Any]:
        """What is there, by key."""
        keys = list(keys)
        stored = self._first.get_many(keys)
        moving = [key for key in keys if key not in stored and self._moves(key)]
        if moving:
            stored |= self._fill(moving)
        return {key: self._serde.deserialize(key, value, flags) for key, (value, flags) in stored.items()}

    def _fill(self, keys: list[str | bytes]) -> dict[str | bytes, tuple[Any, int]]:
        found: dict[str | bytes, tuple[Any, int]] = self._second.get_many(keys)
        # `add` puts nothing over what was written at the new place meanwhile.
        filled = [key for key, (value, flags) in found.items() if self._first.add(key, value, self._fill_expire, flags=flags)]
        if filled:
            # A program that is a step behind writes to the other place, and deletes at this one, perhaps just before we filled it: then what we filled is old.
            now = self._second.get_many(filled)
            for key in filled:
                if now.get(key) != found[key]:
                    self._first.delete(key)
        return found

    def set(self, key: str | bytes, value: Any, expire: int = 0) -> bool:
        value, flags = self._serde.serialize(key, value)
        written = bool(self._first.set(key, value, expire, flags=flags))
        if self._moves(key):
            self._second.delete(key)
        return written

    def delete(self, key: str | bytes) -> bool:
        """True if it was there."""
        # Where reads fill from comes first, else one could fill again in between.
        there = self._moves(key) and bool(self._second.delete(key))
        return bool(self._first.delete(key)) or there

    def _moves(self, key: str | bytes) -> bool:
        _, *second = self._placement.places(key)
        # Where the first place is down, another node takes the key, perhaps the second: what was just written there is not to be deleted.
        return bool(second) and second[0] != self._first.hasher.get_node(key)

    def close(self) -> None:
        self._first.close()
        self._second.close()
