"""Write the tables of the example lake whose formats cannot be typed by hand: Excel, OpenDocument, Parquet, SQLite, …

Run from anywhere: ``python examples/build_binary_tables.py``. The other tables of ``examples/lake`` are plain text.
"""

from __future__ import annotations

import datetime
import gzip
import io
import sqlite3
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LAKE = Path(__file__).resolve().parent / "lake"
STAMP = datetime.datetime(2024, 1, 1)


def rows(text: str) -> list[list[str]]:
    """Lines of cells divided by ``|``."""
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]


def number(text: str) -> Any:
    """A number where the text is one, None where it is empty, else the text."""
    if not text:
        return None
    try:
        return int(text) if "." not in text else float(text)
    except ValueError:
        return text


PLANETS = rows("""
Planet | Equatorial diameter (km) | Mass (10^24 kg) | from the Sun (million km) | Orbital period (days) | Rings
Mercury | 4879 | 0.330 | 57.9 | 88.0 | no
Venus | 12104 | 4.87 | 108.2 | 224.7 | no
Earth | 12756 | 5.97 | 149.6 | 365.2 | no
Mars | 6792 | 0.642 | 228.0 | 687.0 | no
Jupiter | 142984 | 1898 | 778.5 | 4331 | yes
Saturn | 120536 | 568 | 1432.0 | 10747 | yes
Uranus | 51118 | 86.8 | 2867.0 | 30589 | yes
Neptune | 49528 | 102 | 4515.0 | 59800 | yes
""")

GRAVITY = rows("""
Body | Surface gravity (m/s2) | Escape velocity (km/s) | Mean temperature (C)
Mercury | 3.7 | 4.3 | 167
Venus | 8.9 | 10.4 | 464
Earth | 9.8 | 11.2 | 15
Moon | 1.6 | 2.4 | -20
Mars | 3.7 | 5.0 | -65
Jupiter | 23.1 | 59.5 | -110
Saturn | 9.0 | 35.5 | -140
Uranus | 8.7 | 21.3 | -195
Neptune | 11.0 | 23.5 | -200
""")

ELEMENTS = rows("""
Symbol | Name | Atomic number | Atomic mass | Group
H | Hydrogen | 1 | 1.008 | nonmetal
He | Helium | 2 | 4.0026 | noble gas
Li | Lithium | 3 | 6.94 | alkali metal
C | Carbon | 6 | 12.011 | nonmetal
N | Nitrogen | 7 | 14.007 | nonmetal
O | Oxygen | 8 | 15.999 | nonmetal
F | Fluorine | 9 | 18.998 | halogen
Ne | Neon | 10 | 20.180 | noble gas
Na | Sodium | 11 | 22.990 | alkali metal
Mg | Magnesium | 12 | 24.305 | alkaline earth metal
Al | Aluminium | 13 | 26.982 | post-transition metal
Cl | Chlorine | 17 | 35.45 | halogen
Ar | Argon | 18 | 39.948 | noble gas
K | Potassium | 19 | 39.098 | alkali metal
Ca | Calcium | 20 | 40.078 | alkaline earth metal
Fe | Iron | 26 | 55.845 | transition metal
Cu | Copper | 29 | 63.546 | transition metal
Zn | Zinc | 30 | 65.38 | transition metal
Ag | Silver | 47 | 107.87 | transition metal
Sn | Tin | 50 | 118.71 | post-transition metal
W | Tungsten | 74 | 183.84 | transition metal
Au | Gold | 79 | 196.97 | transition metal
Hg | Mercury | 80 | 200.59 | transition metal
Pb | Lead | 82 | 207.2 | post-transition metal
U | Uranium | 92 | 238.03 | actinide
""")

POPULATION = rows("""
 | 1960 | 1980 | 2000 | 2020
Brazil | 73.1 | 122.3 | 175.9 | 213.2
Egypt | 26.6 | 43.7 | 71.4 | 107.5
France | 46.6 | 55.2 | 60.9 | 67.6
Germany | 72.8 | 78.3 | 82.2 | 83.2
India | 445.9 | 696.8 | 1059.6 | 1396.4
Japan | 93.2 | 116.8 | 126.8 | 126.3
Kenya | 7.8 | 16.2 | 30.9 | 52.0
Mexico | 36.3 | 67.7 | 97.9 | 126.0
""")

