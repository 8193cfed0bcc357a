"""Nodes as classes, and processes run step by step."""

import inspect
import pickle
from contextlib import nullcontext

import numpy as np
import pytest
import talweg
import xarray
from conftest import waves

SIZE = 33
PLANETS_ONLY = ["Continents", "Plates", "PlanetImport", "PlanetRivers", "Patch"]
PROCESSES = [
    name
    for name in talweg.nodes.__all__
    if getattr(talweg, name).description["shape"] == "process" and name not in PLANETS_ONLY
]


@pytest.mark.parametrize("name", talweg.nodes.__all__)
def test_a_node_is_described(name):
    node = getattr(talweg, name)
    about = node.description
    assert about["help"] in node.__doc__
    assert list(inspect.signature(node).parameters) == [parameter["name"] for parameter in about["params"]]
    made = node()
    for parameter in about["params"]:
        assert parameter["help"] in node.__doc__
        assert parameter["help"] in inspect.getdoc(getattr(node, parameter["name"]))
        value = getattr(made, parameter["name"])
        if parameter["type"] in ("float", "int", "bool", "choice", "image", "scene", "layer"):
            assert value == pytest.approx(parameter["default"])
        # writing back a value that was read changes nothing
        setattr(made, parameter["name"], value)
    assert made == node() and not made.changed_parameters()


@pytest.mark.parametrize("name", [name for name in talweg.nodes.__all__ if name not in PLANETS_ONLY])
def test_a_node_runs_on_heights(name):
    node = getattr(talweg, name)
    short = {"iterations": 3} if name in PROCESSES else {}
    # a reference alone has nothing to read, and says so
    expected = pytest.warns(talweg.TalwegWarning, match="no layer to read") if name == "Reference" else nullcontext()
    with expected:
        terrain = node().run(waves(SIZE), cell_metres=30, **short)
    assert terrain.heights.shape == (SIZE, SIZE) and np.isfinite(terrain.heights).all()
    assert terrain.cell_metres == 30


@pytest.mark.parametrize("name", PLANETS_ONLY)
def test_a_node_only_for_planets_says_so(name):
    with pytest.raises(talweg.UsageError, match="runs only on whole planets"):
        getattr(talweg, name)().run(waves(SIZE), cell_metres=30)


def test_a_single_node_equals_a_scene_of_one_layer():
    scene = talweg.parse(
        '(version: 1, settings: (resolution: 65, size_metres: 1920.0, relief_metres: 512.0, seed: 5), layers: [(name: "Slide", '
        "node: Thermal(iterations: 7, talus_angle: 20.0), seed: 1)])"
    )
    heights = waves(65)
    alone = talweg.Thermal(talus_angle=20).run(heights, cell_metres=30, iterations=7, seed=5)
    assert alone.hash == scene.evaluate(heights=heights).hash
    hills = talweg.Perlin(octaves=3).run(size=65, cell_metres=30, seed=5)
    assert hills.heights.std() > 1.0


def test_dividing_by_the_relief_changes_no_bit():
    heights = waves(SIZE) * 7.7
    # every slope is gentler than the angle
    still = talweg.Thermal(talus_angle=89).run(heights, cell_metres=1000, iterations=5)
    np.testing.assert_array_equal(still.heights, heights)
    assert still.scene.relief_metres == 4096.0
    # nodes that use fractions of the relief depend on relief_metres
    steps = talweg.Terrace().run(heights, cell_metres=30, relief_metres=2500)
    assert steps.hash != talweg.Terrace().run(heights, cell_metres=30).hash


