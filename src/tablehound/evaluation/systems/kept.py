"""Arrays that a model made of a lake's tables, kept on disk: embedding a lake takes minutes, and each process of each
run over it needs the result. They are memory-mapped, so that processes share them."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablehound.opening import cache_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)


def kept_arrays(
    kind: str, model: str, texts: Iterable[str], make: Callable[[], Mapping[str, NDArray[Any]]]
) -> dict[str, NDArray[Any]]:
    """The arrays that ``make`` gives, from the cache folder where it holds them already.

    Args:
        kind: what the arrays are, with its version.
        model: name or folder of the model; the files of a folder count by size and time of change.
        texts: all that the arrays are made of.
        make: name → array, of plain types.
    """
    import numpy as np

    digest = hashlib.sha256()
    for part in (kind, model, *_files(Path(model)), *texts):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    folder = cache_folder() / "vectors" / f"{kind}-{digest.hexdigest()[:32]}"
    if not folder.is_dir():
        made = dict(make())
        try:
            _write(folder, made)
        except OSError as error:
            logger.warning("what was made of the tables is not kept: %s", error)
            return made
    return {path.stem: np.load(path, mmap_mode="r") for path in sorted(folder.glob("*.npy"))}


def _files(model: Path) -> list[str]:
    if not model.is_dir():
        return []
    stats = [(path, path.stat()) for path in sorted(model.rglob("*")) if path.is_file()]
    return [f"{path.relative_to(model)} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats]


def _write(folder: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """All or nothing: another process that looks meanwhile sees no half-written folder."""
    import numpy as np

    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="making-", dir=folder.parent))
    try:
        for name, array in arrays.items():
            np.save(scratch / f"{name}.npy", array)
        with contextlib.suppress(FileExistsError):  # another process was first
            if not folder.exists():
                scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
