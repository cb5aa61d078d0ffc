"""A small server of the OpenAI chat wire, over real HTTP, that behaves as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Act:
    """One answer of the server."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: float = 0.0
    """Seconds of silence before anything is sent."""
    cut: bool = False
    """Close the connection in the middle of the body."""
    drip: float = 0.0
    """Seconds between the bytes of the body."""
    header_drip: float = 0.0
    """Seconds between header lines, of which there is no end."""


def says(content: str | None, *, prompt_tokens: int = 100, reply_tokens: int = 20, finish: str = "stop") -> Act:
    """A chat completion."""
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": reply_tokens, "total_tokens": 0},
    }
    return Act(json.dumps(body).encode())


def tells(data: Any) -> Act:
    """A chat completion whose content is JSON."""
    return says(json.dumps(data))


def refuses(status: int, message: str, **headers: str) -> Act:
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    return Act(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


Script = Sequence[Act | Callable[[dict[str, Any]], Act]]


class ChatServer:
    """Plays acts in order; the last one goes on for ever."""

    def __init__(self, script: Script) -> None:
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self._stopped = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        """The user messages of each request."""
        return ["\n".join(m["content"] for m in r["messages"] if m["role"] == "user") for r in self.requests]

    def close(self) -> None:
        self._stopped.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with server.lock:
                    server.requests.append(request)
                    server.headers.append({name.lower(): value for name, value in self.headers.items()})
                    entry = server.script.pop(0) if len(server.script) > 1 else server.script[0]
                server.play(self, entry(request) if callable(entry) else entry)

        return Handler

    def play(self, handler: BaseHTTPRequestHandler, act: Act) -> None:
        try:
            if act.hang and self._stopped.wait(act.hang):
                return
            handler.send_response(act.status)
            while act.header_drip and not self._stopped.wait(act.header_drip):
                handler.send_header("x-more", "x")
                handler.flush_headers()
            handler.send_header("content-type", "application/json")
            handler.send_header("content-length", str(len(act.body)))
            for name, value in act.headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            if act.cut:
                handler.wfile.write(act.body[: len(act.body) // 2])
                handler.wfile.flush()
                handler.close_connection = True
                return
            if act.drip:
                for place in range(len(act.body)):
                    handler.wfile.write(act.body[place : place + 1])
                    handler.wfile.flush()
                    time.sleep(act.drip)
                return
            handler.wfile.write(act.body)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True


@contextmanager
def chat_server(*script: Act | Callable[[dict[str, Any]], Act]) -> Iterator[ChatServer]:
    server = ChatServer(script)
    try:
        yield server
    finally:
        server.close()