def test_wrong_parameters_give_the_valid_values():
    with pytest.raises(talweg.UsageError, match="`talus_angle` cannot be `95`: give a number from 0 to 89 °"):
        talweg.Thermal(talus_angle=95)
    with pytest.raises(talweg.UsageError, match="`Thermal` has no parameter `angle`; it has iterations"):
        talweg.Thermal(angle=3)
    with pytest.raises(talweg.UsageError, match="has no preset `Wet`; it has Light, Natural"):
        talweg.Thermal.preset("Wet")
    with pytest.raises(talweg.UsageError, match="has no parameter `iterations`"):
        talweg.Blur().run(waves(SIZE), cell_metres=1, iterations=3)
    with pytest.raises(talweg.UsageError, match="give cell_metres"):
        talweg.Blur().run(waves(SIZE))
    with pytest.raises(talweg.UsageError, match="give heights, or size"):
        talweg.Blur().run(cell_metres=3)
    with pytest.raises(TypeError, match="use one of its classes"):
        talweg.Node()
    node = talweg.Thermal(rate=0.25)
    with pytest.raises(talweg.UsageError):
        node.set(talus_angle=30, rate=7)
    assert node == talweg.Thermal(rate=0.25), "a refused change sets no parameter"


def test_nodes_pickle_and_have_presets():
    node = talweg.Thermal.preset("Granite")
    assert node.talus_angle == 40 and node.hardness == 0.5 and "Granite" in talweg.Thermal.presets
    assert pickle.loads(pickle.dumps(node)) == node
    assert repr(talweg.Thermal(talus_angle=33.3)) == "talweg.Thermal(talus_angle=33.3)"
    weights = talweg.Continents(farther=[1, -2.5])
    assert weights.farther == [1.0, -2.5] and talweg.Continents().farther == []
    assert pickle.loads(pickle.dumps(weights)) == weights
    with pytest.raises(ValueError, match="at most 32 numbers"):
        talweg.Continents(farther=[11])
    curve = talweg.Levels(curve=[(0, 0), (0.5, 0.25), (1, 1)]) if hasattr(talweg.Levels, "curve") else None
    assert curve is None or len(curve.curve) == 3


@pytest.mark.parametrize("name", PROCESSES)
def test_single_steps_equal_the_whole_run(name):
    heights = waves(SIZE)
    node = getattr(talweg, name)()
    whole = node.run(heights, cell_metres=30, iterations=6)
    run = node.start(heights, cell_metres=30, iterations=6)
    seen = [state.iteration for state in run]
    assert seen == [1, 2, 3, 4, 5, 6] and run.iterations == 6
    assert run.terrain.hash == whole.hash
    np.testing.assert_array_equal(run.heights, whole.heights)
    by_name = whole.mass_balance[name]
    assert run.mass_balance == pytest.approx(by_name)


def test_a_run_is_changed_and_stopped_between_steps():
    heights = waves(65)
    run = talweg.Thermal(talus_angle=25).start(heights, cell_metres=10, iterations=20)
    for state in run:
        if state.iteration == 8:
            state.set(talus_angle=10.0)
        if state.iteration == 14:
            state.stop()
    assert run.iteration == 14 and next(run, None) is None
    # the same run in a scene file: 8 iterations with the first parameters, 6 with the new parameters
    scene = talweg.parse(
        "(version: 1, settings: (resolution: 65, size_metres: 640.0, relief_metres: 512.0), layers: [(name: \"Slide\", seed: 1, "
        "node: Thermal(iterations: 6, talus_angle: 10.0), "
        "past: [(node: Thermal(talus_angle: 25.0), iterations: 8)])])"
    )
    assert scene.evaluate(heights=heights).hash == run.terrain.hash
    kept = run.terrain
    run.step(3)
    assert run.iteration == 17 and kept.hash != run.terrain.hash, "an earlier terrain does not change"
    run.set(iterations=18)
    assert run.iterations == 18


def test_a_step_can_have_several_iterations():
    run = talweg.Thermal().start(waves(SIZE), cell_metres=10, iterations=10, every=4)
    assert [state.iteration for state in run] == [4, 8, 10]


def test_nodes_without_iterations_cannot_be_stepped():
    with pytest.raises(talweg.UsageError, match="`Blur` is not a process"):
        talweg.Blur().start(waves(SIZE), cell_metres=10)
    with pytest.raises(talweg.UsageError, match="from coarse to fine"):
        talweg.Thermal(largest_scale="Samples33").start(waves(129), cell_metres=10)
    with pytest.raises(talweg.UsageError, match="every"):
        talweg.Thermal().start(waves(SIZE), cell_metres=10, every=0)


