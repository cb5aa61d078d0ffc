"""One request over the OpenAI chat wire, bounded in time and size. All faults come out as :class:`WireError`."""

from __future__ import annotations

import email.utils
import importlib
import json
import os
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tablehound.backbone.chat.replies import Reply
from tablehound.errors import BackboneUnavailableError, MissingExtraError, TablehoundError
from tablehound.settings import BackboneSettings

MAX_BODY_BYTES = 16 * 2**20
_CONNECT_SECONDS = 10.0
_TOKEN = re.compile(r"(?i)\b(bearer|api[-_ ]?key)(\"?\s*[:=]?\s*\"?)([^\s\"',;]{6,})|\bsk-[\w-]{6,}")


class WireError(TablehoundError):
    """A request that failed. ``status`` is HTTP's, 0 for none; ``again`` says whether trying again may help."""

    def __init__(self, message: str, *, status: int = 0, again: bool = False, wait: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.again = again
        self.wait = wait
        """Seconds to wait before the next try, as the server asked."""


class Wire:
    """Sends requests. The ``openai`` package is imported with the first one."""

    def __init__(self, settings: BackboneSettings) -> None:
        self._settings = settings
        self._client: Any = None

    @property
    def address(self) -> str:
        """The server's address for messages, without user name and password."""
        address = self._settings.base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
        parts = urlsplit(address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.netloc else address

    def scrub(self, text: str) -> str:
        """Text without secrets, for messages and logs."""
        key = os.environ.get("OPENAI_API_KEY", "")
        if len(key) > 3:
            text = text.replace(key, "***")
        return _TOKEN.sub(lambda m: f"{m[1]}{m[2]}***" if m[1] else "***", text)

    def send(self, body: Mapping[str, Any], timeout: float) -> Reply:
        """One try.

        Raises:
            WireError: it failed.
            MissingExtraError: the ``chat`` extra is not installed.
        """
        client = self._open()
        import openai

        http = _http_library()
        deadline = time.monotonic() + timeout
        limits = openai.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))
        try:
            with client.chat.completions.with_streaming_response.create(**body, timeout=limits) as response:
                raw = bytearray()
                for chunk in response.iter_bytes():
                    raw += chunk
                    if len(raw) > MAX_BODY_BYTES:
                        raise WireError(f"the reply is larger than {MAX_BODY_BYTES >> 20} MiB")
                    if time.monotonic() > deadline:
                        raise WireError(f"no complete reply within {timeout:.0f} seconds", again=True)
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except (openai.APITimeoutError, http.TimeoutException) as error:
            raise WireError(f"no reply within {timeout:.0f} seconds", again=True) from error
        except (openai.APIConnectionError, http.TransportError) as error:
            reason = str(error.__cause__ or error) or type(error).__name__
            raise WireError(self.scrub(f"the connection failed: {reason}"), again=True) from error
        except (openai.OpenAIError, http.InvalidURL) as error:
            raise WireError(self.scrub(str(error))) from error
        return _read_reply(bytes(raw))

    def _open(self) -> Any:
        if self._client is None:
            try:
                import openai
            except ImportError as error:
                raise MissingExtraError(
                    "a chat model needs the openai package", remedy="pip install 'tablehound[chat]'"
                ) from error
            key = os.environ.get("OPENAI_API_KEY", "").strip()
            named = self._settings.base_url or os.environ.get("OPENAI_BASE_URL")
            if not key and not named:
                raise BackboneUnavailableError(
                    f"no server is named for the model {self._settings.model}",
                    remedy="set OPENAI_API_KEY, or OPENAI_BASE_URL to a server of your own",
                )
            host = urlsplit(self.address).hostname or ""
            # A proxy of the environment is for the outside, never for this machine.
            http = openai.DefaultHttpxClient(trust_env=host not in {"localhost", "127.0.0.1", "::1"})
            self._client = openai.OpenAI(
                api_key=key or "none", base_url=self._settings.base_url, max_retries=0, http_client=http
            )
        return self._client

    def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _refused(self, error: Any) -> WireError:
        status = int(error.status_code)
        message = self.scrub(_told(error))
        again = status in {408, 409, 425, 429} or (status >= 500 and not _is_about_format(message))
        return WireError(message, status=status, again=again, wait=retry_after(error.response.headers))


def _is_about_format(message: str) -> bool:
    """Some servers (llama-cpp-python) refuse a way of asking for JSON as an error of their own."""
    told = message.lower()
    return any(mark in told for mark in ("response_format", "json_schema", "json schema", "grammar"))


def _http_library() -> Any:
    """The HTTP library below the ``openai`` package: ``httpx``, or what took its place in later versions."""
    import openai

    homes = (parent.__module__.partition(".")[0] for parent in openai.DefaultHttpxClient.__mro__)
    return importlib.import_module(next(home for home in homes if home not in {"openai", "builtins"}))


def _told(error: Any) -> str:
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, Mapping) else inner
        if said:
            return str(said)[:500]
    try:
        text = error.response.text
    except Exception:  # noqa: BLE001 - the body of a refused request may be unread or cut; the message serves
        text = ""
    return (text or str(error))[:500]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a ``Retry-After`` header asks for: a number, or the time until its date."""
    text = headers.get("retry-after-ms")
    if text is not None:
        try:
            return max(0.0, float(text) / 1000)
        except ValueError:
            return None
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        moment = email.utils.parsedate_tz(text)
        return max(0.0, email.utils.mktime_tz(moment) - time.time()) if moment else None


def _read_reply(raw: bytes) -> Reply:
    """The reply in a body. Read by hand: servers differ in all but these few fields.

    Raises:
        WireError: it is no chat completion.
    """
    try:
        body = json.loads(raw)
        choice = body["choices"][0]
        content = choice["message"]["content"]
    except (ValueError, LookupError, TypeError) as error:
        start = raw[:80].decode("utf-8", "replace")
        raise WireError(f"the server's reply is no chat completion: {start!r}", again=True) from error
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
    return Reply(
        text=content if isinstance(content, str) else "",
        prompt_tokens=_count(usage.get("prompt_tokens")),
        reply_tokens=_count(usage.get("completion_tokens")),
        cut=choice.get("finish_reason") == "length",
    )


def _count(number: Any) -> int:
    return int(number) if isinstance(number, int | float) and number == number and number > 0 else 0
