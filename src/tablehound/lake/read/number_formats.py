"""Number formats of workbooks: which cells a person sees as percent or money, and exact texts for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

_BRACKET = re.compile(r"\[(\$([^\]\-]*)[^\]]*|[^\]]*)\]")
_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.')
_SYMBOL = re.compile(r"US\$|HK\$|[$€£¥₹₩₽฿₫₺₴₪]|\b(?:USD|EUR|GBP|CNY|RMB|JPY|CHF)\b")
_BUILT_IN = {
    9: "0%",
    10: "0.00%",
    5: '"$"#,##0',
    6: '"$"#,##0',
    7: '"$"#,##0.00',
    8: '"$"#,##0.00',
    42: '_("$"* #,##0_)',
    44: '_("$"* #,##0.00_)',
}


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """What a format adds to the number."""

    kind: Literal["percent", "currency"]
    symbol: str
    after: bool = False
    """The symbol stands behind the number."""

    def render(self, number: str) -> str:
        """The exact number with its sign: ``0.1234`` as ``12.34%``, ``-5.5`` as ``-$5.5``."""
        if self.kind == "percent":
            shifted = format((Decimal(number) * 100).normalize(), "f")
            return f"{shifted}%"
        if self.after:
            return f"{number} {self.symbol}"
        return f"-{self.symbol}{number[1:]}" if number.startswith("-") else f"{self.symbol}{number}"


def number_format(code: str | None, built_in: int = -1) -> NumberFormat | None:
    """The percent or currency format that a code stands for, or none for any other."""
    if code is None:
        code = _BUILT_IN.get(built_in)
    if not code:
        return None
    first = code.split(";", 1)[0]
    bracketed = [match.group(2) for match in _BRACKET.finditer(first) if match.group(2)]
    bare = _QUOTED.sub("", _BRACKET.sub("", first))
    if "%" in bare:
        return NumberFormat("percent", "%")
    if not re.search(r"[0#?]", bare) or re.search(r"[ymdhs]", bare, re.IGNORECASE):
        return None
    shown = _BRACKET.sub(lambda match: match.group(2) or "", first).replace('"', "").replace("\\", "")
    symbol = bracketed[0].strip() if bracketed and bracketed[0].strip() else None
    if symbol is None and (match := _SYMBOL.search(shown)):
        symbol = match.group()
    if not symbol:
        return None
    digits = re.search(r"[0#?]", shown)
    return NumberFormat("currency", symbol, digits is not None and shown.find(symbol) > digits.start())
