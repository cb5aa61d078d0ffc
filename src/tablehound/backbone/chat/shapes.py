"""The JSON that each decision is asked for, and how a reply becomes the decision.

The readers are tolerant of what models do (one word for a list, ``t1`` for ``T1``, SQL in a fence) and raise
:class:`UnusableReplyError` for what cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tablehound.answer import Missing
from tablehound.backbone import protocol as p
from tablehound.backbone.chat.escaping import quoted_name, restored
from tablehound.execution.written_numbers import fault_of
from tablehound.program import Program
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Task

Schema = dict[str, Any]

_YEAR = re.compile(r"(?:1[0-9]|20|21)\d\d")
_NUMBER = re.compile(r"[-+]?\d[\d,.' ]*%?")
_OPERATORS = re.compile(r"[\\^$|?*+\[\]{}]")
"""What makes a text a regular expression. Stops and brackets alone do not: "St. Louis", "GDP (USD)"."""
_FENCE = "```"
_SELECT = re.compile(r"\bselect\b", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)
_STATEMENT_END = re.compile(r";|\n[^\S\n]*\n")
_MOST_PATTERNS = 20
_MOST_CHARS = 500
"""Of a text in a model's own words: what is missing, a part of the question, a name."""


class UnusableReplyError(ValueError):
    """A JSON reply that does not say what was asked."""


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _strings(words: Sequence[str] = ()) -> Schema:
    items: Schema = {"type": "string", "enum": list(words)} if words else {"type": "string"}
    return {"type": "array", "items": items}


_TEXT: Schema = {"type": "string"}
PATTERNS = _object(patterns=_strings())
ANSWER = _object(sufficient={"type": "boolean"}, sql=_TEXT, unit=_TEXT, missing=_TEXT)
PROGRAM = _object(sql=_TEXT, unit=_TEXT, missing=_TEXT)
NAMES = _object(names=_strings())
SUBQUESTIONS = _object(subquestions=_strings())
RESIDUAL = _object(residual=_TEXT)


def refine_schema(request: p.RefineRequest) -> Schema:
    """Only the actions and aliases that the request allows."""
    return _object(
        action={"type": "string", "enum": allowed_actions(request)},
        tables=_strings([table.alias for table in request.shown]),
        patterns=_strings(),
    )


def allowed_actions(request: p.RefineRequest) -> list[str]:
    actions = []
    if request.rerank:
        actions.append("rerank")
    elif request.may_select:
        actions.append("select")
    if request.may_regenerate:
        actions.append("regenerate")
    return [*actions, "stop"]


def read_patterns(data: Mapping[str, Any]) -> tuple[Pattern, ...]:
    """The patterns of a reply: plain words as literals, numbers by value, the rest as regular expressions."""
    raw = data.get("patterns", data.get("regexes", data.get("pattern")))
    found = tuple(dict.fromkeys(pattern for item in _items(raw) if (pattern := read_pattern(item)) is not None))
    if not found:
        raise UnusableReplyError('"patterns" is no list of texts')
    return found[:_MOST_PATTERNS]


def read_pattern(item: Any) -> Pattern | None:
    """One pattern: a text, or an object with ``text`` (``pattern``, ``regex``) and perhaps ``column``."""
    columns: tuple[str, ...] = ()
    if isinstance(item, Mapping):
        columns = tuple(_items(item.get("columns", item.get("column"))))
        item = item.get("text", item.get("pattern", item.get("regex", item.get("value"))))
    if isinstance(item, bool) or not isinstance(item, str | int | float):
        return None
    text = str(item).strip()
    if len(text) > 2 and text.startswith("/") and text.rstrip("i").endswith("/"):
        text = text.rstrip("i")[1:-1]
    text = re.sub(r"^\(\?i\)", "", text)
    if not text:
        return None
    if _YEAR.fullmatch(text):
        return Pattern(rf"\b{text}\b", "regex", columns)
    if _NUMBER.fullmatch(text):
        return Pattern(text, "value", columns)
    return Pattern(text, "regex" if _OPERATORS.search(text) else "literal", columns)


def read_refine(data: Mapping[str, Any], request: p.RefineRequest) -> p.RefineDecision:
    """The action with what belongs to it."""
    allowed = allowed_actions(request)
    action = str(data.get("action", "")).strip().lower()
    action = {"none": "stop", "rewrite": "regenerate", "search": "regenerate", "choose": "select"}.get(action, action)
    if request.rerank and action == "select":
        action = "rerank"
    if action not in allowed:
        raise UnusableReplyError(f'"action" is not one of {", ".join(allowed)}')
    if action in {"select", "rerank"}:
        aliases = _aliases(data.get("tables", data.get("table")), request.shown)
        if not aliases:
            raise UnusableReplyError('"tables" names none of the tables')
        return p.RefineDecision(action, aliases if action == "rerank" else aliases[: request.max_select])  # type: ignore[arg-type]
    if action == "regenerate":
        return p.RefineDecision("regenerate", patterns=read_patterns(data))
    return p.RefineDecision("stop")


def _aliases(raw: Any, shown: Sequence[p.ShownTable]) -> tuple[str, ...]:
    known = {table.alias.upper(): table.alias for table in shown} | {
        table.info.id.upper(): table.alias for table in shown
    }
    found = []
    for item in _items(raw):
        word = str(item).strip().strip("\"'`<>.:").upper()
        if word.isdigit():
            word = f"T{word}"
        for piece in re.split(r"[\s,;]+", word):
            if piece in known:
                found.append(known[piece])
    return tuple(dict.fromkeys(found))


