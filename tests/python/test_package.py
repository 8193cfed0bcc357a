"""The package itself: its requirements, types and notebooks."""

import ast
import importlib.metadata
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import mypy.api
import nbclient
import nbformat
import numpy as np
import pytest
import talweg
from conftest import ROOT
from node_stubs import node_stubs
from talweg import _core

PACKAGE = ROOT / "src/python/talweg"


def test_the_package_needs_only_numpy(tmp_path):
    needs = importlib.metadata.requires("talweg")
    assert [need for need in needs if "extra ==" not in need] == ["numpy>=1.26"]
    # a folder with only these two packages
    for package in (np, talweg):
        folder = Path(package.__file__).parent
        for beside in folder.parent.glob(f"{folder.name}*"):
            (tmp_path / beside.name).symlink_to(beside)
    code = (
        f"import sys; sys.path.append({str(tmp_path)!r})\n"
        "import talweg\n"
        "terrain = talweg.load('alpine-range').evaluate(size=17)\n"
        "talweg.Thermal().run(terrain.heights, cell_metres=30, iterations=2)\n"
        "talweg.measure(terrain.heights, 30)\n"
        "for needing in (lambda: terrain.to_xarray(), lambda: talweg.load('island').evaluate(size=9, progress=True)):\n"
        "    try:\n"
        "        needing()\n"
        "    except talweg.UsageError as error:\n"
        "        assert 'pip install' in str(error)\n"
        "    else:\n"
        "        raise AssertionError('xarray or tqdm is there')\n"
        "print(terrain.hash)\n"
    )
    # without environment variables and site-packages
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == talweg.load("alpine-range").evaluate(size=17).hash


def test_node_types_match_the_node_descriptions():
    file, text = PACKAGE / "nodes.pyi", node_stubs()
    if os.environ.get("TALWEG_BLESS"):
        file.write_text(text)
    assert file.read_text() == text, "run again with TALWEG_BLESS=1 to write nodes.pyi from the descriptions"


def test_types_of_the_core_module_are_complete():
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    classes = {item.name: item for item in stub.body if isinstance(item, ast.ClassDef)}
    functions = {item.name: item for item in stub.body if isinstance(item, ast.FunctionDef)}
    constants = {ast.unparse(item) for item in stub.body if isinstance(item, ast.AnnAssign)}

    def parameters(function: ast.FunctionDef) -> list[str]:
        given = function.args
        extra = [given.kwarg] if given.kwarg else []
        return [argument.arg for argument in (*given.args, *given.kwonlyargs, *extra)]

    for name, item in vars(_core).items():
        if name.startswith("_") or inspect.ismodule(item):
            continue
        if inspect.isclass(item):
            assert name in classes, name
            if issubclass(item, (Exception, Warning)):
                continue
            told = {entry.name: entry for entry in classes[name].body if isinstance(entry, ast.FunctionDef)}
            own = {member for member in vars(item) if not member.startswith("_")}
            assert own == {member for member in told if not member.startswith("_")}, name
            for member in own:
                value = vars(item)[member]
                assert value.__doc__, f"{name}.{member}"
                if callable(value) and not isinstance(value, type(vars(item).get("__doc__"))):
                    assert list(inspect.signature(value).parameters) == parameters(told[member]), f"{name}.{member}"
        elif not callable(item):
            assert f"{name}: {type(item).__name__}" in constants
        else:
            assert list(inspect.signature(item).parameters) == parameters(functions[name]), name
            assert item.__doc__, name


def test_a_type_checker_knows_the_nodes(tmp_path):
    file = tmp_path / "use.py"
    file.write_text(
        "import talweg\n"
        "terrain = talweg.load('island').set('scene.seed', 3).evaluate(size=9)\n"
        "eroded = talweg.Thermal(talus_angle=33.0, neighbours='Moore').run(terrain.heights, cell_metres=30)\n"
        "height: float = float(eroded.heights[0, 0])\n"
        "talweg.Thermal(neighbours='Six')\n"
        "talweg.Thermal(angle=3)\n"
        "terrain.height\n"
    )
    told, failed, _ = mypy.api.run([str(file), "--python-executable", sys.executable, "--cache-dir", str(tmp_path)])
    assert not failed, failed
    wrong = [line.split(":")[1] for line in told.splitlines() if ": error:" in line]
    assert wrong == ["5", "6", "7"], told


NOTEBOOKS = sorted(path.name for path in (ROOT / "docs/python").glob("*.ipynb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name):
    notebook = nbformat.read(ROOT / "docs/python" / name, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "the stored notebook has no outputs"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": ROOT}}).execute()
    drawn = [output for cell in notebook.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    assert drawn, "the notebook draws a figure"


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3


def test_the_code_of_the_guide_runs(tmp_path, monkeypatch):
    """The code blocks of the guide, unchanged."""
    text = (ROOT / "docs/python/README.md").read_text()
    blocks = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert len(blocks) >= 5
    (tmp_path / "dem.tif").symlink_to(ROOT / "src/ground/assets/elevation/made-range.tif")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/python/README.md", "exec"), names)
    assert json.dumps(names["measures"])
