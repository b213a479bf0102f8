"""keystead for redis-py: one client for many Redis servers that know nothing of each other.

For servers that are *not* in cluster mode: those refuse keys of slots that they do not hold.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, cast

from redis import Redis
from redis.exceptions import ResponseError, WatchError

from keystead_placement import Placement

__all__ = ["ClusterRedis"]


def _connect(address: str) -> Redis:
    host, _, port = address.rpartition(":")
    return Redis(host=host, port=int(port))


class ClusterRedis:
    """A client by a cluster file, which may be replaced while it is in use.

    While a transition is published a key can be at two places. ``get`` that misses at the first looks at the second and carries the value over, with what
    is left of its time to live; ``set`` writes to the first and deletes at the second; ``delete`` deletes at both. Any other command is one of
    :meth:`on`, which carries the key over before.

    placement: where a key is.
    connect: makes the client of an address; by default ``Redis(host, port)``. It is called once for each server.
    """

    def __init__(self, placement: Placement, connect: Callable[[str], Redis] = _connect) -> None:
        self._placement = placement
        self._connect = connect
        self._clients: dict[str, Redis] = {}

    def refresh(self) -> Literal["same", "newer"]:
        """Take over the cluster file if it has changed, as :meth:`Placement.refresh`. Call it every few seconds, or when told to."""
        answer = self._placement.refresh()
        for address in self._clients.keys() - set(self._placement.addresses.values()):
            self._clients.pop(address).close()
        return answer

    def _at(self, address: str) -> Redis:
        client = self._clients.get(address)
        if client is None:
            # Another thread may have been as fast; one of the two clients is used.
            client = self._clients.setdefault(address, self._connect(address))
        return client

    def on(self, key: str | bytes) -> Redis:
        """The client of the server that owns the key. What is still at the old place is carried over first, and removed there:
        ``redis.on("cart:42").hset("cart:42", "apples", 3)``."""
        first, *second = map(self._at, self._placement.places(key))
        for old in second:
            self._carry(key, old, first, leave_copy=False)
        return first

    @staticmethod
    def _carry(key: str | bytes, old: Redis, new: Redis, *, leave_copy: bool) -> None:
        """Brings what is stored, whatever its type, to the new place, unless something is there."""
        while True:
            with old.pipeline() as pipe:
                pipe.watch(key)  # type: ignore[no-untyped-call]  # the one method of redis-py's pipeline that has no annotations
                # Until `multi` a pipeline answers at once.
                left, stored = pipe.pttl(key), pipe.dump(key)
                if stored is None:
                    return
                try:
                    new.restore(key, max(left, 0), stored)
                    filled = True
                except ResponseError as error:
                    if not str(error).startswith("BUSYKEY"):
                        raise
                    filled = False
                pipe.multi()
                if leave_copy:
                    pipe.exists(key)
                else:
                    pipe.delete(key)
                try:
                    pipe.execute()
                    return
                except WatchError:
                    # A program that is a step behind has written to the old place, and has deleted at the new one perhaps just before we filled it.
                    if filled:
                        new.delete(key)

    def get(self, key: str | bytes) -> bytes | None:
        first, *second = map(self._at, self._placement.places(key))
        value = first.get(key)
        for old in second:
            if value is None:
                self._carry(key, old, first, leave_copy=True)
                value = first.get(key)
        return cast("bytes | None", value)

    def get_many(self, keys: Iterable[str | bytes]) -> dict[str | bytes, bytes]:
        """What is there, by key: one request to each server, and one for each key that has to be carried over."""
        by_place: dict[str, list[str | bytes]] = {}
        for key in keys:
            by_place.setdefault(self._placement.places(key)[0], []).append(key)
        found: dict[str | bytes, bytes] = {}
        for address, group in by_place.items():
            values = cast("list[bytes | None]", self._at(address).mget(group))
            for key, value in zip(group, values):
                if value is None and len(self._placement.places(key)) > 1:
                    value = self.get(key)
                if value is not None:
                    found[key] = value
        return found

    def set(self, key: str | bytes, value: Any, **options: Any) -> bool:
        """options: those of ``Redis.set``, such as ``ex``."""
        first, *second = map(self._at, self._placement.places(key))
        written = bool(first.set(key, value, **options))
        for old in second:
            if written:
                old.delete(key)
        return written

    def delete(self, key: str | bytes) -> bool:
        """True if it was there."""
        # Where reads fill from comes first, else one could fill again in between.
        return any([self._at(place).delete(key) for place in reversed(self._placement.places(key))])

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
