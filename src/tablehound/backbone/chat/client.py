"""The one gate for model calls: budget, cache, record and replay, retries, and how strictly JSON can be asked for."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tablehound.backbone.chat.replies import Messages, RecordedReplies, Reply, ReplyCache, ReplyRecord, request_key
from tablehound.backbone.chat.spending import Spending
from tablehound.backbone.chat.wire import Wire, WireError
from tablehound.errors import BackboneReplyError, BackboneUnavailableError, BudgetExhaustedError
from tablehound.settings import BackboneSettings

logger = logging.getLogger(__name__)

FORMATS = ("json_schema", "json_object", "text")
"""Ways to ask for JSON, strictest first; one that a server refuses is not asked of it again."""
_REFUSALS = frozenset({400, 415, 422, 501})
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
_LONGEST_ASKED_WAIT = 120.0


class PromptTooLongError(BackboneReplyError):
    """The prompt does not fit into the model's context."""


class ChatClient:
    """Asks a model, at most within the budget."""

    def __init__(
        self, settings: BackboneSettings, cache_folder: Path, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self._wire = Wire(settings)
        self._cache = ReplyCache(cache_folder) if settings.cache and settings.temperature == 0 else None
        self._record = ReplyRecord(Path(settings.record)) if settings.record else None
        self._replay = RecordedReplies(Path(settings.replay)) if settings.replay else None
        self._format = 0
        self._proven = -1
        self._rename: dict[str, str | None] = {}
        self.spending = Spending(settings)
        self.model = settings.model or (self._replay.model if self._replay else "")

    def complete(self, kind: str, messages: Messages, schema: Mapping[str, Any]) -> Reply:
        """The model's reply to ``messages``, asked for as JSON of ``schema``.

        Raises:
            BudgetExhaustedError: no tokens or seconds are left for a step of this kind.
            BackboneUnavailableError: the server is down, slow, cut off, refuses, or is none.
            PromptTooLongError: the prompt does not fit.
        """
        recorded = request_key(messages=list(messages), schema=schema, model=self.model)
        if self._replay is not None:
            reply = self._replay.get(recorded, kind)
            self.spending.spend(calls=0, prompt_tokens=reply.prompt_tokens, reply_tokens=reply.reply_tokens)
            return reply
        key = request_key(
            server=self._wire.address,
            model=self.model,
            messages=list(messages),
            schema=schema,
            max_tokens=self._settings.max_reply_tokens,
        )
        kept = self._cache.get(key) if self._cache else None
        if kept is not None:
            reply = kept
        else:
            self.spending.require(kind)
            reply = self._ask(messages, schema)
            self.spending.spend(prompt_tokens=reply.prompt_tokens, reply_tokens=reply.reply_tokens)
            if self._cache:
                self._cache.put(key, reply)
        if self._record is not None:
            self._record.add(recorded, kind, self.model, messages, reply)
        return reply

    def close(self) -> None:
        self._wire.close()

    def _ask(self, messages: Messages, schema: Mapping[str, Any]) -> Reply:
        """Through the ways to ask for JSON, from the strictest that the server has not refused yet."""
        while True:
            try:
                reply = self._try(self._body(messages, schema))
                self._proven = self._format
                return reply
            except WireError as error:
                if _is_too_long(error):
                    raise PromptTooLongError(
                        f"the prompt does not fit into the model's context: {error}", remedy="lower seek.preview_chars"
                    ) from error
                if self._adapt(error):
                    continue
                refused = error.status in _REFUSALS or (error.status == 500 and self._proven != self._format)
                if refused and self._format < len(FORMATS) - 1:
                    self._format += 1
                    logger.info("the server refused; asking for %s from now on", FORMATS[self._format])
                    continue
                raise self._unavailable(error) from error

    def _body(self, messages: Messages, schema: Mapping[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": list(messages),
            "temperature": self._settings.temperature,
            "max_tokens": self._settings.max_reply_tokens,
        }
        for old, new in self._rename.items():
            value = body.pop(old, None)
            if new is not None and value is not None:
                body[new] = value
        form = FORMATS[self._format]
        if form == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "decision", "schema": dict(schema), "strict": True},
            }
        elif form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _adapt(self, error: WireError) -> bool:
        """Give up a parameter that the model is said not to take; True when something changed."""
        if error.status != 400:
            return False
        told = error.message.lower()
        wanted: tuple[tuple[str, str | None], ...] = (("max_tokens", "max_completion_tokens"), ("temperature", None))
        for name, other in wanted:
            if name in told and name not in self._rename and ("unsupported" in told or "not support" in told):
                self._rename[name] = other
                return True
        return False

    def _try(self, body: Mapping[str, Any]) -> Reply:
        """Send, and send again after faults that may pass, as long as tries and seconds last."""
        number = 0
        while True:
            number += 1
            left = self.spending.seconds_left()
            if left <= 0:
                raise BudgetExhaustedError("no seconds are left", remedy="raise backbone.max_seconds")
            try:
                self.spending.spend(calls=1)
                return self._wire.send(body, min(self._settings.call_timeout, left))
            except WireError as error:
                if _is_too_long(error):
                    raise  # the same prompt stays as long
                wait = error.wait if error.wait is not None else min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (number - 1))
                if not error.again or number >= self._settings.retries or wait > _LONGEST_ASKED_WAIT:
                    raise
                if wait >= self.spending.seconds_left():
                    raise BudgetExhaustedError(
                        f"the next try has to wait {wait:.0f} seconds, more than are left",
                        remedy="raise backbone.max_seconds",
                    ) from error
                logger.info("try %d of %d failed (%s); the next in %.1f s", number, self._settings.retries, error, wait)
                self._sleep(wait)

    def _unavailable(self, error: WireError) -> BackboneUnavailableError:
        where = f"the model server at {self._wire.address}"
        if error.status in {401, 403}:
            return BackboneUnavailableError(f"{where} refused the key: {error}", remedy="set OPENAI_API_KEY")
        if error.status == 404:
            return BackboneUnavailableError(
                f"{where} does not have the model {self.model!r}: {error}", remedy="check the model's name and base_url"
            )
        if 300 <= error.status < 400:
            return BackboneUnavailableError(
                f"{where}: {error}", remedy="set OPENAI_BASE_URL to the server itself, if you trust it"
            )
        if error.status == 429:
            return BackboneUnavailableError(
                f"{where} is at its limit: {error}", remedy="wait, or raise backbone.retries"
            )
        if error.status:
            return BackboneUnavailableError(f"{where} refused with status {error.status}: {error}")
        return BackboneUnavailableError(
            f"{where} cannot be used: {error}", remedy="start it, or set OPENAI_BASE_URL to where it is"
        )


def _is_too_long(error: WireError) -> bool:
    told = error.message.lower()
    return error.status in {400, 413, 422, 500} and any(
        mark in told
        for mark in (
            "context length",
            "context size",
            "context window",
            "context_length",
            "too long",
            "maximum context",
            "exceeds the available context",
            "too many tokens",
        )
    )
