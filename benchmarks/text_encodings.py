"""Encodings of tables, found from their bytes alone: ours beside charset-normalizer, chardet and the naive rule.

    pip install django charset-normalizer chardet
    python benchmarks/text_encodings.py [--misses]

Two sets. *Translations*: Django's own interface (BSD-3-Clause), which nothing here was tuned on, as tables of 5, 20 and
100 rows with an English label, the translation and a number, in the encodings that were in use for the language.
*Web tables*: OTT-QA tables (of the data folder) with letters above 127, rewritten in each of five Western encodings
that they fit; most have a handful of such letters. A file counts as read when its text comes back to the letter,
whatever the name of the encoding.
"""

from __future__ import annotations

import gettext
import importlib
import importlib.util
import random
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import parser, table
from tablehound.evaluation.metrics import wilson_interval
from tablehound.lake.read.text.encoding import decode, detect

WESTERN = ("cp1252", "iso8859-15", "mac-roman", "cp850")
ENCODINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("fr", "de", "es", "it", "pt", "nl", "sv", "da", "fi", "nb", "is", "ca"), WESTERN),
    **dict.fromkeys(("pl", "cs", "hu", "sk", "sl", "hr", "ro"), ("cp1250", "iso8859-2", "cp852")),
    **dict.fromkeys(("lt", "lv", "et"), ("cp1257", "iso8859-13")),
    "ru": ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic"),
    "uk": ("cp1251", "koi8-u"),
    "bg": ("cp1251", "iso8859-5"),
    "el": ("cp1253", "iso8859-7"),
    "tr": ("cp1254", "iso8859-9"),
    "he": ("cp1255",),
    "ar": ("cp1256", "iso8859-6"),
    "th": ("cp874",),
    "ja": ("cp932", "euc_jp"),
    "zh_Hans": ("gbk", "gb18030"),
    "zh_Hant": ("big5",),
    "ko": ("cp949", "euc_kr"),
}
UNICODE = ("utf-8", "utf-16-le")
ROWS = (5, 20, 100)


@dataclass(frozen=True, slots=True)
class Case:
    """One file: its bytes, and the text that they are."""

    language: str
    encoding: str
    n_rows: int
    data: bytes
    text: str


def translations(seed: int) -> Iterator[Case]:
    """Tables of every language, encoding and size; where a text does not fit the encoding, rows that do are taken."""
    spec = importlib.util.find_spec("django")
    if spec is None or spec.origin is None:
        raise SystemExit("this benchmark reads Django's translations: pip install django")
    locales = Path(spec.origin).parent
    for language, encodings in ENCODINGS.items():
        pairs = sorted({pair for path in _catalogues(locales, language) for pair in _pairs(path)})
        for encoding in (*encodings, *UNICODE):
            fit = [pair for pair in pairs if _fits(pair[1], encoding) and not pair[1].isascii()]
            for n_rows in ROWS:
                if len(fit) < n_rows:
                    continue
                chosen = random.Random(f"{seed} {language} {encoding} {n_rows}").sample(fit, n_rows)
                rows = [f"{label};{text};{number * 7}" for number, (label, text) in enumerate(chosen, 1)]
                text = "\n".join(["label;text;number", *rows]) + "\n"
                yield Case(language, encoding, n_rows, text.encode(encoding), text)


def web_tables(data: Path, seed: int, n_files: int = 600) -> Iterator[Case]:
    """Public tables in Western encodings; ``language`` tells those with fewer than four letters above 127 apart."""
    made = 0
    with zipfile.ZipFile(data / "distractors" / "ottqa_tables.zip") as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".csv"))
        random.Random(seed).shuffle(names)
        for name in names:
            text = archive.read(name).decode("utf-8").replace("\r\n", "\n")
            n_high = sum(ord(char) > 127 for char in text)
            for encoding in ("cp1250", *WESTERN) if n_high and made < n_files else ():
                if _fits(text, encoding):
                    made += 1
                    yield Case("few" if n_high < 4 else "many", encoding, text.count("\n"), text.encode(encoding), text)


def _catalogues(locales: Path, language: str) -> list[Path]:
    return sorted(locales.glob(f"**/locale/{language}/LC_MESSAGES/django.mo"))


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    with path.open("rb") as file:
        catalogue: dict[object, str] = vars(gettext.GNUTranslations(file))["_catalog"]
    for label, text in catalogue.items():
        if isinstance(label, str) and label.isascii() and not {*label, *text} & set(';"\n\r\x04'):
            yield label, text


def _fits(text: str, encoding: str) -> bool:
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


def ours(path: Path) -> str:
    return decode(path.read_bytes(), detect(path))


def naive(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def charset_normalizer(path: Path) -> str:
    best = importlib.import_module("charset_normalizer").from_bytes(path.read_bytes()).best()
    return "" if best is None else str(best)


def chardet(path: Path) -> str:
    data = path.read_bytes()
    name = importlib.import_module("chardet").detect(data)["encoding"] or "ascii"
    return data.decode(name, "replace")


READERS: dict[str, Callable[[Path], str]] = {
    "tablehound": ours,
    "charset-normalizer": charset_normalizer,
    "chardet": chardet,
    "UTF-8, else Windows-1252": naive,
}


def measure(cases: Sequence[Case], groups: Mapping[str, Callable[[Case], bool]], misses: bool) -> str:
    """A table of the share of files that each reader reads to the letter, over all and by group."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        for name, read in READERS.items():
            right: list[bool] = []
            started = time.process_time()
            for case in cases:
                path.write_bytes(case.data)
                try:
                    right.append(read(path) == case.text)
                except (UnicodeError, LookupError):
                    right.append(False)
                if misses and read is ours and not right[-1]:
                    print(f"{case.language} {case.encoding} {case.n_rows} rows: taken for {detect(path).name}")
            spent = 1000 * (time.process_time() - started) / len(cases)
            low, high = wilson_interval(sum(right), len(right))
            shares = []
            for belongs in groups.values():
                inside = [same for case, same in zip(cases, right, strict=True) if belongs(case)]
                shares.append(f"{sum(inside) / len(inside):.3f} (n={len(inside)})")
            rows.append([name, f"{sum(right) / len(right):.3f} ({low:.3f} to {high:.3f})", *shares, f"{spent:.2f}"])
    return table(["reader", f"read to the letter (n={len(cases)})", *groups, "ms a file"], rows)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--misses", action="store_true", help="list the files that ours reads otherwise")
    given = options.parse_args()
    sizes = {f"{n} rows": (lambda case, n=n: case.n_rows == n) for n in ROWS}
    print("Translations\n\n" + measure(list(translations(given.seed)), sizes, given.misses))
    letters = {f"{name} letters above 127": (lambda case, name=name: case.language == name) for name in ("few", "many")}
    print("\nWeb tables\n\n" + measure(list(web_tables(given.data, given.seed)), letters, given.misses))


if __name__ == "__main__":
    main()
