"""``tablehound bench build``."""

from __future__ import annotations

from pathlib import Path

import click

_folder = click.Path(path_type=Path, file_okay=False)


@click.group("build")
def command() -> None:
    """Build a data set from public data: seeded, the same files for the same seed.

    \b
    Examples:
      tablehound bench build siblings --data spider/ --out siblings/
      tablehound bench build wild --data spider/ --distractors ottqa_tables.zip --out wild/
      tablehound bench build formats --data siblings/ --form mixed --out siblings-mixed/
      tablehound bench build transpose --data siblings/ --out siblings-turned/
      tablehound bench build scale --data ottqa_tables.zip --tables 10000 --out large/
    """


@command.command("siblings")
@click.option("--data", required=True, type=_folder, help="A folder in Spider's layout.")
@click.option("--out", required=True, type=_folder, help="Replaced if it is there.")
@click.option("--groups", default=1_000, show_default=True, help="At most so many groups; one a table.")
@click.option("--seed", default=0, show_default=True)
def siblings(data: Path, out: Path, groups: int, seed: int) -> int:
    """Groups of look-alike tables of which one answers (TCR-Bench's rules).

    \b
    Example:
      tablehound bench build siblings --data spider/ --out siblings/
    """
    from tablehound.evaluation import SiblingOptions, build_siblings, data_set
    from tablehound.interfaces.terminal import emit_json

    questions = data_set("spider").load(data, "train").questions
    databases = next(data / name for name in ("databases", "database") if (data / name).is_dir())
    emit_json(build_siblings(questions, databases, out, SiblingOptions(seed=seed, groups=groups)))
    return 0


@command.command("wild")
@click.option("--data", required=True, type=_folder, help="A folder in Spider's layout.")
@click.option("--out", required=True, type=_folder, help="Replaced if it is there.")
@click.option("--distractors", multiple=True, help="Tables of other corpora: files, folders, archives.")
@click.option("--seed", default=0, show_default=True)
def wild(data: Path, out: Path, distractors: tuple[str, ...], seed: int) -> int:
    """Databases decomposed into the tables of a messy lake (SpiderWild's rules).

    \b
    Example:
      tablehound bench build wild --data spider/ --distractors ottqa_tables.zip --out wild/
    """
    from contextlib import ExitStack

    from tablehound.evaluation import WildOptions, build_wild, data_set
    from tablehound.interfaces.terminal import emit_json
    from tablehound.opening import open_lake

    questions = data_set("spider").load(data).questions
    databases = next(data / name for name in ("databases", "database") if (data / name).is_dir())
    schemas = next((data / name for name in ("schemas.json", "tables.json") if (data / name).exists()), None)
    with ExitStack() as stack:
        lake = stack.enter_context(open_lake(list(distractors))) if distractors else None
        statistics = build_wild(questions, databases, schemas, out, WildOptions(seed=seed), lake)
    emit_json(statistics.to_json())
    return 0


@command.command("formats")
@click.option("--data", required=True, type=_folder, help="A built set.")
@click.option("--out", required=True, type=_folder, help="Its tables are replaced if they are there.")
@click.option("--form", required=True, type=click.Choice(["csv", "markdown", "html", "mixed"]), help="What to write.")
@click.option("--transpose", is_flag=True, help="Rows as columns.")
@click.option("--seed", default=0, show_default=True)
def formats(data: Path, out: Path, form: str, transpose: bool, seed: int) -> int:
    """The tables of a built set in another format, with the same questions.

    \b
    Example:
      tablehound bench build formats --data siblings/ --form html --out siblings-html/
    """
    from tablehound.evaluation import build_formats
    from tablehound.interfaces.terminal import emit

    count = build_formats(data, out, form, transpose=transpose, seed=seed)  # type: ignore[arg-type]
    emit(f"{count} tables written to {out}")
    return 0


@command.command("transpose")
@click.option("--data", required=True, type=_folder, help="A built set.")
@click.option("--out", required=True, type=_folder, help="Its tables are replaced if they are there.")
def transpose(data: Path, out: Path) -> int:
    """The tables of a built set with rows as columns, with the same questions (the stress test).

    \b
    Example:
      tablehound bench build transpose --data siblings/ --out siblings-turned/
    """
    from tablehound.evaluation import build_formats
    from tablehound.interfaces.terminal import emit

    count = build_formats(data, out, "csv", transpose=True)
    emit(f"{count} tables written to {out}")
    return 0


@command.command("scale")
@click.option("--data", required=True, multiple=True, help="Tables to build from: files, folders, archives, or a lake.")
@click.option("--out", required=True, type=_folder, help="Tables are written below it as CSV files.")
@click.option("--tables", default=10_000, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--mean-rows", default=270, show_default=True, type=click.IntRange(4), help="Mean length of a table.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--seed", default=0, show_default=True)
def scale(data: tuple[str, ...], out: Path, tables: int, mean_rows: int, workers: int, seed: int) -> int:
    """A large synthetic lake that looks like the given tables: resampled rows, renamed columns, changed values.

    \b
    Example:
      tablehound bench build scale --data ottqa_tables.zip --tables 10000 --out large/
    """
    from tablehound.evaluation import ScaleOptions, build_scale
    from tablehound.interfaces.terminal import emit_json
    from tablehound.opening import open_lake

    with open_lake(list(data)) as lake:
        path = lake.path
    emit_json(build_scale(path, out, ScaleOptions(tables, seed, mean_rows, workers)))
    return 0
