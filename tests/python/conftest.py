"""Common parts of the tests of the Python package; `tools/wheel --test` builds and installs the wheel and runs them."""

import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
# a shell that runs the tests in the background makes them ignore Ctrl+C, and Python keeps this setting
signal.signal(signal.SIGINT, signal.default_int_handler)
SCENES = sorted(path.stem for path in (ROOT / "saves").glob("*.ron"))


def waves(samples: int, high: float = 300.0) -> np.ndarray:
    """Hills and hollows in metres, equal on all machines except for the last bits of numpy's sine."""
    along = np.linspace(0.0, 1.0, samples)
    x, y = np.meshgrid(along, along)
    ground = np.sin(9.0 * x + 2.0 * y) * np.cos(7.0 * y - 3.0 * x) + 0.5 * np.sin(23.0 * x * y)
    return (high * (1.5 + ground) / 3.0).astype(np.float32)


@pytest.fixture(scope="session")
def binary() -> Path:
    """The program, built with the same profile as the wheel."""
    path = os.environ.get("TALWEG_BINARY")
    assert path and Path(path).is_file(), "TALWEG_BINARY does not name the program; run tools/wheel --test"
    return Path(path)


@pytest.fixture
def run_binary(binary):
    """Runs the program; returns its standard output, and its standard error if it failed."""

    def run(*arguments: object) -> tuple[str, str]:
        done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT, check=False)
        return done.stdout, done.stderr

    return run


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed", reason="tools/wheel.txt has it")
    # workers are processes, so that a test can kill one
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None, memory_limit="1GiB") as made:
        with distributed.Client(made) as client:
            yield client


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    """Lets file names be relative to the root of the sources."""
    monkeypatch.chdir(ROOT)