LITERATURE = rows("""
Year | Laureate | Language
2006 | Orhan Pamuk | Turkish
2007 | Doris Lessing | English
2008 | J. M. G. Le Clézio | French
2009 | Herta Müller | German
2010 | Mario Vargas Llosa | Spanish
2011 | Tomas Tranströmer | Swedish
2012 | Mo Yan | Chinese
2013 | Alice Munro | English
2014 | Patrick Modiano | French
2015 | Svetlana Alexievich | Russian
2016 | Bob Dylan | English
2017 | Kazuo Ishiguro | English
2018 | Olga Tokarczuk | Polish
2019 | Peter Handke | German
2020 | Louise Glück | English
2021 | Abdulrazak Gurnah | English
2022 | Annie Ernaux | French
2023 | Jon Fosse | Norwegian
""")

PRIME_MINISTERS = rows("""
name | party | took_office
Winston Churchill | Conservative | 1940-05-10
Clement Attlee | Labour | 1945-07-26
Anthony Eden | Conservative | 1955-04-06
Harold Macmillan | Conservative | 1957-01-10
Harold Wilson | Labour | 1964-10-16
Edward Heath | Conservative | 1970-06-19
James Callaghan | Labour | 1976-04-05
Margaret Thatcher | Conservative | 1979-05-04
John Major | Conservative | 1990-11-28
Tony Blair | Labour | 1997-05-02
Gordon Brown | Labour | 2007-06-27
David Cameron | Conservative | 2010-05-11
Theresa May | Conservative | 2016-07-13
Boris Johnson | Conservative | 2019-07-24
""")

MONARCHS = rows("""
monarch | house | reign_began | reign_ended
Victoria | Hanover | 1837 | 1901
Edward VII | Saxe-Coburg and Gotha | 1901 | 1910
George V | Windsor | 1910 | 1936
Edward VIII | Windsor | 1936 | 1936
George VI | Windsor | 1936 | 1952
Elizabeth II | Windsor | 1952 | 2022
Charles III | Windsor | 2022 |
""")

FINALS = rows("""
season | winner | country | runner-up
2010 | Inter Milan | Italy | Bayern Munich
2011 | Barcelona | Spain | Manchester United
2012 | Chelsea | England | Bayern Munich
2013 | Bayern Munich | Germany | Borussia Dortmund
2014 | Real Madrid | Spain | Atlético Madrid
2015 | Barcelona | Spain | Juventus
2016 | Real Madrid | Spain | Atlético Madrid
2017 | Real Madrid | Spain | Juventus
2018 | Real Madrid | Spain | Liverpool
2019 | Liverpool | England | Tottenham Hotspur
2020 | Bayern Munich | Germany | Paris Saint-Germain
2021 | Chelsea | England | Manchester City
2022 | Real Madrid | Spain | Liverpool
2023 | Manchester City | England | Inter Milan
""")

DAMS = rows("""
dam | river | height_m | capacity_mw | country
Three Gorges | Yangtze | 181 | 22500 | China
Itaipu | Paraná | 196 | 14000 | Brazil and Paraguay
Guri | Caroní | 162 | 10235 | Venezuela
Grand Coulee | Columbia | 168 | 6809 | United States
Hoover | Colorado | 221 | 2080 | United States
Aswan High | Nile | 111 | 2100 | Egypt
Jinping-I | Yalong | 305 | 3600 | China
""")

SHIPS = rows("""
Ship | Launched | Length (m) | Fate
Titanic | 31/05/1911 | 269 | sank 1912
Lusitania | 07/06/1906 | 240 | torpedoed 1915
Queen Mary | 26/09/1934 | 311 | hotel ship
Normandie | 29/10/1932 | 314 | burned 1942
Great Eastern | 31/01/1858 | 211 | scrapped 1889
""")


