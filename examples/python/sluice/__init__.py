# SPDX-License-Identifier: Apache-2.0
"""A host of sluice.so in ctypes and msgpack: nothing is compiled, nothing is linked."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import msgpack  # type: ignore[import-untyped]

TOO_SMALL = 1
CAP = 64 << 10


class Refused(Exception):
    """A call that failed: its code, and the error map that says why."""


class Sluice:
    def __init__(self, path: str, **config: Any) -> None:
        self.library = ctypes.CDLL(path)
        request = msgpack.packb(config)
        self.handle = self.call("open", request, len(request))[0]

    def __getattr__(self, hook: str) -> Callable[..., dict[str, Any]]:
        """host.tick(now=0) calls sluice_tick and returns its answer, a dict."""

        def ask(**keys: Any) -> dict[str, Any]:
            request = msgpack.packb(keys)
            length, out = self.call(hook, self.handle, request, len(request))
            answer: dict[str, Any] = msgpack.unpackb(out[:length])
            return answer

        return ask

    def close(self) -> None:
        function = self.library.sluice_close
        function.argtypes = [ctypes.c_uint64]
        function(self.handle)

    def call(
        self, name: str, *arguments: int | bytes, cap: int = CAP
    ) -> tuple[int, ctypes.Array[ctypes.c_char]]:
        function = self.library[f"sluice_{name}"]
        function.restype = ctypes.c_int64
        out = ctypes.create_string_buffer(cap)
        integers = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
        result = function(*integers, out, ctypes.c_uint64(cap))
        code, length = -result & 0xFF, -result >> 8
        if result < 0 and code == TOO_SMALL:
            return self.call(name, *arguments, cap=length)
        if result < 0:
            raise Refused(code, msgpack.unpackb(out[:length]) if length else {})
        return result, out
