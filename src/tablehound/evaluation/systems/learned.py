"""Published learned retrievers over the text of tables: SPLADE (sparse) and ColBERT (late interaction).

The models are loaded by name or from a folder through the packages of their makers, which the extra ``models`` brings;
nothing is downloaded unless the name given is a hub's. Texts are cut at the model's own length.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from tablehound.errors import MissingExtraError
from tablehound.evaluation.systems.kept import kept_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablehound.lake import Lake

SPLADE_MODEL = "naver/splade-v3"
COLBERT_MODEL = "colbert-ir/colbertv2.0"
MAX_CHARS = 4_000
"""Of a table's text; the models read 512 tokens or fewer."""
BATCH = 32


class Splade:
    """Ranks by the dot product of sparse term weights (Formal et al., SIGIR 2021; SPLADE-v3, Lassance et al., 2024),
    with sentence-transformers' ``SparseEncoder``."""

    def __init__(self, model: Any, ids: Sequence[str], texts: Sequence[str], name: str = "") -> None:
        import numpy as np
        from scipy import sparse

        def encode() -> dict[str, NDArray[Any]]:
            # In compressed rows: a table has a few hundred weights of some 30,000.
            rows = _rows(model.encode_document(list(texts), batch_size=BATCH, show_progress_bar=False))
            return {
                "data": rows.data, "indices": rows.indices, "ends": rows.indptr, "shape": np.array(rows.shape)
            }  # fmt: skip

        made = kept_arrays("splade-1", name, texts, encode) if name else encode()
        self._model = model
        self._ids = list(ids)
        shape = tuple(int(size) for size in made["shape"])
        self._tables = sparse.csr_matrix((made["data"], made["indices"], made["ends"]), shape=shape)

    @classmethod
    def over(cls, lake: Lake, model: str = SPLADE_MODEL) -> Self:
        """The published model over all tables of a lake.

        Raises:
            MissingExtraError: sentence-transformers is not installed.
        """
        encoder = _imported("sentence_transformers", "models").SparseEncoder(model, device="cpu")
        ids = lake.table_ids()
        return cls(encoder, ids, table_texts(lake, ids), model)

    def rank(self, question: str, limit: int) -> list[str]:
        """Ids of the best tables, best first; equal scores in the order of ids."""
        query = _rows(self._model.encode_query([question], show_progress_bar=False))
        return _best(self._ids, (self._tables @ query.T).toarray()[:, 0], limit)


class ColBert:
    """Ranks by the sum of each question token's best match (Khattab and Zaharia, SIGIR 2020; ColBERTv2, Santhanam et
    al., NAACL 2022), with PyLate's model. All tables are compared: no index that loses some."""

    def __init__(self, model: Any, ids: Sequence[str], texts: Sequence[str], name: str = "") -> None:
        import numpy as np

        def encode() -> dict[str, NDArray[Any]]:
            tables = model.encode(list(texts), batch_size=BATCH, is_query=False, show_progress_bar=False)
            matrices = [np.asarray(table, dtype=np.float32) for table in tables]
            return {"tokens": np.concatenate(matrices), "ends": np.cumsum([len(matrix) for matrix in matrices])}

        made = kept_arrays("colbert-1", name, texts, encode) if name else encode()
        self._model = model
        self._ids = list(ids)
        self._tokens = made["tokens"]
        self._starts = np.concatenate(([0], made["ends"][:-1]))

    @classmethod
    def over(cls, lake: Lake, model: str = COLBERT_MODEL) -> Self:
        """The published model over all tables of a lake.

        Raises:
            MissingExtraError: pylate is not installed.
        """
        loaded = _imported("pylate.models", "models").ColBERT(model_name_or_path=model, device="cpu")
        ids = lake.table_ids()
        return cls(loaded, ids, table_texts(lake, ids), model)

    def rank(self, question: str, limit: int) -> list[str]:
        """Ids of the best tables, best first; equal scores in the order of ids."""
        import numpy as np

        (query,) = self._model.encode([question], is_query=True, show_progress_bar=False)
        # (tokens of all tables, tokens of the question), then the best of each table for each token of the question.
        matches = self._tokens @ np.asarray(query, dtype=np.float32).T
        scores = np.maximum.reduceat(matches, self._starts, axis=0).sum(axis=1)
        return _best(self._ids, scores, limit)


def table_texts(lake: Lake, ids: Sequence[str]) -> list[str]:
    """Header and cells as one text per table, cut at ``MAX_CHARS``."""
    from tablehound.evaluation.systems.bm25 import table_text

    return [table_text(lake, table_id)[:MAX_CHARS] for table_id in ids]


def _imported(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module.partition('.')[0]} is not installed", remedy=f"pip install 'tablehound[{extra}]'"
        ) from error


def _rows(encoded: Any) -> Any:
    """A sparse tensor of torch (coalesced or not), or any matrix, as compressed rows of scipy."""
    from scipy import sparse

    if hasattr(encoded, "coalesce"):
        tensor = encoded.coalesce().cpu()
        return sparse.csr_matrix((tensor.values().numpy(), tensor.indices().numpy()), shape=tuple(tensor.shape))
    return sparse.csr_matrix(encoded)


def _best(ids: Sequence[str], scores: NDArray[Any], limit: int) -> list[str]:
    import numpy as np

    order = np.lexsort((np.arange(len(scores)), -scores))[:limit]
    return [ids[place] for place in order]
