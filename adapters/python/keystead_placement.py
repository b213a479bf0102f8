"""Where a key is while a cluster changes: a cluster file that is followed and, when coming from another placement, today's function in it.

The other modules of this folder take a :class:`Placement`; copy this file beside the one that you need.
"""

from collections.abc import Callable, Container
from typing import Any, Literal

from keystead import Cluster, LiveCluster, NoNodesError, Transition

__all__ = ["STANDS_FOR", "Placement"]

STANDS_FOR = "stands-for"
"""The name in a node's ``meta`` that marks a cluster as standing for a function. Whoever has no function must not place by it."""


class _Step:
    """One state of the file. It never changes, so that answers that belong together come from one state."""

    def __init__(self, published: Cluster | Transition, before: Callable[[Any], str] | None) -> None:
        self.published = self.placed = published
        sides = [published] if isinstance(published, Cluster) else [side for side in (published.before, published.after) if isinstance(side, Cluster)]
        stand_in = next((node.meta[STANDS_FOR] for node in sides[0].nodes if STANDS_FOR in node.meta), None)
        if stand_in is not None:
            if isinstance(published, Cluster):
                raise ValueError(f"the published cluster only stands for {stand_in}, and places no key: publish a transition that begins with it")
            if before is None:
                raise ValueError(f"the published transition begins with what only stands for {stand_in}: give its function as before")
            # Any other transition begins with a cluster of ours: a function that a program still has from coming here is no part of it.
            self.placed = Transition(before, published.after, published.part, published.of)
        # The new side comes last: a node that is on both has the address that the new one gives it.
        self._addresses = {node.id: node.address for side in sides for node in side.nodes}
        for id, address in self._addresses.items():
            if not address:
                raise ValueError(f"node {id!r} has no address in the cluster file")

    def addresses(self) -> dict[str, str]:
        return {id: self.address(id) for id in self._addresses}

    def address(self, id: str) -> str:
        address = self._addresses.get(id)
        if address is None:
            raise LookupError(f"{id!r}, which the function answers, is no node of the cluster file")
        return address

    def places(self, key: str | bytes) -> list[str]:
        ids = self.placed.candidates(key) if isinstance(self.placed, Transition) else [self.placed.owner(key)]
        # Two ids may be one server, and then there is one place.
        return list(dict.fromkeys(map(self.address, ids)))

    def place(self, key: str | bytes, usable: Container[str]) -> str | None:
        excluded = [id for id, address in self._addresses.items() if address not in usable]
        try:
            if not excluded:
                return self.address(self.placed.owner(key))
            if isinstance(self.placed, Transition) and not isinstance(self.placed.before, Cluster):
                # A function excludes nobody: where its answer is of no use, the key goes to where it will be in the end.
                address = self.address(self.placed.owner(key))
                return address if address in usable else self.address(self.placed.after.owner(key, exclude=excluded))
            return self.address(self.placed.owner(key, exclude=excluded))
        except NoNodesError:
            return None


class Placement:
    """Where a key is, by a cluster file.

    path: a cluster file or a transition file in which every node has an address.
    before: when coming from another placement, its function from a key to a node's id. It takes the place of ``before`` in a published transition whose
        nodes there are marked with :data:`STANDS_FOR`: they only list today's nodes with their addresses. In all else that is published it is not asked.
        It is given each key as it comes.
    secret: as for :class:`keystead.LiveCluster`.

    May be shared between threads.
    """

    def __init__(self, path: str, *, before: Callable[[Any], str] | None = None, secret: bytes | None = None) -> None:
        self._live = LiveCluster(path, secret=secret)
        self._before = before
        self._step = _Step(self._live.current, before)

    def refresh(self) -> Literal["same", "newer"]:
        """Take over the file if it has changed. Raises as :meth:`keystead.LiveCluster.refresh`, or ValueError where an address is missing, or the function; then
        the old state is kept."""
        answer = self._live.refresh()
        if self._live.current is not self._step.published:
            self._step = _Step(self._live.current, self._before)
        return answer

    @property
    def published(self) -> Cluster | Transition:
        """What the file says. Its ``fingerprint`` and ``epoch`` are what a program reports."""
        return self._step.published

    @property
    def addresses(self) -> dict[str, str]:
        """The address of every node by its id; during a transition of the nodes on both sides."""
        return self._step.addresses()

    def places(self, key: str | bytes) -> list[str]:
        """The addresses at which the key can be, its owner's first: one, or two during a transition."""
        return self._step.places(key)

    def place(self, key: str | bytes, usable: Container[str]) -> str | None:
        """The address of the key's owner when only these addresses are in use, as if the other nodes were excluded; None where no node is left."""
        return self._step.place(key, usable)