def write_workbook(path: Path, sheets: Sequence[tuple[str, Any]]) -> None:
    """An .xlsx with fixed time stamps, so that building twice gives the same tables."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path), {"remove_timezone": True})
    book.set_properties({"created": STAMP})
    for name, fill in sheets:
        fill(book, book.add_worksheet(name))
    book.close()


def plain(table: list[list[str]], title: str | None = None) -> Any:
    """Fills a sheet with a table, below a title if there is one."""

    def fill(_book: Any, sheet: Any) -> None:
        top = 0
        if title:
            sheet.write(0, 0, title)
            top = 2
        for r, row in enumerate(table):
            for c, cell in enumerate(row):
                if r == 0:
                    sheet.write_string(top, c, cell)
                else:
                    sheet.write(top + r, c, number(cell))

    return fill


def banded_population(_book: Any, sheet: Any) -> None:
    """Two header bands: a merged ``Population (millions)`` above the years; a total below; a note at the end."""
    years = POPULATION[0][1:]
    sheet.merge_range(0, 0, 1, 0, "Country")
    sheet.merge_range(0, 1, 0, len(years), "Population (millions)")
    for c, year in enumerate(years, 1):
        sheet.write_string(1, c, year)
    for r, row in enumerate(POPULATION[1:], 2):
        for c, cell in enumerate(row):
            sheet.write(r, c, number(cell))
    last = len(POPULATION) + 1
    sheet.write(last, 0, "Total")
    for c in range(1, len(years) + 1):
        total = sum(float(row[c]) for row in POPULATION[1:])
        letter = chr(ord("A") + c)
        sheet.write_formula(last, c, f"=SUM({letter}3:{letter}{last})", None, round(total, 1))
    sheet.write(last + 2, 0, "Source: census estimates, rounded.")


def write_ods(path: Path, name: str, table: list[list[str]]) -> None:
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    book = OpenDocumentSpreadsheet()
    sheet = Table(name=name)
    for r, cells in enumerate(table):
        line = TableRow()
        for text in cells:
            value = number(text) if r else text
            if isinstance(value, int | float):
                cell = TableCell(valuetype="float", value=value)
            else:
                cell = TableCell(valuetype="string")
            cell.addElement(P(text=text))
            line.addElement(cell)
        sheet.addElement(line)
    book.spreadsheet.addElement(sheet)
    book.save(str(path))


def write_database(connection: Any, name: str, table: list[list[str]]) -> None:
    columns = ", ".join(f'"{column}"' for column in table[0])
    connection.execute(f'CREATE TABLE "{name}" ({columns.replace(",", " VARCHAR,")} VARCHAR)')
    marks = ", ".join("?" for _ in table[0])
    for row in table[1:]:
        connection.execute(f'INSERT INTO "{name}" VALUES ({marks})', [cell or None for cell in row])


def main() -> None:
    """Write all of them below ``examples/lake``."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    write_workbook(
        LAKE / "space" / "solar_system.xlsx",
        [("Planets", plain(PLANETS, "The planets of the solar system")), ("Gravity", plain(GRAVITY))],
    )
    write_workbook(LAKE / "geography" / "population_by_year.xlsx", [("Population", banded_population)])
    write_ods(LAKE / "history" / "nobel_literature.ods", "Literature", LITERATURE)
    columns = {name: [number(row[c]) for row in ELEMENTS[1:]] for c, name in enumerate(ELEMENTS[0])}
    pq.write_table(pa.table(columns), LAKE / "chemistry" / "elements.parquet")
    database = LAKE / "history" / "britain.sqlite"
    database.unlink(missing_ok=True)
    with sqlite3.connect(database) as connection:
        write_database(connection, "prime_ministers", PRIME_MINISTERS)
        write_database(connection, "monarchs", MONARCHS)
    connection.close()
    dams = LAKE / "engineering" / "dams.duckdb"
    dams.unlink(missing_ok=True)
    with duckdb.connect(str(dams)) as duck:
        write_database(duck, "dams", DAMS)
    text = "\n".join(",".join(row) for row in FINALS) + "\n"
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed:
        packed.write(text.encode("utf-8"))
    (LAKE / "sport" / "champions_league_finals.csv.gz").write_bytes(buffer.getvalue())
    with zipfile.ZipFile(LAKE / "engineering" / "archive.zip", "w") as archive:
        ships = "\n".join(";".join(row) for row in SHIPS) + "\n"
        archive.writestr(zipfile.ZipInfo("ships.csv", (2024, 1, 1, 0, 0, 0)), ships)


if __name__ == "__main__":
    main()
