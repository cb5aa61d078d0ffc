"""Counts of what the texts of a column could be: bounded, whatever the length of the column.

Texts are counted twice, as distinct texts (of a batch) and as cells. Short batches are looked at one by one; long ones
by vectorised tests for the plain writings, with only the odd rest looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tablehound.lake.values.dates.forms import Order
from tablehound.lake.values.missing import EDGES, bare
from tablehound.lake.values.numbers.ambiguous_suffixes import SuffixedNumber
from tablehound.lake.values.numbers.forms import DOUBTFUL_COMMA, DOUBTFUL_POINT, NumberForm, Way
from tablehound.lake.values.numbers.roman import fits_among_numbers, is_clear_roman
from tablehound.lake.values.possible_forms import PLAUSIBLE, TEXT, PossibleForms, possible_forms
from tablehound.lake.values.times.forms import ClockForm
from tablehound.lake.values.units.known import Unit

if TYPE_CHECKING:
    import polars as pl

SMALL_BATCH = 512
"""Below this many texts, looking at each is faster than vectorised tests."""
ODD_SAMPLE = 4_000
"""Odd texts of a column that are looked at in any case; where almost none of them is a value, the rest is text."""
MAX_FRACTIONS = 64
MAX_FRACTION_CHARS = 7
_FRACTION = re.compile(r"[0-9]+\.[0-9]+$")
MAX_FORMS = 256
"""Combinations of unit and separators of one column; numbers beyond count as text."""

INT = r"^[+-]?(?:0|[1-9][0-9]{0,17})$"
DECIMAL = r"^[+-]?(?:0|[1-9][0-9]*)?\.[0-9]+$"
GROUPED = r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
COMMA = r"^[+-]?(?:0|[1-9][0-9]*),[0-9]+$"
POINTED = r"^[+-]?[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})$"
_LARGE = frozenset("LCDM")
ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


@dataclass(slots=True)
class Count:
    """How often, as distinct texts and as cells."""

    distinct: int = 0
    cells: int = 0

    def add(self, distinct: int, cells: int) -> None:
        self.distinct += distinct
        self.cells += cells


@dataclass(slots=True)
class Tally:
    """All that is known of a column's texts."""

    native: bool = False
    """The source types the column as one of numbers."""
    blanks: int = 0
    nulls: int = 0
    placeholders: Count = field(default_factory=Count)
    valued: Count = field(default_factory=Count)
    forms: dict[tuple[Unit | None, tuple[Way, ...]], Count] = field(default_factory=dict)
    """Numbers by unit and by the ways their separators can be read."""
    suffixed: dict[tuple[SuffixedNumber, tuple[Way, ...]], Count] = field(default_factory=dict)
    """Numbers with a letter that is a scale or a unit."""
    powers: set[int] = field(default_factory=set)
    """Powers of ten of the scales that cells spell out."""
    decades: Count = field(default_factory=Count)
    """``1990s``, which count as seconds in ``forms``."""
    bare_numbers: int = 0
    above_one: bool = False
    """A number without unit is greater than one."""
    styles: Counter[str] = field(default_factory=Counter)
    zeros: Count = field(default_factory=Count)
    """``0``, which needs no unit."""
    scientific: int = 0
    """Numbers with an exponent."""
    exponent_codes: int = 0
    """Digits with a bare exponent (``32E0134``), which codes have."""
    impossible_exponents: int = 0
    """Of these, such as no number has: a long mantissa or leading zeros."""
    fractions: set[str] = field(default_factory=set)
    """Some plain numbers with a short fraction, as written, to find ``1.1`` beside ``1.10``."""
    suppressed: int = 0
    """Cells of ``*``."""
    bounds: Count = field(default_factory=Count)
    """``<5``, ``>64``"""
    ranges: Count = field(default_factory=Count)
    """``1-9``"""
    clocks: Count = field(default_factory=Count)
    """``3:45``, ``9:05 AM``"""
    times: Count = field(default_factory=Count)
    """Clock readings that are times of day."""
    halves: int = 0
    """Clock readings with AM or PM."""
    padded_clocks: int = 0
    clock_parts: Counter[int] = field(default_factory=Counter)
    durations: Count = field(default_factory=Count)
    """``1h 30m``"""
    finest: set[str] = field(default_factory=set)
    """The smallest units of durations."""
    roman: Count = field(default_factory=Count)
    """All Roman numerals."""
    roman_numbers: Count = field(default_factory=Count)
    """Those that may occur among other numbers."""
    clear_romans: set[str] = field(default_factory=set)
    two_letter_roman: int = 0
    """Numerals of two letters that have more than I, V and X, as codes of countries may."""
    roman_lengths: set[int] = field(default_factory=set)
    dates: Count = field(default_factory=Count)
    date_styles: Counter[str] = field(default_factory=Counter)
    orders: dict[frozenset[Order], Count] = field(default_factory=dict)
    months_only: int = 0
    seasons: int = 0
    timed: int = 0
    """Cells with a time."""
    short_years: int = 0
    dotted_dates: int = 0
    slashed_dates: int = 0
    marks: dict[tuple[str, frozenset[Order]], int] = field(default_factory=dict)
    """Dates by the mark between their parts and the orders that they fit."""
    bare_short: int = 0
    """Dates of three times two digits with a mark that codes have too."""
    years: Count = field(default_factory=Count)
    compact: Count = field(default_factory=Count)
    booleans: Count = field(default_factory=Count)
    boolean_tokens: set[str] = field(default_factory=set)
    codes: int = 0
    short_integers: int = 0
    long_integers: int = 0
    plain_integers: int = 0
    integer_lengths: set[int] = field(default_factory=set)
    parenthesised: int = 0
    paired: int = 0
    tied: Count = field(default_factory=Count)
    tied_with_suffix: Count = field(default_factory=Count)
    """``3T``, which may be trillions."""
    odd_seen: int = 0
    odd_values: int = 0

    def add(self, texts: Any) -> None:
        """Count a batch: an Arrow string array, a polars series, or an iterable of texts and None."""
        if hasattr(texts, "to_pylist"):
            if len(texts) >= SMALL_BATCH:
                import polars as pl

                self._add_series(pl.Series(pl.from_arrow(texts)))
                return
            texts = texts.to_pylist()
        else:
            texts = list(texts)
            if len(texts) >= SMALL_BATCH:
                import polars as pl

                self._add_series(pl.Series(texts, dtype=pl.String))
                return
        counted = Counter(texts)
        counted.pop(None, None)
        self.add_counted(counted)

    def add_counted(self, counted: Counter[str]) -> None:
        """Count a short batch: distinct texts and the number of their cells."""
        # Plain texts and numbers share their shapes, so that most columns come down to one or two.
        groups: dict[int, tuple[PossibleForms, list[str]]] = {}
        for text in counted:
            forms = possible_forms(text)
            group = groups.get(id(forms))
            if group is None:
                groups[id(forms)] = (forms, [text])
            else:
                group[1].append(text)
        for forms, alike in groups.values():
            self.count(alike[0], forms, sum(map(counted.__getitem__, alike)), len(alike))
            if forms.number is not None and len(self.fractions) < MAX_FRACTIONS and "." in alike[0]:
                self._note_fractions(alike)

    def count(self, text: str, forms: PossibleForms, cells: int, distinct: int = 1) -> bool:
        """Count distinct texts of one shape, of which ``text`` is one; says whether they are anything but text."""
        if forms is TEXT:
            self.valued.add(distinct, cells)
            return False
        if forms.missing == "blank":
            self.blanks += cells
            return True
        if forms.missing == "null":
            self.nulls += cells
            return True
        if forms.missing == "placeholder":
            self.placeholders.add(distinct, cells)
            self.suppressed += cells * (bare(text) == "*")
            return True
        self.valued.add(distinct, cells)
        if forms.boolean_token is not None:
            self.booleans.add(distinct, cells)
            self.boolean_tokens.add(forms.boolean_token)
        if forms.number is not None:
            self._count_number(forms.number, cells, distinct)
        if forms.date is not None:
            form = forms.date
            self.dates.add(distinct, cells)
            self.date_styles[form.style] += cells
            self.orders.setdefault(form.orders, Count()).add(distinct, cells)
            self.months_only += distinct * (form.precision == "month")
            self.seasons += distinct * form.season
            self.timed += cells * (form.time is not None)
            self.short_years += distinct * form.short_year
            self.dotted_dates += distinct * ("." in text)
            self.slashed_dates += distinct * ("/" in text)
            if form.style == "plain":
                mark = next((character for character in text if character in "./-"), "")
                self.marks[mark, form.orders] = self.marks.get((mark, form.orders), 0) + distinct
                self.bare_short += distinct * (form.short_year and mark in ".-" and form.time is None)
        if forms.loose is not None:
            (self.years if forms.loose.style == "year" else self.compact).add(distinct, cells)
        if forms.roman is not None:
            self.roman.add(distinct, cells)
            if fits_among_numbers(bare(text)):
                self.roman_numbers.add(distinct, cells)
            if is_clear_roman(bare(text)) and len(self.clear_romans) < 8:
                self.clear_romans.add(bare(text))
            self.roman_lengths.add(len(bare(text)))
            self.two_letter_roman += distinct * (len(bare(text)) == 2 and bool(_LARGE.intersection(bare(text).upper())))
        if forms.bounds is not None:
            (self.bounds if forms.bounds == "open" else self.ranges).add(distinct, cells)
        if forms.clock is not None:
            self._count_clock(forms.clock, cells, distinct)
        if forms.duration is not None:
            self.durations.add(distinct, cells)
            self.finest.add(forms.duration.finest)
        return forms != TEXT

    def _note_fractions(self, texts: Iterable[str]) -> None:
        for text in texts:
            if len(text) <= MAX_FRACTION_CHARS and len(self.fractions) < MAX_FRACTIONS and _FRACTION.match(text):
                self.fractions.add(text)

    def _count_clock(self, clock: ClockForm, cells: int, distinct: int) -> None:
        self.clocks.add(distinct, cells)
        if clock.time() is not None:
            self.times.add(distinct, cells)
        self.halves += distinct * bool(clock.half)
        self.padded_clocks += distinct * clock.padded
        self.clock_parts[len(clock.parts)] += distinct

    def _count_number(self, form: NumberForm, cells: int, distinct: int) -> None:
        unit = form.unit
        if form.style == "tied":
            self.tied.add(distinct, cells)
            if form.suffix:
                self.tied_with_suffix.add(distinct, cells)
            return
        if form.suffix:
            self._count_suffixed(form, distinct, cells)
            return
        if form.digits == "0" and unit is None:
            self.zeros.add(distinct, cells)
        self.scientific += distinct * (form.style == "scientific")
        if form.exponent_code:
            self.exponent_codes += distinct
            self.impossible_exponents += distinct * (form.exponent_code == "odd")
        if form.scaled and len(self.powers) < 8:
            self.powers.add(form.power)
        if form.style == "decade":
            self.decades.add(distinct, cells)
        self.paired += distinct * form.paired
        if not self._count_form((unit, form.ways), distinct, cells):
            return
        if unit is None:
            self.bare_numbers += distinct
            self.above_one = self.above_one or _exceeds_one(form)
        self.styles[form.style] += cells
        self.parenthesised += distinct * form.parenthesised
        if form.code:
            self.codes += distinct
        if form.ways == ((None, None),) and form.value is None and not form.power:
            self._count_integers(len(form.digits), distinct)

    def _count_form(self, form: tuple[Unit | None, tuple[Way, ...]], distinct: int, cells: int) -> bool:
        count = self.forms.get(form)
        if count is not None:
            count.add(distinct, cells)
            return True
        if len(self.forms) >= MAX_FORMS:
            return False
        self.forms[form] = Count(distinct, cells)
        return True

    def _count_suffixed(self, form: NumberForm, distinct: int, cells: int) -> None:
        digits = min(4, len(form.digits.partition(".")[0].partition(",")[0]))
        key = (SuffixedNumber(form.suffix, form.spaced, form.fraction, digits, form.unit, form.style), form.ways)
        if key in self.suffixed or len(self.suffixed) < MAX_FORMS:
            self.suffixed.setdefault(key, Count()).add(distinct, cells)

    def numbers(self, unit: Callable[[Unit | None], bool] = lambda _: True) -> Count:
        """Numbers whose unit satisfies a condition."""
        total = Count()
        for (own, _), count in self.forms.items():
            if unit(own):
                total.add(count.distinct, count.cells)
        return total

    def units(self) -> dict[Unit, Count]:
        """Numbers by their unit, without those that have none."""
        found: dict[Unit, Count] = {}
        for (unit, _), count in self.forms.items():
            if unit is not None:
                found.setdefault(unit, Count()).add(count.distinct, count.cells)
        return found

    def ways(self) -> Counter[tuple[Way, ...]]:
        """Distinct texts by the ways their separators can be read."""
        found: Counter[tuple[Way, ...]] = Counter()
        for (_, ways), count in self.forms.items():
            found[ways] += count.distinct
        return found

    def _count_integers(self, digits: int, distinct: int) -> None:
        self.plain_integers += distinct
        if digits <= 3:
            self.short_integers += distinct
        else:
            self.long_integers += distinct
        if len(self.integer_lengths) < 8:
            self.integer_lengths.add(digits)

    def _add_series(self, series: pl.Series) -> None:
        """The same counts, by vectorised tests."""
        import polars as pl

        counted = series.rename("text").drop_nulls().value_counts(name="cells")
        frame = counted.with_columns(pl.col("text").str.strip_chars(EDGES))
        kind: Any = pl.when(pl.col("text") == "").then(pl.lit(0, pl.Int8))
        for number, pattern in enumerate((INT, DECIMAL, GROUPED, ISO, COMMA, POINTED), start=1):
            kind = kind.when(pl.col("text").str.contains(pattern)).then(pl.lit(number, pl.Int8))
        frame = frame.with_columns(kind.otherwise(pl.lit(-1, pl.Int8)).alias("class"))
        parts = {key[0]: part for key, part in frame.partition_by("class", as_dict=True, include_key=False).items()}
        if 1 in parts:
            self._count_plain(parts[1])
        if 2 in parts:
            self._count_points(parts[2])
        if 3 in parts:
            self._count_split(parts[3], ".", r"^[+-]?\d{1,3},\d{3}$", ((".", ","),), DOUBTFUL_COMMA, ((None, ","),))
        if 4 in parts:
            self._count_iso(parts[4])
        if 5 in parts:
            self._count_ways(parts[5], ((",", None),), "plain")
            self._note_size(parts[5]["text"].str.replace(",", ".", literal=True))
        if 6 in parts:
            self._count_split(parts[6], ",", r"^$", ((",", "."),), (), ((None, "."),))
        if 0 in parts:
            self.blanks += int(parts[0]["cells"].sum())
        if -1 in parts:
            self._count_odd(parts[-1])

    def _count_split(
        self,
        part: pl.DataFrame,
        decimal: str,
        doubtful: str,
        both: tuple[Way, ...],
        either: tuple[Way, ...],
        grouped: tuple[Way, ...],
    ) -> None:
        """Grouped digits: with a fraction, with one group (which could be a fraction), with several."""
        with_fraction = part["text"].str.contains(decimal, literal=True)
        single = part["text"].str.contains(doubtful)
        self._count_ways(part.filter(with_fraction), both, "separated")
        self._count_ways(part.filter(single), either, "separated")
        self._count_ways(part.filter(~(with_fraction | single)), grouped, "separated")

    def _count_plain(self, part: pl.DataFrame) -> None:
        digits = part["text"].str.strip_chars("+-")
        # A plus sign before many digits is a telephone number: left to the closer look.
        phones = part["text"].str.starts_with("+") & (digits.str.len_chars() > 6)
        if phones.any():
            self._count_odd(part.filter(phones))
            part, digits = part.filter(~phones), digits.filter(~phones)
        self._count_ways(part, ((None, None),), "plain")
        for length, count in digits.str.len_chars().value_counts().sort("text").iter_rows():
            self._count_integers(int(length), int(count))
        zeros = part.filter(digits == "0")
        self.zeros.add(zeros.height, int(zeros["cells"].sum()))
        binary = digits.is_in(["0", "1"])
        if binary.any():
            zeros_and_ones = part.filter(binary & ~part["text"].str.contains(r"^[+-]"))
            self.booleans.add(zeros_and_ones.height, int(zeros_and_ones["cells"].sum()))
            self.boolean_tokens.update(zeros_and_ones["text"].to_list())
        self.above_one = self.above_one or not bool(binary.all())
        years = part.filter(part["text"].str.contains(r"^(?:1\d{3}|2[01]\d{2}|2200)$"))
        self.years.add(years.height, int(years["cells"].sum()))
        eight = part.filter(part["text"].str.contains(r"^(?:1\d|20)\d{6}$"))
        if eight.height:
            real = eight.filter(eight["text"].str.to_date("%Y%m%d", strict=False).is_not_null())
            self.compact.add(real.height, int(real["cells"].sum()))

    def _count_points(self, part: pl.DataFrame) -> None:
        if len(self.fractions) < MAX_FRACTIONS:
            short = part["text"].filter(part["text"].str.len_chars() <= MAX_FRACTION_CHARS)
            self._note_fractions(short.sort().head(MAX_FRACTIONS).to_list())
        mask = part["text"].str.contains(r"^[+-]?[1-9]\d{0,2}\.\d{3}$")
        self._count_ways(part.filter(mask), DOUBTFUL_POINT, "plain")
        self._count_ways(part.filter(~mask), ((".", None),), "plain")
        self._note_size(part["text"])

    def _note_size(self, numbers: pl.Series) -> None:
        if not self.above_one:
            self.above_one = bool((numbers.cast(float, strict=False).abs() > 1).any())

    def _count_ways(self, part: pl.DataFrame, ways: tuple[Way, ...], style: str) -> None:
        if not part.height:
            return
        cells = int(part["cells"].sum())
        self.valued.add(part.height, cells)
        self._count_form((None, ways), part.height, cells)
        self.bare_numbers += part.height
        self.styles[style] += cells
        if style == "separated":
            self.above_one = True

    def _count_iso(self, part: pl.DataFrame) -> None:
        real = part["text"].str.to_date("%Y-%m-%d", strict=False).is_not_null()
        good = part.filter(real)
        if good.height:
            cells = int(good["cells"].sum())
            self.valued.add(good.height, cells)
            self.dates.add(good.height, cells)
            self.date_styles["plain"] += cells
            self.orders.setdefault(frozenset({"ymd"}), Count()).add(good.height, cells)
            iso = ("-", frozenset[Order]({"ymd"}))
            self.marks[iso] = self.marks.get(iso, 0) + good.height
        if good.height < part.height:
            self._count_odd(part.filter(~real))

    def _count_odd(self, part: pl.DataFrame) -> None:
        """Look at odd texts one by one, unless a sample of many says that they are all text."""
        part = part.sort("text")
        if part.height > 2 * ODD_SAMPLE:
            sample = part.gather_every(part.height // ODD_SAMPLE)
            self._count_each(sample)
            rest = part.join(sample, on="text", how="anti", maintain_order="left")
        else:
            rest = part
        if self.odd_seen >= ODD_SAMPLE and self.odd_values < self.odd_seen // 50:
            self.valued.add(rest.height, int(rest["cells"].sum()))
            return
        self._count_each(rest)

    def _count_each(self, part: pl.DataFrame) -> None:
        plausible = part["text"].str.contains(PLAUSIBLE) | (part["text"].str.len_chars() <= 16)
        texts = part.filter(~plausible)
        self.valued.add(texts.height, int(texts["cells"].sum()))
        self.odd_seen += part.height
        for text, cells in part.filter(plausible).iter_rows():
            self.odd_values += self.count(text, possible_forms(text), cells)


def _exceeds_one(form: NumberForm) -> bool:
    value = form.number(".")
    if value is None:
        value = form.number(",")
    return value is not None and abs(value) > 1
