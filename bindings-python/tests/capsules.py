"""Arrow's C data interface from the producer's side, by ctypes: what no well-behaved package gives can be given with it, and releases are counted."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, pointer
from typing import Any, Callable

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


ReleaseSchema, ReleaseArray, ReleaseStream = (CFUNCTYPE(None, POINTER(kind)) for kind in (Schema, Array, Stream))
GetSchema = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
GetNext = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
GetError = CFUNCTYPE(c_void_p, POINTER(Stream))

Schema._fields_ = [
    *[("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64)],
    *[("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", ReleaseSchema), ("private_data", c_void_p)],
]
Array._fields_ = [
    *[("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64)],
    *[("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))), ("dictionary", POINTER(Array))],
    *[("release", ReleaseArray), ("private_data", c_void_p)],
]
Stream._fields_ = [("get_schema", GetSchema), ("get_next", GetNext), ("get_last_error", GetError), ("release", ReleaseStream), ("private_data", c_void_p)]


class Producer:
    """Makes structs and capsules, keeps their memory, and counts how many are in the hands of a consumer."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.lent = 0
        self.released = 0

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def _releasing(self, kind: Any) -> Any:
        def release(struct: Any) -> None:
            assert struct.contents.release, "released twice"
            struct.contents.release = kind()
            self.released += 1

        return self.keep(kind(release))

    def schema(self, format: bytes | None, children: list[Schema] | None = None, dictionary: Schema | None = None, **members: Any) -> Schema:
        made = self.keep(Schema(format=format, name=b"", n_children=len(children or []), release=self._releasing(ReleaseSchema)))
        self._family(made, Schema, children, dictionary, members)
        return made  # type: ignore[no-any-return]

    def array(self, length: int, buffers: list[bytes | None], children: list[Array] | None = None, dictionary: Array | None = None, **members: Any) -> Array:
        pointers = (c_void_p * max(1, len(buffers)))(*[None if held is None else ctypes.cast(self.keep(ctypes.create_string_buffer(held, len(held) + 64)), c_void_p) for held in buffers])
        made = self.keep(Array(length=length, n_buffers=len(buffers), buffers=self.keep(pointers), n_children=len(children or []), release=self._releasing(ReleaseArray)))
        self._family(made, Array, children, dictionary, members)
        return made  # type: ignore[no-any-return]

    def _family(self, made: Any, kind: Any, children: Any, dictionary: Any, members: dict[str, Any]) -> None:
        if children:
            made.children = self.keep((POINTER(kind) * len(children))(*[pointer(child) if child else POINTER(kind)() for child in children]))
        if dictionary is not None:
            made.dictionary = pointer(dictionary)
        for name, value in members.items():
            setattr(made, name, value)

    def lend(self, struct: Any) -> Any:
        """Counts a struct that a consumer will own."""
        self.lent += 1
        return struct

    def capsule(self, struct: Any, name: bytes | None = None) -> Any:
        names = {Schema: b"arrow_schema", Array: b"arrow_array", Stream: b"arrow_array_stream"}
        return new_capsule(ctypes.addressof(self.lend(struct)), self.keep(names[type(struct)] if name is None else name), None)

    def stream(self, schema: Schema, arrays: list[Array], fails: int = 0, says: bytes | None = b"broken", **members: Any) -> Stream:
        """Gives the arrays; then, where `fails` is an error's number, that error."""
        left = list(arrays)

        def get_schema(_: Any, out: Any) -> int:
            out[0] = self.lend(schema)
            return 0

        def get_next(_: Any, out: Any) -> int:
            if not left and fails:
                return fails
            out[0] = self.lend(left.pop(0)) if left else Array()
            return 0

        text = None if says is None else self.keep(ctypes.create_string_buffer(says))

        def get_error(_: Any) -> Any:
            return text and ctypes.addressof(text)

        callbacks = [self.keep(GetSchema(get_schema)), self.keep(GetNext(get_next)), self.keep(GetError(get_error))]
        made = self.keep(Stream(*callbacks, self._releasing(ReleaseStream)))
        for member, value in members.items():
            setattr(made, member, value)
        return made  # type: ignore[no-any-return]


class Column:
    """What has `__arrow_c_array__`, made of any objects."""

    def __init__(self, *pair: Any) -> None:
        self.pair = pair

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.pair


class Chunks:
    """What has `__arrow_c_stream__`."""

    def __init__(self, capsule: Any | Callable[[], Any]) -> None:
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.capsule() if callable(self.capsule) else self.capsule
