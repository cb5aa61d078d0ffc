"""Names of the months and of the days of the week, in English and in other languages whose tables are met often."""

from __future__ import annotations

_MONTHS = (
    "january jan januar jänner januari janvier janv enero ene gennaio janeiro stycznia",
    "february feb februar februari février fevrier févr fév fev febrero febbraio fevereiro lutego",
    "march mar märz maerz mär mrz mars marzo março maart mrt marts marca",
    "april apr avril avr abril abr aprile kwietnia",
    "may mai mayo maggio maio mei maj maja",
    "june jun juni juin junio giugno junho czerwca",
    "july jul juli juillet juil julio luglio julho lipca",
    "august aug août aout agosto ago augustus augusti sierpnia",
    "september sept sep septembre septiembre setiembre settembre setembro września",
    "october oct oktober okt octobre octubre ottobre outubro października",
    "november nov novembre noviembre novembro listopada",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro desember grudnia",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
"""Lower-case name or abbreviation → 1 … 12. Abbreviations that are words of English (``set``, ``out``) are left out."""

WEEKDAYS = frozenset(
    stem + end
    for stem in "mon tue tues wed wednes thu thur thurs fri sat satur sun".split()  # noqa: SIM905 - reads better
    for end in ("", "day")
) | frozenset(
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi"  # noqa: SIM905
    " dimanche lunes martes miércoles miercoles jueves viernes sábado sabado domingo lunedì martedì mercoledì giovedì"
    " venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag zondag".split()
)
"""Lower-case names and abbreviations of days."""
