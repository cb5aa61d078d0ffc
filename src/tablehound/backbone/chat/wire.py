"""One request over the OpenAI chat wire, bounded in time and size. All faults come out as :class:`WireError`."""

from __future__ import annotations

import email.utils
import importlib
import os
import re
import socket
import ssl
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tablehound.backbone.chat.bodies import BodyError, collect, message_in, read_reply
from tablehound.backbone.chat.deadline import DeadlineError, within
from tablehound.backbone.chat.replies import Reply
from tablehound.errors import BackboneUnavailableError, MissingExtraError, TablehoundError
from tablehound.settings import BackboneSettings

_CONNECT_SECONDS = 10.0
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (ConnectionRefusedError, "nothing listens there"),
    (socket.gaierror, "there is no host of that name"),
    (ssl.SSLCertVerificationError, "its certificate cannot be verified"),
    (ssl.SSLError, "the encrypted connection failed"),
    (ConnectionResetError, "the connection was closed before the reply was complete"),
    (BrokenPipeError, "the connection was closed before the reply was complete"),
)
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
        try:
            parts = urlsplit(address)
        except ValueError:
            return address.rpartition("@")[2]
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.netloc else address

    def scrub(self, text: str) -> str:
        """Text without secrets, for messages and logs."""
        key = os.environ.get("OPENAI_API_KEY", "")
        if len(key) > 3:
            text = text.replace(key, "***")
        return _TOKEN.sub(lambda m: f"{m[1]}{m[2]}***" if m[1] else "***", text)

    def send(self, body: Mapping[str, Any], timeout: float) -> Reply:
        """One try, which ends after ``timeout`` seconds whatever the server does.

        Raises:
            WireError: it failed.
            MissingExtraError: the ``chat`` extra is not installed.
        """
        client = self._open()
        try:
            return within(timeout, lambda: self._exchange(client, body, timeout), abandon=self.close)
        except DeadlineError:
            raise WireError(f"no reply within {timeout:.0f} seconds", again=True) from None

    def _exchange(self, client: Any, body: Mapping[str, Any], timeout: float) -> Reply:
        import openai

        http = _http_library()
        limits = openai.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))
        try:
            with client.chat.completions.with_streaming_response.create(
                **body, timeout=limits, extra_headers={"Accept-Encoding": "identity"}
            ) as response:
                return read_reply(self._body(response.http_response))
        except BodyError as error:
            raise WireError(self.scrub(str(error)), again=error.again) from None
        except (openai.APITimeoutError, http.TimeoutException) as error:
            raise WireError(f"no reply within {timeout:.0f} seconds", again=True) from error
        except (openai.OpenAIError, http.TransportError, http.InvalidURL, UnicodeError) as error:
            if isinstance(error.__cause__, WireError):  # of the hook below
                raise error.__cause__ from None
            raise WireError(_reason(error), again=not isinstance(error, http.InvalidURL | UnicodeError)) from error

    def _body(self, response: Any) -> bytes:
        encoding = response.headers.get("content-encoding", "")
        return collect(response.iter_raw(), encoding, self._settings.max_reply_bytes)

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
            # A proxy of the environment is for the outside, never for this machine.
            http = openai.DefaultHttpxClient(
                trust_env=not _is_this_machine(self.address), event_hooks={"response": [self._look_at]}
            )
            try:
                self._client = openai.OpenAI(
                    api_key=key or "none", base_url=self._settings.base_url, max_retries=0, http_client=http
                )
            except (_http_library().InvalidURL, openai.OpenAIError, ValueError) as error:
                http.close()
                raise WireError(_reason(error)) from error
        return self._client

    def close(self) -> None:
        """Let go of the connections; a request that waits on one fails."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _look_at(self, response: Any) -> None:
        """Redirects and refusals of the server: a redirect is followed within the server alone, since the key and the
        prompt are for no other; a refusal is read here, within the limits of all bodies.

        Raises:
            WireError: it refused, or sent us elsewhere.
        """
        status = int(response.status_code)
        if response.has_redirect_location:
            there = response.url.join(response.headers["location"])
            if _origin(there) != _origin(response.url):
                raise WireError(
                    self.scrub(f"it redirects to another server, {_origin(there)}, which is not followed"),
                    status=status,
                )
        if status < 400:
            return
        try:
            message = message_in(self._body(response))
        except BodyError as error:
            message = str(error)
        message = self.scrub(message) or "it gives no reason"
        again = status in {408, 409, 425, 429} or (status >= 500 and not _is_about_format(message))
        raise WireError(message, status=status, again=again, wait=retry_after(response.headers))


def _origin(url: Any) -> str:
    """Scheme, host and port of an address of the HTTP library."""
    port = url.port or {"http": 80, "https": 443}.get(url.scheme, 0)
    return f"{url.scheme}://{url.host}:{port}"


def _reason(error: BaseException) -> str:
    """Why a connection failed, in our own words: those of libraries vary, and may hold anything."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    for kind, words in _REASONS:
        if any(isinstance(link, kind) for link in chain):
            return words
    names = {type(link).__name__ for link in chain}
    if names & {"InvalidURL", "UnsupportedProtocol", "LocalProtocolError", "UnicodeEncodeError"}:
        return "its address or the key cannot be sent: the address is to begin with http:// or https://"
    if names & {"RemoteProtocolError", "ReadError", "DecodingError"}:
        return "the connection was closed before the reply was complete"
    if names & {"ProxyError"}:
        return "the proxy of the environment refused the connection"
    return "the connection failed"


def _is_this_machine(address: str) -> bool:
    try:
        return (urlsplit(address).hostname or "") in {"localhost", "127.0.0.1", "::1"}
    except ValueError:
        return False


def _is_about_format(message: str) -> bool:
    """Some servers (llama-cpp-python) refuse a way of asking for JSON as an error of their own."""
    told = message.lower()
    return any(mark in told for mark in ("response_format", "json_schema", "json schema", "grammar"))


def _http_library() -> Any:
    """The HTTP library below the ``openai`` package: ``httpx``, or what took its place in later versions."""
    import openai

    homes = (parent.__module__.partition(".")[0] for parent in openai.DefaultHttpxClient.__mro__)
    return importlib.import_module(next(home for home in homes if home not in {"openai", "builtins"}))


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
    try:
        return max(0.0, email.utils.mktime_tz(moment) - time.time()) if moment else None
    except (ValueError, OverflowError):  # no date that there is
        return None
