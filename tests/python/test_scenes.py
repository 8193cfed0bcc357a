"""Scenes: the same bits and messages as the program, progress, and interruption by Ctrl-C."""

import os
import pickle
import signal
import subprocess
import threading

import numpy as np
import pytest
import talweg
import xarray
from conftest import SCENES, waves
from talweg._core import published_hashes

SIZE = 33


def test_the_examples_have_their_published_hashes(capsys):
    assert talweg.verify_examples(threads=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["ok", name] for name in talweg.examples()]
    assert sorted(talweg.examples()) == SCENES


def test_verification_prints_the_lines_of_the_program(binary, capsys, monkeypatch):
    published = {**published_hashes(), "crater-field": "0" * 32}
    monkeypatch.setattr("talweg._verify.examples", lambda: ["island", "crater-field"])
    monkeypatch.setattr("talweg._verify.published_hashes", lambda: published)
    assert not talweg.verify_examples()
    first, second = capsys.readouterr().out.splitlines()
    line = [binary, "verify", "island", "--size", "129", "--quiet"]
    printed = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert first == f"ok      island {printed.strip()}"
    assert second.startswith("differs crater-field ") and second.endswith(f", published {'0' * 32}")


def test_a_scene_is_text_and_pickles():
    scene = talweg.load("alpine-range").set("scene.seed", 7)
    assert talweg.parse(scene.to_ron()) == scene == pickle.loads(pickle.dumps(scene))
    assert scene.copy().set("1.enabled", False) != scene
    assert "alpine-range" in talweg.examples() and scene.layers


def test_set_parameters_affect_the_evaluation():
    scene = talweg.load("alpine-range")
    plain = scene.evaluate(size=SIZE).hash
    assert scene.evaluate(size=SIZE, seed=8).hash == scene.copy().set("scene.seed=8").evaluate(size=SIZE).hash != plain
    assert scene.seed != 8, "`seed=` applies to one evaluation only"
    assert scene.set("scene.size_metres", 12_000.0).size_metres == 12_000.0


def test_every_terrain_has_attributes_without_an_erosion(tmp_path):
    # A plane that falls 100 m over 640 m to the south; cells are 10 m wide.
    rows = np.linspace(500, 400, 65, dtype=np.float32)
    plane = talweg.Blur(radius=0).run(np.repeat(rows[:, None], 65, axis=1), cell_metres=10)
    assert plane.attribute("aspect") == pytest.approx(180, abs=0.1)
    assert plane.attribute("slope") == pytest.approx(np.degrees(np.arctan(100 / 640)), abs=0.05)
    flow, area = plane.attribute("flow"), plane.attribute("drainage")
    assert area == pytest.approx(flow * 100) and flow[-1, 30] == pytest.approx(65, rel=0.05)
    scene = talweg.load("alpine-range")
    terrain = scene.evaluate(size=SIZE)
    for name in ["wetness", "plan-curvature", "occlusion", "sunshine-day", "flow"]:
        terrain.export(tmp_path / "a.r32", what=name)
        assert (np.fromfile(tmp_path / "a.r32", "<f4").reshape(SIZE, SIZE) == terrain.attribute(name)).all(), name
    with pytest.raises(talweg.UsageError, match="there is no attribute `soup`; there are slope, aspect"):
        terrain.attribute("soup")
    with pytest.raises(talweg.UsageError, match="this scene is a planet"):
        talweg.load("earthlike").evaluate(size=17).attribute("sunshine-year")


def test_errors_have_the_text_of_the_program(run_binary, tmp_path):
    def said(*arguments):
        return run_binary(*arguments)[1].strip().removeprefix("talweg: ").removeprefix("--set: ")

    with pytest.raises(talweg.TalwegError) as missing:
        talweg.load("nowhere.ron")
    assert str(missing.value) == said("verify", "nowhere.ron")

    broken = tmp_path / "broken.ron"
    broken.write_text("(version: 1, layers: [(node: Perlin(octaves: 3, hight: 2))])")
    with pytest.raises(talweg.TalwegError) as syntax:
        talweg.load(broken)
    assert str(syntax.value) == said("verify", broken)

    for change in ["Peaks", "nobody.octaves=3", "1.nothing=3", "scene.sea_level=high", "1.opacity=7"]:
        with pytest.raises(talweg.UsageError) as wrong:
            talweg.load("alpine-range").set(change)
        assert str(wrong.value) == said("verify", "alpine-range", "--set", change)
        assert isinstance(wrong.value, ValueError)


def test_a_repaired_value_gives_a_warning():
    text = talweg.load("alpine-range").to_ron().replace("size_metres: ", "size_metres: -")
    assert "size_metres: -" in text
    with pytest.warns(talweg.TalwegWarning, match="outside its range"):
        talweg.parse(text)


