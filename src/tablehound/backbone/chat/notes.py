"""What a reader of an answer is told of its program: where it and the question do not name the same things.

A model may be wrong, or do what a cell tells it. A program that looks for what nobody asked for, or not for what was
asked, still gives an answer, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tablehound.execution import own_numbers
from tablehound.program import Program

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d_]\w*")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d(?!\w)")
_BEGINNING = 4
"""Letters by which words are compared: enough for inflected forms to meet."""
_MOST = 3


def notes_of(program: Program, question: str) -> tuple[str, ...]:
    """Notes on a program: numbers and texts of its own, and names and numbers of the question that it does not have."""
    if program.language != "sql":
        return ()
    from sqlglot import parse_one
    from sqlglot.errors import SqlglotError

    try:
        tree = parse_one(program.text, dialect="duckdb")
    except SqlglotError:
        return ()
    notes = []
    if own := (*own_numbers(program, question), *_own_texts(tree, question)):
        notes.append(f"the program uses {', '.join(own)}, which the question does not name")
    if unused := _unused(tree.sql(dialect="duckdb", comments=False), question):
        notes.append(f"the program does not look for {', '.join(unused)}")
    return tuple(notes)


def _own_texts(tree: Any, question: str) -> tuple[str, ...]:
    """Texts of a program, quoted, none of whose words the question has."""
    from sqlglot import exp

    asked = _beginnings(question)
    texts = dict.fromkeys(literal.name for literal in tree.find_all(exp.Literal) if literal.is_string)
    foreign = [text for text in texts if _NAME.search(text) and not _is_format(text) and not asked & _beginnings(text)]
    return tuple(f"'{' '.join(text.split())[:60]}'" for text in foreign[:_MOST])


def _unused(sql: str, question: str) -> tuple[str, ...]:
    """Names and numbers of the question that a program has in no part."""
    used = _beginnings(sql)
    digits = re.sub(r"(?<=\d),(?=\d)", "", sql)
    unused = [name for name in _names(question) if not used & _beginnings(name)]
    unused += [number for number in _NUMBER.findall(question) if number.replace(",", "").rstrip(".") not in digits]
    return tuple(dict.fromkeys(unused))[:_MOST]


def _names(question: str) -> Iterator[str]:
    """Runs of capitalized words behind the first word, which is capitalized anyway."""
    run: list[str] = []
    for place, word in enumerate(question.split()):
        bare = word.strip("\"'“”‘’.,;:!?()")
        if place and bare[:1].isupper():
            run.append(bare)
        elif run:
            yield " ".join(run)
            run = []
        if run and bare and not word.endswith(bare):  # a comma or bracket ends a run
            yield " ".join(run)
            run = []
    if run:
        yield " ".join(run)


def _beginnings(text: str) -> set[str]:
    return {word.casefold()[:_BEGINNING] for word in _WORD.findall(text)}


def _is_format(text: str) -> bool:
    """A format of dates or numbers, such as ``%Y-%m-%d``; ``%text%`` is a pattern."""
    return re.search(r"%[-#]?[a-zA-Z](?:[^a-zA-Z]|\Z)", text) is not None
