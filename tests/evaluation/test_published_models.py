"""The loading code of published models, run on tiny random models by the packages of their makers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tablehound.evaluation.datasets import BenchQuestion, Collection, TableKeys
from tablehound.evaluation.datasets.base import stem_key
from tablehound.evaluation.metrics import header_bert_f1
from tablehound.evaluation.systems import learned, make_system
from tablehound.lake import Lake, index_sources
from tablehound.settings import Settings

# The makers' packages warn of what they will change.
pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[Q]", "[D]", "oslo", "lahti", "mars", "saturn", "river", "moons"),
    *("planet", "city", "length", "a", "b", "c", "1", "2", "82"),
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    """A BERT of two small layers with random weights, and its tokenizer."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    tokenizer: Any = transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=64,
    )  # fmt: skip
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    return folder


@pytest.fixture
def lake(tmp_path: Path) -> Any:
    tables = tmp_path / "tables"
    tables.mkdir()
    for name, text in {
        "cities": "city,a\noslo,1\nlahti,2\n", "planets": "planet,moons\nmars,2\nsaturn,82\n",
        "rivers": "river,length\na,1\nb,2\n",
    }.items():  # fmt: skip
        (tables / f"{name}.csv").write_text(text, encoding="utf-8")
    index_sources([str(tables)], tmp_path / "lake", Settings(workers=1))
    with Lake.open(tmp_path / "lake") as opened:
        yield opened


def rank(name: str, lake: Lake, model: Path, text: str) -> list[str]:
    keys = TableKeys.of(lake, Collection("three", (), (), stem_key))
    settings = Settings().with_values(**{"search.embedder": str(model), "backbone.blind": True})
    system = make_system(name, lake, keys, settings)
    return [keys.keys[table_id] for table_id in system.run(BenchQuestion("q", text)).ranked]


def test_splade(lake: Lake, bert: Path, tmp_path: Path) -> None:
    sentences = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sparse_encoder.models")
    parts = [modules.MLMTransformer(str(bert)), modules.SpladePooling()]
    folder = tmp_path / "splade"
    sentences.SparseEncoder(modules=parts, device="cpu").save_pretrained(str(folder))
    first = rank("splade", lake, folder, "moons of saturn")
    assert sorted(first) == ["cities", "planets", "rivers"]
    assert rank("splade", lake, folder, "moons of saturn") == first, "the weights that were kept rank alike"
    # The scores are the model's own: dot products of what it says of question and table.
    model = sentences.SparseEncoder(str(folder), device="cpu")
    texts = learned.table_texts(lake, lake.table_ids())
    scores = model.similarity(model.encode_query(["moons of saturn"]), model.encode_document(texts))[0].tolist()
    stems = [stem_key(lake.info(table_id).provenance) for table_id in lake.table_ids()]
    assert first == [stem for _, stem in sorted(zip(scores, stems, strict=True), key=lambda pair: -pair[0])]


def test_colbert(lake: Lake, bert: Path, tmp_path: Path) -> None:
    models = pytest.importorskip("pylate.models")
    scoring = pytest.importorskip("pylate.scores")
    folder = tmp_path / "colbert"
    models.ColBERT(model_name_or_path=str(bert), device="cpu", embedding_size=16).save_pretrained(str(folder))
    first = rank("colbert", lake, folder, "moons of saturn")
    assert rank("colbert", lake, folder, "moons of saturn") == first
    model = models.ColBERT(model_name_or_path=str(folder), device="cpu")
    texts = learned.table_texts(lake, lake.table_ids())
    query = model.encode(["moons of saturn"], is_query=True, show_progress_bar=False)
    stems = [stem_key(lake.info(table_id).provenance) for table_id in lake.table_ids()]
    scores = {}
    for stem, text in zip(stems, texts, strict=True):
        table = model.encode([text], is_query=False, show_progress_bar=False)
        scores[stem] = float(scoring.colbert_scores(query, table)[0, 0])
    assert first == sorted(scores, key=lambda stem: -scores[stem])


def test_bert_f1_of_headers(bert: Path) -> None:
    pytest.importorskip("bert_score")
    same = header_bert_f1(["river", "city"], ["river", "city"], str(bert))
    assert same == pytest.approx(1.0, abs=1e-4)
    other = header_bert_f1(["river", "moons"], ["city", "planet"], str(bert))
    assert 0.0 < other < same
    assert header_bert_f1(["river", None], ["river", "city"], str(bert)) == pytest.approx(0.5, abs=1e-4)
