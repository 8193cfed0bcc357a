"""Measures, pictures and files from Python are those of the program."""

import json
import os
import signal
import threading
import time

import numpy as np
import pytest
import talweg
from conftest import waves

SIZE = 65


@pytest.fixture(scope="module")
def terrain():
    return talweg.load("island").evaluate(size=SIZE)


def test_measures_equal_those_of_the_program(terrain, run_binary):
    printed = json.loads(run_binary("measure", "island", "--size", SIZE, "--json", "--limit", "prominence=40")[0])
    balances = {balance["layer"]: balance["cubic_metres"] for balance in printed.pop("mass_balances")}
    assert terrain.measure(prominence=40) == printed
    assert balances == terrain.mass_balance
    with pytest.raises(talweg.UsageError, match="there is no limit `height`"):
        terrain.measure(height=3)


def test_measures_of_an_array_equal_those_of_its_file(terrain, run_binary, tmp_path):
    file = tmp_path / "island.tif"
    terrain.export(file)
    line = ["measure", file, "--json", "--side", terrain.size_metres, "--sea", "12"]
    printed = json.loads(run_binary(*line)[0])
    mine = talweg.measure(terrain.heights, terrain.cell_metres, sea=12.0)
    for key in ("peaks", "land_fraction", "mean_slope", "fractal_dimension", "erosion_score"):
        assert mine[key] == pytest.approx(printed[key], rel=1e-6), key


def test_the_program_writes_the_same_files(terrain, run_binary, tmp_path):
    for ending in ("png", "tif", "cog.tif", "exr", "asc", "r32", "r16", "glb", "obj", "stl"):
        mine, its = tmp_path / f"mine.{ending}", tmp_path / f"its.{ending}"
        report = terrain.export(mine)
        assert report["rasters"] or report["meshes"]
        run_binary("export", "island", "--size", SIZE, "-o", its)
        assert mine.read_bytes() == its.read_bytes(), ending


def test_options_equal_those_of_the_program(terrain, tmp_path):
    report = terrain.export(tmp_path / "a.exr", maps=["slope", "normals"], range=(-100, 900), tiles=33, force=True)
    assert len(report["rasters"]) == 12
    folder = tmp_path / "blender"
    assert terrain.export(folder, preset="blender")["others"]
    many = terrain.export([tmp_path / "b.png", tmp_path / "b.r16"], epsg=2056, origin=(2600000, 1200000))
    assert [raster["map"] for raster in many["rasters"]] == ["heights", "heights"]
    for wrong, words in [
        ({"what": "gold"}, "gold"),
        ({"mesh_error": -1}, "0 or above"),
        ({"size": 99}, "`size` is not an option of an export"),
        ({"colour": "red"}, "colour"),
        ({"width": 99}, "for planets"),
    ]:
        with pytest.raises(talweg.UsageError, match=words):
            terrain.export(tmp_path / "c.png", **wrong)
    with pytest.raises(talweg.UsageError, match="does not support 65 samples"):
        terrain.export(tmp_path / "unreal", preset="unreal")
    assert not (tmp_path / "c.png").exists()
    terrain.export(tmp_path / "new" / "c.png")
    assert (tmp_path / "new" / "c.png").exists(), "the export creates the folder"


def test_a_file_carries_the_scene_that_made_it_and_no_other(terrain, tmp_path):
    terrain.export(tmp_path / "own.png")
    assert talweg.load(tmp_path / "own.png").evaluate(size=SIZE).hash == terrain.hash
    other = talweg.Thermal().run(terrain.heights, cell_metres=terrain.cell_metres, iterations=2)
    other.export(tmp_path / "other.png")
    with pytest.raises(talweg.TalwegError, match="carries no scene"):
        talweg.load(tmp_path / "other.png")
    with pytest.raises(talweg.TalwegError, match="a different terrain"):
        other.export(tmp_path / "mask.png", what="mask:Thermal")


@pytest.mark.parametrize("ending", ["tif", "exr", "asc", "r32", "png", "r16"])
def test_every_format_is_read_back(ending, tmp_path):
    heights = waves(SIZE)
    made = talweg.parse("(version: 1, settings: (relief_metres: 512.0, size_metres: 640.0))").evaluate(heights=heights)
    file = tmp_path / f"heights.{ending}"
    made.export(file)
    raster = talweg.read(file)
    assert raster.shape == (SIZE, SIZE)
    if not raster.is_metres:
        assert ending in ("r16", "r32"), "only raw files do not give the unit of their numbers"
    span = heights.max() - heights.min()
    read = raster.heights if raster.is_metres else heights.min() + raster.heights * span
    # 16 bits have 65535 steps
    np.testing.assert_allclose(read, heights, atol=span / 65535)
    if ending in ("tif", "asc"):
        assert raster.cell_metres == pytest.approx((10.0, 10.0))


