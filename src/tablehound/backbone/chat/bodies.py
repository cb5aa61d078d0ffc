"""Bodies of a model server's replies: bounded while they come in, unpacked within the bound, read with tolerance."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from tablehound.backbone.chat.escaping import one_line
from tablehound.backbone.chat.replies import Reply

_MOST_TOKENS = 10**9
_SHOWN = 80
_TOLD = 500


class BodyError(ValueError):
    """A body that cannot be read; its message is for people. ``again`` says whether trying again may help."""

    def __init__(self, message: str, *, again: bool) -> None:
        super().__init__(message)
        self.again = again


def collect(chunks: Iterable[bytes], encoding: str, limit: int) -> bytes:
    """A body of at most ``limit`` bytes, from the chunks of the connection.

    Args:
        chunks: as they come in.
        encoding: the ``Content-Encoding`` header; servers pack bodies though they are asked not to.
        limit: of the unpacked body, in bytes.

    Raises:
        BodyError: it is longer, or cannot be unpacked.
    """
    encoding = encoding.strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        raise BodyError(f"the reply is packed as {one_line(encoding)[:_SHOWN]}, which was not asked for", again=False)
    unpacker = None if encoding in {"", "identity"} else zlib.decompressobj(zlib.MAX_WBITS | 32)
    body = bytearray()
    received = False
    try:
        for chunk in chunks:
            received = received or bool(chunk)
            body += chunk if unpacker is None else unpacker.decompress(chunk, limit + 1 - len(body))
            if len(body) > limit:
                raise BodyError(f"the reply is larger than {limit} bytes (backbone.max_reply_bytes)", again=False)
    except zlib.error:
        raise BodyError("the reply is packed and damaged", again=True) from None
    if unpacker is not None and not unpacker.eof and received:
        raise BodyError("the reply is packed and cut off", again=True)
    return bytes(body)


def read_reply(raw: bytes) -> Reply:
    """The reply in a body. Read by hand: servers differ in all but these few fields.

    Raises:
        BodyError: it is no chat completion.
    """
    try:
        body = json.loads(raw)
        choice = body["choices"][0]
        content = choice["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        start = one_line(raw[:_SHOWN].decode("utf-8", "replace"))
        raise BodyError(f"the server's reply is no chat completion: {start!r}", again=True) from None
    if isinstance(content, list):
        content = "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
    return Reply(
        text=without_surrogates(content) if isinstance(content, str) else "",
        prompt_tokens=_count(usage.get("prompt_tokens")),
        reply_tokens=_count(usage.get("completion_tokens")),
        cut=choice.get("finish_reason") == "length",
    )


def message_in(raw: bytes) -> str:
    """What the body of a refusal says, on one line; empty when it says nothing."""
    text = raw.decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        told = inner.get("message") if isinstance(inner, Mapping) else inner
        text = told if isinstance(told, str) and told else text
    return one_line(text[: 4 * _TOLD])[:_TOLD]


def without_surrogates(text: str) -> str:
    """Text that can be encoded: JSON can hold half a character."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _count(number: Any) -> int:
    """A number of tokens; 0, which is unknown, for what cannot be one (``1e999``, NaN, texts)."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return 0
    return int(number) if 0 < number <= _MOST_TOKENS else 0