def read_answer(data: Mapping[str, Any], shown: Sequence[p.ShownTable], task: Task, *, most: int) -> p.AnswerDecision:
    """A program, of at most ``most`` characters, means that the tables suffice, unless the reply says they do not."""
    program = read_program(data.get("sql", data.get("program", data.get("query"))), shown, most=most)
    if program is None and "sufficient" not in data and "missing" not in data:
        raise UnusableReplyError('neither "sql" nor "sufficient" is there')
    told = data.get("sufficient", program is not None)
    sufficient = told.strip().lower() in {"true", "yes"} if isinstance(told, str) else bool(told)
    missing = _missing(data.get("missing"))
    if sufficient and program is None:
        raise UnusableReplyError('"sufficient" is true and "sql" holds no SELECT')
    if not sufficient:
        return p.AnswerDecision(False, missing=missing)
    _refuse_written(program, task)
    return p.AnswerDecision(True, program, unit=_unit(data.get("unit")))


def read_program_decision(
    data: Mapping[str, Any], shown: Sequence[p.ShownTable], task: Task, *, most: int
) -> p.ProgramDecision:
    program = read_program(data.get("sql", data.get("program", data.get("query"))), shown, most=most)
    missing = _missing(data.get("missing"))
    if program is None and not missing:
        raise UnusableReplyError('"sql" holds no SELECT')
    _refuse_written(program, task)
    return p.ProgramDecision(program, unit=_unit(data.get("unit")), missing=() if program else missing)


def read_program(raw: Any, shown: Sequence[p.ShownTable], *, most: int) -> Program | None:
    """A SELECT over the shown tables, without fences and semicolons around it.

    Raises:
        UnusableReplyError: it has more than ``most`` characters.
    """
    if not isinstance(raw, str):
        return None
    text = _within_fence(raw) or raw
    text = text.strip().strip("`").strip().rstrip(";").strip()
    if not re.match(r"(?is)(?:select|with|from|\()\b|\(", text):
        return None
    if len(text) > most:
        raise UnusableReplyError(f'"sql" has more than {most} characters')
    return Program(_as_named(text, shown), p.views(shown))


def _as_named(sql: str, shown: Sequence[p.ShownTable]) -> str:
    """SQL with the names of columns and the texts of cells as they are, where their escaped forms were shown."""
    for table in shown:
        for name in table.view.header or table.info.header:
            actual = '"' + name.replace('"', '""') + '"'
            if (seen := quoted_name(name)) != actual:
                sql = sql.replace(seen, actual)
    return restored(sql)


def _refuse_written(program: Program | None, task: Task) -> None:
    if program is not None and (fault := fault_of(program, task)):
        raise UnusableReplyError(fault)


def sql_in_prose(text: str, *, most: int) -> str | None:
    """A SELECT in a reply that is no JSON: in a fence, else the first up to a semicolon or an empty line. Looked for in
    the last ``most`` characters, in time that grows with them alone."""
    text = text[-most:] if most else ""
    if fenced := _within_fence(text):
        return fenced
    start = _SELECT.search(text)
    source = _FROM.search(text, start.end() + 1) if start else None
    if start is None or source is None or source.end() == len(text):
        return None
    end = _STATEMENT_END.search(text, source.end() + 1)
    return text[start.start() : end.start() if end else len(text)]


def _within_fence(text: str) -> str | None:
    """What the first fence encloses; None without one that is closed."""
    start = text.find(_FENCE)
    end = text.find(_FENCE, start + len(_FENCE)) if start >= 0 else -1
    if end < 0:
        return None
    inside = text[start + len(_FENCE) : end]
    return (inside[3:] if inside[:3].lower() == "sql" else inside).lstrip()


def read_names(data: Mapping[str, Any], count: int) -> tuple[str | None, ...]:
    names = [str(item).strip() if item is not None else "" for item in _items(data.get("names"))]
    if len(names) != count:
        raise UnusableReplyError(f'"names" has {len(names)} entries, not {count}')
    return tuple(name[:_MOST_CHARS] or None for name in names)


def read_subquestions(data: Mapping[str, Any], plain: Sequence[str]) -> tuple[str, ...]:
    """One per group. A statement in place of a question would be a fact out of the model's head: the plain wording
    takes its place."""
    found = [str(item).strip() for item in _items(data.get("subquestions", data.get("questions")))]
    if len(found) != len(plain):
        raise UnusableReplyError(f'"subquestions" has {len(found)} entries, not {len(plain)}')
    return tuple(
        text if text.endswith("?") and len(text) <= _MOST_CHARS else other
        for text, other in zip(found, plain, strict=True)
    )


def read_residual(data: Mapping[str, Any]) -> str | None:
    if "residual" not in data:
        raise UnusableReplyError('"residual" is missing')
    text = str(data["residual"] or "").strip()
    if len(text) > _MOST_CHARS:
        raise UnusableReplyError(f'"residual" has more than {_MOST_CHARS} characters')
    return None if text.lower() in {"", "none", "null", "nothing"} else text


def _items(raw: Any) -> list[Any]:
    if raw is None:
        return []
    if isinstance(raw, list | tuple):
        return list(raw)
    return [raw]


def _missing(raw: Any) -> tuple[Missing, ...]:
    texts = [text for item in _items(raw)[:_MOST_PATTERNS] if isinstance(item, str) and (text := item.strip())]
    return tuple(Missing("words", text[:_MOST_CHARS]) for text in texts)


def _unit(raw: Any) -> str | None:
    text = raw.strip() if isinstance(raw, str) else ""
    return text if 0 < len(text) <= 30 and text.lower() not in {"none", "null", "n/a"} else None
