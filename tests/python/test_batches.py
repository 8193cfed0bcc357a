"""Batches of seeds and values: every variant in a folder of its own, on one machine or on the workers of a cluster."""

import csv
import os
from pathlib import Path

import pytest
import talweg

SIZE = 33
VARIED = {"seeds": "3..5", "vary": {"Hills.octaves": [1, 5]}}
OPTIONS = {"size": SIZE, "products": ["heights.r32", "render.png"], "picture": 32, "thumbnail": 32}


@pytest.fixture
def scene():
    return talweg.parse('(version: 1, name: "Hills", settings: (resolution: 33), layers: [(name: "Hills", node: Perlin())])')


def files(folder: Path) -> dict[str, bytes]:
    """All files in the folder with their contents."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_batch_equals_that_of_the_program(scene, run_binary, tmp_path):
    variants = scene.variants(**VARIED)
    assert len(variants) == 6 and variants[1] == ["scene.seed=3", "1.octaves=5"]
    mine, its = tmp_path / "mine", tmp_path / "its"
    report = scene.batch(mine, **VARIED, **OPTIONS)
    scene.save(tmp_path / "hills.ron")
    line = ["batch", tmp_path / "hills.ron", "--seeds", "3..5", "--vary", "Hills.octaves=1,5", "--size", SIZE]
    run_binary(*line, "--products", "heights.r32,render.png", "--picture", 32, "--thumbnail", 32, "-o", its)
    assert files(mine) == files(its)
    assert [variant["set"] for variant in report["variants"]] == variants
    for variant in report["variants"]:
        changed = scene.copy()
        for change in variant["set"]:
            changed.set(change)
        assert changed.evaluate(size=SIZE).hash == variant["hash"]
    again = scene.batch(mine, seeds=[3, 4, 5], vary={"Hills.octaves": (1, 5)}, **OPTIONS)
    assert not any(variant["is_new"] for variant in again["variants"])
    with pytest.raises(talweg.UsageError, match="there is no variant 7 of 6"):
        scene.batch(mine, variant=7, **VARIED)
    with pytest.raises(talweg.UsageError, match="^vary: "):
        scene.variants(vary={"Nope.octaves": [1]})


def test_workers_share_a_batch_despite_a_killed_worker(scene, cluster, tmp_path, monkeypatch):
    killed = []
    share_out = cluster.map

    def map_and_kill(*work, **how):
        futures = share_out(*work, **how)
        killed.append(cluster.cluster.workers[0].pid)
        os.kill(killed[0], 9)
        return futures

    monkeypatch.setattr(cluster, "map", map_and_kill)
    together, alone = tmp_path / "together", tmp_path / "alone"
    report = talweg.dask.batch(scene, together, cluster, **VARIED, **OPTIONS)
    assert len(killed) == 1 and len(report["variants"]) == 6
    # the workers made all variants; this process only wrote the sheet and the table
    assert not any(variant["is_new"] for variant in report["variants"])
    scene.batch(alone, **VARIED, **OPTIONS)
    assert files(together) == files(alone)
    with (together / "measures.csv").open() as table:
        rows = list(csv.DictReader(table))
    assert [row["hash"] for row in rows] == [variant["hash"] for variant in report["variants"]]
    assert (together / "sheet.png").is_file()