def test_xarray_coordinates_give_the_cell_size():
    heights = waves(SIZE)
    along = 25.0 * np.arange(SIZE)
    north_up = xarray.DataArray(heights, dims=("y", "x"), coords={"y": 5000.0 - along, "x": 300.0 + along})
    plain = talweg.Thermal().run(heights, cell_metres=25, iterations=4)
    given = talweg.Thermal().run(north_up, iterations=4)
    assert given.hash == plain.hash
    south_up = north_up.isel(y=slice(None, None, -1))
    turned = talweg.Thermal().run(south_up, iterations=4)
    assert turned.hash == plain.hash
    made = turned.to_xarray(like=south_up)
    assert made.heights.y.equals(south_up.y)
    np.testing.assert_array_equal(made.heights.sortby("y", ascending=False).values, plain.heights)
    own = plain.to_xarray()
    assert float(own.x[-1]) == 25.0 * (SIZE - 1) and float(own.y[0]) == float(own.x[-1])
    assert own.attrs["talweg_hash"] == plain.hash and set(own) == {"heights", *plain.maps}
    uneven = north_up.assign_coords(x=along**1.1)
    with pytest.raises(talweg.UsageError, match="not evenly spaced"):
        talweg.Thermal().run(uneven)


def test_masked_samples_are_no_terrain():
    heights = waves(SIZE)
    gap = np.zeros((SIZE, SIZE), dtype=bool)
    gap[5:9, 20:30] = True
    masked = np.ma.masked_array(np.where(gap, -9999.0, heights), gap)
    made = talweg.Thermal(talus_angle=10.0).run(masked, cell_metres=10, iterations=8)
    np.testing.assert_array_equal(made.maps["ground"] < 0.5, gap)
    assert made.heights.min() > heights.min() - 1.0, "the values of masked samples do not change the terrain"
    other = np.ma.masked_array(np.where(gap, np.nan, heights), gap)
    assert talweg.Thermal(talus_angle=10.0).run(other, cell_metres=10, iterations=8).hash == made.hash
    scene = talweg.parse("(version: 1)")
    assert np.array_equal(scene.evaluate(heights=masked).maps["ground"] < 0.5, gap)
    assert talweg.measure(masked, 10)["min_metres"] == pytest.approx(heights[~gap].min(), abs=1e-3)
    # a mask without masked samples
    whole = np.ma.masked_array(heights, np.zeros_like(gap))
    assert talweg.Thermal().run(whole, cell_metres=10).hash == talweg.Thermal().run(heights, cell_metres=10).hash
    for wrong, text in [
        ({"heights": np.ma.masked_array(heights, True)}, "all of it is masked"),
        ({"heights": masked, "maps": {"ground": np.ones((SIZE, SIZE))}}, "masked already"),
        ({"heights": heights, "maps": {"hardness": masked}}, "a part of it is masked"),
        ({"heights": np.where(gap, np.nan, heights)}, "mask it"),
    ]:
        with pytest.raises(talweg.UsageError, match=text):
            talweg.Thermal().run(cell_metres=10, **wrong)
    with pytest.raises(talweg.UsageError, match="a planet cannot have voids"):
        talweg.load("earthlike").evaluate(heights=np.ma.masked_less(np.ones((6, 9, 9)) - np.eye(9), 0.5))


@pytest.mark.parametrize("kind", [complex, "datetime64[s]", str])
def test_values_that_are_not_real_are_refused(kind):
    with pytest.raises(talweg.UsageError, match="real numbers"):
        talweg.Thermal().run(np.zeros((SIZE, SIZE)).astype(kind), cell_metres=10)


