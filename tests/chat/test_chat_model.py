"""The chat path against a real model, served by llama.cpp on this machine: any small GGUF named by TABLEHOUND_GGUF."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablehound.api import ask
from tablehound.backbone import make_backbone
from tablehound.lake import Lake, index_sources
from tablehound.settings import Settings

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(900)]

SERVE = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
params.n_ctx, params.n_parallel = 4096, 1
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""


def command(model: str, port: int) -> list[str]:
    """The server that is installed, else the test skips."""
    import importlib.util

    if importlib.util.find_spec("llama_cpp") and importlib.util.find_spec("uvicorn"):
        return [sys.executable, "-m", "llama_cpp.server", "--model", model, "--port", str(port), "--n_ctx", "4096"]
    if importlib.util.find_spec("xllamacpp"):
        return [sys.executable, "-c", SERVE, model, str(port)]
    pytest.skip("neither xllamacpp nor llama-cpp-python[server] is installed")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    model = os.environ.get("TABLEHOUND_GGUF", "")
    if not Path(model).is_file():
        pytest.skip("no model file: set TABLEHOUND_GGUF to a GGUF chat model")
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    log = tmp_path_factory.mktemp("model") / "server.log"
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(command(model, port), stdout=output, stderr=output)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        for _ in range(240):
            assert process.poll() is None, log.read_text(encoding="utf-8")[-2000:]
            try:
                with urllib.request.urlopen(f"{url}/models", timeout=5) as reply:
                    if reply.status == 200:
                        break
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        else:
            pytest.fail("the model server did not start")
        yield url
    finally:
        process.terminate()
        process.wait(30)


def test_a_question_goes_all_the_way(server: str, tmp_path: Path) -> None:
    (tmp_path / "goals.csv").write_text("player,goals\nAnn Lee,12\nBo Carr,7\nCy Dunn,3\n", encoding="utf-8")
    (tmp_path / "clubs.csv").write_text("club,city\nRovers,Leeds\nUnited,York\n", encoding="utf-8")
    index_sources([str(tmp_path / "*.csv")], tmp_path / "lake", Settings())
    settings = Settings(mode="seek").with_values(
        **{
            "backbone.model": "local",
            "backbone.base_url": server,
            "backbone.cache": False,
            "backbone.call_timeout": 300.0,
        }
    )
    with Lake.open(tmp_path / "lake") as lake:
        backbone = make_backbone(lake, settings)
        answer = ask("How many goals did Bo Carr score?", lake, settings, backbone=backbone)
        backbone.close()
    # What a model says is its own affair; that every step came back as a typed decision is ours.
    assert answer.trail is not None
    assert answer.trail.backbone_steps >= 2
    assert answer.trail.tokens > 0
    assert backbone.usage.calls >= 2
    assert answer.answered or answer.missing
