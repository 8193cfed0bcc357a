"""Physics: steady states that the laws predict, and results of landlab and fastscapelib on the same terrain."""

import fastscapelib
import numpy as np
import pytest
import talweg
from conftest import waves
from landlab import RasterModelGrid
from landlab.components import LinearDiffuser, SinkFillerBarnes

#: Only uplift, streams and creep: no variation, no landslides, no minimum area.
PLAIN = {"uplift_variation": 0, "source_area": 0, "talus_angle": 90, "sea_level": -1000}


def steepest_descent(heights: np.ndarray, cell: float) -> np.ndarray:
    """Slope to the steepest of the eight neighbours, for inner samples."""
    inner = heights[1:-1, 1:-1]
    rows, columns = heights.shape
    slopes = [
        (inner - heights[1 + down : rows - 1 + down, 1 + across : columns - 1 + across]) / (cell * np.hypot(down, across))
        for down in (-1, 0, 1)
        for across in (-1, 0, 1)
        if (down, across) != (0, 0)
    ]
    return np.max(slopes, axis=0)


@pytest.fixture(scope="module")
def range_at_rest():
    """A range of 65 × 65 samples 100 m apart that rises by 0.5 mm a year, in steady state: K = 4e-6 a year, m = 1/2, n = 1."""
    cell, years, steps = 100.0, 20_000.0, 150
    uplift, erodibility = 0.5e-3, 4e-6
    start = np.random.default_rng(1).random((65, 65)).astype(np.float32)
    start[[0, -1]] = start[:, [0, -1]] = 0
    rivers = talweg.StreamPower(
        **PLAIN, time_step=years, uplift_rate=1e3 * uplift, erodibility=1e6 * erodibility, area_exponent=0.5, diffusivity=0
    )
    made = rivers.run(start, cell_metres=cell, iterations=steps)
    return cell, years, steps, uplift, erodibility, start, made


def test_steady_streams_have_the_slope_of_the_equation(range_at_rest):
    cell, _, _, uplift, erodibility, _, made = range_at_rest
    area = made.maps["flow"][1:-1, 1:-1] * cell**2
    slope = steepest_descent(made.heights.astype(float), cell)
    # the slope S = U / K · A^-m (uplift U, erodibility K, drainage area A) holds in channels, where all water flows to
    # one cell
    channels = area > 20 * cell**2
    assert channels.sum() > 300
    ratio = (slope * np.sqrt(area) * erodibility / uplift)[channels]
    assert np.median(ratio) == pytest.approx(1.0, abs=0.03)


def test_a_steady_range_is_as_high_as_in_fastscapelib(range_at_rest):
    cell, years, steps, uplift, erodibility, start, made = range_at_rest
    grid = fastscapelib.RasterGrid(list(start.shape), [cell, cell], fastscapelib.NodeStatus.FIXED_VALUE)
    graph = fastscapelib.FlowGraph(grid, [fastscapelib.SingleFlowRouter(), fastscapelib.MSTSinkResolver()])
    rivers = fastscapelib.SPLEroder(graph, k_coef=erodibility, area_exp=0.5, slope_exp=1.0)
    heights, rising = start.astype(float), np.full(start.shape, uplift)
    rising[[0, -1]] = rising[:, [0, -1]] = 0
    for _ in range(steps):
        heights += rising * years
        graph.update_routes(heights)
        heights -= rivers.erode(heights, graph.accumulate(1.0), years)
    # the drainage networks differ, as they do for any two random terrains; the stream power equation determines the
    # mean height
    assert made.heights.mean() == pytest.approx(heights.mean(), rel=0.1)
    assert made.heights.max() == pytest.approx(heights.max(), rel=0.2)


def test_a_steady_hillslope_is_the_parabola_of_landlab():
    cell, uplift, diffusivity, size = 10.0, 0.5e-3, 0.1, 17
    years, steps = 200.0, 600
    creep = talweg.StreamPower(**PLAIN, time_step=years, uplift_rate=1e3 * uplift, erodibility=0, diffusivity=diffusivity)
    made = creep.run(np.zeros((size, size)), cell_metres=cell, iterations=steps)
    grid = RasterModelGrid((size, size), xy_spacing=cell)
    heights = grid.add_zeros("topographic__elevation", at="node")
    diffuser = LinearDiffuser(grid, linear_diffusivity=diffusivity)
    for _ in range(steps):
        heights[grid.core_nodes] += uplift * years
        diffuser.run_one_step(years)
    # the middle of a square with fixed edges: 0.0736713 · U · L² / D (Timoshenko's membrane), less 1 % for 17 samples
    side = cell * (size - 1)
    assert made.heights[size // 2, size // 2] == pytest.approx(0.0736713 * uplift * side**2 / diffusivity, rel=0.015)
    theirs = heights.reshape(size, size)
    np.testing.assert_allclose(made.heights, theirs, atol=0.02 * theirs.max())


def test_creep_without_uplift_is_the_decay_of_a_wave():
    cell, diffusivity, years, steps, size = 10.0, 0.01, 500.0, 40, 65
    # a wave whose slope is 0 half a cell beyond the edges, because no material crosses them
    side = cell * size
    along = np.pi * (np.arange(size) + 0.5) / size
    start = np.tile(50 * np.cos(along), (size, 1)).astype(np.float32)
    made = talweg.Creep(time_step=years, diffusivity=diffusivity).run(start, cell_metres=cell, iterations=steps)
    decay = np.exp(-diffusivity * (np.pi / side) ** 2 * years * steps)
    np.testing.assert_allclose(made.heights, start * decay, atol=0.005)


@pytest.mark.parametrize("size", [33, 64])
def test_filled_volumes_equal_those_of_landlab(size):
    ground = waves(size)
    filled = talweg.FillDepressions(sea_level=-1000).run(ground, cell_metres=30).heights
    grid = RasterModelGrid((size, size), xy_spacing=30.0)
    surface = grid.add_field("topographic__elevation", ground.astype(float).ravel(), at="node")
    SinkFillerBarnes(grid, surface="topographic__elevation", method="D8", fill_flat=True, ignore_overfill=False).run_one_step()
    theirs = surface.reshape(size, size)
    assert (theirs - ground).sum() > 100, "there is something to fill"
    np.testing.assert_allclose(filled, theirs, atol=1e-3)


def test_drainage_areas_equal_those_of_fastscapelib():
    size, cell = 65, 30.0
    ground = talweg.FillDepressions(sea_level=-1000, gradient=1.0).run(waves(size), cell_metres=cell).heights
    flow = talweg.FlowAccumulation(courses="Steepest", sea_level=-1000)
    mine = flow.run(ground, cell_metres=cell).maps["flow"]
    grid = fastscapelib.RasterGrid([size, size], [cell, cell], fastscapelib.NodeStatus.FIXED_VALUE)
    graph = fastscapelib.FlowGraph(grid, [fastscapelib.SingleFlowRouter(), fastscapelib.MSTSinkResolver()])
    graph.update_routes(ground.astype(float))
    theirs = graph.accumulate(1.0) / cell**2
    # both send all water to the steepest neighbour; with equal slopes, either may receive it
    assert (abs(mine - theirs) <= 1e-3 * theirs).mean() > 0.99
    edge = np.ones((size, size), bool)
    edge[1:-1, 1:-1] = False
    assert mine[edge].sum() == pytest.approx(size * size, rel=1e-5), "all water leaves over the edge"
