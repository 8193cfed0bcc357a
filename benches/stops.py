"""Measures how soon Ctrl-C stops each node, pictures, exports, measures and tiled builds: the time from the
signal to KeyboardInterrupt, in milliseconds.

Run by `tools/wheel --stops [SAMPLES [THREADS [WORD]]]`. The defaults are 1025 SAMPLES per side and one thread. With
WORD, only work with this word in its name is measured. Every node for square terrains runs on the same terrain with its
default parameters, processes for all their iterations. The signal comes from another thread, at moments spread evenly over the
duration of the work. Work shorter than 10 ms is not interrupted. The table also shows the processor time of the program
between signal and exception, summed over all threads, which does not depend on other programs on the machine. No test
depends on these results.
"""

import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import talweg

MOMENTS = 8
# : Maximum time from the start of the work to the signal, in seconds.
LONGEST = 5.0
WANTED = 0.050
EXPORTS = ["png", "r16", "r32", "tif", "cog.tif", "exr", "asc", "glb", "obj", "ply", "stl"]
MAPS = ["slope", "curvature", "normals", "occlusion", "bands", "colours", "relief", "types", "splat", "temperature"]


def ground(samples: int) -> np.ndarray:
    return talweg.Perlin(octaves=8).run(size=samples, cell_metres=30.0, relief_metres=1000.0).heights


def seconds_of(work) -> float | None:
    """Duration of the uninterrupted work, at most LONGEST; None if a node refuses it."""
    end = threading.Timer(LONGEST, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.perf_counter()
    try:
        end.start()
        work()
    except KeyboardInterrupt:
        pass
    except talweg.TalwegError:
        return None
    finally:
        end.cancel()
    return time.perf_counter() - begun


def clocks() -> np.ndarray:
    return np.array([time.perf_counter(), time.process_time()])


def delay(work, after: float) -> np.ndarray | None:
    """Seconds from the signal to its exception, wall time and processor time; None if the work ended first."""
    pressed = []

    def press():
        pressed.append(clocks())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, press)
    try:
        timer.start()
        work()
        timer.cancel()
        # Wait for a signal that is already on its way, so that this signal does not interrupt the next measurement.
        timer.join()
        time.sleep(0.02)
    except KeyboardInterrupt:
        return clocks() - pressed[0]
    return None


def works(samples: int, threads: int, folder: Path):
    """All measured work, by name."""
    heights = ground(samples)
    for name in talweg.nodes.__all__:
        node = getattr(talweg, name)()
        yield name, lambda node=node: node.run(heights, cell_metres=30.0, threads=threads)

    scene = talweg.load("alpine-range")
    terrain = scene.evaluate(size=samples)
    side = {"width": samples, "height": samples, "threads": threads}
    yield "render", lambda: terrain.render(**side)
    yield "render to a file", lambda: terrain.render(folder / "a.png", **side)
    yield "render biomes", lambda: terrain.render(palette="biome:earth", **side)
    yield "render heights", lambda: terrain.render(style="heights", **side)
    planet = talweg.load("earthlike").evaluate(size=samples // 3)
    yield "render a planet", lambda: planet.render(**side)
    for ending in EXPORTS:
        yield f"export {ending}", lambda ending=ending: terrain.export(folder / f"a.{ending}", threads=threads)
    for name in MAPS:
        yield f"export {name}", lambda name=name: terrain.export(folder / f"{name}.png", what=name, threads=threads)
    yield "measure", lambda: terrain.measure(threads=threads)

    plan = talweg.plan(scene, folder / "plan", size=samples, tile=max(samples // 4, 64))
    for stage, about in enumerate(plan.stages):
        for tile in range(about["tasks"]):
            plan.run_tile(stage, tile)
    yield "merge", lambda: plan.merge(threads=threads)
    for ending in ["png", "r32", "tif", "cog.tif"]:
        yield f"merge {ending}", lambda ending=ending: plan.merge(folder / f"m.{ending}", threads=threads)
    yield "merge slope.png", lambda: plan.merge(folder / "s.png", what="slope", threads=threads)

    def planned():
        with tempfile.TemporaryDirectory() as other:
            talweg.plan(scene, Path(other) / "plan", size=8 * samples, tile=samples // 4)

    yield "plan", planned


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1025
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, work in works(samples, threads, Path(folder)):
            if word not in name:
                continue
            whole = seconds_of(work)
            if whole is None or whole < 0.01:
                continue
            moments = (delay(work, whole * (k + 0.5) / MOMENTS) for k in range(MOMENTS))
            delays = [moment for moment in moments if moment is not None]
            if delays:
                found.append((name, whole, 1e3 * np.array(delays)))
    found.sort(key=lambda entry: -entry[2][:, 1].max())
    every = np.concatenate([delays for *_, delays in found])
    print(f"{samples} × {samples} samples, threads: {threads}; milliseconds from Ctrl-C to KeyboardInterrupt")
    print(f"{'':24}{'':10}{'wall time':>20}{'processor time':>20}")
    print(f"{'work':24}{'takes, s':>10}" + 2 * f"{'median':>10}{'longest':>10}")
    for name, whole, delays in found:
        median, longest = np.median(delays, axis=0), delays.max(axis=0)
        print(f"{name:24}{whole:10.2f}" + "".join(f"{median[k]:10.1f}{longest[k]:10.1f}" for k in range(2)))
    within = (every <= 1e3 * WANTED).sum(axis=0)
    print(f"{len(found)} kinds of work, {len(every)} signals; within {1e3 * WANTED:.0f} ms: {within[0]} by wall time, {within[1]} by processor time")


if __name__ == "__main__":
    main()
