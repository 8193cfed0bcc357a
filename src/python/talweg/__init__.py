"""Terrain generators, filters and erosion, with the same bits as Talweg's editor and command line.

>>> import talweg
>>> terrain = talweg.load("alpine-range").set("scene.seed", 7).evaluate(size=257)
>>> terrain.heights.shape                                     # metres, rows from north to south
(257, 257)
>>> eroded = talweg.Thermal(talus_angle=33).run(terrain.heights, cell_metres=30, iterations=50)

Every node is a class with its parameters as keyword arguments; `help(talweg.Thermal)` describes them. A guide and
notebooks are in `docs/python` of Talweg's sources.
"""

from . import dask, nodes
from ._core import (
    Plan,
    Raster,
    Run,
    Scene,
    TalwegError,
    TalwegWarning,
    Terrain,
    UsageError,
    __version__,
    examples,
    load,
    map_kinds,
    measure,
    open_plan,
    palettes,
    parse,
    plan,
    read,
    scene_of_file,
)
from ._verify import verify_examples
from .nodes import *  # noqa: F403: the names come from the catalogue
from .nodes import Node

__all__ = [
    "Node",
    "Plan",
    "Raster",
    "Run",
    "Scene",
    "TalwegError",
    "TalwegWarning",
    "Terrain",
    "UsageError",
    "__version__",
    "dask",
    "examples",
    "load",
    "map_kinds",
    "measure",
    "nodes",
    "open_plan",
    "palettes",
    "parse",
    "plan",
    "read",
    "scene_of_file",
    "verify_examples",
    *nodes.__all__,
]
