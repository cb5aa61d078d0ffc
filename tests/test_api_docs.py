"""docs/api.md is what the docstrings of the public names say."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_page_is_written_from_the_docstrings() -> None:
    loader = SourceFileLoader("write_api_docs", str(ROOT / "scripts" / "write-api-docs"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    script = module_from_spec(spec)
    loader.exec_module(script)
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert page == script.page(), "run scripts/write-api-docs"
