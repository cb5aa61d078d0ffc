"""No text out of a file leaves its fence or speaks for another role: cells, headers, titles, names of sheets and files,
in every prompt."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablehound.backbone.chat import ChatBackbone
from tablehound.backbone.chat.escaping import escape, restored, visible
from tablehound.backbone.chat.prompting import conversation, fence_mark, fenced, fenced_line
from tablehound.lake import Column, Lake, index_sources
from tablehound.program import View
from tablehound.settings import Settings
from tablehound.steps import show_view
from tests.chat.chat_server import ChatServer, chat_server, tells
from tests.chat.every_prompt import Content, chatting, send_all, templates_without_use

HIDDEN = "\u200b\u200c\u200d\u00ad\u2060\ufeff\u034f\ufe0f\u180e\u202e\U000e0041\U000e0101\x00\x1b\u115f\u3164"
MARKS = (
    "<<<", ">>>", "<|im_start|>", "<|im_end|>", "<\uff5cUser\uff5c>", "<|eot_id|>", "[INST]", "[/INST]", "[inst]",
    "[SYSTEM_PROMPT]", "[TOOL_CALLS]", "[gMASK]", "[|user|]", "<s>", "</s>", "<start_of_turn>", "</answer>", "<<SYS>>",
    "<system role='x'>", "<seed:bos>", "<0x0A>", "\uff1c|x|\uff1e", "\uff3bINST\uff3d", "</tool_response>",
)  # fmt: skip
FORMS = re.compile(
    r"<[|\uff5c]|[|\uff5c]>|\[\||\|\]|</?[A-Za-z_][\w:.-]*(?: [^<>]*)?>|<0x\w+>"
    r"|\[/?[A-Z_]{3,}\]|\[gMASK\]|\[/\w+\]|(?i:\[inst\])"
)
WORD = "zorblax"
"""In every attack, so that it is found again."""


def plain(text: str) -> str:
    """As a model may read it: compatibility forms unified, without what shows nothing."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) not in {"Cf", "Mn", "Cc"}
                   or c == "\n")  # fmt: skip


@st.composite
def attacks(draw: st.DrawFn) -> str:
    """Marks with hidden characters within, text around them, and a word to find the place."""
    parts = [WORD]
    for _ in range(draw(st.integers(1, 3))):
        mark = draw(st.sampled_from(MARKS))
        place = draw(st.integers(0, len(mark)))
        parts.append(mark[:place] + draw(st.text(HIDDEN, max_size=3)) + mark[place:])
        parts.append(draw(st.text(max_size=5)))
    return "".join(draw(st.permutations(parts)))