def degrees(name_y="y", name_x="x", **attributes):
    along = np.arange(SIZE) / 3600
    coords = {name_y: (name_y, 47.0 - along, attributes), name_x: (name_x, 8.0 + along, attributes)}
    return xarray.DataArray(waves(SIZE), dims=(name_y, name_x), coords=coords)


def test_degrees_are_no_metres():
    geographic = degrees().assign_coords(spatial_ref=0)
    geographic.spatial_ref.attrs["crs_wkt"] = 'GEOGCRS["WGS 84",…]'
    for given in [degrees("lat", "lon"), degrees(units="degrees_north"), geographic]:
        with pytest.raises(talweg.UsageError, match="are degrees.*or give cell_metres"):
            talweg.Thermal().run(given)
        with pytest.raises(talweg.UsageError, match="are degrees"):
            talweg.parse("(version: 1)").evaluate(heights=given)
        assert talweg.Thermal().run(given, cell_metres=25).cell_metres == pytest.approx(25)
    with pytest.raises(talweg.UsageError, match="are in `ft`"):
        talweg.Thermal().run(degrees(units="ft"))
    kilometres = degrees(units="km").assign_coords(x=("x", 0.03 * np.arange(SIZE), {"units": "km"}))
    kilometres = kilometres.assign_coords(y=("y", -0.03 * np.arange(SIZE), {"units": "km"}))
    assert talweg.Thermal().run(kilometres).cell_metres == pytest.approx(30)


def test_xarray_arrays_can_have_any_orientation():
    along = 25.0 * np.arange(SIZE)
    heights = waves(SIZE)
    north_up = xarray.DataArray(heights, dims=("y", "x"), coords={"y": 5000.0 - along, "x": 300.0 + along})
    plain = talweg.Thermal().run(heights, cell_metres=25, iterations=4)
    turned = north_up.transpose("x", "y")
    mirrored = north_up.isel(x=slice(None, None, -1))
    for given in [north_up.expand_dims("band"), turned, mirrored, xarray.Dataset({"heights": north_up, "other": 1})]:
        made = talweg.Thermal().run(given, iterations=4)
        assert made.hash == plain.hash and made.cell_metres == pytest.approx(25)
        back = made.to_xarray(like=given)
        np.testing.assert_array_equal(back.heights.transpose("y", "x").sortby("x").values, plain.heights)
    with pytest.raises(talweg.UsageError, match="Dataset without `heights`.*`elevation`, `slope`"):
        talweg.Thermal().run(xarray.Dataset({"elevation": north_up, "slope": north_up}))
    # the no-data value of a file, and the no-data value of xarray
    for gap, attributes in [(-9999.0, {"_FillValue": -9999.0}), (np.nan, {})]:
        with_gap = north_up.copy(data=heights.copy()).assign_attrs(attributes)
        with_gap[3, 4] = gap
        made = talweg.Thermal().run(with_gap, iterations=4)
        assert made.maps["ground"][3, 4] == 0.0 and made.maps["ground"].sum() == SIZE * SIZE - 1


def test_a_terrain_can_be_pickled():
    made = talweg.Thermal(talus_angle=20.0).run(waves(SIZE), cell_metres=10, iterations=5)
    again = pickle.loads(pickle.dumps(made))
    assert again.hash == made.hash and again.mass_balance == made.mass_balance and again.scene == made.scene
    np.testing.assert_array_equal(again.heights, made.heights)
    planet = talweg.load("earthlike").evaluate(size=9)
    assert pickle.loads(pickle.dumps(planet)).hash == planet.hash
    restore, parts = made.__reduce__()
    with pytest.raises(talweg.UsageError, match="not a complete terrain"):
        restore(*parts[:3], parts[3][:-4], *parts[4:])


def test_defaults_are_short_decimal_numbers():
    for name in talweg.nodes.__all__:
        for parameter in inspect.signature(getattr(talweg, name)).parameters.values():
            if isinstance(parameter.default, float):
                assert len(repr(parameter.default)) < 14, f"{name}: {parameter}"
                assert np.float32(parameter.default) == np.float32(getattr(getattr(talweg, name)(), parameter.name))
