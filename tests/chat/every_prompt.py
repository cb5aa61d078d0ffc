"""Every prompt there is, found by looking at the backbone's protocol, its requests and the folder of prompts.

A method, a field of a request or a prompt that is new has no example here, and the tests that use this module fail
until it has one.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from tablehound.backbone import protocol as p
from tablehound.backbone.chat import ChatBackbone
from tablehound.lake import Lake
from tablehound.program import Program
from tablehound.retrieval.lake_vocabulary import Vocabulary
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Settings
from tests.chat.chat_server import ChatServer

QUESTION = "What is asked?"


@dataclass(frozen=True)
class Content:
    """What requests are made of: ``cell``, ``header`` and ``title`` are texts out of files."""

    shown: tuple[p.ShownTable, ...]
    cell: str
    header: str
    title: str
    error: str
    """An engine's message, which quotes cells."""

    @property
    def program(self) -> Program:
        return Program("SELECT 'mine' FROM T1", p.views(self.shown))


FIELDS: dict[str, Callable[[Content], Any]] = {
    "question": lambda c: QUESTION,
    "task": lambda c: "tableqa",
    "vocabulary": lambda c: Vocabulary((c.header,), (c.cell,)),
    "patterns": lambda c: (Pattern("asked", "literal"),),
    "shown": lambda c: c.shown,
    "max_select": lambda c: 1,
    "may_select": lambda c: True,
    "may_regenerate": lambda c: True,
    "rerank": lambda c: False,
    "refused": lambda c: ("/a(?=b)/: look-around",),
    "subquestions": lambda c: ("What is part 1?",),
    "joins": lambda c: (f'T1."{c.header}" = T1."{c.header}"',),
    "names": lambda c: (None, c.header),
    "samples": lambda c: ((c.cell,), (c.cell,)),
    "titles": lambda c: (c.title, c.title),
    "groups": lambda c: (p.NeedGroup(("asked",), (c.shown[0].info.id,), (c.header,)),),
    "unmapped": lambda c: ("asked",),
    "covered": lambda c: ("asked",),
    "grounded": lambda c: (f'"{c.cell}" is a value of T1."{c.header}"',),
    "program": lambda c: c.program,
    "error": lambda c: c.error,
    "failed": lambda c: ("SELECT 'before' FROM T1",),
}
"""Field of a request → its example. Only those of cells, headers and titles come out of files."""


def methods() -> dict[str, type]:
    """Method of the backbone's protocol → the type of its request."""
    found = {}
    for name, method in inspect.getmembers(p.Backbone, inspect.isfunction):
        hints = typing.get_type_hints(method)
        if "request" in hints:
            found[name] = hints["request"]
    assert len(found) >= 8
    return found


def requests(content: Content) -> dict[str, Any]:
    """A request for every method, with every field of it filled."""
    made = {}
    for name, kind in methods().items():
        lacking = [field.name for field in dataclasses.fields(kind) if field.name not in FIELDS]
        assert not lacking, f"add an example of {', '.join(lacking)} of {kind.__name__} to FIELDS"
        made[name] = kind(**{field.name: FIELDS[field.name](content) for field in dataclasses.fields(kind)})
    return made


@contextmanager
def chatting(lake: Lake, server: ChatServer, **options: object) -> Iterator[ChatBackbone]:
    """A chat backbone that asks the server."""
    values = {"model": "m", "base_url": server.url, "cache": False, "retries": 1} | options
    backbone = ChatBackbone(lake, Settings().with_values(**{f"backbone.{k}": v for k, v in values.items()}))
    try:
        yield backbone
    finally:
        backbone.close()


def send_all(backbone: ChatBackbone, server: ChatServer, content: Content) -> Mapping[str, list[Any]]:
    """Ask by every method; the conversations that were sent, by method, and second tries among them."""
    sent = {}
    for name, request in requests(content).items():
        before = len(server.requests)
        getattr(backbone, name)(request)
        sent[name] = [asked["messages"] for asked in server.requests[before:]]
    return sent


def templates() -> dict[str, str]:
    """The prompts of the package, by name."""
    folder = files("tablehound.backbone.chat") / "prompts"
    return {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.name.endswith(".txt")}


def templates_without_use(texts: list[str]) -> list[str]:
    """Prompts whose words are in none of the texts that were sent."""
    unused = []
    for name, template in templates().items():
        words = max(re.split(r"\{\{\w+\}\}|\n", template), key=len)
        if not any(words in text for text in texts):
            unused.append(name)
    return sorted(unused)
