"""Records the fixtures of ``tests/fixtures/recordings`` anew: ``python -m tests.ask.record_fixtures``.

A change of a prompt, of a decision of the built-in rules over the example lake, or of an answer's text makes the tests
of the recordings fail. Whoever makes it on purpose records them anew in the same commit, so that its diff shows it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tablehound import ask
from tablehound.answer import Answer
from tablehound.lake import Lake, index_sources
from tablehound.retrieval import segment_builders
from tablehound.settings import Settings
from tests.chat.chat_server import Act, chat_server, tells

RECORDINGS = Path(__file__).resolve().parents[1] / "fixtures" / "recordings"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "lake"
TRAILS: Mapping[str, tuple[str, Settings]] = {
    "several_tables": ("When was the painter of Guernica born?", Settings()),
    "claim": ("Lake Titicaca is deeper than Lake Tanganyika.", Settings(mode="seek")),
    "not_covered": ("Who designed the Humber Bridge?", Settings()),
}
"""Name of a recorded trail → its question and settings; the built-in rules decide."""
CHAT_QUESTION = "In which city is the museum that shows The Night Watch?"
NIGHT_WATCH = "SELECT T2.city FROM T1 JOIN T2 ON T1.museum = T2.museum WHERE T1.{column} = 'The Night Watch'"


def chat_settings(**backbone: object) -> Settings:
    """Settings of the recorded chat run: mode ``auto``; ``backbone`` says where it is recorded to or replayed from."""
    options = {"model": "scripted", "cache": False} | backbone
    return Settings().with_values(**{f"backbone.{name}": value for name, value in options.items()})


@contextmanager
def example_lake() -> Iterator[Lake]:
    """The example lake, indexed anew."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lake"
        index_sources([str(EXAMPLES)], path, Settings(workers=1), builders=segment_builders())
        with Lake.open(path) as lake:
            yield lake


def answer_data(answer: Answer) -> dict[str, Any]:
    """What is compared of an answer: all but its trail."""
    return {name: value for name, value in answer.to_json().items() if name != "trail"}


class Scripted:
    """A model that needs every prompt: it looks twice, finds no single table enough, joins, and repairs its program."""

    def __init__(self) -> None:
        self._asked: list[str] = []

    def __call__(self, request: Mapping[str, Any]) -> Act:
        properties = request["response_format"]["json_schema"]["schema"]["properties"]
        kind = next(name for name in ("patterns", "action", "sufficient", "subquestions", "residual", "sql")
                    if name in properties and not (name == "patterns" and "action" in properties))  # fmt: skip
        self._asked.append(kind)
        first = self._asked.count(kind) == 1
        if kind == "patterns":
            return tells({"patterns": ["Night Watch", "museum"]})
        if kind == "action":
            if first:
                return tells({"action": "regenerate", "tables": [], "patterns": ["The Night Watch", "city"]})
            return tells({"action": "select", "tables": ["T1"], "patterns": []})
        if kind == "sufficient":
            missing = ["museum", "a column of places"] if first else ["museum"]
            return tells({"sufficient": False, "sql": "", "unit": "", "missing": missing})
        if kind == "subquestions":
            count = sum(line[:1].isdigit() for line in request["messages"][-1]["content"].splitlines())
            return tells({"subquestions": [f"What is part {number}?" for number in range(1, count + 1)]})
        if kind == "residual":
            return tells({"residual": ""})
        if self._asked.count(kind) == 2:
            return tells({"program": None, "unit": ""})  # unreadable: asked for once more
        return tells({"sql": NIGHT_WATCH.format(column="name" if first else "painting"), "unit": "", "missing": ""})


def record() -> None:
    """Write all recordings."""
    RECORDINGS.mkdir(parents=True, exist_ok=True)
    chat = RECORDINGS / "chat.jsonl"
    chat.unlink(missing_ok=True)
    with example_lake() as lake:
        answers = {}
        for name, (question, settings) in TRAILS.items():
            answer = ask(question, lake, settings)
            assert answer.trail is not None
            answer.trail.save(RECORDINGS / f"{name}.trail.json")
            answers[name] = answer_data(answer)
        with chat_server(Scripted()) as server:
            answers["chat"] = answer_data(
                ask(CHAT_QUESTION, lake, chat_settings(base_url=server.url, record=str(chat)))
            )
    text = json.dumps(answers, ensure_ascii=False, indent=1)
    (RECORDINGS / "answers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
