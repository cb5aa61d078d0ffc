"""docs/settings.md says what settings.py says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tablehound.errors import SettingError
from tablehound.settings import Settings, parse_option

DOCS = Path(__file__).resolve().parent.parent / "docs" / "settings.md"


def documented() -> dict[str, tuple[str, str, str]]:
    """Name → (default, unit, doc) of every row of the document's tables."""
    rows = [line.split(" | ") for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return {row[0].strip("| `"): (row[1].strip("` "), row[2].strip(), row[3].strip(" |")) for row in rows}


def in_code() -> dict[str, tuple[str, str, str]]:
    """The same from the dataclasses."""
    found = {}
    settings = Settings()
    rooms = [("", settings)] + [
        (f"{f.name}.", getattr(settings, f.name)) for f in dataclasses.fields(settings) if "doc" not in f.metadata
    ]
    for prefix, room in rooms:
        for field in dataclasses.fields(room):
            if "doc" in field.metadata:
                meta = field.metadata
                choices = f"; one of {', '.join(meta['choices'])}" if meta["choices"] else ""
                found[prefix + field.name] = (str(field.default), meta["unit"], meta["doc"] + choices)
    return found


def test_docs_and_code_name_the_same_settings() -> None:
    assert documented() == in_code()


def test_every_default_survives_writing_it_out() -> None:
    for name, (default, _, _) in in_code().items():
        value = parse_option(name, default.lower() if default in ("True", "False", "None") else default)
        assert Settings().with_values(**{name: value}) == Settings(), name


@pytest.mark.parametrize("name", ["seek.nonsense", "nonsense", "seek", "nonsense.max_steps"])
def test_unknown_setting_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match="no setting named"):
        parse_option(name, "1")


@pytest.mark.parametrize(
    ("name", "text"), [("seek.max_steps", "ten"), ("seek.refine", "maybe"), ("program.timeout", "")]
)
def test_a_value_of_the_wrong_kind_is_refused(name: str, text: str) -> None:
    with pytest.raises(SettingError, match=name):
        parse_option(name, text)


@pytest.mark.parametrize("name, value", [("seek.max_steps", -1), ("workers", -2), ("program.timeout", float("nan"))])
def test_numbers_below_the_least_are_refused(name: str, value: float) -> None:
    with pytest.raises(SettingError, match="or more"):
        Settings().with_values(**{name: value})