def test_a_missing_file_is_an_error():
    scene = talweg.parse('(version: 1, layers: [(name: "File", node: Import(file: "/nowhere/at/all.tif"))])')
    with pytest.raises(talweg.TalwegError, match="layer `File`.*/nowhere/at/all.tif"):
        scene.evaluate(size=SIZE)


def test_given_heights_lie_below_the_layers():
    bare = talweg.parse("(version: 1, settings: (relief_metres: 1024.0))")
    heights = waves(SIZE)
    ground = {"hardness": np.full((SIZE, SIZE), 0.25)}
    made = bare.evaluate(heights=heights, maps=ground)
    assert made.samples == SIZE
    np.testing.assert_array_equal(made.heights, heights)
    np.testing.assert_array_equal(made.maps["hardness"], ground["hardness"])
    assert made.hash != bare.evaluate(size=SIZE).hash
    # a finer grid passes through the same heights
    fine = bare.evaluate(heights=heights, size=2 * SIZE - 1).heights
    np.testing.assert_array_equal(fine[::2, ::2], heights)
    # the layers act on the given terrain and raise it by 100 m
    hills = talweg.parse(
        '(version: 1, settings: (relief_metres: 1024.0), layers: [(name: "Up", node: Levels(), seed: 1, '
        'mask: (by_height: true, height_from: 0.0)), (name: "Hill", node: Perlin(), seed: 1, mix: (blend: Add))])'
    )
    alone, on_ground = hills.evaluate(size=SIZE).heights, hills.evaluate(heights=heights).heights
    np.testing.assert_allclose(on_ground - alone, heights, atol=1e-3)


def test_given_heights_affect_every_grid_of_an_erosion():
    scene = talweg.parse(
        '(version: 1, settings: (resolution: 129), layers: [(name: "Slide", node: Thermal(iterations: 40, talus_angle: '
        "2.0, largest_scale: Samples33), seed: 1)])"
    )
    heights = waves(129)
    made = scene.evaluate(heights=heights)
    change = made.heights - heights
    assert abs(change).max() > 10.0, "steep slopes have slid"
    assert abs(change).mean() < 0.5 * abs(heights).mean(), "the terrain still resembles the given heights"
    balance = made.mass_balance["Slide"]
    assert abs(balance["residual"]) <= 1e-4 * balance["eroded"]


@pytest.mark.parametrize(
    ("heights", "words"),
    [
        (np.zeros((3, 4)), "4 × 3 samples; only square"),
        (np.zeros(9), "square array of two dimensions"),
        (np.full((4, 4), np.nan), "row 0, column 0 is not a finite number"),
        ([["a", "b"], ["c", "d"]], "give an array of real numbers"),
    ],
)
def test_impossible_heights_are_refused(heights, words):
    with pytest.raises(talweg.UsageError, match=words):
        talweg.load("alpine-range").evaluate(heights=heights)


def test_impossible_maps_are_refused():
    bare = talweg.parse("(version: 1)")
    with pytest.raises(talweg.UsageError, match="no data map `gold`; the maps are water, sediment"):
        bare.evaluate(heights=np.zeros((9, 9)), maps={"gold": np.zeros((9, 9))})
    with pytest.raises(talweg.UsageError, match="map `water`: 8 samples per side, and the heights have 9"):
        bare.evaluate(heights=np.zeros((9, 9)), maps={"water": np.zeros((8, 8))})
    with pytest.raises(talweg.UsageError, match="give heights as well"):
        bare.evaluate(size=9, maps={"water": np.zeros((9, 9))})


def test_any_array_of_the_same_numbers_gives_the_same_bits():
    bare = talweg.parse("(version: 1)")
    heights = waves(SIZE)
    variants = [heights, heights.astype(np.float64), np.asfortranarray(heights), heights.tolist(), heights[::-1][::-1]]
    assert len({bare.evaluate(heights=variant).hash for variant in variants}) == 1


def test_arrays_are_not_copied_again():
    terrain = talweg.load("river-valleys").evaluate(size=SIZE)
    assert terrain.heights is terrain.heights
    maps = terrain.maps
    views = [name for name, unit in talweg.map_kinds().items() if name in maps and not unit]
    assert views, "the scene writes a map that is not a depth"
    for name, array in maps.items():
        assert array is terrain.maps[name]
        assert not array.flags.writeable and array.dtype == np.float32 and array.flags.c_contiguous
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    # a view keeps the terrain's memory alive
    array = maps[views[0]]
    before = array.copy()
    assert not array.flags.owndata
    del terrain, maps
    np.testing.assert_array_equal(array, before)


