"""Made from the descriptions of the nodes by tests/python/node_stubs.py; do not edit."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, ClassVar, Literal, Self

from . import _core

class Node(_core.Node):
    """A generator, filter or erosion. Use its classes: `talweg.Thermal(talus_angle=33).run(heights, cell_metres=30)`."""

    description: ClassVar[dict[str, Any]]
    presets: ClassVar[dict[str, str]]
    @classmethod
    def preset(cls, name: str) -> Self:
        """A node with the parameters of a preset."""

class Perlin(Node):
    """Rolling hills to rugged mountains: the same random relief laid over itself, finer and lower each time."""

    frequency: float
    """3, from 0.1 to 256. Large features along a side. More makes the hills narrower and therefore steeper."""
    octaves: int
    """9, from 1 to 16. How often finer relief is added. Each octave costs the same time; few make smooth hills."""
    lacunarity: float
    """2, from 1 to 4. How much narrower the features of each octave are than those of the one before."""
    persistence: float
    """0.45, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Curve between lattice points."""
    amplitude: float
    """1, from -10 to 10. Height from the deepest valley to the highest peak, about, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    warp: float
    """0, from 0 to 1. How far the pattern is pushed about before it is read, in sides of the terrain. It folds hills into eddies."""
    warp_frequency: float
    """3, from 0.1 to 64. Large eddies along a side, where the pattern is pushed about."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, in sides of the terrain."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, in sides of the terrain."""
    def __init__(self, *, frequency: float = 3.0, octaves: int = 9, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.0, base: float = 0.5, warp: float = 0.0, warp_frequency: float = 3.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., warp: float = ..., warp_frequency: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Ridged(Node):
    """Sharp mountain crests with smooth valleys between them."""

    frequency: float
    """2.5, from 0.1 to 256. Large features along a side. More makes the hills narrower and therefore steeper."""
    octaves: int
    """9, from 1 to 16. How often finer relief is added. Each octave costs the same time; few make smooth hills."""
    lacunarity: float
    """2, from 1 to 4. How much narrower the features of each octave are than those of the one before."""
    persistence: float
    """0.5, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    offset: float
    """1, from 0 to 2. Height of the crests above the noise they come from. Less than 1 makes double crests with a furrow between."""
    gain: float
    """2, from 0 to 10. How much roughness gathers on the crests: at 0 only the first octave is left, large roughens the valleys too."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Curve between lattice points."""
    amplitude: float
    """1, from -10 to 10. Height from the deepest valley to the highest crest, about, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height of the deepest valleys, as a fraction of the relief."""
    warp: float
    """0, from 0 to 1. How far the pattern is pushed about before it is read, in sides of the terrain. It folds hills into eddies."""
    warp_frequency: float
    """3, from 0.1 to 64. Large eddies along a side, where the pattern is pushed about."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, in sides of the terrain."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, in sides of the terrain."""
    def __init__(self, *, frequency: float = 2.5, octaves: int = 9, lacunarity: float = 2.0, persistence: float = 0.5, offset: float = 1.0, gain: float = 2.0, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.0, base: float = 0.0, warp: float = 0.0, warp_frequency: float = 3.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., offset: float = ..., gain: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., warp: float = ..., warp_frequency: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Billow(Node):
    """Round, swelling hills with sharp creases between them."""

    frequency: float
    """4, from 0.1 to 256. Large features along a side. More makes the hills narrower and therefore steeper."""
    octaves: int
    """8, from 1 to 16. How often finer relief is added. Each octave costs the same time; few make smooth hills."""
    lacunarity: float
    """2, from 1 to 4. How much narrower the features of each octave are than those of the one before."""
    persistence: float
    """0.45, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Curve between lattice points."""
    amplitude: float
    """1, from -10 to 10. Height from the creases to the highest hill, about, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height of the deepest creases, as a fraction of the relief."""
    warp: float
    """0, from 0 to 1. How far the pattern is pushed about before it is read, in sides of the terrain. It folds hills into eddies."""
    warp_frequency: float
    """3, from 0.1 to 64. Large eddies along a side, where the pattern is pushed about."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, in sides of the terrain."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, in sides of the terrain."""
    def __init__(self, *, frequency: float = 4.0, octaves: int = 8, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.0, base: float = 0.0, warp: float = 0.0, warp_frequency: float = 3.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., warp: float = ..., warp_frequency: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Hybrid(Node):
    """Plains with smooth valleys that grow into rugged mountains."""

    frequency: float
    """4, from 0.1 to 256. Large features along a side. More makes the hills narrower and therefore steeper."""
    octaves: int
    """8, from 1 to 16. How often finer relief is added. Each octave costs the same time; few make smooth hills."""
    lacunarity: float
    """2, from 1 to 4. How much narrower the features of each octave are than those of the one before."""
    persistence: float
    """0.45, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    offset: float
    """0.7, from 0 to 2. Lifts the noise before the octaves are weighed. Small makes wide plains, large makes everything rugged."""
    gain: float
    """1, from 0 to 10. How soon roughness gathers above the plains: at 0 only the first octave is left."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Curve between lattice points."""
    amplitude: float
    """1.25, from -10 to 10. Height from the plains to a peak that no terrain quite reaches, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height of the lowest plains, about, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, in sides of the terrain."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, in sides of the terrain."""
    def __init__(self, *, frequency: float = 4.0, octaves: int = 8, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, offset: float = 0.699999988079071, gain: float = 1.0, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.25, base: float = 0.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., offset: float = ..., gain: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Simplex(Node):
    """Rolling hills to rugged mountains, like Perlin noise, on triangles instead of squares."""

    frequency: float
    """4, from 0.1 to 256. Large features along a side. More makes the hills narrower and therefore steeper."""
    octaves: int
    """8, from 1 to 16. How often finer relief is added. Each octave costs the same time; few make smooth hills."""
    lacunarity: float
    """2, from 1 to 4. How much narrower the features of each octave are than those of the one before."""
    persistence: float
    """0.45, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    amplitude: float
    """1, from -10 to 10. Height from the deepest valley to the highest peak, about, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, in sides of the terrain."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, in sides of the terrain."""
    def __init__(self, *, frequency: float = 4.0, octaves: int = 8, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, amplitude: float = 1.0, base: float = 0.5, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class ValueNoise(Node):
    """Blocky hills: random heights on a lattice, joined smoothly, laid over themselves finer and lower each time."""

    frequency: float
    """4, from 0.1 to 256. Large features along a side. More makes the hills narrower and therefore steeper."""
    octaves: int
    """8, from 1 to 16. How often finer relief is added. Each octave costs the same time; few make smooth hills."""
    lacunarity: float
    """2, from 1 to 4. How much narrower the features of each octave are than those of the one before."""
    persistence: float
    """0.45, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Curve between lattice points."""
    amplitude: float
    """1, from -10 to 10. Height from the deepest valley to the highest peak, about, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, in sides of the terrain."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, in sides of the terrain."""
    def __init__(self, *, frequency: float = 4.0, octaves: int = 8, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.0, base: float = 0.5, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Spectral(Node):
    """Tables of random heights laid over each other, finer and lower each time."""

    frequency: int
    """4, from 1 to 256. Random values along a side of the first table."""
    layers: int
    """8, from 1 to 16. Number of tables. Each costs the same time."""
    step: float
    """2, from 1 to 4. How many times finer each table is than the one before."""
    persistence: float
    """0.5, from 0 to 1. How high each table is beside the one before. Small is smooth, large is jagged."""
    interpolation: Literal["Linear", "Smoothstep", "Cubic"]
    """Cubic; one of Linear, Smoothstep, Cubic. How the values of a table are joined."""
    amplitude: float
    """1, from -10 to 10. Height from the deepest valley to the highest peak, about, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    def __init__(self, *, frequency: int = 4, layers: int = 8, step: float = 2.0, persistence: float = 0.5, interpolation: Literal["Linear", "Smoothstep", "Cubic"] = "Cubic", amplitude: float = 1.0, base: float = 0.5) -> None: ...
    def set(self, *, frequency: int = ..., layers: int = ..., step: float = ..., persistence: float = ..., interpolation: Literal["Linear", "Smoothstep", "Cubic"] = ..., amplitude: float = ..., base: float = ...) -> None: ...

class NoiseLibrary(Node):
    """Super simplex and open simplex noise, surflets, rings and checks from the package `noise`, alone or combined, and pushed about by turbulence."""

    function: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"]
    """SuperSimplex; one of SuperSimplex, OpenSimplex, Surflets, Cylinders, Checkerboard. What is laid over itself."""
    frequency: float
    """4, from 0.1 to 256. Large features along a side. More makes the hills narrower and therefore steeper."""
    octaves: int
    """6, from 1 to 16. How often finer relief is added. Each octave costs the same time; few make smooth hills."""
    lacunarity: float
    """2, from 1 to 4. How much narrower the features of each octave are than those of the one before."""
    persistence: float
    """0.45, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    combine: Literal["Single", "Sum", "Product", "Lowest", "Highest"]
    """Single; one of Single, Sum, Product, Lowest, Highest. Whether a second function joins the first in every octave."""
    second: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"]
    """Cylinders; one of SuperSimplex, OpenSimplex, Surflets, Cylinders, Checkerboard. The second function."""
    second_ratio: float
    """1, from 0.1 to 10. How many features of the second function there are for one of the first."""
    turbulence: float
    """0, from 0 to 1. How far the pattern is pushed about before it is read, in sides of the terrain."""
    turbulence_frequency: float
    """3, from 0.1 to 64. Large eddies along a side, where the pattern is pushed about."""
    amplitude: float
    """1, from -10 to 10. Height from the deepest valley to the highest peak, about, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, in sides of the terrain."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, in sides of the terrain."""
    def __init__(self, *, function: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"] = "SuperSimplex", frequency: float = 4.0, octaves: int = 6, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, combine: Literal["Single", "Sum", "Product", "Lowest", "Highest"] = "Single", second: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"] = "Cylinders", second_ratio: float = 1.0, turbulence: float = 0.0, turbulence_frequency: float = 3.0, amplitude: float = 1.0, base: float = 0.5, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, function: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"] = ..., frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., combine: Literal["Single", "Sum", "Product", "Lowest", "Highest"] = ..., second: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"] = ..., second_ratio: float = ..., turbulence: float = ..., turbulence_frequency: float = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class DiamondSquare(Node):
    """Rough terrain from squares that are halved again and again, each midpoint moved at random."""

    smoothness: float
    """0.85, from 0.01 to 1. How smooth small features are: near 0 every sample stands alone, at 1 the ground rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Smoothness; one of Smoothness, Halving. How the displacement falls from level to level."""
    sides: Literal["Corners", "Diamond"]
    """Diamond; one of Corners, Diamond. What the middle of a side is the mean of."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. How the random displacement is distributed."""
    smoothing: float
    """0, from 0 to 1. How far each level is displaced and averaged as a whole. Above 0 the creases along the squares go."""
    smoothed: Literal["Levels", "Finished"]
    """Levels; one of Levels, Finished. What is smoothed."""
    levels_shown: int
    """14, from 0 to 14. How often squares are halved at the most. Few show how the terrain begins: 0 has its corners alone."""
    amplitude: float
    """0.5, from -10 to 10. Largest displacement of the first midpoint at smoothness 1, as a fraction of the relief."""
    corners: float
    """0.35, from -10 to 10. Mean height of the four corners to begin with, as a fraction of the relief."""
    corner_spread: float
    """0.2, from 0 to 10. How far each corner may lie above or below that, as a fraction of the relief."""
    centre_lift: float
    """0.15, from -10 to 10. Lifts the first centre, as a fraction of the relief: above 0 makes a mountain in the middle, below 0 a basin."""
    def __init__(self, *, smoothness: float = 0.8500000238418579, schedule: Literal["Smoothness", "Halving"] = "Smoothness", sides: Literal["Corners", "Diamond"] = "Diamond", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", smoothing: float = 0.0, smoothed: Literal["Levels", "Finished"] = "Levels", levels_shown: int = 14, amplitude: float = 0.5, corners: float = 0.3499999940395355, corner_spread: float = 0.20000000298023224, centre_lift: float = 0.15000000596046448) -> None: ...
    def set(self, *, smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., sides: Literal["Corners", "Diamond"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., smoothing: float = ..., smoothed: Literal["Levels", "Finished"] = ..., levels_shown: int = ..., amplitude: float = ..., corners: float = ..., corner_spread: float = ..., centre_lift: float = ...) -> None: ...

class Triangular(Node):
    """Rough terrain from triangles that are split in four again and again, each midpoint moved at random."""

    layout: Literal["Square", "Triangle"]
    """Square; one of Square, Triangle. What is split: the whole terrain, or one triangle in it."""
    smoothness: float
    """0.85, from 0.01 to 1. How smooth small features are: near 0 every sample stands alone, at 1 the ground rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Smoothness; one of Smoothness, Halving. How the displacement falls from level to level."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. How the random displacement is distributed."""
    amplitude: float
    """0.5, from -10 to 10. Largest displacement of the first midpoints at smoothness 1, as a fraction of the relief."""
    corners: float
    """0.4, from -10 to 10. Mean height of the four corners to begin with, as a fraction of the relief."""
    corner_spread: float
    """0.25, from 0 to 10. How far each corner may lie above or below that, as a fraction of the relief."""
    levels_shown: int
    """14, from 0 to 14. How often triangles are split at the most. Few show how the terrain begins: 0 has its corners alone."""
    def __init__(self, *, layout: Literal["Square", "Triangle"] = "Square", smoothness: float = 0.8500000238418579, schedule: Literal["Smoothness", "Halving"] = "Smoothness", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", amplitude: float = 0.5, corners: float = 0.4000000059604645, corner_spread: float = 0.25, levels_shown: int = 14) -> None: ...
    def set(self, *, layout: Literal["Square", "Triangle"] = ..., smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., amplitude: float = ..., corners: float = ..., corner_spread: float = ..., levels_shown: int = ...) -> None: ...

class SquigRiver(Node):
    """Rough terrain grown together with its rivers, which wind from edge to edge, join and fork."""

    layout: Literal["Square", "Triangle"]
    """Square; one of Square, Triangle. What is split: the whole terrain, or one triangle in it, which rivers cross from its left side to its base."""
    entry: Literal["North", "East", "South", "West"]
    """North; one of North, East, South, West. Edge of the terrain where rivers come in. The place on it is random."""
    exit: Literal["North", "East", "South", "West"]
    """South; one of North, East, South, West. Edge of the terrain where rivers leave. The place on it is random."""
    rivers: int
    """1, from 1 to 8. Number of rivers. Where two meet they go on as one."""
    tributaries: int
    """4, from 0 to 16. Number of smaller rivers that flow into them."""
    forks: int
    """1, from 0 to 8. Number of branches that leave a river and come back, or find their own way out. One that finds no room is left out."""
    detail: int
    """6, from 3 to 8. How often the courses are split: few are straight, many wind in small bends."""
    source_height: float
    """0.32, from -10 to 10. Level of the water where rivers come in, as a fraction of the relief."""
    drop: float
    """0.15, from 0 to 10. How much lower it is where they leave, as a fraction of the relief."""
    cascades: float
    """0.35, from 0 to 1. Share of the drop that lies in cascades: none is a gentle river, all is still water between waterfalls."""
    steps: int
    """6, from 1 to 64. Number of cascades along a river."""
    banks: Literal["Symmetric", "AsInPaper"]
    """Symmetric; one of Symmetric, AsInPaper. How the ground meets the water."""
    width: float
    """60 m, from 0.1 to 5000. Width of the water; where it grows on its way, that at the mouth."""
    widths: Literal["Even", "Downstream"]
    """Even; one of Even, Downstream. How the width changes on the way."""
    source_width: float
    """0.4, from 0 to 0.95. Width of a river where it enters, as a share of that at its mouth."""
    depth: float
    """8 m, from 0 to 1000. Depth of the water in the middle."""
    valley: Literal["Vee", "Floodplain", "Gorge"]
    """Vee; one of Vee, Floodplain, Gorge. Profile of the valley's sides."""
    valley_width: float
    """700 m, from 0 to 100000. Width of each side of the valley; the ground beyond does not know of the river."""
    smoothness: float
    """0.85, from 0.01 to 1. How smooth small features are: near 0 every sample stands alone, at 1 the ground rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Smoothness; one of Smoothness, Halving. How the displacement falls from level to level."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. How the random displacement is distributed."""
    amplitude: float
    """0.5, from -10 to 10. Largest displacement of the first midpoints at smoothness 1, as a fraction of the relief."""
    corners: float
    """0.42, from -10 to 10. Mean height of the four corners to begin with, as a fraction of the relief."""
    corner_spread: float
    """0.2, from 0 to 10. How far each corner may lie above or below that, as a fraction of the relief."""
    levels_shown: int
    """14, from 1 to 14. How often triangles and courses are split at the most. Few show how ground and rivers begin."""
    def __init__(self, *, layout: Literal["Square", "Triangle"] = "Square", entry: Literal["North", "East", "South", "West"] = "North", exit: Literal["North", "East", "South", "West"] = "South", rivers: int = 1, tributaries: int = 4, forks: int = 1, detail: int = 6, source_height: float = 0.3199999928474426, drop: float = 0.15000000596046448, cascades: float = 0.3499999940395355, steps: int = 6, banks: Literal["Symmetric", "AsInPaper"] = "Symmetric", width: float = 60.0, widths: Literal["Even", "Downstream"] = "Even", source_width: float = 0.4000000059604645, depth: float = 8.0, valley: Literal["Vee", "Floodplain", "Gorge"] = "Vee", valley_width: float = 700.0, smoothness: float = 0.8500000238418579, schedule: Literal["Smoothness", "Halving"] = "Smoothness", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", amplitude: float = 0.5, corners: float = 0.41999998688697815, corner_spread: float = 0.20000000298023224, levels_shown: int = 14) -> None: ...
    def set(self, *, layout: Literal["Square", "Triangle"] = ..., entry: Literal["North", "East", "South", "West"] = ..., exit: Literal["North", "East", "South", "West"] = ..., rivers: int = ..., tributaries: int = ..., forks: int = ..., detail: int = ..., source_height: float = ..., drop: float = ..., cascades: float = ..., steps: int = ..., banks: Literal["Symmetric", "AsInPaper"] = ..., width: float = ..., widths: Literal["Even", "Downstream"] = ..., source_width: float = ..., depth: float = ..., valley: Literal["Vee", "Floodplain", "Gorge"] = ..., valley_width: float = ..., smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., amplitude: float = ..., corners: float = ..., corner_spread: float = ..., levels_shown: int = ...) -> None: ...

class Stamp(Node):
    """Cones, bells or images raised and sunk at random, large ones first, then four times as many of half the size."""

    profile: Literal["Cone", "Bell", "Pictures", "Mixed"]
    """Cone; one of Cone, Bell, Pictures, Mixed. Shape of the stamp."""
    cones: float
    """1, from 0 to 1. How often a stamp is a cone, beside the other weights. Where all are 0, nothing is stamped."""
    bells: float
    """1, from 0 to 1. How often a stamp is a bell."""
    images: float
    """1, from 0 to 1. How often a stamp is one of the images."""
    depth: Literal["Samples", "Metres"]
    """Samples; one of Samples, Metres. How the smallest stamps are told."""
    smallest_metres: float
    """15 m, from 0.01 to 1e+06. Diameter of the smallest stamps: no level goes below it."""
    levels_shown: int
    """14, from 1 to 14. How many levels are stamped, the largest first. Fewer show how the terrain grows."""
    falloff: float
    """1, from 0 to 4. How much flatter each level is than the one before: at 0 all are as high, at 1 slopes stay alike."""
    amplitude: float
    """0.45, from -10 to 10. Height of the first stamp, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Height of the ground that is stamped, as a fraction of the relief."""
    sunk: float
    """0.5, from 0 to 1. Share of the stamps that sink the ground; the others raise it."""
    rotation: Literal["Any", "Quarters", "Unturned"]
    """Any; one of Any, Quarters, Unturned. How images are turned before they are pressed."""
    picture_1: str | PathLike[str]
    """'stamp:mountain'. Image of a stamp: the disc within it is used, and what its rim shows counts as level ground."""
    picture_2: str | PathLike[str]
    """''. Another image."""
    picture_3: str | PathLike[str]
    """''. Another image."""
    picture_4: str | PathLike[str]
    """''. Another image."""
    def __init__(self, *, profile: Literal["Cone", "Bell", "Pictures", "Mixed"] = "Cone", cones: float = 1.0, bells: float = 1.0, images: float = 1.0, depth: Literal["Samples", "Metres"] = "Samples", smallest_metres: float = 15.0, levels_shown: int = 14, falloff: float = 1.0, amplitude: float = 0.44999998807907104, base: float = 0.5, sunk: float = 0.5, rotation: Literal["Any", "Quarters", "Unturned"] = "Any", picture_1: str | PathLike[str] = ..., picture_2: str | PathLike[str] = ..., picture_3: str | PathLike[str] = ..., picture_4: str | PathLike[str] = ...) -> None: ...
    def set(self, *, profile: Literal["Cone", "Bell", "Pictures", "Mixed"] = ..., cones: float = ..., bells: float = ..., images: float = ..., depth: Literal["Samples", "Metres"] = ..., smallest_metres: float = ..., levels_shown: int = ..., falloff: float = ..., amplitude: float = ..., base: float = ..., sunk: float = ..., rotation: Literal["Any", "Quarters", "Unturned"] = ..., picture_1: str | PathLike[str] = ..., picture_2: str | PathLike[str] = ..., picture_3: str | PathLike[str] = ..., picture_4: str | PathLike[str] = ...) -> None: ...

class Fault(Node):
    """Rough country broken along many straight lines, one side of each lifted."""

    faults: int
    """400, from 1 to 5000. Number of faults. More make finer ground; each costs the same time."""
    last: float
    """0.15, from 0 to 1. How high the step of the last fault is beside that of the first."""
    width: float
    """0.02, from 0 to 0.25. Width of the slope on either side of a fault, in sides of the terrain: 0 makes cliffs."""
    amplitude: float
    """1, from -10 to 10. Height from the deepest place to the highest, about, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    def __init__(self, *, faults: int = 400, last: float = 0.15000000596046448, width: float = 0.019999999552965164, amplitude: float = 1.0, base: float = 0.5) -> None: ...
    def set(self, *, faults: int = ..., last: float = ..., width: float = ..., amplitude: float = ..., base: float = ...) -> None: ...

class Circles(Node):
    """Soft, rolling ground of many round bumps."""

    circles: int
    """400, from 1 to 5000. Number of bumps."""
    radius: float
    """0.15, from 0.001 to 1. Radius of the largest bumps, in sides of the terrain."""
    smallest: float
    """0.2, from 0 to 1. Radius of the smallest bumps beside the largest."""
    pits: float
    """0.5, from 0 to 1. Share of the circles that are pits instead of bumps."""
    amplitude: float
    """1, from -10 to 10. Height from the deepest place to the highest, about, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Height of the ground that the bumps stand on, as a fraction of the relief."""
    def __init__(self, *, circles: int = 400, radius: float = 0.15000000596046448, smallest: float = 0.20000000298023224, pits: float = 0.5, amplitude: float = 1.0, base: float = 0.5) -> None: ...
    def set(self, *, circles: int = ..., radius: float = ..., smallest: float = ..., pits: float = ..., amplitude: float = ..., base: float = ...) -> None: ...

class Voronoi(Node):
    """Mountains, cells or cones around scattered points."""

    points: int
    """40, from 1 to 65536. Number of feature points. Each makes one mountain; more make them smaller."""
    scatter: Literal["Random", "Lattice"]
    """Lattice; one of Random, Lattice. How the points are scattered."""
    jitter: float
    """0.85, from 0 to 1. How far points of the lattice stand from the centres of their cells: 0 is a regular pattern."""
    metric: Literal["Euclidean", "Squared"]
    """Euclidean; one of Euclidean, Squared. How distance is measured."""
    c1: float
    """-1, from -10 to 10. Weight of the distance to the nearest point. Below 0 the points are peaks, above 0 they are pits."""
    c2: float
    """1, from -10 to 10. Weight of the distance to the second nearest point. Opposite to the first it makes edged ridges."""
    c3: float
    """0, from -10 to 10. Weight of the distance to the third nearest point."""
    c4: float
    """0, from -10 to 10. Weight of the distance to the fourth nearest point."""
    c5: float
    """0, from -10 to 10. Weight of the distance to the fifth nearest point. The farther the point, the rounder what it adds."""
    c6: float
    """0, from -10 to 10. Weight of the distance to the sixth nearest point."""
    c7: float
    """0, from -10 to 10. Weight of the distance to the seventh nearest point."""
    c8: float
    """0, from -10 to 10. Weight of the distance to the eighth nearest point."""
    rim: Literal["Ends", "GoesOn"]
    """Ends; one of Ends, GoesOn. What points there are beyond open edges. Wrapping terrains and planets have no edges."""
    regions: Literal["Alike", "Uniform", "TwoValued"]
    """Alike; one of Alike, Uniform, TwoValued. What each region around a point is multiplied by. Sunk regions leave wide passages between the others."""
    kept: float
    """0.6, from 0 to 1. Share of the regions that are kept, where some are sunk."""
    amplitude: float
    """0.75, from -10 to 10. Height of the result, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height where the weighted sum is 0, as a fraction of the relief."""
    def __init__(self, *, points: int = 40, scatter: Literal["Random", "Lattice"] = "Lattice", jitter: float = 0.8500000238418579, metric: Literal["Euclidean", "Squared"] = "Euclidean", c1: float = -1.0, c2: float = 1.0, c3: float = 0.0, c4: float = 0.0, c5: float = 0.0, c6: float = 0.0, c7: float = 0.0, c8: float = 0.0, rim: Literal["Ends", "GoesOn"] = "Ends", regions: Literal["Alike", "Uniform", "TwoValued"] = "Alike", kept: float = 0.6000000238418579, amplitude: float = 0.75, base: float = 0.0) -> None: ...
    def set(self, *, points: int = ..., scatter: Literal["Random", "Lattice"] = ..., jitter: float = ..., metric: Literal["Euclidean", "Squared"] = ..., c1: float = ..., c2: float = ..., c3: float = ..., c4: float = ..., c5: float = ..., c6: float = ..., c7: float = ..., c8: float = ..., rim: Literal["Ends", "GoesOn"] = ..., regions: Literal["Alike", "Uniform", "TwoValued"] = ..., kept: float = ..., amplitude: float = ..., base: float = ...) -> None: ...

class VoronoiMidpoint(Node):
    """Mountain ranges between scattered points, with rough fractal slopes."""

    points: int
    """24, from 1 to 65536. Number of feature points. Each makes one mountain; more make them smaller."""
    scatter: Literal["Random", "Lattice"]
    """Random; one of Random, Lattice. How the points are scattered."""
    jitter: float
    """0.85, from 0 to 1. How far points of the lattice stand from the centres of their cells: 0 is a regular pattern."""
    metric: Literal["Euclidean", "Squared"]
    """Euclidean; one of Euclidean, Squared. How distance is measured."""
    c1: float
    """-1, from -10 to 10. Weight of the distance to the nearest point. Below 0 the points are peaks, above 0 they are pits."""
    c2: float
    """1, from -10 to 10. Weight of the distance to the second nearest point. Opposite to the first it makes edged ridges."""
    rim: Literal["Ends", "GoesOn"]
    """Ends; one of Ends, GoesOn. What points there are beyond open edges. Wrapping terrains have no edges."""
    regions: Literal["Alike", "Uniform", "TwoValued"]
    """Alike; one of Alike, Uniform, TwoValued. What each region around a point is multiplied by. Sunk regions leave wide passages between the others."""
    kept: float
    """0.6, from 0 to 1. Share of the regions that are kept, where some are sunk."""
    relief: float
    """0.6, from -10 to 10. Height of the cells, as a fraction of the relief."""
    base: float
    """0.1, from -10 to 10. Height where the weighted sum is 0, as a fraction of the relief."""
    coarse_levels: int
    """4, from 0 to 8. How often the terrain is halved before fractal squares take over. Few leave little of the cells."""
    smoothness: float
    """0.85, from 0.01 to 1. How smooth small features are: near 0 every sample stands alone, at 1 the ground rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Smoothness; one of Smoothness, Halving. How the displacement falls from level to level."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. How the random displacement is distributed."""
    roughness: float
    """0.06, from 0 to 10. Largest displacement of the first fractal midpoint at smoothness 1, as a fraction of the relief."""
    def __init__(self, *, points: int = 24, scatter: Literal["Random", "Lattice"] = "Random", jitter: float = 0.8500000238418579, metric: Literal["Euclidean", "Squared"] = "Euclidean", c1: float = -1.0, c2: float = 1.0, rim: Literal["Ends", "GoesOn"] = "Ends", regions: Literal["Alike", "Uniform", "TwoValued"] = "Alike", kept: float = 0.6000000238418579, relief: float = 0.6000000238418579, base: float = 0.10000000149011612, coarse_levels: int = 4, smoothness: float = 0.8500000238418579, schedule: Literal["Smoothness", "Halving"] = "Smoothness", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", roughness: float = 0.05999999865889549) -> None: ...
    def set(self, *, points: int = ..., scatter: Literal["Random", "Lattice"] = ..., jitter: float = ..., metric: Literal["Euclidean", "Squared"] = ..., c1: float = ..., c2: float = ..., rim: Literal["Ends", "GoesOn"] = ..., regions: Literal["Alike", "Uniform", "TwoValued"] = ..., kept: float = ..., relief: float = ..., base: float = ..., coarse_levels: int = ..., smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., roughness: float = ...) -> None: ...

class Cellular(Node):
    """Cells laid over themselves, finer and lower each time: scales, cracks, pitted or peaked ground."""

    frequency: float
    """5, from 0.1 to 256. Cells of the first octave along a side. More makes them smaller."""
    octaves: int
    """4, from 1 to 16. How often finer relief is added. Each octave costs the same time; few make smooth hills."""
    feature: Literal["Nearest", "Second", "Difference"]
    """Difference; one of Nearest, Second, Difference. Which distance is the height."""
    jitter: float
    """1, from 0 to 1. How far points stand from the centres of their cells: 0 is a regular pattern."""
    lacunarity: float
    """2, from 1 to 4. How much narrower the features of each octave are than those of the one before."""
    persistence: float
    """0.45, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    amplitude: float
    """1, from -10 to 10. Height one cell of distance stands for, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height where the distance is 0, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, in sides of the terrain."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, in sides of the terrain."""
    def __init__(self, *, frequency: float = 5.0, octaves: int = 4, feature: Literal["Nearest", "Second", "Difference"] = "Difference", jitter: float = 1.0, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, amplitude: float = 1.0, base: float = 0.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., feature: Literal["Nearest", "Second", "Difference"] = ..., jitter: float = ..., lacunarity: float = ..., persistence: float = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Shape(Node):
    """One plain landform: plane, ramp, cone, dome, crater, ridge or island."""

    form: Literal["Plane", "Ramp", "Cone", "Dome", "Crater", "Ridge", "Island"]
    """Cone; one of Plane, Ramp, Cone, Dome, Crater, Ridge, Island. What stands on the terrain."""
    centre_x: float
    """0.5, from -10 to 10. Where the centre lies, from the west edge to the east."""
    centre_y: float
    """0.5, from -10 to 10. Where the centre lies, from the north edge to the south."""
    radius: float
    """0.4, from 0.001 to 10. Distance from the centre to the foot, in sides of the terrain."""
    height: float
    """0.8, from -10 to 10. Height above the ground around it, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height of the ground, as a fraction of the relief."""
    rotation_angle: float
    """0 °, from -360 to 360. Which way a ramp rises and a ridge runs: 0 is east, 90 is south."""
    length: float
    """0.6, from 0 to 10. Length of the crest of a ridge, in sides of the terrain."""
    def __init__(self, *, form: Literal["Plane", "Ramp", "Cone", "Dome", "Crater", "Ridge", "Island"] = "Cone", centre_x: float = 0.5, centre_y: float = 0.5, radius: float = 0.4000000059604645, height: float = 0.800000011920929, base: float = 0.0, rotation_angle: float = 0.0, length: float = 0.6000000238418579) -> None: ...
    def set(self, *, form: Literal["Plane", "Ramp", "Cone", "Dome", "Crater", "Ridge", "Island"] = ..., centre_x: float = ..., centre_y: float = ..., radius: float = ..., height: float = ..., base: float = ..., rotation_angle: float = ..., length: float = ...) -> None: ...

class Construction(Node):
    """Terrain built from features: mountains, rivers, roads, craters and lakes, each placed, shaped and combined by hand."""

    tree: str
    """as scene files have it. The features and how they are combined."""
    detail: float
    """1, from 0 to 1. How much detail the features show, from their plain forms alone to everything."""
    cut_out: bool
    """False. Leaves out the ground around the features, so that they stand alone. Without it the ground there is level."""
    def __init__(self, *, tree: str = ..., detail: float = 1.0, cut_out: bool = False) -> None: ...
    def set(self, *, tree: str = ..., detail: float = ..., cut_out: bool = ...) -> None: ...

class Import(Node):
    """Heights from a file: PNG, TIFF and GeoTIFF, OpenEXR, SRTM tiles, ESRI ASCII grids, raw numbers, or a mesh (GLB, OBJ, PLY, STL) seen from above. Use 16 bits or more, 8 bits give steps."""

    file: str | PathLike[str]
    """''. The file. A raw file (.r16, .raw, .r32) does not say how wide it is."""
    heights: Literal["File", "Given"]
    """File; one of File, Given. Which heights black and white stand for."""
    low_metres: float
    """0 m, from -100000 to 100000. Height that black stands for."""
    high_metres: float
    """1800 m, from -100000 to 100000. Height that white stands for."""
    fit: Literal["Stretch", "Crop", "Whole"]
    """Stretch; one of Stretch, Crop, Whole. How a file that is not square covers the terrain."""
    sampling: Literal["Bicubic", "Bilinear"]
    """Bicubic; one of Bicubic, Bilinear. How heights between the samples of the file are found."""
    voids: Literal["Smooth", "Lowest", "Sea", "Void"]
    """Smooth; one of Smooth, Lowest, Sea, Void. What becomes of places where the file has no data."""
    raw_width: int
    """0 samples, from 0 to 65536. Samples of a row of a raw file; 0 where it is square."""
    raw_bytes: Literal["Little", "Big"]
    """Little; one of Little, Big. The order of the bytes of a number in a raw file."""
    raw_rows: Literal["North", "South"]
    """North; one of North, South. Where the first row of a raw file lies."""
    def __init__(self, *, file: str | PathLike[str] = ..., heights: Literal["File", "Given"] = "File", low_metres: float = 0.0, high_metres: float = 1800.0, fit: Literal["Stretch", "Crop", "Whole"] = "Stretch", sampling: Literal["Bicubic", "Bilinear"] = "Bicubic", voids: Literal["Smooth", "Lowest", "Sea", "Void"] = "Smooth", raw_width: int = 0, raw_bytes: Literal["Little", "Big"] = "Little", raw_rows: Literal["North", "South"] = "North") -> None: ...
    def set(self, *, file: str | PathLike[str] = ..., heights: Literal["File", "Given"] = ..., low_metres: float = ..., high_metres: float = ..., fit: Literal["Stretch", "Crop", "Whole"] = ..., sampling: Literal["Bicubic", "Bilinear"] = ..., voids: Literal["Smooth", "Lowest", "Sea", "Void"] = ..., raw_width: int = ..., raw_bytes: Literal["Little", "Big"] = ..., raw_rows: Literal["North", "South"] = ...) -> None: ...

class Sculpt(Node):
    """Ground shaped by hand: raise, lower, smooth, flatten, stamp, smear and erode it with a brush. Strokes stay strokes: each can be changed, moved in the list or taken out later, at any resolution."""

    strokes: str
    """as scene files have it. The strokes, in the order in which they act."""
    def __init__(self, *, strokes: str = ...) -> None: ...
    def set(self, *, strokes: str = ...) -> None: ...

class Continents(Node):
    """Continents with shelves, broken coasts and deep ocean floors between them."""

    form: Literal["Plates", "Product", "Cells"]
    """Plates; one of Plates, Product, Cells. How relief and plates are joined."""
    plates: int
    """24, from 4 to 2000. Number of plates. Few make one or two large continents, many make archipelagos."""
    first: float
    """-1, from -10 to 10. How much the distance to the nearest centre counts."""
    second: float
    """-2, from -10 to 10. How much the distance to the second nearest centre counts."""
    third: float
    """1.5, from -10 to 10. How much the distance to the third nearest centre counts."""
    land: float
    """0.35, from 0 to 1. Share of the globe that continents cover."""
    roughness: float
    """0.7, from 0 to 2. How broken the coasts are."""
    drift: float
    """0.6, from 0 to 4. How freely lands join over the borders of plates: 0 leaves one round land on every plate."""
    mountains: float
    """0.35, from 0 to 10. Height of the ranges where plates meet on land, as a fraction of the relief of the scene."""
    frequency: float
    """3, from 0.1 to 256. Large features of the relief along a quarter of the way around."""
    octaves: int
    """8, from 1 to 16. How often finer relief is added. Each octave costs the same time."""
    persistence: float
    """0.5, from 0 to 1. How high each octave is beside the one before. Small is smooth, large is jagged."""
    amplitude: float
    """0.17, from -10 to 10. Height of the relief on the continents, as a fraction of the relief of the scene."""
    depth: float
    """0.35, from 0 to 10. Depth of the ocean floor below the continents, as a fraction of the relief of the scene."""
    base: float
    """0, from -10 to 10. Height of the coast, as a fraction of the relief of the scene."""
    follow_air: bool
    """True. Lets continents fade where the planet's air is thin, so that craters rule the ground."""
    def __init__(self, *, form: Literal["Plates", "Product", "Cells"] = "Plates", plates: int = 24, first: float = -1.0, second: float = -2.0, third: float = 1.5, land: float = 0.3499999940395355, roughness: float = 0.699999988079071, drift: float = 0.6000000238418579, mountains: float = 0.3499999940395355, frequency: float = 3.0, octaves: int = 8, persistence: float = 0.5, amplitude: float = 0.17000000178813934, depth: float = 0.3499999940395355, base: float = 0.0, follow_air: bool = True) -> None: ...
    def set(self, *, form: Literal["Plates", "Product", "Cells"] = ..., plates: int = ..., first: float = ..., second: float = ..., third: float = ..., land: float = ..., roughness: float = ..., drift: float = ..., mountains: float = ..., frequency: float = ..., octaves: int = ..., persistence: float = ..., amplitude: float = ..., depth: float = ..., base: float = ..., follow_air: bool = ...) -> None: ...

class Plates(Node):
    """Moves plates for some hundred million years: oceans open and close, ranges and island arcs rise where plates meet, continents collide and break apart."""

    iterations: int
    """100, from 0 to 2000. Steps of two million years each. A hundred open an ocean and close another."""
    plates: int
    """16, from 2 to 48. Number of plates at the beginning. Rifts add some, and small ones go under."""
    speed: float
    """60 mm/year, from 0 to 200. Speed of fast plates. Earth's go 20 to 100 mm a year."""
    land: float
    """0.33, from 0 to 1. Share of the planet that continents cover at the beginning. It counts only where the ground below has no coast: all land or all sea. Otherwise land and shelves there are the continents."""
    subduction_uplift: float
    """0.6 mm/year, from 0 to 5. How fast ground rises where fast plates go under others. 0 leaves no ranges along coasts and no island arcs."""
    collision_metres: float
    """3000 m, from 0 to 10000. How high the collision of two large continents raises the ground. Small lands raise less."""
    rifting: float
    """6 per 100 Ma, from 0 to 100. How many plates break apart in a hundred million years, if all the planet were large plates."""
    hot_spots: int
    """14, from 0 to 200. Number of hot spots. They stay where they are and build chains of volcanoes on the plates that pass."""
    erosion: float
    """0.08 mm/year, from 0 to 2. How fast ground 10 km high wears; lower ground wears in proportion."""
    ocean_dampening: float
    """0.04 mm/year, from 0 to 2. How fast what stands 4 km over the ocean floor sinks. Trenches that are no more fill seven times as fast."""
    detail: int
    """128, from 16 to 256. Cells of the plates along a quarter of the way around, whatever the resolution. Twice as many take four times as long."""
    def __init__(self, *, iterations: int = 100, plates: int = 16, speed: float = 60.0, land: float = 0.33000001311302185, subduction_uplift: float = 0.6000000238418579, collision_metres: float = 3000.0, rifting: float = 6.0, hot_spots: int = 14, erosion: float = 0.07999999821186066, ocean_dampening: float = 0.03999999910593033, detail: int = 128) -> None: ...
    def set(self, *, iterations: int = ..., plates: int = ..., speed: float = ..., land: float = ..., subduction_uplift: float = ..., collision_metres: float = ..., rifting: float = ..., hot_spots: int = ..., erosion: float = ..., ocean_dampening: float = ..., detail: int = ...) -> None: ...

class PlanetImport(Node):
    """Heights of a whole planet from a file, such as a map of Earth, Mars or the Moon. Use 16 bits or more, 8 bits give steps. A map that says which longitudes and latitudes it has lies where it belongs."""

    file: str | PathLike[str]
    """''. The file. A raw map (.r16, .raw, .r32) does not say how wide it is."""
    layout: Literal["Map", "Points", "Faces"]
    """Map; one of Map, Points, Faces. How the planet is laid out in files."""
    middle: float
    """0 °, from -180 to 180. Longitude in the middle of a map that does not say it. Many maps have 180° there."""
    heights: Literal["File", "Given"]
    """File; one of File, Given. Which heights black and white stand for."""
    low_metres: float
    """-11000 m, from -100000 to 100000. Height that black stands for."""
    high_metres: float
    """8900 m, from -100000 to 100000. Height that white stands for."""
    sampling: Literal["Bicubic", "Bilinear"]
    """Bicubic; one of Bicubic, Bilinear. How heights between the samples of the file are found."""
    voids: Literal["Smooth", "Lowest", "Sea"]
    """Smooth; one of Smooth, Lowest, Sea. What becomes of places where the file has no data."""
    raw_width: int
    """0 samples, from 0 to 65536. Samples of a row of a raw map; 0 where it is twice as wide as high."""
    raw_bytes: Literal["Little", "Big"]
    """Little; one of Little, Big. The order of the bytes of a number in a raw file."""
    def __init__(self, *, file: str | PathLike[str] = ..., layout: Literal["Map", "Points", "Faces"] = "Map", middle: float = 0.0, heights: Literal["File", "Given"] = "File", low_metres: float = -11000.0, high_metres: float = 8900.0, sampling: Literal["Bicubic", "Bilinear"] = "Bicubic", voids: Literal["Smooth", "Lowest", "Sea"] = "Smooth", raw_width: int = 0, raw_bytes: Literal["Little", "Big"] = "Little") -> None: ...
    def set(self, *, file: str | PathLike[str] = ..., layout: Literal["Map", "Points", "Faces"] = ..., middle: float = ..., heights: Literal["File", "Given"] = ..., low_metres: float = ..., high_metres: float = ..., sampling: Literal["Bicubic", "Bilinear"] = ..., voids: Literal["Smooth", "Lowest", "Sea"] = ..., raw_width: int = ..., raw_bytes: Literal["Little", "Big"] = ...) -> None: ...

class Craters(Node):
    """Lets meteorites fall for ages: bowls, terraced craters with peaks and great basins, the young over the old."""

    amount: Literal["Number", "Cover"]
    """Number; one of Number, Cover. How the number of craters is told."""
    craters: int
    """2500, from 1 to 200000. Number of craters from the smallest to the largest; no more than cover the ground 20 times."""
    cover: float
    """1, from 0 to 20. How many times the craters together would cover the ground. Above 1 hardly any of the old ground is left."""
    largest: float
    """0.25, from 0.001 to 1. Diameter of the largest craters, in sides of the terrain. On a planet a side is a quarter of the way around."""
    smallest: float
    """0.006, from 0.0002 to 1. Diameter of the smallest craters, in sides of the terrain."""
    size_slope: float
    """2, from 0.5 to 5. How much more common small craters are: at 2, four times as many at half the size. More leaves only few large ones."""
    depth: float
    """1, from 0 to 10. Depth beside that of fresh craters on the Moon. Rims grow with it."""
    transition_metres: float
    """10600 m, from 10 to 1e+06. Diameter from which craters have flat floors, terraced walls and central peaks. The Moon's is 10.6 km, Earth's 3 km."""
    peaks: float
    """1, from 0 to 3. Height of central peaks and inner rings."""
    ejecta: float
    """1, from 0 to 3. Height of the rims and of the rubble thrown out around them."""
    uneven: float
    """0.6, from 0 to 1. How far rims, walls and blankets are from round."""
    wear: float
    """0.6, from 0 to 10. How soft and shallow old craters have become. At 0 all look as if they fell today."""
    rays: float
    """0.03, from 0 to 1. Share of the craters, the youngest, that still have bright rays. They show in the brightness map."""
    maria: float
    """0, from 0 to 1. How far lava fills the large old basins, at the most until it reaches the ground around them. It is smooth and dark."""
    maria_from: float
    """0.4, from 0.05 to 1. Diameter from which old basins are flooded, beside the largest."""
    follow_atmosphere: bool
    """True. Whether the air of the planet holds off small meteorites and wears craters down."""
    atmosphere: float
    """0, from 0 to 100. Density of the air: 0 leaves every crater, 0.01 softens them like those of Mars, 1 leaves hardly any, as on Earth."""
    def __init__(self, *, amount: Literal["Number", "Cover"] = "Number", craters: int = 2500, cover: float = 1.0, largest: float = 0.25, smallest: float = 0.006000000052154064, size_slope: float = 2.0, depth: float = 1.0, transition_metres: float = 10600.0, peaks: float = 1.0, ejecta: float = 1.0, uneven: float = 0.6000000238418579, wear: float = 0.6000000238418579, rays: float = 0.029999999329447746, maria: float = 0.0, maria_from: float = 0.4000000059604645, follow_atmosphere: bool = True, atmosphere: float = 0.0) -> None: ...
    def set(self, *, amount: Literal["Number", "Cover"] = ..., craters: int = ..., cover: float = ..., largest: float = ..., smallest: float = ..., size_slope: float = ..., depth: float = ..., transition_metres: float = ..., peaks: float = ..., ejecta: float = ..., uneven: float = ..., wear: float = ..., rays: float = ..., maria: float = ..., maria_from: float = ..., follow_atmosphere: bool = ..., atmosphere: float = ...) -> None: ...

class RiverWalk(Node):
    """Sends rivers from random places down to the lowest neighbour again and again, and cuts each step into the ground."""

    rivers: int
    """120, from 0 to 5000. Number of rivers."""
    depth_metres: float
    """20 m, from 0 to 10000. How deep each river cuts. Where rivers join they cut again."""
    length: float
    """0.6, from 0.01 to 4. Greatest length of a river, in sides of the terrain."""
    def __init__(self, *, rivers: int = 120, depth_metres: float = 20.0, length: float = 0.6000000238418579) -> None: ...
    def set(self, *, rivers: int = ..., depth_metres: float = ..., length: float = ...) -> None: ...

class PlanetRivers(Node):
    """Finds the rivers of a planet and cuts their valleys, downhill all the way from their springs to the sea."""

    source_area: float
    """60000 km², from 1 to 1e+07. Area that must drain to a place before a river begins. Small makes many rivers."""
    width: float
    """15 km, from 0 to 1000. Width of the valley floor of a river that drains a million km². At 0 it is one sample wide."""
    depth: float
    """200 m, from 0 to 10000. Depth of the bed of a river that drains a million km². At 0 rivers only cut through what is in their way."""
    valley_slope: float
    """12 m/km, from 0.1 to 1000. How steeply the sides of the valleys rise. Gentle ones make broad valleys."""
    lakes: bool
    """False. Keeps depressions as lakes that the rivers run through. Without, rivers cut through what dams them up."""
    fjords: float
    """150 km, from 0 to 2000. How long the fjords of cold coasts are. At 0 there are none."""
    fjord_latitude: float
    """55 °, from 0 to 90. Latitude from which there are fjords, north and south."""
    fjord_depth: float
    """400 m, from 1 to 5000. Depth of the fjords below the sea."""
    deltas: float
    """120 km, from 0 to 2000. How far the delta of a river that drains a million km² goes out into the sea. At 0 there are none."""
    def __init__(self, *, source_area: float = 60000.0, width: float = 15.0, depth: float = 200.0, valley_slope: float = 12.0, lakes: bool = False, fjords: float = 150.0, fjord_latitude: float = 55.0, fjord_depth: float = 400.0, deltas: float = 120.0) -> None: ...
    def set(self, *, source_area: float = ..., width: float = ..., depth: float = ..., valley_slope: float = ..., lakes: bool = ..., fjords: float = ..., fjord_latitude: float = ..., fjord_depth: float = ..., deltas: float = ...) -> None: ...

class Patch(Node):
    """Lays a square of ground, made as a terrain of its own, onto the planet."""

    file: str | PathLike[str]
    """''. The heights of the square, in metres: a .r32 file."""
    longitude: float
    """0 °, from -180 to 180. Longitude of its middle."""
    latitude: float
    """0 °, from -90 to 90. Latitude of its middle."""
    side_metres: float
    """1e+06 m, from 1 to 1e+07. Length of its side on the ground."""
    feather: float
    """0.1, from 0 to 0.5. Share of the side over which it fades into the ground around it."""
    def __init__(self, *, file: str | PathLike[str] = ..., longitude: float = 0.0, latitude: float = 0.0, side_metres: float = 1000000.0, feather: float = 0.10000000149011612) -> None: ...
    def set(self, *, file: str | PathLike[str] = ..., longitude: float = ..., latitude: float = ..., side_metres: float = ..., feather: float = ...) -> None: ...

class Levels(Node):
    """Stretches, squeezes and bends the heights: contrast, gamma and a curve."""

    input_low: float
    """0, from -10 to 10. Height that becomes the low output, as a fraction of the relief. Raising it deepens the lowlands."""
    input_high: float
    """1, from -10 to 10. Height that becomes the high output, as a fraction of the relief. Lowering it raises the peaks."""
    gamma: float
    """1, from 0.05 to 20. Bends the middle: above 1 lifts the slopes to a plateau, below 1 hollows them to valleys."""
    output_low: float
    """0, from -10 to 10. Height of the low end, as a fraction of the relief. A low output above the high one turns the terrain upside down."""
    output_high: float
    """1, from -10 to 10. Height of the high end, as a fraction of the relief."""
    clamp: bool
    """False. Cuts off what lies beyond the input heights: flat bottoms and flat tops."""
    curve: str | Sequence[tuple[float, float]]
    """'0,0 1,1'. Height after against height before, each from the low end to the high end."""
    def __init__(self, *, input_low: float = 0.0, input_high: float = 1.0, gamma: float = 1.0, output_low: float = 0.0, output_high: float = 1.0, clamp: bool = False, curve: str | Sequence[tuple[float, float]] = ...) -> None: ...
    def set(self, *, input_low: float = ..., input_high: float = ..., gamma: float = ..., output_low: float = ..., output_high: float = ..., clamp: bool = ..., curve: str | Sequence[tuple[float, float]] = ...) -> None: ...

class Terrace(Node):
    """Cuts slopes into steps: flat treads with a sharp lip, like layered rock or rice terraces."""

    step_height: float
    """120 m, from 0.01 to 100000. Height from tread to tread."""
    sharpness: float
    """0.75, from 0 to 1. How flat the treads are, from no change to level treads and vertical risers."""
    variation: float
    """0.5, from 0 to 1. How uneven the steps are, from all alike to some broad and some thin."""
    def __init__(self, *, step_height: float = 120.0, sharpness: float = 0.75, variation: float = 0.5) -> None: ...
    def set(self, *, step_height: float = ..., sharpness: float = ..., variation: float = ...) -> None: ...

class Blur(Node):
    """Softens the relief: hills narrower than the radius melt away, wider ones stay. Any radius takes the same time."""

    radius: float
    """100 m, from 0 to 1e+06. Distance over which heights are averaged: the standard deviation of the Gaussian."""
    def __init__(self, *, radius: float = 100.0) -> None: ...
    def set(self, *, radius: float = ...) -> None: ...

class Sharpen(Node):
    """Brings out relief: what stands above its surroundings rises, what lies below sinks."""

    radius: float
    """100 m, from 0 to 1e+06. Size of the surroundings: small brings out crags, large brings out whole hills."""
    amount: float
    """0.5, from 0 to 10. How much of the difference from the surroundings is added: 0 changes nothing, 1 doubles it."""
    def __init__(self, *, radius: float = 100.0, amount: float = 0.5) -> None: ...
    def set(self, *, radius: float = ..., amount: float = ...) -> None: ...

class Normalise(Node):
    """Stretches the heights so that the deepest valley and the highest peak lie where you say."""

    target: Literal["Fractions", "Metres"]
    """Fractions; one of Fractions, Metres. What the two heights are given in."""
    low: float
    """0, from -10 to 10. Height of the lowest point, as a fraction of the relief. Above the high one the terrain turns upside down."""
    high: float
    """1, from -10 to 10. Height of the highest point, as a fraction of the relief."""
    low_metres: float
    """0 m, from -100000 to 100000. Height of the lowest point where the target is in metres."""
    high_metres: float
    """1800 m, from -100000 to 100000. Height of the highest point where the target is in metres."""
    ignore: float
    """0 %, from 0 to 49. Share of the ground, at the bottom and at the top, that is not asked: a lone spike then no longer flattens the rest."""
    def __init__(self, *, target: Literal["Fractions", "Metres"] = "Fractions", low: float = 0.0, high: float = 1.0, low_metres: float = 0.0, high_metres: float = 1800.0, ignore: float = 0.0) -> None: ...
    def set(self, *, target: Literal["Fractions", "Metres"] = ..., low: float = ..., high: float = ..., low_metres: float = ..., high_metres: float = ..., ignore: float = ...) -> None: ...

class Clamp(Node):
    """Cuts off what is too low or too high: level plains and table mountains, with hard or rounded rims."""

    floor: float
    """400 m, from -100000 to 100000. Nothing lies lower than this."""
    ceiling: float
    """1400 m, from -100000 to 100000. Nothing stands higher than this."""
    knee: float
    """50 m, from 0 to 100000. Height over which the rims are rounded: 0 cuts them sharp."""
    def __init__(self, *, floor: float = 400.0, ceiling: float = 1400.0, knee: float = 50.0) -> None: ...
    def set(self, *, floor: float = ..., ceiling: float = ..., knee: float = ...) -> None: ...

class Invert(Node):
    """Turns the terrain upside down: peaks become pits, ridges become valleys."""

    level: float
    """0.5, from -10 to 10. Height that stays where it is, as a fraction of the relief."""
    def __init__(self, *, level: float = 0.5) -> None: ...
    def set(self, *, level: float = ...) -> None: ...

class Median(Node):
    """Removes spikes and pits narrower than the radius; cliffs and terrace edges stay sharp. Wide discs take long."""

    radius: float
    """60 m, from 0 to 1e+06. How far around each point heights are compared. It reaches no farther than a sixteenth of the side."""
    def __init__(self, *, radius: float = 60.0) -> None: ...
    def set(self, *, radius: float = ...) -> None: ...

class Expander(Node):
    """Lets high ground grow into broad domes and plateaus, or shrink to sharp crests between wide valleys."""

    amount: float
    """150 m, from -1e+06 to 1e+06. How far high ground grows over low ground. Below 0 low ground grows instead."""
    drop: float
    """150 m, from 0.1 to 100000. How much lower the grown ground is at that distance. Small makes flat tops, large makes round ones."""
    smooth: bool
    """False. Rounds off the creases where grown slopes meet."""
    def __init__(self, *, amount: float = 150.0, drop: float = 150.0, smooth: bool = False) -> None: ...
    def set(self, *, amount: float = ..., drop: float = ..., smooth: bool = ...) -> None: ...

class Ridges(Node):
    """Raises crests and deepens valleys: gentle ground gets the lines that water and ice would have drawn."""

    ridges: float
    """0.7, from -10 to 10. How much crests rise: 0 leaves them, below 0 lowers them."""
    valleys: float
    """0.7, from -10 to 10. How much valleys sink: 0 leaves them, below 0 fills them."""
    scale: float
    """120 m, from 1 to 1e+06. Breadth of the crests and valleys that are meant. Large works on ranges, small on gullies."""
    def __init__(self, *, ridges: float = 0.699999988079071, valleys: float = 0.699999988079071, scale: float = 120.0) -> None: ...
    def set(self, *, ridges: float = ..., valleys: float = ..., scale: float = ...) -> None: ...

class SpectralRetouch(Node):
    """Roughens the ground: tables of random heights, finer and lower each time, are added to what is below."""

    amount: float
    """0.12, from -10 to 10. Height added from the deepest to the highest, about, as a fraction of the relief."""
    share: Literal["Everywhere", "Height"]
    """Everywhere; one of Everywhere, Height. Where the tables are added."""
    frequency: int
    """16, from 1 to 256. Random values along a side of the first table. More makes the roughness finer."""
    layers: int
    """6, from 1 to 16. Number of tables. Each costs the same time."""
    step: float
    """2, from 1 to 4. How many times finer each table is than the one before."""
    persistence: float
    """0.5, from 0 to 1. How high each table is beside the one before. Small is smooth, large is jagged."""
    interpolation: Literal["Linear", "Smoothstep", "Cubic"]
    """Cubic; one of Linear, Smoothstep, Cubic. How the values of a table are joined."""
    def __init__(self, *, amount: float = 0.11999999731779099, share: Literal["Everywhere", "Height"] = "Everywhere", frequency: int = 16, layers: int = 6, step: float = 2.0, persistence: float = 0.5, interpolation: Literal["Linear", "Smoothstep", "Cubic"] = "Cubic") -> None: ...
    def set(self, *, amount: float = ..., share: Literal["Everywhere", "Height"] = ..., frequency: int = ..., layers: int = ..., step: float = ..., persistence: float = ..., interpolation: Literal["Linear", "Smoothstep", "Cubic"] = ...) -> None: ...

class Perturbation(Node):
    """Breaks the ground up: every point takes its height from a random place close by. Let erosion follow."""

    magnitude: float
    """60, from 0 to 1e+06. How far away the height may come from. More breaks the relief up more roughly."""
    unit: Literal["Metres", "Cells"]
    """Metres; one of Metres, Cells. What the magnitude is counted in."""
    displacement: Literal["Random", "Noise"]
    """Random; one of Random, Noise. What displaces the points."""
    size: float
    """400 m, from 1 to 1e+06. Width of the pieces that smooth noise moves together."""
    def __init__(self, *, magnitude: float = 60.0, unit: Literal["Metres", "Cells"] = "Metres", displacement: Literal["Random", "Noise"] = "Random", size: float = 400.0) -> None: ...
    def set(self, *, magnitude: float = ..., unit: Literal["Metres", "Cells"] = ..., displacement: Literal["Random", "Noise"] = ..., size: float = ...) -> None: ...

class Warp(Node):
    """Pushes the ground about: straight ridges wind, round hills and coasts become ragged, and water and wear go along."""

    amount: float
    """250 m, from 0 to 1e+06. How far the ground is pushed, about. More than the size folds it over itself."""
    size: float
    """1500 m, from 1 to 1e+06. Width of the largest bends."""
    octaves: int
    """3, from 1 to 16. How often finer bends are added. One makes sweeping curves, many make ragged outlines."""
    persistence: float
    """0.5, from 0 to 1. How strong each octave is beside the one before."""
    def __init__(self, *, amount: float = 250.0, size: float = 1500.0, octaves: int = 3, persistence: float = 0.5) -> None: ...
    def set(self, *, amount: float = ..., size: float = ..., octaves: int = ..., persistence: float = ...) -> None: ...

class Transform(Node):
    """Moves, turns, scales or mirrors everything below, with its water, wear and deposits. On a planet it turns and mirrors the globe."""

    move_x: float
    """0 m, from -1e+06 to 1e+06. Moves the ground to the east."""
    move_y: float
    """0 m, from -1e+06 to 1e+06. Moves the ground to the south."""
    angle: float
    """0 °, from -360 to 360. Turns the ground clockwise about the centre."""
    scale: float
    """1, from 0.01 to 100. Widens the ground about the centre; heights stay, so below 1 slopes become steeper. A planet keeps its size."""
    mirror_x: bool
    """False. Swaps east and west."""
    mirror_y: bool
    """False. Swaps north and south."""
    outside: Literal["Edges", "Wrap", "Mirror", "Flat"]
    """Edges; one of Edges, Wrap, Mirror, Flat. What fills the ground that comes from outside."""
    def __init__(self, *, move_x: float = 0.0, move_y: float = 0.0, angle: float = 0.0, scale: float = 1.0, mirror_x: bool = False, mirror_y: bool = False, outside: Literal["Edges", "Wrap", "Mirror", "Flat"] = "Edges") -> None: ...
    def set(self, *, move_x: float = ..., move_y: float = ..., angle: float = ..., scale: float = ..., mirror_x: bool = ..., mirror_y: bool = ..., outside: Literal["Edges", "Wrap", "Mirror", "Flat"] = ...) -> None: ...

class Island(Node):
    """Makes an island: the ground sinks below the sea towards the edges, behind a coast with bays and headlands."""

    depth: float
    """200 m, from 0 to 100000. Depth of the sea floor at the edges, below height 0."""
    width: float
    """0.3, from 0.001 to 1. Breadth of the sinking ground, as a share of the side. Small makes cliffs, large makes long shores."""
    roundness: float
    """0.8, from 0 to 1. Outline, from a square to a circle."""
    coast: float
    """0.2, from 0 to 1. How far bays reach into the land, as a share of the side. 0 makes an even coast."""
    bays: float
    """4, from 0.1 to 256. Bays and headlands along a side, about."""
    octaves: int
    """6, from 1 to 16. How often finer bays are added. One makes a smooth coast, many make a ragged one."""
    def __init__(self, *, depth: float = 200.0, width: float = 0.30000001192092896, roundness: float = 0.800000011920929, coast: float = 0.20000000298023224, bays: float = 4.0, octaves: int = 6) -> None: ...
    def set(self, *, depth: float = ..., width: float = ..., roundness: float = ..., coast: float = ..., bays: float = ..., octaves: int = ...) -> None: ...

class Seamless(Node):
    """Makes opposite edges meet without a step or crease, so that copies of the terrain can lie side by side."""

    width: float
    """0.2, from 0 to 0.5. How far in from the edges the ground may change, as a share of the side. Narrow makes steep slopes at the edges."""
    def __init__(self, *, width: float = 0.20000000298023224) -> None: ...
    def set(self, *, width: float = ...) -> None: ...

class Gullies(Node):
    """Draws branching gullies down the slopes, at once and at any size: no water runs, so nothing is carried away or laid down. Good ground for an erosion to go on from."""

    size: float
    """800 m, from 1 to 1e+06. Width of the largest gullies, from crest to crest."""
    octaves: int
    """5, from 1 to 12. How often finer gullies are added, each half as wide."""
    depth: float
    """180 m, from 0 to 100000. Depth of the largest gullies on steep ground."""
    persistence: float
    """0.5, from 0 to 1. How deep each octave is beside the one before. Small is smooth, large is ragged."""
    branching: float
    """1, from 0 to 10. How much finer gullies turn towards the larger ones. At 0 all run straight down the slope."""
    crest_fade: float
    """0.7, from 0 to 1. How far gullies stay away from crests and from the bottoms of larger ones."""
    slope_from: float
    """3 °, from 0 to 90. Slope below which there are no gullies."""
    slope_to: float
    """20 °, from 0 to 90. Slope from which on they have their full depth."""
    def __init__(self, *, size: float = 800.0, octaves: int = 5, depth: float = 180.0, persistence: float = 0.5, branching: float = 1.0, crest_fade: float = 0.699999988079071, slope_from: float = 3.0, slope_to: float = 20.0) -> None: ...
    def set(self, *, size: float = ..., octaves: int = ..., depth: float = ..., persistence: float = ..., branching: float = ..., crest_fade: float = ..., slope_from: float = ..., slope_to: float = ...) -> None: ...

class Droplets(Node):
    """Lets single drops of rain run down the slopes. They cut sharp, branching gullies and leave fans of debris at their feet."""

    iterations: int
    """40, from 0 to 10000. Showers, one after another. More cut deeper."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    droplets: float
    """0.02, from 0.0005 to 2. Droplets that fall on each sample in one iteration. More make smoother gullies and take longer; the depth stays the same."""
    lifetime: float
    """1000 m, from 1 to 100000. Longest way a droplet runs. Long ways carry the debris down to the plain."""
    radius: float
    """25 m, from 0 to 10000. Half the width of the ground that a droplet wears. Wide ones make soft, broad gullies."""
    sediment_capacity: float
    """1 m, from 0 to 100. Rock that the rain of one iteration can carry on a steep slope, as a depth over the ground it fell on."""
    erosion_rate: float
    """0.05, from 0 to 1. Share of the free capacity that is taken up on the way across a third of the radius. High values cut near the crests already."""
    deposition_rate: float
    """0.3, from 0 to 1. Share of the surplus that is laid down on the way across a third of the radius. Low values spread the debris far."""
    inertia: float
    """0.1, from 0 to 0.99. How much a droplet keeps its direction. High values make it shoot straight over small bumps."""
    min_slope: float
    """1 °, from 0 to 45. Slope that gentle ground counts as. Higher values let droplets carry their load farther over plains."""
    gravity: float
    """4, from 0 to 50. How much a droplet speeds up downhill. Fast droplets cut deeper at the foot of long slopes."""
    evaporation: float
    """0.9, from 0 to 1. Share of the water that is gone at the end of the way. Where it is all, a droplet drops its load bit by bit until it is dry."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 40, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, droplets: float = 0.019999999552965164, lifetime: float = 1000.0, radius: float = 25.0, sediment_capacity: float = 1.0, erosion_rate: float = 0.05000000074505806, deposition_rate: float = 0.30000001192092896, inertia: float = 0.10000000149011612, min_slope: float = 1.0, gravity: float = 4.0, evaporation: float = 0.8999999761581421, hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., droplets: float = ..., lifetime: float = ..., radius: float = ..., sediment_capacity: float = ..., erosion_rate: float = ..., deposition_rate: float = ..., inertia: float = ..., min_slope: float = ..., gravity: float = ..., evaporation: float = ..., hardness: float = ...) -> None: ...

class ShallowWater(Node):
    """Lets rain gather into rivers that cut valleys and lay down fans and lake beds. The water keeps moving while you watch."""

    iterations: int
    """300, from 0 to 10000. Iterations, counted at the scene's resolution. More let rivers grow longer and cut deeper."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    rain: float
    """2 mm, from 0 to 10000. Rain in one iteration of a terrain of 513 samples. More rain makes wider rivers and larger lakes."""
    springs: int
    """0, from 0 to 64. Number of springs, at high places that the seed draws."""
    spring_flow: float
    """1 mm, from 0 to 10000. Water of all springs together, as if it fell as rain everywhere."""
    evaporation: float
    """0.003, from 0 to 1. Share of the water that dries up in one iteration. More keeps rivers short and lakes small."""
    pipe_depth: float
    """10 m, from 0.01 to 10000. Depth above which water runs no faster. Smaller values make small rivers run as fast as large ones."""
    friction: float
    """0.02, from 0 to 10. How much the ground slows the water down. Rough ground has deep slow rivers."""
    sediment_capacity: float
    """50, from 0 to 1000. How much rock the water can hold. More cuts deeper valleys and builds larger fans."""
    min_tilt_angle: float
    """0.5 °, from 0 to 45. Slope that water on level ground works with. More lets rivers cut into plains and lake beds."""
    shallow_depth: float
    """0.5 m, from 0 to 1000. Water shallower than this wears the ground less. More leaves the hillsides alone and digs only where rivers run."""
    dissolving: float
    """0.2, from 0 to 10. How fast the water takes up what it can hold, as a share in one iteration."""
    deposition: float
    """0.1, from 0 to 10. How fast it drops what it cannot hold, as a share in one iteration. Less carries it farther out."""
    softening: float
    """0, from 0 to 1. How much standing water weakens hard rock."""
    talus_angle: float
    """52 °, from 0 to 89. Steepest slope that stays where it is. The banks of rivers fall in until they rest at it."""
    bank_angle: float
    """25 °, from 0 to 89. Steepest bank that stands beside running water. Gentler banks fall in and make rivers wider than they are deep."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    border: Literal["Outflow", "Walls"]
    """Outflow; one of Outflow, Walls. What happens to water at the edges of the terrain."""
    def __init__(self, *, iterations: int = 300, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, rain: float = 2.0, springs: int = 0, spring_flow: float = 1.0, evaporation: float = 0.003000000026077032, pipe_depth: float = 10.0, friction: float = 0.019999999552965164, sediment_capacity: float = 50.0, min_tilt_angle: float = 0.5, shallow_depth: float = 0.5, dissolving: float = 0.20000000298023224, deposition: float = 0.10000000149011612, softening: float = 0.0, talus_angle: float = 52.0, bank_angle: float = 25.0, hardness: float = 0.0, border: Literal["Outflow", "Walls"] = "Outflow") -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., rain: float = ..., springs: int = ..., spring_flow: float = ..., evaporation: float = ..., pipe_depth: float = ..., friction: float = ..., sediment_capacity: float = ..., min_tilt_angle: float = ..., shallow_depth: float = ..., dissolving: float = ..., deposition: float = ..., softening: float = ..., talus_angle: float = ..., bank_angle: float = ..., hardness: float = ..., border: Literal["Outflow", "Walls"] = ...) -> None: ...

class StreamPower(Node):
    """Raises the ground while streams cut it, over hundreds of thousands of years: branching valleys, sharp divides, ranges that grow as one watches."""

    iterations: int
    """40, from 0 to 10000. Iterations of one time step each. More let the range grow older."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    time_step: float
    """2000 years, from 1 to 1e+06. Time that passes in one iteration."""
    uplift_rate: float
    """0.5 mm/year, from 0 to 100. How fast the ground rises where it rises fastest. Fast uplift makes high, steep mountains."""
    uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"]
    """Everywhere; one of Everywhere, Dome, EastWest, NorthSouth, Diagonal. Where the ground rises."""
    uplift_variation: float
    """0.3, from 0 to 1. How unevenly it rises, from smoothly to some parts almost still."""
    erodibility: float
    """3 mm/year, from 0 to 1000. How fast a stream that drains 1 km² cuts down on a slope of 45°. Large makes deep valleys and low mountains."""
    area_exponent: float
    """0.5, from 0 to 2. How much more a large stream cuts than a small one. Large makes flat valley floors and steep heads."""
    slope_exponent: float
    """1, from 0.25 to 4. How much more a stream cuts where it is steep. Above 1 steps in a river wear away quickly."""
    source_area: float
    """20000 m², from 0 to 1e+07. Area that every place drains at least. Large makes broad smooth slopes between few valleys."""
    deposition: float
    """0, from 0 to 10. How readily the rock under way settles. At 0 rivers carry all of it away; at 1 they build fans and fill basins."""
    diffusivity: float
    """0.01 m²/year, from 0 to 100. How fast soil creeps and rounds the crests."""
    talus_angle: float
    """45 °, from 0 to 90. Steepest slope that stands; landslides bring down what is steeper. 90 lets anything stand."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: ground at or below it neither rises nor wears."""
    def __init__(self, *, iterations: int = 40, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, time_step: float = 2000.0, uplift_rate: float = 0.5, uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"] = "Everywhere", uplift_variation: float = 0.30000001192092896, erodibility: float = 3.0, area_exponent: float = 0.5, slope_exponent: float = 1.0, source_area: float = 20000.0, deposition: float = 0.0, diffusivity: float = 0.009999999776482582, talus_angle: float = 45.0, hardness: float = 0.0, sea_level: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., time_step: float = ..., uplift_rate: float = ..., uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"] = ..., uplift_variation: float = ..., erodibility: float = ..., area_exponent: float = ..., slope_exponent: float = ..., source_area: float = ..., deposition: float = ..., diffusivity: float = ..., talus_angle: float = ..., hardness: float = ..., sea_level: float = ...) -> None: ...

class AnalyticStreamPower(Node):
    """Mountains at any age, as fast at ten million years as at one: the ground rises while streams cut it, solved in one step on the drainage network. The playhead is the age."""

    iterations: int
    """100, from 0 to 10000. Iterations of one time step each: the age is their product. More make older mountains at no cost."""
    time_step: float
    """50000 years, from 1 to 1e+07. Time that passes in one iteration."""
    network_age: float
    """10 Ma, from 0 to 1000. Age at which the drainage network is in balance with the ground. Small keeps the valleys that the ground has; large finds those that the uplift makes."""
    network_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """Samples65; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the search for the network begins. On a coarse grid large valleys come first, and a larger size adds finer ones to them."""
    uplift_rate: float
    """0.5 mm/year, from 0 to 100. How fast the ground rises where it rises fastest. Fast uplift makes high, steep mountains."""
    uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"]
    """Everywhere; one of Everywhere, Dome, EastWest, NorthSouth, Diagonal. Where the ground rises."""
    uplift_variation: float
    """0.3, from 0 to 1. How unevenly it rises, from smoothly to some parts almost still."""
    erodibility: float
    """3 mm/year, from 0 to 1000. How fast a stream that drains 1 km² cuts down on a slope of 45°. Large makes deep valleys and low mountains."""
    area_exponent: float
    """0.5, from 0 to 2. How much more a large stream cuts than a small one. Large makes flat valley floors and steep heads."""
    source_area: float
    """5000 m², from 0 to 1e+07. Area that every place drains at least. Large makes broad smooth slopes between few valleys."""
    talus_angle: float
    """40 °, from 0 to 90. Steepest slope that stands; landslides bring down what is steeper. 90 lets anything stand."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: ground at or below it neither rises nor wears."""
    def __init__(self, *, iterations: int = 100, time_step: float = 50000.0, network_age: float = 10.0, network_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "Samples65", uplift_rate: float = 0.5, uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"] = "Everywhere", uplift_variation: float = 0.30000001192092896, erodibility: float = 3.0, area_exponent: float = 0.5, source_area: float = 5000.0, talus_angle: float = 40.0, hardness: float = 0.0, sea_level: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., time_step: float = ..., network_age: float = ..., network_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., uplift_rate: float = ..., uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"] = ..., uplift_variation: float = ..., erodibility: float = ..., area_exponent: float = ..., source_area: float = ..., talus_angle: float = ..., hardness: float = ..., sea_level: float = ...) -> None: ...

class Thermal(Node):
    """Lets loose rock slide until no slope is steeper than the talus angle. Cliffs crumble and scree gathers at their feet; gentle ground stays as it is."""

    iterations: int
    """50, from 0 to 10000. Iterations, counted at the scene's resolution. More carry the scree farther down."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    talus_angle: float
    """34 °, from 0 to 89. Steepest slope that stays where it is. Loose rock rests at 30 to 40 degrees; on a whole planet seen from afar slopes of a degree are steep."""
    threshold: Literal["Document", "Angle"]
    """Angle; one of Document, Angle. What the rock rests at: an angle, or the number that Le Martelot 2005 gives."""
    k: float
    """4, from 0 to 10000. The constant of Le Martelot 2005: 2 to 20 in its text, 4 in its figures. Large leaves steep ground."""
    rate: float
    """0.3, from 0 to 1. Share of the excess height moved in one iteration. Above 30 % the slopes ripple until they settle; near 100 % they leap."""
    neighbours: Literal["Moore", "VonNeumann", "Rotated"]
    """Moore; one of Moore, VonNeumann, Rotated. Which cells count as neighbours."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 50, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, talus_angle: float = 34.0, threshold: Literal["Document", "Angle"] = "Angle", k: float = 4.0, rate: float = 0.30000001192092896, neighbours: Literal["Moore", "VonNeumann", "Rotated"] = "Moore", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., talus_angle: float = ..., threshold: Literal["Document", "Angle"] = ..., k: float = ..., rate: float = ..., neighbours: Literal["Moore", "VonNeumann", "Rotated"] = ..., hardness: float = ...) -> None: ...

class Creep(Node):
    """Lets the soil creep downhill for thousands of years: crests grow round, hollows fill and small roughness goes, while the large forms stay."""

    iterations: int
    """30, from 0 to 10000. Iterations of one time step each. More let the ground grow rounder."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    time_step: float
    """5000 years, from 1 to 1e+06. Time that passes in one iteration. Where the terrain is small an iteration stops once the soil has spread over about a hundredth of the side."""
    diffusivity: float
    """0.01 m²/year, from 0 to 1. How fast the soil creeps. Dry ground has about 0.001, damp hills 0.01, ground that freezes and thaws 0.04."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 30, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, time_step: float = 5000.0, diffusivity: float = 0.009999999776482582, hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., time_step: float = ..., diffusivity: float = ..., hardness: float = ...) -> None: ...

class Coastal(Node):
    """Lets waves eat into the land at the sea level. Cliffs retreat and leave a shallow platform, and the debris gathers in beaches."""

    iterations: int
    """60, from 0 to 10000. Iterations. More carry the cliffs farther back."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    retreat: float
    """4 m, from 0 to 1000. How far a straight coast of loose rock retreats in one iteration where the sea is open."""
    wave_height: float
    """5 m, from 0.1 to 200. Height that waves reach above the sea. Higher waves attack gentler shores farther up."""
    wave_base: float
    """15 m, from 0.1 to 1000. Depth below which waves leave the sea floor alone. It is where the platform ends."""
    cliff_reach: float
    """150 m, from 0 to 10000. Highest land that waves can bring down. Higher mountains stand firm."""
    cliff_angle: float
    """65 °, from 10 to 85. Steepest cliff that stands once the waves have undercut it."""
    beach_angle: float
    """3 °, from 0.1 to 30. Slope of the beaches. Sand lies at 1 to 3 degrees, shingle at 5 to 10."""
    beach_share: float
    """0.3, from 0 to 1. Share of the worn rock that stays on the shore as sand and shingle. The rest is mud, which is washed out to sea."""
    drift: float
    """40 m, from 0 to 10000. How far debris spreads along the shore in one iteration."""
    fetch: float
    """3000 m, from 1 to 1e+06. Width of open water over which waves grow to their full strength. Bays and straits narrower than this are sheltered."""
    wave_azimuth: float
    """270 °, from 0 to 360. Where the strongest waves come from, clockwise from north."""
    prevailing: float
    """0.4, from 0 to 1. How much the waves come from that side only. At the most the lee shores stay as they are."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 60, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, retreat: float = 4.0, wave_height: float = 5.0, wave_base: float = 15.0, cliff_reach: float = 150.0, cliff_angle: float = 65.0, beach_angle: float = 3.0, beach_share: float = 0.30000001192092896, drift: float = 40.0, fetch: float = 3000.0, wave_azimuth: float = 270.0, prevailing: float = 0.4000000059604645, hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., retreat: float = ..., wave_height: float = ..., wave_base: float = ..., cliff_reach: float = ..., cliff_angle: float = ..., beach_angle: float = ..., beach_share: float = ..., drift: float = ..., fetch: float = ..., wave_azimuth: float = ..., prevailing: float = ..., hardness: float = ...) -> None: ...

class Dunes(Node):
    """Wind carries loose sand over the ground and piles it up into dunes. Lays down sand first if you want some, and can wear bare rock with it."""

    iterations: int
    """300, from 0 to 10000. Iterations. More let the dunes grow, merge and travel."""
    wind_angle: float
    """250 °, from 0 to 360. Where the wind comes from, clockwise from north: 270 is a west wind. Crests stand across it."""
    winds: int
    """1, from 1 to 8. Winds that blow by turns. One makes crests across it, two make ridges between them, three and more make stars."""
    turn_angle: float
    """90 °, from 0 to 180. Angle between one wind and the next. 120 with three winds blows from all around."""
    season: int
    """15, from 1 to 1000. Iterations that each wind blows before the next takes its turn."""
    sand_metres: float
    """14 m, from 0 to 1000. Depth of sand laid on the ground at the start, on average. Little leaves single dunes on bare ground, much buries it."""
    patchiness: float
    """0.3, from 0 to 1. How unevenly the sand is laid, from a sheet to bare places between heaps."""
    lift_metres: float
    """0.3 m, from 0 to 5. Depth of sand that the wind lifts from level ground in one iteration. More is a stronger wind: dunes grow and travel faster."""
    saltation_metres: float
    """70 m, from 1 to 2000. Length of a hop of the sand. Sets the size of the dunes: crests begin about three hops apart and grow from there."""
    rock_grip: float
    """0.35, from 0 to 1. Share of the flying sand that stays where it comes down on bare rock; on sand it is 60 %. Little keeps the ground between dunes bare."""
    shadow_angle: float
    """15 °, from 1 to 60. Angle at which a wind shadow falls off behind a crest. Smaller shelters longer lee sides, and dunes stand farther apart."""
    repose_angle: float
    """34 °, from 5 to 60. Steepest slope of sand that stays where it is; the lee sides of dunes have it."""
    inflow: float
    """1, from 0 to 1. Sand that comes in over the open windward edges, as a share of what a full wind over sand carries."""
    abrasion: float
    """0, from 0 to 1. Rock that flying sand wears off bare ground, as a share of the sand that passes. Carves the rock into ribs along the wind."""
    unevenness: float
    """0.5, from 0 to 1. How much the hardness of the rock changes from place to place. Hard places shelter what is behind them."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 300, wind_angle: float = 250.0, winds: int = 1, turn_angle: float = 90.0, season: int = 15, sand_metres: float = 14.0, patchiness: float = 0.30000001192092896, lift_metres: float = 0.30000001192092896, saltation_metres: float = 70.0, rock_grip: float = 0.3499999940395355, shadow_angle: float = 15.0, repose_angle: float = 34.0, inflow: float = 1.0, abrasion: float = 0.0, unevenness: float = 0.5, hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., wind_angle: float = ..., winds: int = ..., turn_angle: float = ..., season: int = ..., sand_metres: float = ..., patchiness: float = ..., lift_metres: float = ..., saltation_metres: float = ..., rock_grip: float = ..., shadow_angle: float = ..., repose_angle: float = ..., inflow: float = ..., abrasion: float = ..., unevenness: float = ..., hardness: float = ...) -> None: ...

class Glacial(Node):
    """Lets glaciers grow and carve: troughs with broad floors and steep walls, cirques at their heads, side valleys that hang above the main one, and moraines where the ice melts."""

    iterations: int
    """120, from 0 to 10000. Iterations of one time step each. More carve deeper."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    time_step: float
    """300 years, from 1 to 100000. Time for which the ice wears the rock in one iteration. An ice age lasts some 50,000 years."""
    ice_years: float
    """5 years, from 0.1 to 10000. Part of that time for which the ice itself is followed; it finds its form within some centuries. Less makes the glaciers grow more slowly from iteration to iteration; above 16 they come out too thick."""
    equilibrium_line: float
    """1000 m, from -10000 to 50000. Height at which as much snow falls as melts in a year. Lower makes longer and thicker glaciers."""
    balance_gradient: float
    """7 m/year/km, from 0 to 100. How much more ice a year brings for each kilometre of height. Large makes quick glaciers that end abruptly."""
    most_snow: float
    """1.5 m/year, from 0 to 50. Most ice that a year brings, however high the place."""
    hold_angle: float
    """45 °, from 16 to 89. Steepest ground on which snow stays. Less keeps the crests bare."""
    sliding: float
    """40 m/year, from 0 to 1000. How fast ice slides under a drag of 100 kPa, as below a glacier 100 m thick on a slope of 6°. 0 is ice that is frozen to its bed and wears nothing."""
    softness: float
    """1 ×, from 0 to 10. How soft the ice is beside ice at its melting point. Cold ice has a tenth, flows slowly and grows thick."""
    floor_radius: float
    """800 m, from 0 to 10000. How broad the floors of valleys become: radius to which a notch is rounded. 0 lets ice sink into slots."""
    erosion_rate: float
    """5 mm/year, from 0 to 1000. How fast ice wears its bed where it slides at 100 m/year."""
    erosion_exponent: float
    """1, from 0.5 to 3. How much more fast ice wears than slow ice. Above 1 main valleys sink below their side valleys."""
    till_share: float
    """0.05, from 0 to 1. Share of the worn rock that the ice carries on. Large makes high moraines; water takes the rest away."""
    wall_angle: float
    """55 °, from 20 to 89. Steepest wall that stands; steeper ones fall on the ice. 89 lets all stand."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    leave_ice: bool
    """False. Leaves the ice where it lies: heights are those of its surface. Without it the ice has melted."""
    def __init__(self, *, iterations: int = 120, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, time_step: float = 300.0, ice_years: float = 5.0, equilibrium_line: float = 1000.0, balance_gradient: float = 7.0, most_snow: float = 1.5, hold_angle: float = 45.0, sliding: float = 40.0, softness: float = 1.0, floor_radius: float = 800.0, erosion_rate: float = 5.0, erosion_exponent: float = 1.0, till_share: float = 0.05000000074505806, wall_angle: float = 55.0, hardness: float = 0.0, leave_ice: bool = False) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., time_step: float = ..., ice_years: float = ..., equilibrium_line: float = ..., balance_gradient: float = ..., most_snow: float = ..., hold_angle: float = ..., sliding: float = ..., softness: float = ..., floor_radius: float = ..., erosion_rate: float = ..., erosion_exponent: float = ..., till_share: float = ..., wall_angle: float = ..., hardness: float = ..., leave_ice: bool = ...) -> None: ...

class Snow(Node):
    """Lays snow on the high and gentle ground, lets it slide off what is too steep, and melts it where it is warm. Cliffs stay bare, couloirs fill, cones grow at their feet."""

    iterations: int
    """60, from 0 to 10000. Iterations. More let the snow pile up and then slide to rest."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    snow_line: float
    """1000 m, from -10000 to 50000. Height at which it is 0 °C: no snow falls below, and it thins out upwards over two degrees."""
    lapse_rate: float
    """6.5 °C/km, from 0.1 to 50. How much colder it gets with height. More makes the edge of the snow sharper."""
    snowfall_metres: float
    """0.3 m, from 0 to 20. Depth of snow that falls in one iteration high on open ground."""
    total_metres: float
    """10 m, from 0 to 1000. Depth of snow in all; after that it only slides and melts."""
    hold_angle: float
    """55 °, from 16 to 89. Steepest ground on which falling snow sticks."""
    repose_angle: float
    """40 °, from 5 to 60. Steepest slope on which snow lies still; what is steeper avalanches."""
    smoothing_metres: float
    """5 m, from 0 to 100. Distance over which wind levels the snow in one iteration. More makes the snow fields smoother."""
    drift: float
    """0.4, from 0 to 1. How much of the snow the wind carries from windward sides to lee sides. 0 is no wind."""
    wind_angle: float
    """290 °, from 0 to 360. Where the wind comes from, clockwise from north: 270 is a west wind."""
    melt_metres: float
    """0.02 m, from 0 to 5. Depth of snow that melts in one iteration for each degree above 0 °C."""
    sun_warmth: float
    """0 °C, from 0 to 60. How much warmer a slope that faces the sun is than level ground. Clears the sunny sides first."""
    sun_angle: float
    """180 °, from 0 to 360. Where the noon sun stands, clockwise from north: 180 is south."""
    def __init__(self, *, iterations: int = 60, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, snow_line: float = 1000.0, lapse_rate: float = 6.5, snowfall_metres: float = 0.30000001192092896, total_metres: float = 10.0, hold_angle: float = 55.0, repose_angle: float = 40.0, smoothing_metres: float = 5.0, drift: float = 0.4000000059604645, wind_angle: float = 290.0, melt_metres: float = 0.019999999552965164, sun_warmth: float = 0.0, sun_angle: float = 180.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., snow_line: float = ..., lapse_rate: float = ..., snowfall_metres: float = ..., total_metres: float = ..., hold_angle: float = ..., repose_angle: float = ..., smoothing_metres: float = ..., drift: float = ..., wind_angle: float = ..., melt_metres: float = ..., sun_warmth: float = ..., sun_angle: float = ...) -> None: ...

class Hydraulic(Node):
    """Rain loosens the ground, runs downhill and lays it down where it dries. Hollows fill, valley floors level and the flanks above them steepen."""

    iterations: int
    """60, from 0 to 10000. Iterations, counted at the scene's resolution. More carry the ground farther."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    rain: float
    """0.01, from 0 to 1. Water that falls in one iteration, as a fraction of the relief; where a layer below made a rain map, that much more or less. More rain fills hollows and runs farther."""
    solubility: float
    """0.05, from 0 to 1. Ground that a depth of water dissolves in one iteration, as a fraction of that depth. More wears faster."""
    sediment_capacity: float
    """0.05, from 0 to 1. Ground that water can hold, as a fraction of its depth. The rest is laid down at once."""
    evaporation: float
    """0.5, from 0 to 1. Share of the water that dries up in one iteration. The less, the farther the water runs."""
    neighbours: Literal["Moore", "VonNeumann", "Rotated"]
    """Moore; one of Moore, VonNeumann, Rotated. Which cells count as neighbours."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 60, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, rain: float = 0.009999999776482582, solubility: float = 0.05000000074505806, sediment_capacity: float = 0.05000000074505806, evaporation: float = 0.5, neighbours: Literal["Moore", "VonNeumann", "Rotated"] = "Moore", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., rain: float = ..., solubility: float = ..., sediment_capacity: float = ..., evaporation: float = ..., neighbours: Literal["Moore", "VonNeumann", "Rotated"] = ..., hardness: float = ...) -> None: ...

class HydraulicFast(Node):
    """Rain loosens the ground, runs to the lowest neighbour and lays it down where it dries. Faster than the full form and drier: it keeps more of the fine relief, and on even slopes the rills follow the grid."""

    iterations: int
    """60, from 0 to 10000. Iterations, counted at the scene's resolution. More carry the ground farther."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    rain: float
    """0.01, from 0 to 1. Water that falls in one iteration, as a fraction of the relief; where a layer below made a rain map, that much more or less. More rain fills hollows and runs farther."""
    solubility: float
    """0.05, from 0 to 1. Ground that water dissolves and holds, as a fraction of its depth. More wears faster."""
    evaporation: float
    """0.5, from 0 to 1. Share of the water that dries up in one iteration. The less, the farther the water runs."""
    levelled: Literal["Merged", "Water"]
    """Water; one of Merged, Water. Which surface is levelled: that of the water, or the one of Le Martelot 2005."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 60, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, rain: float = 0.009999999776482582, solubility: float = 0.05000000074505806, evaporation: float = 0.5, levelled: Literal["Merged", "Water"] = "Water", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., rain: float = ..., solubility: float = ..., evaporation: float = ..., levelled: Literal["Merged", "Water"] = ..., hardness: float = ...) -> None: ...

class ThermalFast(Node):
    """Lets loose rock slide, all to the lowest neighbour at once. Faster than the full form, but slopes come to rest up to a third too gentle and in fine streaks along the grid; a few iterations of the full form afterwards wipe them out."""

    iterations: int
    """50, from 0 to 10000. Iterations, counted at the scene's resolution. More carry the scree farther down."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    talus_angle: float
    """34 °, from 0 to 89. Steepest slope that stays where it is. Loose rock rests at 30 to 40 degrees."""
    threshold: Literal["Document", "Angle"]
    """Angle; one of Document, Angle. What the rock rests at: an angle, or the number that Le Martelot 2005 gives."""
    k: float
    """4, from 0 to 10000. The constant of Le Martelot 2005: 2 to 20 in its text, 4 in its figures. Large leaves steep ground."""
    neighbours: Literal["Moore", "VonNeumann", "Rotated"]
    """Rotated; one of Moore, VonNeumann, Rotated. Which cells count as neighbours."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 50, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, talus_angle: float = 34.0, threshold: Literal["Document", "Angle"] = "Angle", k: float = 4.0, neighbours: Literal["Moore", "VonNeumann", "Rotated"] = "Rotated", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., talus_angle: float = ..., threshold: Literal["Document", "Angle"] = ..., k: float = ..., neighbours: Literal["Moore", "VonNeumann", "Rotated"] = ..., hardness: float = ...) -> None: ...

class Olsen(Node):
    """Levels gentle ground and leaves the steep as it is: plains and terraces between cliffs, made for moving about on. The edges of the plains follow the grid a little."""

    iterations: int
    """50, from 0 to 10000. Iterations, counted at the scene's resolution. More make wider plains."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1 the finest forms prevail."""
    flat_angle: float
    """20 °, from 0 to 89. Steepest slope that is still levelled. Everything above stays as it is."""
    threshold: Literal["Document", "Angle"]
    """Angle; one of Document, Angle. What the rock rests at: an angle, or the number that Le Martelot 2005 gives."""
    k: float
    """4, from 0 to 10000. The constant of Le Martelot 2005: 2 to 20 in its text, 4 in its figures. Large leaves steep ground."""
    neighbours: Literal["Moore", "VonNeumann", "Rotated"]
    """VonNeumann; one of Moore, VonNeumann, Rotated. Which cells count as neighbours."""
    hardness: float
    """0, from 0 to 1. Resistance of the rock everywhere, from loose to what never wears. Where a layer below made a hardness map, the harder of the two counts."""
    def __init__(self, *, iterations: int = 50, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, flat_angle: float = 20.0, threshold: Literal["Document", "Angle"] = "Angle", k: float = 4.0, neighbours: Literal["Moore", "VonNeumann", "Rotated"] = "VonNeumann", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., flat_angle: float = ..., threshold: Literal["Document", "Angle"] = ..., k: float = ..., neighbours: Literal["Moore", "VonNeumann", "Rotated"] = ..., hardness: float = ...) -> None: ...

class FillDepressions(Node):
    """Fills every depression up to its rim, so that water can leave from everywhere. Makes level valley floors, or lakes."""

    fill_with: Literal["Ground", "Water"]
    """Ground; one of Ground, Water. What fills the depressions."""
    gradient: float
    """0 m/km, from 0 to 100. Fall of the filled ground towards its way out. 0 makes it level; a little lets streams find their way over it."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: what lies at or below it is not filled."""
    def __init__(self, *, fill_with: Literal["Ground", "Water"] = "Ground", gradient: float = 0.0, sea_level: float = 0.0) -> None: ...
    def set(self, *, fill_with: Literal["Ground", "Water"] = ..., gradient: float = ..., sea_level: float = ...) -> None: ...

class FlowAccumulation(Node):
    """Works out how much ground drains through each place and shows it in the flow map. The ground stays as it is."""

    courses: Literal["Spread", "Steepest", "Scattered"]
    """Spread; one of Spread, Steepest, Scattered. How water chooses its way down."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: water that gets there has arrived."""
    def __init__(self, *, courses: Literal["Spread", "Steepest", "Scattered"] = "Spread", sea_level: float = 0.0) -> None: ...
    def set(self, *, courses: Literal["Spread", "Steepest", "Scattered"] = ..., sea_level: float = ...) -> None: ...

class Lakes(Node):
    """Lets water stand in the depressions that are large and deep enough, and shows it in the water map. The ground stays as it is."""

    smallest_area: float
    """10000 m², from 0 to 1e+07. Smallest area of a lake; smaller ones are left dry."""
    least_depth: float
    """2 m, from 0 to 10000. Least depth of a lake where it is deepest; shallower ones are left dry."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: what lies at or below it is no lake."""
    def __init__(self, *, smallest_area: float = 10000.0, least_depth: float = 2.0, sea_level: float = 0.0) -> None: ...
    def set(self, *, smallest_area: float = ..., least_depth: float = ..., sea_level: float = ...) -> None: ...

class Rivers(Node):
    """Finds the rivers and cuts their beds: wide and deep where much ground drains, always downhill, with water in them."""

    source_area: float
    """0.5 km², from 0.001 to 10000. Area that must drain to a place before a river begins. Small makes many brooks."""
    width: float
    """20 m, from 0 to 10000. Width of a river that drains 10 km². At 0 the beds are one sample wide."""
    depth: float
    """8 m, from 0 to 1000. Depth of the bed of a river that drains 10 km². At 0 the ground stays as it is and only the maps are made."""
    bank_angle: float
    """65 °, from 1 to 89. How steep the banks are. Steep ones make gorges; gentle ones cut open valleys, far into the mountains beside them."""
    smallest_order: int
    """1, from 1 to 12. Leaves out brooks below this Strahler order: 1 keeps all, 2 begins where two brooks meet."""
    lakes: bool
    """True. Fills the lakes that the rivers run through."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea, where rivers end."""
    def __init__(self, *, source_area: float = 0.5, width: float = 20.0, depth: float = 8.0, bank_angle: float = 65.0, smallest_order: int = 1, lakes: bool = True, sea_level: float = 0.0) -> None: ...
    def set(self, *, source_area: float = ..., width: float = ..., depth: float = ..., bank_angle: float = ..., smallest_order: int = ..., lakes: bool = ..., sea_level: float = ...) -> None: ...

class Hardness(Node):
    """Says how hard the rock is, for the erosions above: one rock, or hard and soft beds, level, tilted or folded. The ground stays as it is."""

    structure: Literal["Beds", "Even"]
    """Beds; one of Beds, Even. How the rock is built."""
    hard: float
    """0.85, from 0 to 1. Hardness of the hard beds, from loose to what never wears."""
    soft: float
    """0.1, from 0 to 1. Hardness of the soft beds."""
    thickness: float
    """90 m, from 0.1 to 10000. Thickness of a bed."""
    variation: float
    """0.5, from 0 to 1. How uneven the beds are in thickness and hardness: 0 makes them all alike."""
    dip_angle: float
    """3 °, from 0 to 90. How much the beds are tilted. Tilted beds make ridges with one steep side."""
    dip_direction: float
    """120 °, from 0 to 360. Where the beds go down to, clockwise from north."""
    fold_height: float
    """0 m, from 0 to 10000. Height of the folds, from the middle to the crest. 0 leaves the beds straight."""
    fold_length: float
    """3000 m, from 1 to 1e+06. Distance from fold to fold, along the dip."""
    irregularity: float
    """25 m, from 0 to 10000. How much the beds undulate at random."""
    def __init__(self, *, structure: Literal["Beds", "Even"] = "Beds", hard: float = 0.8500000238418579, soft: float = 0.10000000149011612, thickness: float = 90.0, variation: float = 0.5, dip_angle: float = 3.0, dip_direction: float = 120.0, fold_height: float = 0.0, fold_length: float = 3000.0, irregularity: float = 25.0) -> None: ...
    def set(self, *, structure: Literal["Beds", "Even"] = ..., hard: float = ..., soft: float = ..., thickness: float = ..., variation: float = ..., dip_angle: float = ..., dip_direction: float = ..., fold_height: float = ..., fold_length: float = ..., irregularity: float = ...) -> None: ...

class Rain(Node):
    """Says how much rain falls where, for the erosions and rivers above: more on heights and windward slopes, less behind mountains. The ground stays as it is."""

    amount: float
    """1, from 0 to 100. Rain on open low ground: 1 is what falls where no layer says otherwise."""
    growth_with_height: float
    """0.3 1/km, from -10 to 10. How much more falls for each kilometre of height: 0.5 adds half as much again."""
    shadow: float
    """0.7, from 0 to 1. How much mountains catch, from the same on both sides to wet fronts and dry backs."""
    wind_from: float
    """270 °, from 0 to 360. Where the wind comes from, clockwise from north."""
    shadow_reach: float
    """6000 m, from 1 to 1e+06. Distance behind mountains after which the air is moist again."""
    rain_height: float
    """1200 m, from 1 to 100000. Climb that takes most of the moisture out of the air. Small makes low hills cast a shadow."""
    def __init__(self, *, amount: float = 1.0, growth_with_height: float = 0.30000001192092896, shadow: float = 0.699999988079071, wind_from: float = 270.0, shadow_reach: float = 6000.0, rain_height: float = 1200.0) -> None: ...
    def set(self, *, amount: float = ..., growth_with_height: float = ..., shadow: float = ..., wind_from: float = ..., shadow_reach: float = ..., rain_height: float = ...) -> None: ...

class UpliftMap(Node):
    """Says where mountains rise, for uplift and stream power above: the higher the layers below, the faster. A picture, a construction or any noise becomes a map of the uplift, and the ground is levelled for the mountains to grow."""

    low: float
    """0 m, from -100000 to 100000. Height that does not rise."""
    high: float
    """1000 m, from -100000 to 100000. Height that rises fastest."""
    kept: float
    """0.05, from 0 to 1. How much of the ground below stays, from a plain to all of it."""
    level: float
    """0 m, from -100000 to 100000. Height of the plain."""
    def __init__(self, *, low: float = 0.0, high: float = 1000.0, kept: float = 0.05000000074505806, level: float = 0.0) -> None: ...
    def set(self, *, low: float = ..., high: float = ..., kept: float = ..., level: float = ...) -> None: ...

class PaintedMap(Node):
    """A data map painted by hand: where mountains rise, rock is hard, rain falls, plants grow, sand or snow lies, and how many trees and stones stand there. The erosions above follow it, and so does the view."""

    kind: Literal["Uplift", "Hardness", "Rain", "Vegetation", "Sand", "Snow", "Trees", "Undergrowth", "Stones"]
    """Uplift; one of Uplift, Hardness, Rain, Vegetation, Sand, Snow, Trees, Undergrowth, Stones. What is painted."""
    keep_below: bool
    """False. Paints on what the layers below have made, not on an even map."""
    value: float
    """0, from 0 to 10000. Value where nothing is painted, in the unit of the map."""
    strokes: str
    """as scene files have it. The strokes, in the order in which they act."""
    def __init__(self, *, kind: Literal["Uplift", "Hardness", "Rain", "Vegetation", "Sand", "Snow", "Trees", "Undergrowth", "Stones"] = "Uplift", keep_below: bool = False, value: float = 0.0, strokes: str = ...) -> None: ...
    def set(self, *, kind: Literal["Uplift", "Hardness", "Rain", "Vegetation", "Sand", "Snow", "Trees", "Undergrowth", "Stones"] = ..., keep_below: bool = ..., value: float = ..., strokes: str = ...) -> None: ...

class MapFile(Node):
    """A data map from a file: water, moisture, sand, or what else layers and views read. Patches of planets bring theirs in such files."""

    file: str | PathLike[str]
    """''. The file: numbers in a .r32 file, or a picture from 0 to 1."""
    kind: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"]
    """Water; one of Water, Sediment, Hardness, Flow, Wear, Deposits, Rain, Sand, Snow, Film, Vegetation, Brightness, Ground, Ridge, Uplift, Ice, Humidity, CrustAge, RockShare, GrassShare, SandShare, SnowShare, RoadShare, BareShare, TreeDensity, UndergrowthDensity, StoneDensity. The map that it is."""
    def __init__(self, *, file: str | PathLike[str] = ..., kind: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"] = "Water") -> None: ...
    def set(self, *, file: str | PathLike[str] = ..., kind: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"] = ...) -> None: ...

class LayerGroup(Node):
    """Holds layers, and lays what they make over the ground below with one blending, opacity and mask. Hidden, it hides all of them."""

    ground: Literal["Below", "Level"]
    """Below; one of Below, Level. What its layers begin with."""
    def __init__(self, *, ground: Literal["Below", "Level"] = "Below") -> None: ...
    def set(self, *, ground: Literal["Below", "Level"] = ...) -> None: ...

__all__ = ["Perlin", "Ridged", "Billow", "Hybrid", "Simplex", "ValueNoise", "Spectral", "NoiseLibrary", "DiamondSquare", "Triangular", "SquigRiver", "Stamp", "Fault", "Circles", "Voronoi", "VoronoiMidpoint", "Cellular", "Shape", "Construction", "Import", "Sculpt", "Continents", "Plates", "PlanetImport", "Craters", "RiverWalk", "PlanetRivers", "Patch", "Levels", "Terrace", "Blur", "Sharpen", "Normalise", "Clamp", "Invert", "Median", "Expander", "Ridges", "SpectralRetouch", "Perturbation", "Warp", "Transform", "Island", "Seamless", "Gullies", "Droplets", "ShallowWater", "StreamPower", "AnalyticStreamPower", "Thermal", "Creep", "Coastal", "Dunes", "Glacial", "Snow", "Hydraulic", "HydraulicFast", "ThermalFast", "Olsen", "FillDepressions", "FlowAccumulation", "Lakes", "Rivers", "Hardness", "Rain", "UpliftMap", "PaintedMap", "MapFile", "LayerGroup"]
