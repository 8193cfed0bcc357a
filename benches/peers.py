"""Compares the cost of the same work in Talweg, landlab and fastscapelib: seconds of processor time, and multiples of ours.

Run by `make bench`, or `tools/wheel --bench [SAMPLES]`; the default is 2048 SAMPLES per side. The work exists in all three:
filling depressions, flow routing and accumulation, one step of stream power with that routing, one step of creep. The
first step, which allocates memory, is not measured. Stream power is implicit in all
three; ours routes flow by D-infinity, the others by D8. Depressions drain over their spill points.
"""

import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import fastscapelib
import numpy as np
import talweg
from landlab import RasterModelGrid
from landlab.components import FastscapeEroder, FlowAccumulator, LinearDiffuser, SinkFillerBarnes

CELL = 30.0
YEARS = 1000.0
ERODIBILITY = 4.0e-6
DIFFUSIVITY = 0.01
REPEATS = 3


def seconds(work, prepare=lambda: None, repeats=REPEATS) -> float:
    """Minimum processor time of a few runs, summed over all threads, each after `prepare`."""
    best = float("inf")
    for _ in range(repeats):
        given = prepare()
        begun = time.process_time()
        work(given) if given is not None else work()
        best = min(best, time.process_time() - begun)
    return best


def ours(heights: np.ndarray) -> dict[str, float]:
    def run(node):
        return lambda: node.run(heights, cell_metres=CELL, threads=1)

    rivers = talweg.StreamPower(
        time_step=YEARS, uplift_rate=0, uplift_variation=0, erodibility=1e6 * ERODIBILITY, source_area=0, diffusivity=0, talus_angle=90
    )
    creep = talweg.Creep(time_step=YEARS, diffusivity=DIFFUSIVITY)

    def begun(node):
        def prepare():
            state = node.start(heights, cell_metres=CELL, threads=1, iterations=100)
            state.step()
            return state

        return prepare

    return {
        "fill depressions": seconds(run(talweg.FillDepressions())),
        "flow accumulation": seconds(run(talweg.FlowAccumulation(courses="Steepest"))),
        "stream power, a step": seconds(lambda state: state.step(), begun(rivers)),
        "hillslope creep, a step": seconds(lambda state: state.step(), begun(creep)),
    }


def of_landlab(heights: np.ndarray) -> dict[str, float]:
    def grid():
        made = RasterModelGrid(heights.shape, xy_spacing=CELL)
        made.add_field("topographic__elevation", heights.astype(float).ravel(), at="node")
        return made

    def filler():
        return SinkFillerBarnes(grid(), method="D8", fill_flat=True, ignore_overfill=False)

    def router(made):
        return FlowAccumulator(
            made,
            flow_director="D8",
            depression_finder="LakeMapperBarnes",
            surface="topographic__elevation",
            method="D8",
            fill_flat=False,
            fill_surface="topographic__elevation",
            redirect_flow_steepest_descent=True,
            reaccumulate_flow=True,
        )

    def accumulator():
        return router(grid())

    def eroder():
        made = grid()
        return router(made), FastscapeEroder(made, K_sp=ERODIBILITY, m_sp=0.5, n_sp=1.0)

    def erode(parts):
        flow, rivers = parts
        flow.run_one_step()
        rivers.run_one_step(YEARS)

    def diffuser():
        made = LinearDiffuser(grid(), linear_diffusivity=DIFFUSIVITY)
        made.run_one_step(YEARS)
        return made

    # Each of these programs takes minutes at 2048² samples, so each runs only once. The extra cost of a first step is
    # negligible compared with minutes.
    return {
        "fill depressions": seconds(lambda part: part.run_one_step(), filler, 1),
        "flow accumulation": seconds(lambda part: part.run_one_step(), accumulator, 1),
        "stream power, a step": seconds(erode, eroder, 1),
        "hillslope creep, a step": seconds(lambda part: part.run_one_step(YEARS), diffuser),
    }


def of_fastscapelib(heights: np.ndarray) -> dict[str, float]:
    grid = fastscapelib.RasterGrid(list(heights.shape), [CELL, CELL], fastscapelib.NodeStatus.FIXED_VALUE)
    double = heights.astype(float)
    graph = fastscapelib.FlowGraph(grid, [fastscapelib.SingleFlowRouter(), fastscapelib.MSTSinkResolver()])
    flood = fastscapelib.FlowGraph(grid, [fastscapelib.PFloodSinkResolver(), fastscapelib.SingleFlowRouter()])
    rivers = fastscapelib.SPLEroder(graph, k_coef=ERODIBILITY, area_exp=0.5, slope_exp=1.0)
    creep = fastscapelib.DiffusionADIEroder(grid, DIFFUSIVITY)

    def accumulate():
        graph.update_routes(double)
        graph.accumulate(1.0)

    def erode():
        graph.update_routes(double)
        rivers.erode(double, graph.accumulate(1.0), YEARS)

    return {
        "fill depressions": seconds(lambda: flood.update_routes(double)),
        "flow accumulation": seconds(accumulate),
        "stream power, a step": seconds(erode),
        "hillslope creep, a step": seconds(lambda: creep.erode(double, YEARS)),
    }


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
    ground = talweg.Perlin(octaves=8).run(size=samples, cell_metres=CELL, relief_metres=1000.0).heights
    mine = ours(ground)
    theirs = {"fastscapelib": of_fastscapelib(ground), "landlab": of_landlab(ground)}
    print(f"{samples} × {samples} samples, one thread, seconds of processor time")
    print(f"{'':26}{'talweg':>10}" + "".join(f"{name:>14}{'× ours':>9}" for name in theirs))
    for what, own in mine.items():
        others = "".join(f"{told[what]:14.3f}{told[what] / own:9.1f}" for told in theirs.values())
        print(f"{what:26}{own:10.3f}{others}")


if __name__ == "__main__":
    main()