def test_given_maps_come_back_unchanged():
    terrain = talweg.load("river-valleys").evaluate(size=SIZE)
    bare = talweg.parse(f"(version: 1, settings: (relief_metres: {terrain.scene.relief_metres}))")
    again = bare.evaluate(heights=terrain.heights, maps=terrain.maps)
    for name, array in terrain.maps.items():
        np.testing.assert_allclose(again.maps[name], array, rtol=1e-6, err_msg=name)


def test_a_planet_has_six_faces():
    scene = talweg.load("earthlike")
    terrain = scene.evaluate(size=17)
    assert scene.is_planet and terrain.heights.shape == (6, 17, 17)
    assert terrain.measure()["hash"] == terrain.hash
    stood = scene.copy()
    for number in range(len(stood.layers)):
        stood.set(f"{number + 1}.enabled", False)
    again = stood.evaluate(heights=terrain.heights)
    np.testing.assert_allclose(again.heights, terrain.heights, rtol=1e-6, atol=1e-3)
    with pytest.raises(talweg.UsageError, match="6 × n × n"):
        scene.evaluate(heights=np.zeros((17, 17)))


def test_sizes_threads_and_memory_have_bounds():
    scene = talweg.load("alpine-range")
    for wrong in [{"size": 1}, {"size": 20_000}, {"threads": 300}, {"memory": "much"}]:
        with pytest.raises(talweg.UsageError, match=next(iter(wrong))):
            scene.evaluate(**{"size": SIZE, **wrong})


def test_progress_goes_up_to_1():
    told = []
    # a coarse-to-fine erosion, which passes through the layers on every grid
    talweg.load("growing-range").evaluate(size=257, progress=lambda share, layer: told.append((share, layer)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and shares[-1] == 1.0 and 0.0 <= shares[0]
    talweg.load("alpine-range").evaluate(size=SIZE, progress=True)
    with pytest.raises(talweg.UsageError, match="progress: give True"):
        talweg.load("alpine-range").evaluate(size=SIZE, progress="yes")


def test_given_heights_set_the_width_of_the_terrain():
    scene = talweg.load("alpine-range")
    heights = waves(SIZE)
    along = 30.0 * np.arange(SIZE)
    array = xarray.DataArray(heights, dims=("y", "x"), coords={"y": -along, "x": along})
    spanning = scene.evaluate(heights=heights)
    assert spanning.size_metres == scene.size_metres
    made = scene.evaluate(heights=array)
    assert made.cell_metres == pytest.approx(30) and made.scene.size_metres == pytest.approx(30 * (SIZE - 1))
    assert made.hash == scene.evaluate(heights=heights, cell_metres=30).hash != spanning.hash
    assert scene.size_metres == spanning.size_metres, "the scene does not change"
    with pytest.raises(talweg.UsageError, match="cell_metres: give heights"):
        scene.evaluate(cell_metres=30)
    with pytest.raises(talweg.UsageError, match="radius"):
        talweg.load("earthlike").evaluate(heights=np.zeros((6, 9, 9)), cell_metres=30)


def test_too_large_terrain_is_referred_to_tiles():
    with pytest.raises(talweg.UsageError, match="16384 samples per side; .* talweg.plan"):
        talweg.load("alpine-range").evaluate(size=16385)


def long_work(progress):
    """A scene that takes hours."""
    return talweg.Thermal(iterations=10_000, talus_angle=1.0).run(waves(2049), cell_metres=10.0, progress=progress)


def test_an_exception_of_progress_ends_the_evaluation():
    def progress(_share, _layer):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        long_work(progress)


def test_control_c_ends_the_work():
    def press(_share, _layer):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        long_work(press)

    # another thread sends the signal while the work runs without the interpreter lock
    threads, reports, pressed = [], [], []

    def press_now():
        pressed.append(len(reports))
        os.kill(os.getpid(), signal.SIGINT)

    def press_later(share, _layer):
        reports.append(share)
        if not threads:
            threads.append(threading.Thread(target=press_now))
            threads[0].start()

    with pytest.raises(KeyboardInterrupt):
        long_work(press_later)
    threads[0].join()
    # 20 signal checks between two reports; one report may be on its way when the signal arrives
    assert len(reports) <= pressed[0] + 1
    assert talweg.load("alpine-range").evaluate(size=9).samples == 9, "the next evaluation runs"


def test_other_python_threads_run_during_an_evaluation():
    begun, seen = threading.Event(), threading.Event()

    def other():
        begun.wait()
        seen.set()

    thread = threading.Thread(target=other)
    thread.start()

    def progress(_share, _layer):
        begun.set()
        # true only if this thread released the interpreter to the other, long before the end of the work
        if seen.is_set():
            raise StopIteration

    with pytest.raises(StopIteration):
        long_work(progress)
    thread.join()
