"""Signs above 127 and the places where they are meant: a currency sign by a number, a dash between two of them.

A sign in its place is evidence for an encoding as a letter within a word is; out of it, it is evidence against one.
"""

from __future__ import annotations

import unicodedata

USUAL, COMMON, FAIR, RARE, ODD, WRONG = 0.2, 0.06, 0.03, 0.006, 0.0003, 0.00002
"""About how often a byte above 127 is a certain sign, by how common the sign is and whether it is in place. By hand."""
_CURRENCY = {"€": COMMON, "£": COMMON, "¥": FAIR, "¢": RARE, "¤": ODD, "ƒ": ODD, "₪": RARE, "₫": RARE, "฿": RARE}
_OPENING = frozenset("([{\"'/-–—«“‘„‚<=:+*#\\")
_CLOSING = frozenset(")]}\"'/-–—»”’“‘,.;:!?>%&\\")
_AFTER = {**dict.fromkeys("…†", COMMON), **dict.fromkeys("™®²³", FAIR), **dict.fromkeys("©‡‰¹", RARE)}
"""Signs that close a word or a number."""
_SINGLE = {**dict.fromkeys("•·§±©№", FAIR), **dict.fromkeys("×÷¶†‡≤≥≈∆", RARE), **dict.fromkeys("→√■●", ODD)}
"""Signs by themselves, or at the start of a cell."""
_FRACTIONS = frozenset("½¼¾")
_SPACING = frozenset("´¨¯¸ˆ˜˝˛ˇ˘˙˚¬¦")


def sign_likelihood(left2: str, left: str, sign: str, right: str, right2: str) -> float:
    """How likely a sign is meant between its neighbours; spaces and line ends count as the ends of a cell too."""
    open_left = not left.isalnum() and (left.isspace() or left in _OPENING or left in ",;\t|")
    open_right = not right.isalnum() and (right.isspace() or right in _CLOSING or right in ",;\t|")
    if sign == "\u00a0":
        return _no_break_space(left, right)
    if sign in _CURRENCY:
        return _CURRENCY[sign] * _currency(left2, left, right, right2, open_left, open_right)
    if sign in "–—":
        # Between two numbers, words or spaces, or alone in a cell; never glued to one side of a word only.
        if (left.isalnum() and right.isalnum()) or (open_left and open_right):
            return COMMON
        return RARE if open_left or open_right else ODD
    if sign in "’‘“”„‚«»‹›":
        return _quote((left2, left, sign, right, right2), open_left, open_right)
    if sign == "°":
        return COMMON if left.isdigit() or right in "CFKNn" or (open_left and open_right) or left in "nN" else ODD
    if sign in "ºª":
        if left.isdigit():
            return FAIR if not right.isalpha() else RARE
        return RARE if open_right and left.isalpha() else WRONG
    if sign in _FRACTIONS:
        return FAIR if not left.isalpha() and not right.isalpha() else WRONG
    if sign in "µμ":
        if left.isalpha() or not (right == "-" or (right.isascii() and right.isalpha())):
            return ODD
        return USUAL if left.isdigit() or left2.isdigit() else FAIR
    if sign in "¿¡":
        return FAIR if open_left and right.isalpha() and right2.isalpha() else WRONG
    if sign in _SPACING or unicodedata.category(sign) == "Cf":
        return ODD if not (left.isalpha() and right.isalpha()) or sign in "´\u00ad" else WRONG
    if sign in "²³" and left == "m" and not right.isalpha():
        return USUAL
    best = 0.0
    if sign in _AFTER and open_right and (left.isalnum() or left.isspace() or left in ").%!?"):
        best = _AFTER[sign] if sign not in "†‡" or not left.isspace() else RARE
    if sign in _SINGLE and ((open_left and not right.isalpha()) or (open_left and open_right)):
        best = max(best, _SINGLE[sign])
    if sign == "·" and left.isalnum() and right.isalnum():
        best = FAIR
    if sign in "×±" and left.isdigit() and (right.isdigit() or open_right):
        best = FAIR
    return best or WRONG


def _no_break_space(left: str, right: str) -> float:
    """It is between digits, words, or a word and a mark; at the edge of a cell where cells are padded."""
    if left.isdigit() and right.isdigit():
        return COMMON
    if right in ":;!?%»€$£°" or left in "«$£€" or (left.isdigit() and right.isalpha()):
        return FAIR
    return RARE if left.isalnum() and right.isalnum() else RARE / 6


def _currency(left2: str, left: str, right: str, right2: str, open_left: bool, open_right: bool) -> float:
    number_right = right.isdigit() or (right in " \u00a0-.+" and right2.isdigit())
    number_left = left.isdigit() or (left in " \u00a0" and (left2.isdigit() or left2 == "."))
    if (number_right and not left.isalpha()) or (number_left and not right.isalpha()):
        return 1.0
    if open_left and (open_right or right in "mkbMKB"):
        return 0.6
    # Such as US£5 and 5 €m.
    return 0.1 if number_right or number_left else 0.003


def _quote(context: tuple[str, ...], open_left: bool, open_right: bool) -> float:
    left2, left, sign, right, right2 = context
    opens, closes = open_left and right.isalnum(), open_right and left.isalnum()
    within = left.isalpha() and right.isalpha()
    if sign == "’":
        if within:
            # Cat’s, don’t, l’eau, O’Neill: one letter on one side of it.
            return USUAL if not right2.isalpha() or not left2.isalpha() else COMMON
        # Feet and minutes have another sign, but are written with this one.
        return (FAIR if left.isalpha() else RARE) if closes else RARE if opens else ODD
    if sign in "„‚":
        return FAIR if opens else WRONG
    if sign in "”»›":
        return FAIR if open_right and not left.isspace() else RARE if open_right and sign == "»" else WRONG
    if sign in "“«":
        if open_left and not right.isspace():
            return FAIR
        return RARE if (open_left and sign == "«") or (closes and sign == "“") else WRONG
    return RARE if opens else RARE / 3 if within else WRONG