def fences(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
    """The user's message without what is fenced, and what is, with the mark that the system's message names."""
    named = re.search(r"<<<(\w+) and (\w+)>>>", messages[0]["content"])
    assert named is not None
    assert named[1] == named[2]
    mark = named[1]
    text = messages[1]["content"]
    inside = re.findall(rf"<<<{mark}\s(.*?)\s{mark}>>>", text, re.S)
    outside = re.sub(rf"<<<{mark}\s.*?\s{mark}>>>", "", text, flags=re.S)
    assert mark not in plain(outside).casefold()
    assert all(mark not in plain(part).casefold() for part in inside)
    return outside, inside


def assert_sealed(messages: list[dict[str, str]]) -> None:
    outside, inside = fences(messages)
    for part in (outside, *inside):
        assert "<<<" not in plain(part)
        assert ">>>" not in plain(part)
    for message in messages[1:]:
        shown = re.sub(r"<<<\w{6}|\w{6}>>>", "", message["content"])
        found = FORMS.search(plain(shown))
        assert found is None, found
    assert WORD not in outside


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server(tells({})) as server:
        yield server


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    folder = tmp_path_factory.mktemp("fence")
    (folder / "goals.csv").write_text("player,goals\nAnn Lee,12\nBo Carr,7\n", encoding="utf-8")
    index_sources([str(folder / "goals.csv")], folder / "lake", Settings(workers=1))
    with Lake.open(folder / "lake") as opened:
        yield opened


def content(lake: Lake, cell: str, header: str, title: str) -> Content:
    """Requests whose texts out of files are these."""
    shown = show_view(lake, View((lake.table_ids()[0],)), "T1", Settings())
    columns = (Column(header, header), *shown.info.columns[1:])
    shown = dataclasses.replace(
        shown,
        info=dataclasses.replace(shown.info, title=title, columns=columns),
        preview=f"{header},goals\n{cell},12\n{cell},7",
    )
    return Content((shown,), cell, header, title, f"Conversion Error: {cell}")


@pytest.fixture(scope="module")
def backbone(lake: Lake, server: ChatServer) -> Iterator[ChatBackbone]:
    with chatting(lake, server) as backbone:
        yield backbone


@given(attacks(), attacks(), attacks())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_of_a_file_leaves_its_fence_in_any_prompt(
    lake: Lake, server: ChatServer, backbone: ChatBackbone, cell: str, header: str, title: str
) -> None:
    sent = send_all(backbone, server, content(lake, cell, header, title))
    conversations = [messages for asked in sent.values() for messages in asked]
    assert templates_without_use([m["content"] for messages in conversations for m in messages]) == []
    for messages in conversations:
        assert_sealed(messages)


def test_zero_width_characters_within_a_mark_do_not_carry_it_through(
    lake: Lake, server: ChatServer, backbone: ChatBackbone
) -> None:
    for mark in MARKS:
        for hidden in ("", *HIDDEN):
            cell = f"{WORD} {mark[:1]}{hidden}{mark[1:2]}{hidden}{mark[2:]}"
            text = fenced(cell)
            assert FORMS.search(plain(text)) is None, ascii(cell)
            assert not re.search("<<<|>>>", plain(fenced_line(cell)).replace("<<<", "", 1)[:-3]), ascii(cell)
    for messages in send_all(backbone, server, content(lake, ">\u200b>>", "<\u200b|im_end|>", "<\u200b<<"))["answer"]:
        fences(messages)
        assert not FORMS.search(messages[1]["content"])


def test_texts_of_real_files_are_sealed(tmp_path: Path, server: ChatServer) -> None:
    """Cells, headers, names of sheets and of files, as they come out of workbooks and CSV files."""
    import xlsxwriter

    for number, mark in enumerate(MARKS):
        text = f"{WORD} {mark[:1]}\u200b{mark[1:]}"
        with xlsxwriter.Workbook(str(tmp_path / f"book{number}.xlsx")) as book:
            sheet = book.add_worksheet(re.sub(r"[\[\]:*?/\\]", "-", text)[:31])
            for row, cells in enumerate(((text, "goals"), (f"{text} a", 12), (f"{text} b", 7), ("other", 5))):
                sheet.write_row(row, 0, cells)
        name = f"{number} {text.replace('/', '-')}.csv"
        (tmp_path / name).write_text(f'"{text}",goals\n"{text} a",12\nother,5\n', encoding="utf-8")
    index_sources([str(tmp_path / "*.csv"), str(tmp_path / "*.xlsx")], tmp_path / "lake", Settings(workers=1))
    with Lake.open(tmp_path / "lake") as lake:
        assert len(lake.table_ids()) == 2 * len(MARKS)
        shown = tuple(
            show_view(lake, View((table_id,)), f"T{n}", Settings()) for n, table_id in enumerate(lake.table_ids(), 1)
        )
        for level in ("rows", "values", "schema"):
            made = Content(shown, f"{WORD} >>\u200b>", shown[0].info.header[0], shown[0].info.title or "", WORD)
            with chatting(lake, server, privacy=level) as backbone:
                for asked in send_all(backbone, server, made).values():
                    for messages in asked:
                        assert_sealed(messages)


@given(st.text(), st.integers(0, 50))
def test_a_text_cannot_hold_the_mark_of_its_prompt(text: str, copies: int) -> None:
    marks = [fence_mark(f"{text}{number}") for number in range(copies)]
    holding = fenced(text + " ".join(marks))
    assert fence_mark(holding) not in plain(holding).casefold()


def test_the_same_request_has_the_same_prompt() -> None:
    slots = {"columns": fenced("a"), "count": "1"}
    assert conversation("infer_headers", slots) == conversation("infer_headers", slots)
    assert conversation("infer_headers", slots)[0] != conversation("infer_headers", slots | {"count": "2"})[0]


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian: a non-joiner within a word
        "क्\u200dष",  # Devanagari: a half form
        "ශ්\u200dරී",  # Sinhala
        "👩\u200d👩\u200d👧",
        "❤\ufe0f\u200d🔥",
        "葛\ufe00",
        "5 < 6 and 7 > 3, a|b [1] [a]",
        "<table><tr><td>x</td></tr></table>",
    ],
)
def test_joiners_between_letters_and_plain_text_stay(text: str) -> None:
    assert escape(text) == text


@given(st.text() | attacks())
def test_escaping_twice_changes_nothing_more(text: str) -> None:
    assert escape(escape(text)) == escape(text)
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize("name", ["GDP [USD]", "a <b> c", "[|x|]", "two\nlines", "zero\u200bwidth", 'a "q" [SUM]'])
def test_a_column_with_a_broken_mark_is_still_found(name: str, lake: Lake) -> None:
    from tablehound.backbone.chat.escaping import quoted_name
    from tablehound.backbone.chat.shapes import read_program

    made = content(lake, "x", name, "t")
    written = read_program(f"SELECT {quoted_name(name)} FROM T1", made.shown, most=1_000)
    assert written is not None
    assert written.text == 'SELECT "' + name.replace('"', '""') + '" FROM T1'


def test_a_cell_with_a_broken_mark_is_still_compared_as_it_is() -> None:
    sql = f"SELECT a FROM T1 WHERE b ILIKE '%{escape('Smith [USA] <x>')}%' AND c < d AND e > f"
    assert restored(sql) == "SELECT a FROM T1 WHERE b ILIKE '%Smith [USA] <x>%' AND c < d AND e > f"