def test_gaps_are_filled_and_marked():
    raster = talweg.read("src/ground/assets/elevation/made-range.tif")
    assert raster.is_metres and raster.cell_metres == pytest.approx((93.75, 93.75))
    assert raster.ground is not None and 0.9 < raster.ground.mean() < 1.0
    assert np.isfinite(raster.heights).all()
    scene = talweg.scene_of_file("src/ground/assets/elevation/made-range.tif")
    np.testing.assert_allclose(scene.evaluate().heights, raster.heights, atol=0.01)
    with pytest.raises(talweg.TalwegError, match="nowhere.tif"):
        talweg.read("nowhere.tif")


def test_options_override_the_metadata_of_a_file():
    cases = "tests/core/ground/foreign/cases"
    raster = talweg.read(f"{cases}/04-undeclared-9999.tif")
    assert raster.ground is not None and any("25 samples hold -9999" in note for note in raster.notes)
    kept = talweg.read(f"{cases}/04-undeclared-9999.tif", keep_all=True)
    assert kept.ground is None and kept.heights.min() == -9999 and kept.notes == []
    tile = talweg.read(f"{cases}/12-terrarium.png", numbers="Terrarium")
    assert (tile.heights.min(), tile.heights.max()) == (500, 756)
    feet = talweg.read(f"{cases}/01-north-up.tif", unit="Feet")
    assert feet.heights.max() == pytest.approx(756 * 0.3048)
    with pytest.raises(talweg.UsageError, match="unit: `Ells` is not one of"):
        talweg.read(f"{cases}/01-north-up.tif", unit="Ells")


def test_pictures_equal_those_of_the_program(terrain, run_binary, tmp_path):
    mine, its = tmp_path / "mine.png", tmp_path / "its.png"
    picture = terrain.render(mine, width=96, height=64, palette="tropical")
    run_binary("render", "island", "--size", SIZE, "-o", its, "--width", 96, "--height", 64, "--palette", "tropical")
    assert mine.read_bytes() == its.read_bytes()
    assert picture.shape == (64, 96, 3) and picture.dtype == np.uint8 and picture.std() > 1
    assert terrain.render(picture=32, style="heights").shape == (32, 32, 3)
    assert "tropical" in talweg.palettes()
    with pytest.raises(talweg.UsageError, match="there is no palette `gold`"):
        terrain.render(palette="gold")
    with pytest.raises(talweg.UsageError, match="pictures are .png files"):
        terrain.render("a.jpg")
    assert talweg.load("earthlike").evaluate(size=17).render(picture=64, projection="map").shape == (32, 64, 3)


def test_a_small_planet_is_exported(tmp_path):
    planet = talweg.load("earthlike").evaluate(size=17)
    report = planet.export(tmp_path / "earth.tif", width=64)
    assert (report["rasters"][0]["samples"], report["rasters"][0]["rows"]) == (64, 32)
    assert len(planet.export(tmp_path / "face.png", projection="cube")["rasters"]) == 6


def spent_after_control_c(work) -> tuple[float, float]:
    """Processor seconds of the whole work, and of interrupted work from an early Ctrl-C to its end."""
    begun = time.process_time()
    work()
    whole = time.process_time() - begun
    pressed = []

    def press():
        begun = time.process_time()
        while time.process_time() - begun < 0.1 * whole:
            time.sleep(0.002)
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        work()
        thread.join()
        # in case the work ended before the signal arrived
        time.sleep(1.0)
    after = time.process_time() - pressed[0]
    thread.join()
    return whole, after


@pytest.mark.parametrize("name", ["a.png", "a.tif", "a.exr", "a.asc", "a.obj", "slope.png", "render.png"])
def test_control_c_ends_pictures_and_exports(name, tmp_path):
    terrain = talweg.Perlin(octaves=8).run(size=769, cell_metres=30.0, relief_metres=1000.0)
    path = tmp_path / name

    def work():
        path.unlink(missing_ok=True)
        if name == "render.png":
            terrain.render(path, width=1500, height=1500, threads=1)
        else:
            terrain.export(path, threads=1, what="slope" if "slope" in name else "heights")

    whole, after = spent_after_control_c(work)
    assert after < 0.6 * whole, f"{after:.3f} of {whole:.3f} s"
    assert not list(tmp_path.iterdir()), "no file is left"
