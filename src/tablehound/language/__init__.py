"""The words of questions and of names: tokens, lexicon, literals, bounds, what a question asks. No table is looked at
here."""

from tablehound.language.bounds import Comparison
from tablehound.language.lexicon import expand, is_carrier, is_function, lexicon
from tablehound.language.literals import (
    MONTH_NAMES,
    DateParts,
    Literal,
    cell_date,
    number_said,
    parts_match,
    parts_of_value,
)
from tablehound.language.question import Analysis, Superlative, analyse
from tablehound.language.task import decide_task
from tablehound.language.words import Token, fold, identifier_words, plain_stem, stem, tokens, word_list

__all__ = [
    "MONTH_NAMES",
    "Analysis",
    "Comparison",
    "DateParts",
    "Literal",
    "Superlative",
    "Token",
    "analyse",
    "cell_date",
    "decide_task",
    "expand",
    "fold",
    "identifier_words",
    "is_carrier",
    "is_function",
    "lexicon",
    "number_said",
    "parts_match",
    "parts_of_value",
    "plain_stem",
    "stem",
    "tokens",
    "word_list",
]
