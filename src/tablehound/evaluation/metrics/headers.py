"""Inferred header names compared by meaning (DMRAL): embedding similarity, and BERTScore's F1."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tablehound.errors import MissingExtraError


def header_similarity(inferred: Sequence[str | None], gold: Sequence[str], embedder: str = "minilm") -> float:
    """Mean cosine of each inferred name with the true one, negative cosines and names not inferred counted as 0.

    Args:
        inferred: names, None where none could be told.
        gold: the true names.
        embedder: as ``search.embedder``.

    Raises:
        MissingExtraError: the embedder's packages are not installed.
    """
    import numpy as np

    from tablehound.retrieval import open_embedder

    pairs = [(plain(name), plain(true)) for name, true in zip(inferred, gold, strict=True) if name is not None]
    if not pairs:
        return 0.0
    model = open_embedder(embedder)
    left, right = (model.embed([pair[side] for pair in pairs]) for side in (0, 1))
    return float(np.clip((left * right).sum(axis=1), 0.0, 1.0).sum()) / len(gold)


def header_bert_f1(inferred: Sequence[str | None], gold: Sequence[str], model: str | None = None) -> float:
    """Mean BERTScore F1 (Zhang et al., ICLR 2020) of inferred and true names; a name not inferred counts as 0.

    Args:
        inferred: names, None where none could be told.
        gold: the true names.
        model: as bert-score's ``model_type``, or the folder of a model, whose last layer is taken then; the package's
            default for English if None.

    Raises:
        MissingExtraError: bert-score is not installed.
    """
    try:
        from bert_score import score
    except ImportError as error:
        raise MissingExtraError("bert-score is not installed", remedy="pip install bert-score") from error
    pairs = [(plain(name), plain(true)) for name, true in zip(inferred, gold, strict=True) if name is not None]
    if not pairs:
        return 0.0
    _, _, f1 = score(
        [p for p, _ in pairs], [t for _, t in pairs], model_type=model, num_layers=_layers(model),
        lang=None if model else "en",
    )  # fmt: skip
    return float(f1.sum()) / len(gold)


def _layers(model: str | None) -> int | None:
    """The layers of a model in a folder, which bert-score has no table of."""
    config = Path(model or "") / "config.json"
    if model is None or not config.is_file():
        return None
    return int(json.loads(config.read_text(encoding="utf-8"))["num_hidden_layers"])


def plain(name: str) -> str:
    """``song_release-year`` → ``song release year``."""
    return " ".join(name.replace("_", " ").replace("-", " ").split())
