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
    """Rolling hills to rugged mountains: random relief in several octaves, each finer and lower than the previous one."""

    frequency: float
    """3, from 0.1 to 256. Number of large features along a side: larger values make hills narrower and therefore steeper."""
    octaves: int
    """9, from 1 to 16. Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time."""
    lacunarity: float
    """2, from 1 to 4. Frequency of each octave relative to the previous octave."""
    persistence: float
    """0.45, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Interpolation between lattice points."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the deepest valley to the highest peak, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    warp: float
    """0, from 0 to 1. Displacement of the pattern by noise, as a fraction of the terrain's side length: larger values fold hills into eddies."""
    warp_frequency: float
    """3, from 0.1 to 64. Number of large eddies of the displacement along a side."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, as a multiple of the terrain's side length."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, as a multiple of the terrain's side length."""
    def __init__(self, *, frequency: float = 3.0, octaves: int = 9, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.0, base: float = 0.5, warp: float = 0.0, warp_frequency: float = 3.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., warp: float = ..., warp_frequency: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Ridged(Node):
    """Sharp mountain crests with smooth valleys between them."""

    frequency: float
    """2.5, from 0.1 to 256. Number of large features along a side: larger values make hills narrower and therefore steeper."""
    octaves: int
    """9, from 1 to 16. Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time."""
    lacunarity: float
    """2, from 1 to 4. Frequency of each octave relative to the previous octave."""
    persistence: float
    """0.5, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    offset: float
    """1, from 0 to 2. Value from which the absolute noise is subtracted to form crests. Below 1, crests split in two with a furrow between them."""
    gain: float
    """2, from 0 to 10. Roughness of the crests: at 0 only the first octave remains, large values roughen the valleys as well."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Interpolation between lattice points."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the deepest valley to the highest crest, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height of the deepest valleys, as a fraction of the relief."""
    warp: float
    """0, from 0 to 1. Displacement of the pattern by noise, as a fraction of the terrain's side length: larger values fold hills into eddies."""
    warp_frequency: float
    """3, from 0.1 to 64. Number of large eddies of the displacement along a side."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, as a multiple of the terrain's side length."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, as a multiple of the terrain's side length."""
    def __init__(self, *, frequency: float = 2.5, octaves: int = 9, lacunarity: float = 2.0, persistence: float = 0.5, offset: float = 1.0, gain: float = 2.0, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.0, base: float = 0.0, warp: float = 0.0, warp_frequency: float = 3.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., offset: float = ..., gain: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., warp: float = ..., warp_frequency: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Billow(Node):
    """Round, swelling hills with sharp creases between them."""

    frequency: float
    """4, from 0.1 to 256. Number of large features along a side: larger values make hills narrower and therefore steeper."""
    octaves: int
    """8, from 1 to 16. Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time."""
    lacunarity: float
    """2, from 1 to 4. Frequency of each octave relative to the previous octave."""
    persistence: float
    """0.45, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Interpolation between lattice points."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the creases to the highest hill, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height of the deepest creases, as a fraction of the relief."""
    warp: float
    """0, from 0 to 1. Displacement of the pattern by noise, as a fraction of the terrain's side length: larger values fold hills into eddies."""
    warp_frequency: float
    """3, from 0.1 to 64. Number of large eddies of the displacement along a side."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, as a multiple of the terrain's side length."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, as a multiple of the terrain's side length."""
    def __init__(self, *, frequency: float = 4.0, octaves: int = 8, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.0, base: float = 0.0, warp: float = 0.0, warp_frequency: float = 3.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., warp: float = ..., warp_frequency: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Hybrid(Node):
    """Plains and smooth valleys that rise to rugged mountains."""

    frequency: float
    """4, from 0.1 to 256. Number of large features along a side: larger values make hills narrower and therefore steeper."""
    octaves: int
    """8, from 1 to 16. Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time."""
    lacunarity: float
    """2, from 1 to 4. Frequency of each octave relative to the previous octave."""
    persistence: float
    """0.45, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    offset: float
    """0.7, from 0 to 2. Offset of the noise before the octaves are weighted: small values make wide plains, large values rugged terrain."""
    gain: float
    """1, from 0 to 10. Increase of roughness above the plains: at 0 only the first octave remains, larger values roughen lower terrain."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Interpolation between lattice points."""
    amplitude: float
    """1.25, from -10 to 10. Height from the plains to the theoretical highest peak, which no terrain quite reaches, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Approximate height of the lowest plains, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, as a multiple of the terrain's side length."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, as a multiple of the terrain's side length."""
    def __init__(self, *, frequency: float = 4.0, octaves: int = 8, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, offset: float = 0.699999988079071, gain: float = 1.0, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.25, base: float = 0.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., offset: float = ..., gain: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Simplex(Node):
    """Rolling hills to rugged mountains, like Perlin noise, but on triangles instead of squares."""

    frequency: float
    """4, from 0.1 to 256. Number of large features along a side: larger values make hills narrower and therefore steeper."""
    octaves: int
    """8, from 1 to 16. Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time."""
    lacunarity: float
    """2, from 1 to 4. Frequency of each octave relative to the previous octave."""
    persistence: float
    """0.45, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the deepest valley to the highest peak, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, as a multiple of the terrain's side length."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, as a multiple of the terrain's side length."""
    def __init__(self, *, frequency: float = 4.0, octaves: int = 8, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, amplitude: float = 1.0, base: float = 0.5, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class ValueNoise(Node):
    """Blocky hills: smoothly joined random heights on a lattice, in several octaves. Each octave is finer and lower than the previous octave."""

    frequency: float
    """4, from 0.1 to 256. Number of large features along a side: larger values make hills narrower and therefore steeper."""
    octaves: int
    """8, from 1 to 16. Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time."""
    lacunarity: float
    """2, from 1 to 4. Frequency of each octave relative to the previous octave."""
    persistence: float
    """0.45, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    fade: Literal["Linear", "Classic", "Improved"]
    """Improved; one of Linear, Classic, Improved. Interpolation between lattice points."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the deepest valley to the highest peak, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, as a multiple of the terrain's side length."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, as a multiple of the terrain's side length."""
    def __init__(self, *, frequency: float = 4.0, octaves: int = 8, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, fade: Literal["Linear", "Classic", "Improved"] = "Improved", amplitude: float = 1.0, base: float = 0.5, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., fade: Literal["Linear", "Classic", "Improved"] = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Spectral(Node):
    """A sum of tables of random heights, each finer and lower than the previous one."""

    frequency: int
    """4, from 1 to 256. Number of random values along a side of the first table: larger values make hills narrower."""
    layers: int
    """8, from 1 to 16. Number of tables: more tables add finer relief. Each table takes the same time."""
    step: float
    """2, from 1 to 4. Frequency of each table relative to the previous table."""
    persistence: float
    """0.5, from 0 to 1. Amplitude of each table relative to the previous table: small values give smooth terrain, large values jagged terrain."""
    interpolation: Literal["Linear", "Smoothstep", "Cubic"]
    """Cubic; one of Linear, Smoothstep, Cubic. Interpolation between the values of a table."""
    tables: Literal["Squares", "Values"]
    """Squares; one of Squares, Values. Number of values along a side of a table, compared with its frequency."""
    weights: Literal["Even", "Powers"]
    """Even; one of Even, Powers. Weights of the tables in the sum."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the deepest valley to the highest peak, as a fraction of the relief. With the weights *Powers* it is the greatest deviation of the first table."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    def __init__(self, *, frequency: int = 4, layers: int = 8, step: float = 2.0, persistence: float = 0.5, interpolation: Literal["Linear", "Smoothstep", "Cubic"] = "Cubic", tables: Literal["Squares", "Values"] = "Squares", weights: Literal["Even", "Powers"] = "Even", amplitude: float = 1.0, base: float = 0.5) -> None: ...
    def set(self, *, frequency: int = ..., layers: int = ..., step: float = ..., persistence: float = ..., interpolation: Literal["Linear", "Smoothstep", "Cubic"] = ..., tables: Literal["Squares", "Values"] = ..., weights: Literal["Even", "Powers"] = ..., amplitude: float = ..., base: float = ...) -> None: ...

class NoiseLibrary(Node):
    """Super simplex and open simplex noise, surflets, rings and checks from the package `noise`, alone or combined, and distorted by turbulence."""

    function: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"]
    """SuperSimplex; one of SuperSimplex, OpenSimplex, Surflets, Cylinders, Checkerboard. Function that is summed in octaves."""
    frequency: float
    """4, from 0.1 to 256. Number of large features along a side: larger values make hills narrower and therefore steeper."""
    octaves: int
    """6, from 1 to 16. Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time."""
    lacunarity: float
    """2, from 1 to 4. Frequency of each octave relative to the previous octave."""
    persistence: float
    """0.45, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    combine: Literal["Single", "Sum", "Product", "Lowest", "Highest"]
    """Single; one of Single, Sum, Product, Lowest, Highest. Combination of a second function with the first in every octave."""
    second: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"]
    """Cylinders; one of SuperSimplex, OpenSimplex, Surflets, Cylinders, Checkerboard. The function that is combined with the first."""
    second_ratio: float
    """1, from 0.1 to 10. Number of features of the second function for each feature of the first function."""
    turbulence: float
    """0, from 0 to 1. Displacement of the pattern by turbulence, as a fraction of the terrain's side length: larger values distort the pattern more."""
    turbulence_frequency: float
    """3, from 0.1 to 64. Number of large eddies of the turbulence along a side."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the deepest valley to the highest peak, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, as a multiple of the terrain's side length."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, as a multiple of the terrain's side length."""
    def __init__(self, *, function: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"] = "SuperSimplex", frequency: float = 4.0, octaves: int = 6, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, combine: Literal["Single", "Sum", "Product", "Lowest", "Highest"] = "Single", second: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"] = "Cylinders", second_ratio: float = 1.0, turbulence: float = 0.0, turbulence_frequency: float = 3.0, amplitude: float = 1.0, base: float = 0.5, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, function: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"] = ..., frequency: float = ..., octaves: int = ..., lacunarity: float = ..., persistence: float = ..., combine: Literal["Single", "Sum", "Product", "Lowest", "Highest"] = ..., second: Literal["SuperSimplex", "OpenSimplex", "Surflets", "Cylinders", "Checkerboard"] = ..., second_ratio: float = ..., turbulence: float = ..., turbulence_frequency: float = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class DiamondSquare(Node):
    """Rough terrain from repeatedly halved squares, with randomly displaced midpoints."""

    smoothness: float
    """0.85, from 0.01 to 1. Smoothness of small features: near 0 every sample is independent, at 1 the terrain rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Smoothness; one of Smoothness, Halving. Decrease of the displacement from level to level."""
    sides: Literal["Corners", "Diamond"]
    """Diamond; one of Corners, Diamond. Points whose mean height the midpoint of a side takes before its displacement."""
    rim: Literal["Ends", "Three"]
    """Ends; one of Ends, Three. Points whose mean height a midpoint on an open edge of the terrain takes. Wrapping terrains have no edges."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. Distribution of the random displacement."""
    smoothing: float
    """0, from 0 to 1. Additional displacement and averaging of all points at each level. Above 0 the creases along the squares vanish."""
    smoothed: Literal["Levels", "Finished"]
    """Levels; one of Levels, Finished. Part of the computation that is smoothed."""
    levels_shown: int
    """14, from 0 to 14. Maximum number of halvings. Small values show the first steps of the method: 0 shows the four corners only."""
    amplitude: float
    """0.5, from -10 to 10. Maximum displacement of the first midpoint at smoothness 1, as a fraction of the relief."""
    corners: float
    """0.35, from -10 to 10. Mean initial height of the four corners, as a fraction of the relief."""
    corner_spread: float
    """0.2, from 0 to 10. Maximum random deviation of each corner from the mean height of the corners, as a fraction of the relief."""
    centre_lift: float
    """0.15, from -10 to 10. Rise of the first centre, as a fraction of the relief: values above 0 make a mountain in the middle, values below 0 a basin."""
    def __init__(self, *, smoothness: float = 0.8500000238418579, schedule: Literal["Smoothness", "Halving"] = "Smoothness", sides: Literal["Corners", "Diamond"] = "Diamond", rim: Literal["Ends", "Three"] = "Ends", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", smoothing: float = 0.0, smoothed: Literal["Levels", "Finished"] = "Levels", levels_shown: int = 14, amplitude: float = 0.5, corners: float = 0.3499999940395355, corner_spread: float = 0.20000000298023224, centre_lift: float = 0.15000000596046448) -> None: ...
    def set(self, *, smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., sides: Literal["Corners", "Diamond"] = ..., rim: Literal["Ends", "Three"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., smoothing: float = ..., smoothed: Literal["Levels", "Finished"] = ..., levels_shown: int = ..., amplitude: float = ..., corners: float = ..., corner_spread: float = ..., centre_lift: float = ...) -> None: ...

class Triangular(Node):
    """Rough terrain from triangles that are repeatedly split in four, with randomly displaced midpoints."""

    layout: Literal["Square", "Triangle"]
    """Square; one of Square, Triangle. Area that is split: the whole terrain, or a single triangle inside the terrain."""
    edges: Literal["Four", "Three"]
    """Four; one of Four, Three. Corners whose mean height a midpoint of an edge takes before its displacement."""
    smoothness: float
    """0.85, from 0.01 to 1. Smoothness of small features: near 0 every sample is independent, at 1 the terrain rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Smoothness; one of Smoothness, Halving. Decrease of the displacement from level to level."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. Distribution of the random displacement."""
    amplitude: float
    """0.5, from -10 to 10. Maximum displacement of the first midpoints at smoothness 1, as a fraction of the relief."""
    corners: float
    """0.4, from -10 to 10. Mean initial height of the four corners, as a fraction of the relief."""
    corner_spread: float
    """0.25, from 0 to 10. Maximum random deviation of each corner from the mean height of the corners, as a fraction of the relief."""
    levels_shown: int
    """14, from 0 to 14. Maximum number of splits. Small values show the first steps of the method: 0 shows the four corners only."""
    def __init__(self, *, layout: Literal["Square", "Triangle"] = "Square", edges: Literal["Four", "Three"] = "Four", smoothness: float = 0.8500000238418579, schedule: Literal["Smoothness", "Halving"] = "Smoothness", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", amplitude: float = 0.5, corners: float = 0.4000000059604645, corner_spread: float = 0.25, levels_shown: int = 14) -> None: ...
    def set(self, *, layout: Literal["Square", "Triangle"] = ..., edges: Literal["Four", "Three"] = ..., smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., amplitude: float = ..., corners: float = ..., corner_spread: float = ..., levels_shown: int = ...) -> None: ...

class MidpointLine(Node):
    """A fractal line across the terrain: midpoint displacement in one dimension, for sections and for teaching."""

    direction: Literal["East", "South"]
    """East; one of East, South. Direction in which the line runs. Across this direction the terrain is level."""
    smoothness: float
    """0.9, from 0.01 to 1. Smoothness of small features: near 0 every point is independent, at 1 the line rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Halving; one of Smoothness, Halving. Decrease of the displacement from level to level."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. Distribution of the random displacement."""
    levels_shown: int
    """14, from 0 to 14. Maximum number of halvings. Small values show the first steps of the method: 0 shows the two ends only."""
    amplitude: float
    """0.4, from -10 to 10. Maximum displacement of the first midpoint at smoothness 1, as a fraction of the relief."""
    ends: float
    """0.4, from -10 to 10. Mean height of the two ends, as a fraction of the relief."""
    end_spread: float
    """0.3, from 0 to 10. Maximum random deviation of each end from the mean height of the ends, as a fraction of the relief."""
    def __init__(self, *, direction: Literal["East", "South"] = "East", smoothness: float = 0.8999999761581421, schedule: Literal["Smoothness", "Halving"] = "Halving", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", levels_shown: int = 14, amplitude: float = 0.4000000059604645, ends: float = 0.4000000059604645, end_spread: float = 0.30000001192092896) -> None: ...
    def set(self, *, direction: Literal["East", "South"] = ..., smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., levels_shown: int = ..., amplitude: float = ..., ends: float = ..., end_spread: float = ...) -> None: ...

class SquigRiver(Node):
    """Rough terrain generated together with its rivers, which wind from edge to edge, join and fork."""

    layout: Literal["Square", "Triangle"]
    """Square; one of Square, Triangle. Area that is split: the whole terrain, or a single triangle. Rivers cross the triangle from its left side to its base."""
    entry: Literal["North", "East", "South", "West"]
    """North; one of North, East, South, West. Edge of the terrain where rivers enter, at a random point."""
    exit: Literal["North", "East", "South", "West"]
    """South; one of North, East, South, West. Edge of the terrain where rivers leave, at a random point."""
    rivers: int
    """1, from 1 to 8. Number of rivers. Rivers that meet continue as one river."""
    tributaries: int
    """4, from 0 to 16. Number of smaller rivers that flow into the rivers."""
    forks: int
    """1, from 0 to 8. Number of branches that leave a river and rejoin it, or leave the terrain separately. A branch without room is skipped."""
    detail: int
    """6, from 3 to 8. Number of times that the river courses are split: few splits make straight rivers, many splits make small bends. With banks as in the paper, the courses are split as often as the triangles."""
    source_height: float
    """0.32, from -10 to 10. Level of the water where rivers enter, as a fraction of the relief."""
    drop: float
    """0.15, from 0 to 10. Fall of the water from entry to exit, as a fraction of the relief."""
    cascades: float
    """0.35, from 0 to 1. Fraction of the fall that is in cascades: 0 is a gentle river, 1 is still water between waterfalls."""
    steps: int
    """6, from 1 to 64. Number of cascades along a river."""
    banks: Literal["Symmetric", "AsInPaper"]
    """Symmetric; one of Symmetric, AsInPaper. Shape of the terrain next to the water."""
    width: float
    """60 m, from 0.1 to 5000. Width of the water. If the width grows downstream, this is the width at the mouth."""
    widths: Literal["Even", "Downstream"]
    """Even; one of Even, Downstream. Variation of the water's width along a river."""
    source_width: float
    """0.4, from 0 to 0.95. Width of a river where it enters, as a fraction of the width at its mouth."""
    depth: float
    """8 m, from 0 to 1000. Depth of the water in the middle of a river. Water is at least 0.1 m deep, so that a river is always drawn."""
    valley: Literal["Vee", "Floodplain", "Gorge"]
    """Vee; one of Vee, Floodplain, Gorge. Profile of the valley's sides."""
    valley_width: float
    """700 m, from 0 to 100000. Width of the valley on each side of the water. The river does not affect the terrain beyond."""
    smoothness: float
    """0.85, from 0.01 to 1. Smoothness of small features: near 0 every sample is independent, at 1 the terrain rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Smoothness; one of Smoothness, Halving. Decrease of the displacement from level to level."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. Distribution of the random displacement."""
    amplitude: float
    """0.5, from -10 to 10. Maximum displacement of the first midpoints at smoothness 1, as a fraction of the relief."""
    corners: float
    """0.42, from -10 to 10. Mean initial height of the four corners, as a fraction of the relief."""
    corner_spread: float
    """0.2, from 0 to 10. Maximum random deviation of each corner from the mean height of the corners, as a fraction of the relief."""
    levels_shown: int
    """14, from 1 to 14. Maximum number of splits of triangles and river courses. Small values show the first steps of the method."""
    def __init__(self, *, layout: Literal["Square", "Triangle"] = "Square", entry: Literal["North", "East", "South", "West"] = "North", exit: Literal["North", "East", "South", "West"] = "South", rivers: int = 1, tributaries: int = 4, forks: int = 1, detail: int = 6, source_height: float = 0.3199999928474426, drop: float = 0.15000000596046448, cascades: float = 0.3499999940395355, steps: int = 6, banks: Literal["Symmetric", "AsInPaper"] = "Symmetric", width: float = 60.0, widths: Literal["Even", "Downstream"] = "Even", source_width: float = 0.4000000059604645, depth: float = 8.0, valley: Literal["Vee", "Floodplain", "Gorge"] = "Vee", valley_width: float = 700.0, smoothness: float = 0.8500000238418579, schedule: Literal["Smoothness", "Halving"] = "Smoothness", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", amplitude: float = 0.5, corners: float = 0.41999998688697815, corner_spread: float = 0.20000000298023224, levels_shown: int = 14) -> None: ...
    def set(self, *, layout: Literal["Square", "Triangle"] = ..., entry: Literal["North", "East", "South", "West"] = ..., exit: Literal["North", "East", "South", "West"] = ..., rivers: int = ..., tributaries: int = ..., forks: int = ..., detail: int = ..., source_height: float = ..., drop: float = ..., cascades: float = ..., steps: int = ..., banks: Literal["Symmetric", "AsInPaper"] = ..., width: float = ..., widths: Literal["Even", "Downstream"] = ..., source_width: float = ..., depth: float = ..., valley: Literal["Vee", "Floodplain", "Gorge"] = ..., valley_width: float = ..., smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., amplitude: float = ..., corners: float = ..., corner_spread: float = ..., levels_shown: int = ...) -> None: ...

class Stamp(Node):
    """Raises and lowers the terrain at random with cones, bells or images. The first stamp is as wide as the terrain; each level has four times as many stamps of half the size."""

    profile: Literal["Cone", "Bell", "Pictures", "Mixed"]
    """Cone; one of Cone, Bell, Pictures, Mixed. Profile of the stamp."""
    cones: float
    """1, from 0 to 1. Weight of cones relative to the other profiles. If all weights are 0, there are no stamps."""
    bells: float
    """1, from 0 to 1. Weight of bells relative to the other profiles."""
    images: float
    """1, from 0 to 1. Weight of images relative to the other profiles."""
    depth: Literal["Samples", "Metres"]
    """Samples; one of Samples, Metres. Unit in which the size of the smallest stamps is limited."""
    smallest_metres: float
    """15 m, from 0.01 to 1e+06. Minimum diameter of the stamps."""
    levels_shown: int
    """14, from 1 to 14. Number of levels that are stamped, the largest first. Small values show the first steps of the method."""
    falloff: float
    """1, from 0 to 4. Decrease of the height from level to level: at 0 all levels are equally high, at 1 slopes are equally steep."""
    amplitude: float
    """0.45, from -10 to 10. Height of the first stamp, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Height of the terrain before stamping, as a fraction of the relief."""
    sunk: float
    """0.5, from 0 to 1. Fraction of the stamps that lower the terrain; the other stamps raise it."""
    rotation: Literal["Any", "Quarters", "Unturned"]
    """Any; one of Any, Quarters, Unturned. Rotation of images before they are stamped."""
    picture_1: str | PathLike[str]
    """'stamp:mountain'. Image of a stamp. Its inscribed disc is used, and the values on the disc's rim count as level terrain."""
    picture_2: str | PathLike[str]
    """''. A second image from which stamps are drawn."""
    picture_3: str | PathLike[str]
    """''. A third image from which stamps are drawn."""
    picture_4: str | PathLike[str]
    """''. A fourth image from which stamps are drawn."""
    def __init__(self, *, profile: Literal["Cone", "Bell", "Pictures", "Mixed"] = "Cone", cones: float = 1.0, bells: float = 1.0, images: float = 1.0, depth: Literal["Samples", "Metres"] = "Samples", smallest_metres: float = 15.0, levels_shown: int = 14, falloff: float = 1.0, amplitude: float = 0.44999998807907104, base: float = 0.5, sunk: float = 0.5, rotation: Literal["Any", "Quarters", "Unturned"] = "Any", picture_1: str | PathLike[str] = ..., picture_2: str | PathLike[str] = ..., picture_3: str | PathLike[str] = ..., picture_4: str | PathLike[str] = ...) -> None: ...
    def set(self, *, profile: Literal["Cone", "Bell", "Pictures", "Mixed"] = ..., cones: float = ..., bells: float = ..., images: float = ..., depth: Literal["Samples", "Metres"] = ..., smallest_metres: float = ..., levels_shown: int = ..., falloff: float = ..., amplitude: float = ..., base: float = ..., sunk: float = ..., rotation: Literal["Any", "Quarters", "Unturned"] = ..., picture_1: str | PathLike[str] = ..., picture_2: str | PathLike[str] = ..., picture_3: str | PathLike[str] = ..., picture_4: str | PathLike[str] = ...) -> None: ...

class Fault(Node):
    """Rough terrain broken along many straight lines, each with one raised side."""

    faults: int
    """400, from 1 to 5000. Number of faults. More faults make finer terrain; each fault takes the same time."""
    last: float
    """0.15, from 0 to 1. Step height of the last fault, as a fraction of the step height of the first fault."""
    width: float
    """0.02, from 0 to 0.25. Width of the slope on either side of a fault, as a fraction of the terrain's side length: 0 makes cliffs."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the deepest to the highest point, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Mean height, as a fraction of the relief."""
    def __init__(self, *, faults: int = 400, last: float = 0.15000000596046448, width: float = 0.019999999552965164, amplitude: float = 1.0, base: float = 0.5) -> None: ...
    def set(self, *, faults: int = ..., last: float = ..., width: float = ..., amplitude: float = ..., base: float = ...) -> None: ...

class Circles(Node):
    """Soft, rolling terrain made of many round bumps."""

    circles: int
    """400, from 1 to 5000. Number of bumps."""
    radius: float
    """0.15, from 0.001 to 1. Radius of the largest bumps, as a fraction of the terrain's side length."""
    smallest: float
    """0.2, from 0 to 1. Radius of the smallest bumps, as a fraction of the radius of the largest bumps."""
    pits: float
    """0.5, from 0 to 1. Fraction of the bumps that are pits instead."""
    amplitude: float
    """1, from -10 to 10. Approximate height from the deepest to the highest point, as a fraction of the relief."""
    base: float
    """0.5, from -10 to 10. Height of the level terrain to which the bumps are added, as a fraction of the relief."""
    def __init__(self, *, circles: int = 400, radius: float = 0.15000000596046448, smallest: float = 0.20000000298023224, pits: float = 0.5, amplitude: float = 1.0, base: float = 0.5) -> None: ...
    def set(self, *, circles: int = ..., radius: float = ..., smallest: float = ..., pits: float = ..., amplitude: float = ..., base: float = ...) -> None: ...

class Voronoi(Node):
    """Mountains, cells or cones around scattered points."""

    points: int
    """40, from 1 to 65536. Number of feature points. Each point makes one mountain; more points make smaller mountains."""
    scatter: Literal["Random", "Lattice"]
    """Lattice; one of Random, Lattice. Distribution of the feature points."""
    jitter: float
    """0.85, from 0 to 1. Distance of the points from the centres of their lattice cells: 0 gives a regular pattern."""
    metric: Literal["Euclidean", "Squared"]
    """Euclidean; one of Euclidean, Squared. Measure of distance: the plain distance or its square."""
    c1: float
    """-1, from -10 to 10. Weight of the distance to the nearest point. With values below 0 the points are peaks, with values above 0 pits."""
    c2: float
    """1, from -10 to 10. Weight of the distance to the second nearest point. With the opposite sign of the first weight, it makes sharp ridges."""
    c3: float
    """0, from -10 to 10. Weight of the distance to the third nearest point."""
    c4: float
    """0, from -10 to 10. Weight of the distance to the fourth nearest point."""
    c5: float
    """0, from -10 to 10. Weight of the distance to the fifth nearest point. Farther points contribute rounder shapes."""
    c6: float
    """0, from -10 to 10. Weight of the distance to the sixth nearest point."""
    c7: float
    """0, from -10 to 10. Weight of the distance to the seventh nearest point."""
    c8: float
    """0, from -10 to 10. Weight of the distance to the eighth nearest point."""
    rim: Literal["Ends", "GoesOn"]
    """Ends; one of Ends, GoesOn. Points beyond open edges. Wrapping terrains and planets have no edges."""
    regions: Literal["Alike", "Uniform", "TwoValued"]
    """Alike; one of Alike, Uniform, TwoValued. Factor by which the region around each point is multiplied. Lowered regions leave wide passages between the other regions."""
    kept: float
    """0.6, from 0 to 1. Fraction of the regions that keep their height."""
    amplitude: float
    """0.75, from -10 to 10. Height of the result, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height where the weighted sum of the distances is 0, as a fraction of the relief."""
    def __init__(self, *, points: int = 40, scatter: Literal["Random", "Lattice"] = "Lattice", jitter: float = 0.8500000238418579, metric: Literal["Euclidean", "Squared"] = "Euclidean", c1: float = -1.0, c2: float = 1.0, c3: float = 0.0, c4: float = 0.0, c5: float = 0.0, c6: float = 0.0, c7: float = 0.0, c8: float = 0.0, rim: Literal["Ends", "GoesOn"] = "Ends", regions: Literal["Alike", "Uniform", "TwoValued"] = "Alike", kept: float = 0.6000000238418579, amplitude: float = 0.75, base: float = 0.0) -> None: ...
    def set(self, *, points: int = ..., scatter: Literal["Random", "Lattice"] = ..., jitter: float = ..., metric: Literal["Euclidean", "Squared"] = ..., c1: float = ..., c2: float = ..., c3: float = ..., c4: float = ..., c5: float = ..., c6: float = ..., c7: float = ..., c8: float = ..., rim: Literal["Ends", "GoesOn"] = ..., regions: Literal["Alike", "Uniform", "TwoValued"] = ..., kept: float = ..., amplitude: float = ..., base: float = ...) -> None: ...

class VoronoiMidpoint(Node):
    """Mountain ranges between scattered points, with rough fractal slopes."""

    points: int
    """24, from 1 to 65536. Number of feature points. Each point makes one mountain; more points make smaller mountains."""
    scatter: Literal["Random", "Lattice"]
    """Random; one of Random, Lattice. Distribution of the feature points."""
    jitter: float
    """0.85, from 0 to 1. Distance of the points from the centres of their lattice cells: 0 gives a regular pattern."""
    metric: Literal["Euclidean", "Squared"]
    """Euclidean; one of Euclidean, Squared. Measure of distance: the plain distance or its square."""
    c1: float
    """-1, from -10 to 10. Weight of the distance to the nearest point. With values below 0 the points are peaks, with values above 0 pits."""
    c2: float
    """1, from -10 to 10. Weight of the distance to the second nearest point. With the opposite sign of the first weight, it makes sharp ridges."""
    rim: Literal["Ends", "GoesOn"]
    """Ends; one of Ends, GoesOn. Points beyond open edges. Wrapping terrains have no edges."""
    regions: Literal["Alike", "Uniform", "TwoValued"]
    """Alike; one of Alike, Uniform, TwoValued. Factor by which the region around each point is multiplied. Lowered regions leave wide passages between the other regions."""
    kept: float
    """0.6, from 0 to 1. Fraction of the regions that keep their height."""
    relief: float
    """0.6, from -10 to 10. Height of the cells, as a fraction of the relief."""
    base: float
    """0.1, from -10 to 10. Height where the weighted sum is 0, as a fraction of the relief."""
    coarse_levels: int
    """4, from 0 to 8. Number of halvings before fractal squares replace the cells. With small values little of the cells remains."""
    smoothness: float
    """0.85, from 0.01 to 1. Smoothness of small features: near 0 every sample is independent, at 1 the terrain rolls gently."""
    schedule: Literal["Smoothness", "Halving"]
    """Smoothness; one of Smoothness, Halving. Decrease of the displacement from level to level."""
    distribution: Literal["Uniform", "Upwards", "Gaussian"]
    """Uniform; one of Uniform, Upwards, Gaussian. Distribution of the random displacement."""
    roughness: float
    """0.06, from 0 to 10. Maximum displacement of the first fractal midpoint at smoothness 1, as a fraction of the relief."""
    def __init__(self, *, points: int = 24, scatter: Literal["Random", "Lattice"] = "Random", jitter: float = 0.8500000238418579, metric: Literal["Euclidean", "Squared"] = "Euclidean", c1: float = -1.0, c2: float = 1.0, rim: Literal["Ends", "GoesOn"] = "Ends", regions: Literal["Alike", "Uniform", "TwoValued"] = "Alike", kept: float = 0.6000000238418579, relief: float = 0.6000000238418579, base: float = 0.10000000149011612, coarse_levels: int = 4, smoothness: float = 0.8500000238418579, schedule: Literal["Smoothness", "Halving"] = "Smoothness", distribution: Literal["Uniform", "Upwards", "Gaussian"] = "Uniform", roughness: float = 0.05999999865889549) -> None: ...
    def set(self, *, points: int = ..., scatter: Literal["Random", "Lattice"] = ..., jitter: float = ..., metric: Literal["Euclidean", "Squared"] = ..., c1: float = ..., c2: float = ..., rim: Literal["Ends", "GoesOn"] = ..., regions: Literal["Alike", "Uniform", "TwoValued"] = ..., kept: float = ..., relief: float = ..., base: float = ..., coarse_levels: int = ..., smoothness: float = ..., schedule: Literal["Smoothness", "Halving"] = ..., distribution: Literal["Uniform", "Upwards", "Gaussian"] = ..., roughness: float = ...) -> None: ...

class Cellular(Node):
    """Layered cells, each layer finer and lower: scales, cracks, pitted or peaked terrain."""

    frequency: float
    """5, from 0.1 to 256. Number of cells of the first octave along a side: larger values make the cells smaller."""
    octaves: int
    """4, from 1 to 16. Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time."""
    feature: Literal["Nearest", "Second", "Difference"]
    """Difference; one of Nearest, Second, Difference. Distance from which the height is computed."""
    jitter: float
    """1, from 0 to 1. Distance of the points from the centres of their cells: 0 gives a regular pattern."""
    lacunarity: float
    """2, from 1 to 4. Frequency of each octave relative to the previous octave."""
    persistence: float
    """0.45, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    amplitude: float
    """1, from -10 to 10. Height for a distance of one cell, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height at the points where the distance is 0, as a fraction of the relief."""
    offset_x: float
    """0, from -1000 to 1000. Moves the pattern to the west, as a multiple of the terrain's side length."""
    offset_y: float
    """0, from -1000 to 1000. Moves the pattern to the north, as a multiple of the terrain's side length."""
    def __init__(self, *, frequency: float = 5.0, octaves: int = 4, feature: Literal["Nearest", "Second", "Difference"] = "Difference", jitter: float = 1.0, lacunarity: float = 2.0, persistence: float = 0.44999998807907104, amplitude: float = 1.0, base: float = 0.0, offset_x: float = 0.0, offset_y: float = 0.0) -> None: ...
    def set(self, *, frequency: float = ..., octaves: int = ..., feature: Literal["Nearest", "Second", "Difference"] = ..., jitter: float = ..., lacunarity: float = ..., persistence: float = ..., amplitude: float = ..., base: float = ..., offset_x: float = ..., offset_y: float = ...) -> None: ...

class Shape(Node):
    """A single plain landform: plane, ramp, cone, dome, crater, ridge or island."""

    form: Literal["Plane", "Ramp", "Cone", "Dome", "Crater", "Ridge", "Island"]
    """Cone; one of Plane, Ramp, Cone, Dome, Crater, Ridge, Island. The landform."""
    centre_x: float
    """0.5, from -10 to 10. Position of the centre between the west edge (0) and the east edge (1)."""
    centre_y: float
    """0.5, from -10 to 10. Position of the centre between the north edge (0) and the south edge (1)."""
    radius: float
    """0.4, from 0.001 to 10. Distance from the centre to the foot, as a multiple of the terrain's side length."""
    height: float
    """0.8, from -10 to 10. Height above the surroundings, as a fraction of the relief."""
    base: float
    """0, from -10 to 10. Height of the surroundings, as a fraction of the relief."""
    rotation_angle: float
    """0 °, from -360 to 360. Direction in which a ramp rises or a ridge runs: 0 is east, 90 is south."""
    length: float
    """0.6, from 0 to 10. Length of the crest of a ridge, as a multiple of the terrain's side length."""
    def __init__(self, *, form: Literal["Plane", "Ramp", "Cone", "Dome", "Crater", "Ridge", "Island"] = "Cone", centre_x: float = 0.5, centre_y: float = 0.5, radius: float = 0.4000000059604645, height: float = 0.800000011920929, base: float = 0.0, rotation_angle: float = 0.0, length: float = 0.6000000238418579) -> None: ...
    def set(self, *, form: Literal["Plane", "Ramp", "Cone", "Dome", "Crater", "Ridge", "Island"] = ..., centre_x: float = ..., centre_y: float = ..., radius: float = ..., height: float = ..., base: float = ..., rotation_angle: float = ..., length: float = ...) -> None: ...

class Construction(Node):
    """Terrain built by hand from features: mountains, rivers, roads, craters and lakes, each placed, shaped and combined individually."""

    tree: str
    """as in scene files. The features, and the operators that combine them."""
    detail: float
    """1, from 0 to 1. Amount of detail on the features: 0 shows only their plain shapes, 1 all detail."""
    cut_out: bool
    """False. Cuts out the terrain around the features. Without it the surroundings are level terrain."""
    def __init__(self, *, tree: str = ..., detail: float = 1.0, cut_out: bool = False) -> None: ...
    def set(self, *, tree: str = ..., detail: float = ..., cut_out: bool = ...) -> None: ...

class Import(Node):
    """Heights from a file: PNG, TIFF and GeoTIFF, OpenEXR, SRTM tiles, ESRI ASCII grids, raw numbers, or a mesh (GLB, OBJ, PLY, STL) projected from above. Use 16 bits or more: 8 bits give visible steps."""

    file: str | PathLike[str]
    """''. The file. For a raw file (.r16, .raw, .r32), also set the width."""
    heights: Literal["File", "Given"]
    """File; one of File, Given. Source of the heights that black and white stand for."""
    low_metres: float
    """0 m, from -100000 to 100000. Height that black stands for."""
    high_metres: float
    """1800 m, from -100000 to 100000. Height that white stands for."""
    fit: Literal["Stretch", "Crop", "Whole"]
    """Stretch; one of Stretch, Crop, Whole. Placement of a file that is not square."""
    sampling: Literal["Bicubic", "Bilinear"]
    """Bicubic; one of Bicubic, Bilinear. Interpolation of heights between the samples of the file."""
    voids: Literal["Smooth", "Lowest", "Sea", "Void"]
    """Smooth; one of Smooth, Lowest, Sea, Void. Treatment of areas without data."""
    raw_width: int
    """0 samples, from 0 to 65536. Samples per row of a raw file. 0 assumes a square file, or a file twice as wide as high."""
    raw_bytes: Literal["Little", "Big"]
    """Little; one of Little, Big. Byte order of the numbers in a raw file."""
    raw_rows: Literal["North", "South"]
    """North; one of North, South. Edge of the terrain that the first row of the file belongs to."""
    numbers: Literal["File", "Metres", "Fractions", "Terrarium", "Mapbox"]
    """File; one of File, Metres, Fractions, Terrarium, Mapbox. Meaning of the numbers in the file."""
    unit: Literal["File", "Metres", "Feet", "SurveyFeet", "Decimetres", "Centimetres", "Millimetres", "Kilometres"]
    """File; one of File, Metres, Feet, SurveyFeet, Decimetres, Centimetres, Millimetres, Kilometres. Unit of the heights in the file."""
    no_data: Literal["File", "Given", "Never"]
    """File; one of File, Given, Never. Samples of the file that have no data."""
    no_data_value: float
    """-9999, from -3.40282e+38 to 3.40282e+38. Number that marks samples without data."""
    channel: int
    """0, from 0 to 1024. Channel of the file, counted from 1. 0 lets the program choose the channel that holds heights."""
    def __init__(self, *, file: str | PathLike[str] = ..., heights: Literal["File", "Given"] = "File", low_metres: float = 0.0, high_metres: float = 1800.0, fit: Literal["Stretch", "Crop", "Whole"] = "Stretch", sampling: Literal["Bicubic", "Bilinear"] = "Bicubic", voids: Literal["Smooth", "Lowest", "Sea", "Void"] = "Smooth", raw_width: int = 0, raw_bytes: Literal["Little", "Big"] = "Little", raw_rows: Literal["North", "South"] = "North", numbers: Literal["File", "Metres", "Fractions", "Terrarium", "Mapbox"] = "File", unit: Literal["File", "Metres", "Feet", "SurveyFeet", "Decimetres", "Centimetres", "Millimetres", "Kilometres"] = "File", no_data: Literal["File", "Given", "Never"] = "File", no_data_value: float = -9999.0, channel: int = 0) -> None: ...
    def set(self, *, file: str | PathLike[str] = ..., heights: Literal["File", "Given"] = ..., low_metres: float = ..., high_metres: float = ..., fit: Literal["Stretch", "Crop", "Whole"] = ..., sampling: Literal["Bicubic", "Bilinear"] = ..., voids: Literal["Smooth", "Lowest", "Sea", "Void"] = ..., raw_width: int = ..., raw_bytes: Literal["Little", "Big"] = ..., raw_rows: Literal["North", "South"] = ..., numbers: Literal["File", "Metres", "Fractions", "Terrarium", "Mapbox"] = ..., unit: Literal["File", "Metres", "Feet", "SurveyFeet", "Decimetres", "Centimetres", "Millimetres", "Kilometres"] = ..., no_data: Literal["File", "Given", "Never"] = ..., no_data_value: float = ..., channel: int = ...) -> None: ...

class Reference(Node):
    """Uses the height, a data map or the mask of another layer, group or branch once more: as terrain, or as the uplift, the hardness or another map for the layers above. The other layer can be in another scene file."""

    source: str
    """''. The layer, group or branch to read; it may be hidden. A generator is read alone. Another layer is read together with all layers under it. A layer above this one can be read if its result does not need this layer."""
    source_file: str | PathLike[str]
    """''. Another scene file (.ron) that contains the layer. Without a layer, the finished terrain of that scene is read."""
    source_reads: Literal["Height", "Data", "Mask"]
    """Height; one of Height, Data, Mask. The value of that layer to read."""
    source_data: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"]
    """Flow; one of Water, Sediment, Hardness, Flow, Wear, Deposits, Rain, Sand, Snow, Film, Vegetation, Brightness, Ground, Ridge, Uplift, Ice, Humidity, CrustAge, RockShare, GrassShare, SandShare, SnowShare, RoadShare, BareShare, TreeDensity, UndergrowthDensity, StoneDensity. The data map of that layer to read."""
    use_as: Literal["Height", "Data"]
    """Height; one of Height, Data. The use of the values: heights of this layer, or a data map for the layers above."""
    map: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"]
    """Hardness; one of Water, Sediment, Hardness, Flow, Wear, Deposits, Rain, Sand, Snow, Film, Vegetation, Brightness, Ground, Ridge, Uplift, Ice, Humidity, CrustAge, RockShare, GrassShare, SandShare, SnowShare, RoadShare, BareShare, TreeDensity, UndergrowthDensity, StoneDensity. The data map to write, such as hardness, uplift or rain; *Brightness* and the cover fractions change colours."""
    scale: float
    """1, from -1e+06 to 1e+06. Factor from the value read to the value used: 0.001 turns heights up to 1000 m into a map from 0 to 1, and 500 turns a mask into heights up to 500 m."""
    offset: float
    """0, from -1e+06 to 1e+06. Value added after scaling: metres for heights and thicknesses, otherwise the unit of the map that is written."""
    def __init__(self, *, source: str = ..., source_file: str | PathLike[str] = ..., source_reads: Literal["Height", "Data", "Mask"] = "Height", source_data: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"] = "Flow", use_as: Literal["Height", "Data"] = "Height", map: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"] = "Hardness", scale: float = 1.0, offset: float = 0.0) -> None: ...
    def set(self, *, source: str = ..., source_file: str | PathLike[str] = ..., source_reads: Literal["Height", "Data", "Mask"] = ..., source_data: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"] = ..., use_as: Literal["Height", "Data"] = ..., map: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"] = ..., scale: float = ..., offset: float = ...) -> None: ...

class Sculpt(Node):
    """Terrain shaped by hand: raise, lower, smooth, flatten, stamp, smear and erode it with a brush. Strokes stay editable: each can be changed, reordered or removed later, at any resolution."""

    strokes: str
    """as in scene files. The strokes, in the order in which they act."""
    def __init__(self, *, strokes: str = ...) -> None: ...
    def set(self, *, strokes: str = ...) -> None: ...

class Continents(Node):
    """Continents with shelves, broken coasts and deep ocean floors between them."""

    form: Literal["Plates", "Product", "Cells"]
    """Plates; one of Plates, Product, Cells. Combination of the noise with the cells of the plates."""
    plates: int
    """24, from 4 to 2000. Number of plates. Few plates make one or two large continents, many make archipelagos."""
    first: float
    """-1, from -10 to 10. Weight of the distance to the nearest centre."""
    second: float
    """-2, from -10 to 10. Weight of the distance to the second nearest centre."""
    third: float
    """1.5, from -10 to 10. Weight of the distance to the third nearest centre."""
    fourth: float
    """0, from -10 to 10. Weight of the distance to the fourth nearest centre."""
    fifth: float
    """0, from -10 to 10. Weight of the distance to the fifth nearest centre. Farther centres contribute rounder shapes."""
    sixth: float
    """0, from -10 to 10. Weight of the distance to the sixth nearest centre."""
    seventh: float
    """0, from -10 to 10. Weight of the distance to the seventh nearest centre."""
    eighth: float
    """0, from -10 to 10. Weight of the distance to the eighth nearest centre."""
    farther: str | Sequence[float]
    """[], a list of numbers from -10 to 10. Weights of the distances to the ninth nearest centre, the tenth, and so on."""
    coast: Literal["Land", "Zero"]
    """Land; one of Land, Zero. Value of the cells at the coast."""
    land: float
    """0.35, from 0 to 1. Fraction of the globe that continents cover."""
    roughness: float
    """0.7, from 0 to 2. Roughness of the coasts: larger values break them up."""
    drift: float
    """0.6, from 0 to 4. Strength of the noise that joins continents across plate boundaries: 0 leaves one round continent on every plate."""
    mountains: float
    """0.35, from 0 to 10. Height of the mountain ranges where plates meet on land, as a fraction of the scene's relief."""
    frequency: float
    """3, from 0.1 to 256. Number of large relief features along a quarter of the circumference."""
    octaves: int
    """8, from 1 to 16. Number of octaves: more octaves add finer relief. Each octave takes the same time."""
    persistence: float
    """0.5, from 0 to 1. Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values jagged terrain."""
    amplitude: float
    """0.17, from -10 to 10. Amplitude of the relief on the continents, as a fraction of the scene's relief."""
    depth: float
    """0.35, from 0 to 10. Depth of the ocean floor below the continents, as a fraction of the scene's relief."""
    base: float
    """0, from -10 to 10. Height of the coast, as a fraction of the scene's relief."""
    follow_air: bool
    """True. Fades the continents where the planet's air is thin, so that craters dominate."""
    def __init__(self, *, form: Literal["Plates", "Product", "Cells"] = "Plates", plates: int = 24, first: float = -1.0, second: float = -2.0, third: float = 1.5, fourth: float = 0.0, fifth: float = 0.0, sixth: float = 0.0, seventh: float = 0.0, eighth: float = 0.0, farther: str | Sequence[float] = ..., coast: Literal["Land", "Zero"] = "Land", land: float = 0.3499999940395355, roughness: float = 0.699999988079071, drift: float = 0.6000000238418579, mountains: float = 0.3499999940395355, frequency: float = 3.0, octaves: int = 8, persistence: float = 0.5, amplitude: float = 0.17000000178813934, depth: float = 0.3499999940395355, base: float = 0.0, follow_air: bool = True) -> None: ...
    def set(self, *, form: Literal["Plates", "Product", "Cells"] = ..., plates: int = ..., first: float = ..., second: float = ..., third: float = ..., fourth: float = ..., fifth: float = ..., sixth: float = ..., seventh: float = ..., eighth: float = ..., farther: str | Sequence[float] = ..., coast: Literal["Land", "Zero"] = ..., land: float = ..., roughness: float = ..., drift: float = ..., mountains: float = ..., frequency: float = ..., octaves: int = ..., persistence: float = ..., amplitude: float = ..., depth: float = ..., base: float = ..., follow_air: bool = ...) -> None: ...

class Plates(Node):
    """Moves plates for some hundred million years: oceans open and close, mountain ranges and island arcs rise where plates meet, continents collide and break apart."""

    iterations: int
    """100, from 0 to 2000. Number of steps of two million years each. A hundred steps open one ocean and close another."""
    plates: int
    """16, from 2 to 48. Initial number of plates. Rifts add plates, and subduction removes small plates."""
    speed: float
    """60 mm/year, from 0 to 200. Speed of fast plates. Earth's plates move at 20 to 100 mm a year."""
    land: float
    """0.33, from 0 to 1. Initial fraction of the planet that continents cover. It is only used if the input terrain is all land or all sea; otherwise the land and shelves of the input terrain become the continents."""
    subduction_uplift: float
    """0.6 mm/year, from 0 to 5. Uplift rate where fast plates subduct. At 0 no coastal ranges and island arcs form."""
    collision_metres: float
    """3000 m, from 0 to 10000. Uplift from the collision of two large continents. Small continents cause less uplift."""
    rifting: float
    """6 per 100 Ma, from 0 to 100. Number of plates that would break apart in a hundred million years if large plates covered the whole planet."""
    hot_spots: int
    """14, from 0 to 200. Number of hot spots. They stay in place and build chains of volcanoes on the passing plates."""
    erosion: float
    """0.08 mm/year, from 0 to 2. Erosion rate at a height of 10 km. Lower land erodes more slowly, in proportion to its height."""
    ocean_dampening: float
    """0.04 mm/year, from 0 to 2. Rate at which relief 4 km above the ocean floor sinks. Inactive trenches fill seven times as fast."""
    detail: int
    """128, from 16 to 256. Number of cells of the plates along a quarter of the circumference, independent of the resolution. Twice as many cells take four times as long."""
    def __init__(self, *, iterations: int = 100, plates: int = 16, speed: float = 60.0, land: float = 0.33000001311302185, subduction_uplift: float = 0.6000000238418579, collision_metres: float = 3000.0, rifting: float = 6.0, hot_spots: int = 14, erosion: float = 0.07999999821186066, ocean_dampening: float = 0.03999999910593033, detail: int = 128) -> None: ...
    def set(self, *, iterations: int = ..., plates: int = ..., speed: float = ..., land: float = ..., subduction_uplift: float = ..., collision_metres: float = ..., rifting: float = ..., hot_spots: int = ..., erosion: float = ..., ocean_dampening: float = ..., detail: int = ...) -> None: ...

class PlanetImport(Node):
    """Heights of a whole planet from a file, such as a map of Earth, Mars or the Moon. Use 16 bits or more: 8 bits give visible steps. A georeferenced map is placed at its longitudes and latitudes."""

    file: str | PathLike[str]
    """''. The file. For a raw map (.r16, .raw, .r32), also set the width."""
    layout: Literal["Map", "Points", "Faces"]
    """Map; one of Map, Points, Faces. Layout of the planet in files."""
    middle: float
    """0 °, from -180 to 180. Longitude of the centre of a map without a georeference. The centre of many maps is at 180°."""
    heights: Literal["File", "Given"]
    """File; one of File, Given. Source of the heights that black and white stand for."""
    low_metres: float
    """-11000 m, from -100000 to 100000. Height that black stands for."""
    high_metres: float
    """8900 m, from -100000 to 100000. Height that white stands for."""
    sampling: Literal["Bicubic", "Bilinear"]
    """Bicubic; one of Bicubic, Bilinear. Interpolation of heights between the samples of the file."""
    voids: Literal["Smooth", "Lowest", "Sea"]
    """Smooth; one of Smooth, Lowest, Sea. Heights of areas without data."""
    raw_width: int
    """0 samples, from 0 to 65536. Samples per row of a raw map. 0 assumes that the map is twice as wide as high."""
    raw_bytes: Literal["Little", "Big"]
    """Little; one of Little, Big. Byte order of the numbers in a raw file."""
    numbers: Literal["File", "Metres", "Fractions", "Terrarium", "Mapbox"]
    """File; one of File, Metres, Fractions, Terrarium, Mapbox. Meaning of the numbers in the file."""
    unit: Literal["File", "Metres", "Feet", "SurveyFeet", "Decimetres", "Centimetres", "Millimetres", "Kilometres"]
    """File; one of File, Metres, Feet, SurveyFeet, Decimetres, Centimetres, Millimetres, Kilometres. Unit of the heights in the file."""
    no_data: Literal["File", "Given", "Never"]
    """File; one of File, Given, Never. Samples of the file that have no data."""
    no_data_value: float
    """-9999, from -3.40282e+38 to 3.40282e+38. Number that marks samples without data."""
    channel: int
    """0, from 0 to 1024. Channel of the file, counted from 1. 0 lets the program choose the channel that holds heights."""
    def __init__(self, *, file: str | PathLike[str] = ..., layout: Literal["Map", "Points", "Faces"] = "Map", middle: float = 0.0, heights: Literal["File", "Given"] = "File", low_metres: float = -11000.0, high_metres: float = 8900.0, sampling: Literal["Bicubic", "Bilinear"] = "Bicubic", voids: Literal["Smooth", "Lowest", "Sea"] = "Smooth", raw_width: int = 0, raw_bytes: Literal["Little", "Big"] = "Little", numbers: Literal["File", "Metres", "Fractions", "Terrarium", "Mapbox"] = "File", unit: Literal["File", "Metres", "Feet", "SurveyFeet", "Decimetres", "Centimetres", "Millimetres", "Kilometres"] = "File", no_data: Literal["File", "Given", "Never"] = "File", no_data_value: float = -9999.0, channel: int = 0) -> None: ...
    def set(self, *, file: str | PathLike[str] = ..., layout: Literal["Map", "Points", "Faces"] = ..., middle: float = ..., heights: Literal["File", "Given"] = ..., low_metres: float = ..., high_metres: float = ..., sampling: Literal["Bicubic", "Bilinear"] = ..., voids: Literal["Smooth", "Lowest", "Sea"] = ..., raw_width: int = ..., raw_bytes: Literal["Little", "Big"] = ..., numbers: Literal["File", "Metres", "Fractions", "Terrarium", "Mapbox"] = ..., unit: Literal["File", "Metres", "Feet", "SurveyFeet", "Decimetres", "Centimetres", "Millimetres", "Kilometres"] = ..., no_data: Literal["File", "Given", "Never"] = ..., no_data_value: float = ..., channel: int = ...) -> None: ...

class Craters(Node):
    """Adds impact craters of different ages: bowls, terraced craters with peaks, and great basins. Young craters overlap old craters."""

    places: Literal["Random", "Chosen"]
    """Random; one of Random, Chosen. Places of the craters: at random, or a single crater at a chosen place. Several layers place several craters."""
    longitude: float
    """0 °, from -180 to 180. Longitude of the chosen place on a planet."""
    latitude: float
    """0 °, from -90 to 90. Latitude of the chosen place on a planet."""
    centre_x: float
    """0.5, from -10 to 10. Position of the chosen place on a square terrain, from the western edge (0) to the eastern edge (1)."""
    centre_y: float
    """0.5, from -10 to 10. Position of the chosen place on a square terrain, from the northern edge (0) to the southern edge (1)."""
    amount: Literal["Number", "Cover"]
    """Number; one of Number, Cover. Quantity that sets the number of craters."""
    craters: int
    """2500, from 1 to 200000. Number of craters of all sizes. Their total area is limited to 20 times the area of the terrain."""
    cover: float
    """1, from 0 to 20. Total area of the craters as a multiple of the terrain's area. Above 1 hardly any old terrain remains."""
    largest: float
    """0.25, from 0.001 to 1. Diameter of the largest craters, as a fraction of the terrain's side length. On a planet the side length is a quarter of the circumference."""
    smallest: float
    """0.006, from 0.0002 to 1. Diameter of the smallest craters, as a fraction of the terrain's side length."""
    size_slope: float
    """2, from 0.5 to 5. Exponent of the size distribution: at 2 there are four times as many craters at half the diameter. Larger values leave only few large craters."""
    depth: float
    """1, from 0 to 10. Depth relative to fresh craters on the Moon. The height of rims grows with the depth."""
    transition_metres: float
    """10600 m, from 10 to 1e+06. Diameter from which craters have flat floors, terraced walls and central peaks: 10.6 km on the Moon, 3 km on Earth."""
    peaks: float
    """1, from 0 to 3. Height of central peaks and inner rings, relative to craters on the Moon."""
    ejecta: float
    """1, from 0 to 3. Height of the rims and of the ejecta around the rims, relative to craters on the Moon."""
    uneven: float
    """0.6, from 0 to 1. Irregularity of rims, walls and blankets: 0 makes them perfectly round."""
    wear: float
    """0.6, from 0 to 10. Erosion of old craters, which makes them soft and shallow. At 0 all craters look fresh."""
    rays: float
    """0.03, from 0 to 1. Fraction of the craters that still have bright rays in the brightness map. The youngest craters have the rays."""
    maria: float
    """0, from 0 to 1. Fill level of the lava in large old basins: 1 fills the basins up to the surrounding terrain. Lava is smooth and dark."""
    maria_from: float
    """0.4, from 0.05 to 1. Minimum diameter of flooded basins, as a fraction of the largest diameter."""
    follow_atmosphere: bool
    """True. Uses the planet's air, which stops small meteorites and erodes craters."""
    atmosphere: float
    """0, from 0 to 100. Density of the air: 0 keeps every crater, 0.01 softens craters as on Mars, 1 leaves almost no craters, as on Earth."""
    def __init__(self, *, places: Literal["Random", "Chosen"] = "Random", longitude: float = 0.0, latitude: float = 0.0, centre_x: float = 0.5, centre_y: float = 0.5, amount: Literal["Number", "Cover"] = "Number", craters: int = 2500, cover: float = 1.0, largest: float = 0.25, smallest: float = 0.006000000052154064, size_slope: float = 2.0, depth: float = 1.0, transition_metres: float = 10600.0, peaks: float = 1.0, ejecta: float = 1.0, uneven: float = 0.6000000238418579, wear: float = 0.6000000238418579, rays: float = 0.029999999329447746, maria: float = 0.0, maria_from: float = 0.4000000059604645, follow_atmosphere: bool = True, atmosphere: float = 0.0) -> None: ...
    def set(self, *, places: Literal["Random", "Chosen"] = ..., longitude: float = ..., latitude: float = ..., centre_x: float = ..., centre_y: float = ..., amount: Literal["Number", "Cover"] = ..., craters: int = ..., cover: float = ..., largest: float = ..., smallest: float = ..., size_slope: float = ..., depth: float = ..., transition_metres: float = ..., peaks: float = ..., ejecta: float = ..., uneven: float = ..., wear: float = ..., rays: float = ..., maria: float = ..., maria_from: float = ..., follow_atmosphere: bool = ..., atmosphere: float = ...) -> None: ...

class RiverWalk(Node):
    """Rivers that start at random points, step repeatedly to the lowest neighbour, and lower the terrain at every step."""

    rivers: int
    """120, from 0 to 5000. Number of rivers."""
    depth_metres: float
    """20 m, from 0 to 10000. Depth that each river cuts. Where rivers join, each of them cuts this depth again."""
    length: float
    """0.6, from 0.01 to 4. Maximum length of a river, as a multiple of the terrain's side length."""
    def __init__(self, *, rivers: int = 120, depth_metres: float = 20.0, length: float = 0.6000000238418579) -> None: ...
    def set(self, *, rivers: int = ..., depth_metres: float = ..., length: float = ...) -> None: ...

class PlanetRivers(Node):
    """Finds the rivers of a planet and cuts their valleys, which descend from their springs to the sea."""

    source_area: float
    """60000 km², from 1 to 1e+07. Drainage area at which a river starts, on a planet of Earth's size. On another planet the area is the same fraction of the surface. Small values make many rivers."""
    width: float
    """15 km, from 0 to 1000. Width of the valley floor of a river with a drainage area of a million km². At 0 valley floors are one sample wide."""
    depth: float
    """200 m, from 0 to 10000. Depth of the bed of a river with a drainage area of a million km². At 0 rivers only cut through obstacles."""
    valley_slope: float
    """12 m/km, from 0.1 to 1000. Slope of the valley sides. Gentle sides make broad valleys."""
    lakes: bool
    """False. Keeps depressions as lakes that the rivers run through. Without lakes, rivers cut through the barriers."""
    fjords: float
    """150 km, from 0 to 2000. Length of the fjords of cold coasts. At 0 there are no fjords."""
    fjord_latitude: float
    """55 °, from 0 to 90. Latitude, north and south, above which fjords form."""
    fjord_depth: float
    """400 m, from 1 to 5000. Depth of the fjords below the sea."""
    deltas: float
    """120 km, from 0 to 2000. Length of the delta of a river with a drainage area of a million km². At 0 there are no deltas."""
    def __init__(self, *, source_area: float = 60000.0, width: float = 15.0, depth: float = 200.0, valley_slope: float = 12.0, lakes: bool = False, fjords: float = 150.0, fjord_latitude: float = 55.0, fjord_depth: float = 400.0, deltas: float = 120.0) -> None: ...
    def set(self, *, source_area: float = ..., width: float = ..., depth: float = ..., valley_slope: float = ..., lakes: bool = ..., fjords: float = ..., fjord_latitude: float = ..., fjord_depth: float = ..., deltas: float = ...) -> None: ...

class Patch(Node):
    """Blends a square terrain, edited as a separate scene, into the planet."""

    file: str | PathLike[str]
    """''. Heights of the square in metres: a .r32 file."""
    longitude: float
    """0 °, from -180 to 180. Longitude of the square's centre."""
    latitude: float
    """0 °, from -90 to 90. Latitude of the square's centre."""
    side_metres: float
    """1e+06 m, from 1 to 1e+07. Side length of the square along the surface."""
    feather: float
    """0.1, from 0 to 0.5. Width of the transition to the surrounding terrain, as a fraction of the side."""
    def __init__(self, *, file: str | PathLike[str] = ..., longitude: float = 0.0, latitude: float = 0.0, side_metres: float = 1000000.0, feather: float = 0.10000000149011612) -> None: ...
    def set(self, *, file: str | PathLike[str] = ..., longitude: float = ..., latitude: float = ..., side_metres: float = ..., feather: float = ...) -> None: ...

class Levels(Node):
    """Remaps the heights with input and output levels, gamma and a curve."""

    input_low: float
    """0, from -10 to 10. Height that is mapped to the low output, as a fraction of the relief. Raising it deepens the lowlands."""
    input_high: float
    """1, from -10 to 10. Height that is mapped to the high output, as a fraction of the relief. Lowering it raises the peaks."""
    gamma: float
    """1, from 0.05 to 20. Bends the middle heights: values above 1 raise slopes towards plateaus, values below 1 lower them towards valleys."""
    output_low: float
    """0, from -10 to 10. New height of the low input, as a fraction of the relief. A low output above the high output inverts the terrain."""
    output_high: float
    """1, from -10 to 10. New height of the high input, as a fraction of the relief."""
    clamp: bool
    """False. Cuts off heights outside the input range, which gives flat bottoms and flat tops."""
    curve: str | Sequence[tuple[float, float]]
    """'0,0 1,1'. Curve that maps input heights (from low to high input) to output heights (from low to high output)."""
    def __init__(self, *, input_low: float = 0.0, input_high: float = 1.0, gamma: float = 1.0, output_low: float = 0.0, output_high: float = 1.0, clamp: bool = False, curve: str | Sequence[tuple[float, float]] = ...) -> None: ...
    def set(self, *, input_low: float = ..., input_high: float = ..., gamma: float = ..., output_low: float = ..., output_high: float = ..., clamp: bool = ..., curve: str | Sequence[tuple[float, float]] = ...) -> None: ...

class Terrace(Node):
    """Cuts slopes into steps: flat treads with a sharp lip, like layered rock or rice terraces."""

    step_height: float
    """120 m, from 0.01 to 100000. Height difference between two treads."""
    sharpness: float
    """0.75, from 0 to 1. Flatness of the treads: 0 changes nothing, 1 gives level treads with vertical risers."""
    variation: float
    """0.5, from 0 to 1. Variation of the step heights: 0 makes all steps equal, 1 mixes high and low steps."""
    def __init__(self, *, step_height: float = 120.0, sharpness: float = 0.75, variation: float = 0.5) -> None: ...
    def set(self, *, step_height: float = ..., sharpness: float = ..., variation: float = ...) -> None: ...

class Blur(Node):
    """Softens the relief: hills narrower than the radius vanish, wider hills stay. The radius does not affect the computing time."""

    radius: float
    """100 m, from 0 to 1e+06. Distance over which heights are averaged (standard deviation of the Gaussian): larger values smooth wider hills."""
    def __init__(self, *, radius: float = 100.0) -> None: ...
    def set(self, *, radius: float = ...) -> None: ...

class Sharpen(Node):
    """Emphasises the relief: terrain above its surroundings rises, terrain below its surroundings sinks."""

    radius: float
    """100 m, from 0 to 1e+06. Radius of the surroundings: small values emphasise crags, large values whole hills."""
    amount: float
    """0.5, from 0 to 10. Strength: 0 changes nothing, 1 doubles the height of the terrain above its surroundings."""
    def __init__(self, *, radius: float = 100.0, amount: float = 0.5) -> None: ...
    def set(self, *, radius: float = ..., amount: float = ...) -> None: ...

class Normalise(Node):
    """Stretches the heights so that the deepest valley and the highest peak are at the given heights."""

    target: Literal["Fractions", "Metres"]
    """Fractions; one of Fractions, Metres. Unit of the two heights."""
    low: float
    """0, from -10 to 10. Height of the lowest point, as a fraction of the relief. A low height above the high height inverts the terrain."""
    high: float
    """1, from -10 to 10. Height of the highest point, as a fraction of the relief."""
    low_metres: float
    """0 m, from -100000 to 100000. Height of the lowest point, if the target is in metres."""
    high_metres: float
    """1800 m, from -100000 to 100000. Height of the highest point, if the target is in metres."""
    ignore: float
    """0 %, from 0 to 49. Percentage of the lowest and of the highest samples that are ignored, so that a single spike does not flatten the rest."""
    def __init__(self, *, target: Literal["Fractions", "Metres"] = "Fractions", low: float = 0.0, high: float = 1.0, low_metres: float = 0.0, high_metres: float = 1800.0, ignore: float = 0.0) -> None: ...
    def set(self, *, target: Literal["Fractions", "Metres"] = ..., low: float = ..., high: float = ..., low_metres: float = ..., high_metres: float = ..., ignore: float = ...) -> None: ...

class Clamp(Node):
    """Limits the heights to a range, which makes level plains and table mountains with hard or rounded rims."""

    floor: float
    """400 m, from -100000 to 100000. Minimum height: lower terrain rises to it."""
    ceiling: float
    """1400 m, from -100000 to 100000. Maximum height: higher terrain is cut down to it."""
    knee: float
    """50 m, from 0 to 100000. Height over which the rims are rounded: 0 gives sharp rims."""
    def __init__(self, *, floor: float = 400.0, ceiling: float = 1400.0, knee: float = 50.0) -> None: ...
    def set(self, *, floor: float = ..., ceiling: float = ..., knee: float = ...) -> None: ...

class Invert(Node):
    """Turns the terrain upside down: peaks become pits, ridges become valleys."""

    level: float
    """0.5, from -10 to 10. Height that stays unchanged, as a fraction of the relief: larger values raise the whole result."""
    def __init__(self, *, level: float = 0.5) -> None: ...
    def set(self, *, level: float = ...) -> None: ...

class Median(Node):
    """Removes spikes and pits narrower than the radius; cliffs and terrace edges stay sharp. A large radius takes long."""

    radius: float
    """60 m, from 0 to 1e+06. Radius of the disc around each point whose median height replaces the point's height, at most 1/16 of the side: larger values remove wider spikes."""
    def __init__(self, *, radius: float = 60.0) -> None: ...
    def set(self, *, radius: float = ...) -> None: ...

class Expander(Node):
    """Grows high terrain into broad domes and plateaus, or shrinks it to sharp crests between wide valleys."""

    amount: float
    """150 m, from -1e+06 to 1e+06. Distance by which high terrain grows over low terrain. Negative values grow the low terrain instead."""
    drop: float
    """150 m, from 0.1 to 100000. Height loss of the grown terrain at the distance `amount`: small values give flat tops, large values round domes."""
    smooth: bool
    """False. Rounds the creases where grown slopes meet."""
    def __init__(self, *, amount: float = 150.0, drop: float = 150.0, smooth: bool = False) -> None: ...
    def set(self, *, amount: float = ..., drop: float = ..., smooth: bool = ...) -> None: ...

class Ridges(Node):
    """Raises crests and deepens valleys: gentle terrain gains lines as if water and ice had carved it."""

    ridges: float
    """0.7, from -10 to 10. Strength of the ridges: 0 leaves crests unchanged, negative values lower them."""
    valleys: float
    """0.7, from -10 to 10. Strength of the valleys: 0 leaves valleys unchanged, negative values fill them."""
    scale: float
    """120 m, from 1 to 1e+06. Width of the affected crests and valleys: large values affect whole mountain ranges, small values gullies."""
    def __init__(self, *, ridges: float = 0.699999988079071, valleys: float = 0.699999988079071, scale: float = 120.0) -> None: ...
    def set(self, *, ridges: float = ..., valleys: float = ..., scale: float = ...) -> None: ...

class SpectralRetouch(Node):
    """Roughens the terrain by adding tables of random heights, each finer and lower than the previous one."""

    amount: float
    """0.12, from -10 to 10. Approximate height range of the added detail, as a fraction of the relief."""
    share: Literal["Everywhere", "Height"]
    """Everywhere; one of Everywhere, Height. Heights at which the random detail is added: the same amount at all heights, or more on higher ground."""
    frequency: int
    """16, from 1 to 256. Number of random values along a side of the first table: larger values make the roughness finer."""
    layers: int
    """6, from 1 to 16. Number of tables: more tables add finer detail. Each table takes the same time."""
    step: float
    """2, from 1 to 4. Frequency of each table relative to the previous one."""
    persistence: float
    """0.5, from 0 to 1. Amplitude of each table relative to the previous table: small values give smooth terrain, large values jagged terrain."""
    interpolation: Literal["Linear", "Smoothstep", "Cubic"]
    """Cubic; one of Linear, Smoothstep, Cubic. Interpolation between the values of a table."""
    def __init__(self, *, amount: float = 0.11999999731779099, share: Literal["Everywhere", "Height"] = "Everywhere", frequency: int = 16, layers: int = 6, step: float = 2.0, persistence: float = 0.5, interpolation: Literal["Linear", "Smoothstep", "Cubic"] = "Cubic") -> None: ...
    def set(self, *, amount: float = ..., share: Literal["Everywhere", "Height"] = ..., frequency: int = ..., layers: int = ..., step: float = ..., persistence: float = ..., interpolation: Literal["Linear", "Smoothstep", "Cubic"] = ...) -> None: ...

class Perturbation(Node):
    """Breaks up the terrain: every point takes its height from a random point close by. Add an erosion layer above it."""

    magnitude: float
    """60, from 0 to 1e+06. Maximum distance between a point and the point whose height it takes: larger values break up the relief more."""
    unit: Literal["Metres", "Cells"]
    """Metres; one of Metres, Cells. Unit of the magnitude."""
    displacement: Literal["Random", "Noise"]
    """Random; one of Random, Noise. Displacement of the points."""
    size: float
    """400 m, from 1 to 1e+06. Width of the areas that smooth noise moves together."""
    def __init__(self, *, magnitude: float = 60.0, unit: Literal["Metres", "Cells"] = "Metres", displacement: Literal["Random", "Noise"] = "Random", size: float = 400.0) -> None: ...
    def set(self, *, magnitude: float = ..., unit: Literal["Metres", "Cells"] = ..., displacement: Literal["Random", "Noise"] = ..., size: float = ...) -> None: ...

class Warp(Node):
    """Distorts the terrain with noise: straight ridges become winding, round hills and coasts ragged. Data maps such as water and wear move as well."""

    amount: float
    """250 m, from 0 to 1e+06. Approximate maximum displacement. Values above the size fold the terrain over itself."""
    size: float
    """1500 m, from 1 to 1e+06. Width of the largest bends."""
    octaves: int
    """3, from 1 to 16. Number of octaves: 1 makes sweeping curves, many octaves make ragged outlines."""
    persistence: float
    """0.5, from 0 to 1. Strength of each octave relative to the previous one: larger values make outlines more ragged."""
    def __init__(self, *, amount: float = 250.0, size: float = 1500.0, octaves: int = 3, persistence: float = 0.5) -> None: ...
    def set(self, *, amount: float = ..., size: float = ..., octaves: int = ..., persistence: float = ...) -> None: ...

class Transform(Node):
    """Moves, rotates, scales or mirrors the input terrain with its data maps, such as water, wear and deposits. On a planet it rotates and mirrors the globe."""

    move_x: float
    """0 m, from -1e+06 to 1e+06. Moves the terrain to the east."""
    move_y: float
    """0 m, from -1e+06 to 1e+06. Moves the terrain to the south."""
    angle: float
    """0 °, from -360 to 360. Rotates the terrain clockwise about its centre."""
    scale: float
    """1, from 0.01 to 100. Scales the terrain horizontally about its centre; heights stay, so values below 1 make slopes steeper. It has no effect on planets."""
    mirror_x: bool
    """False. Swaps east and west."""
    mirror_y: bool
    """False. Swaps north and south."""
    outside: Literal["Edges", "Wrap", "Mirror", "Flat"]
    """Edges; one of Edges, Wrap, Mirror, Flat. Terrain that fills the area beyond the old edges."""
    def __init__(self, *, move_x: float = 0.0, move_y: float = 0.0, angle: float = 0.0, scale: float = 1.0, mirror_x: bool = False, mirror_y: bool = False, outside: Literal["Edges", "Wrap", "Mirror", "Flat"] = "Edges") -> None: ...
    def set(self, *, move_x: float = ..., move_y: float = ..., angle: float = ..., scale: float = ..., mirror_x: bool = ..., mirror_y: bool = ..., outside: Literal["Edges", "Wrap", "Mirror", "Flat"] = ...) -> None: ...

class Island(Node):
    """Makes an island: the terrain sinks below the sea towards the edges, along a coast with bays and headlands."""

    depth: float
    """200 m, from 0 to 100000. Depth of the sea floor at the edges, below height 0."""
    width: float
    """0.3, from 0.001 to 1. Width of the slope from land to sea floor, as a fraction of the side: small values give cliffs, large values long shores."""
    roundness: float
    """0.8, from 0 to 1. Roundness of the outline: 0 is a square, 1 a circle."""
    coast: float
    """0.2, from 0 to 1. Length of the bays, as a fraction of the side: 0 gives a coast without bays."""
    bays: float
    """4, from 0.1 to 256. Approximate number of bays and headlands along a side."""
    octaves: int
    """6, from 1 to 16. Number of octaves of the coast: 1 gives a smooth coast, many octaves give a ragged coast."""
    def __init__(self, *, depth: float = 200.0, width: float = 0.30000001192092896, roundness: float = 0.800000011920929, coast: float = 0.20000000298023224, bays: float = 4.0, octaves: int = 6) -> None: ...
    def set(self, *, depth: float = ..., width: float = ..., roundness: float = ..., coast: float = ..., bays: float = ..., octaves: int = ...) -> None: ...

class Seamless(Node):
    """Makes opposite edges meet without a step or crease, so that copies of the terrain can be tiled."""

    width: float
    """0.2, from 0 to 0.5. Width of the margin that changes, as a fraction of the side: small values give steep slopes at the edges."""
    def __init__(self, *, width: float = 0.20000000298023224) -> None: ...
    def set(self, *, width: float = ...) -> None: ...

class Gullies(Node):
    """Draws branching gullies down the slopes in one pass, at any size. No water runs, so no sediment is carried or deposited. The result is a good base for a later erosion layer."""

    size: float
    """800 m, from 1 to 1e+06. Width of the largest gullies, from crest to crest."""
    octaves: int
    """5, from 1 to 12. Number of gully sizes. The gullies of each size are half as wide as those of the size before. More octaves add finer gullies."""
    depth: float
    """180 m, from 0 to 100000. Depth of the largest gullies on steep slopes."""
    persistence: float
    """0.5, from 0 to 1. Depth of each octave relative to the octave before. Low values look smooth, high values ragged."""
    branching: float
    """1, from 0 to 10. How strongly finer gullies turn towards larger ones. At 0 all gullies run straight down the slope."""
    crest_fade: float
    """0.7, from 0 to 1. Fraction by which gullies fade out on crests and at the bottoms of larger gullies; at 0 they do not fade."""
    slope_from: float
    """3 °, from 0 to 90. Slope below which there are no gullies."""
    slope_to: float
    """20 °, from 0 to 90. Slope above which gullies have their full depth."""
    def __init__(self, *, size: float = 800.0, octaves: int = 5, depth: float = 180.0, persistence: float = 0.5, branching: float = 1.0, crest_fade: float = 0.699999988079071, slope_from: float = 3.0, slope_to: float = 20.0) -> None: ...
    def set(self, *, size: float = ..., octaves: int = ..., depth: float = ..., persistence: float = ..., branching: float = ..., crest_fade: float = ..., slope_from: float = ..., slope_to: float = ...) -> None: ...

class Droplets(Node):
    """Lets single droplets of rain run down the slopes. They cut sharp, branching gullies and leave fans of debris at their feet."""

    iterations: int
    """40, from 0 to 10000. Number of showers of droplets, one after another. More showers cut deeper."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    droplets: float
    """0.02, from 0.0005 to 2. Mean number of droplets per sample in one iteration. More droplets make smoother gullies and take longer to compute; the depth of erosion stays the same."""
    lifetime: float
    """1000 m, from 1 to 100000. Longest path of a droplet. Long paths carry the debris farther down to the plain."""
    radius: float
    """25 m, from 0 to 10000. Radius of the disc of terrain that a droplet erodes. Higher values make soft, broad gullies."""
    sediment_capacity: float
    """1 m, from 0 to 100. Rock that the rain of one iteration can carry on a steep slope, as a depth over the area on which the rain fell."""
    erosion_rate: float
    """0.05, from 0 to 1. Fraction of the unused capacity that a droplet fills on a path of a third of the radius. High values cut even close to the crests."""
    deposition_rate: float
    """0.3, from 0 to 1. Fraction of the excess load that is deposited on a path of a third of the radius. Low values spread the debris far."""
    inertia: float
    """0.1, from 0 to 0.99. Resistance of a droplet to changes of direction. High values make droplets run straight over small bumps."""
    min_slope: float
    """1 °, from 0 to 45. Minimum slope used for the carrying capacity. Higher values let droplets carry their load farther over plains."""
    gravity: float
    """4, from 0 to 50. Increase of a droplet's speed on the way downhill. Fast droplets cut deeper at the foot of long slopes."""
    evaporation: float
    """0.9, from 0 to 1. Fraction of the water that has evaporated at the end of the path. At 1 a droplet deposits its load little by little until it is dry."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 40, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, droplets: float = 0.019999999552965164, lifetime: float = 1000.0, radius: float = 25.0, sediment_capacity: float = 1.0, erosion_rate: float = 0.05000000074505806, deposition_rate: float = 0.30000001192092896, inertia: float = 0.10000000149011612, min_slope: float = 1.0, gravity: float = 4.0, evaporation: float = 0.8999999761581421, hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., droplets: float = ..., lifetime: float = ..., radius: float = ..., sediment_capacity: float = ..., erosion_rate: float = ..., deposition_rate: float = ..., inertia: float = ..., min_slope: float = ..., gravity: float = ..., evaporation: float = ..., hardness: float = ...) -> None: ...

class ShallowWater(Node):
    """Lets rain gather into rivers that cut valleys and deposit fans and lake beds. The water keeps moving while you watch."""

    iterations: int
    """300, from 0 to 10000. Number of iterations, counted at the scene's resolution. With more iterations rivers grow longer and cut deeper."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    rain: float
    """2 mm, from 0 to 10000. Rain in one iteration on a grid of 513 samples per side. More rain makes wider rivers and larger lakes."""
    springs: int
    """0, from 0 to 64. Number of springs, placed at random on high ground. More springs start more rivers."""
    spring_flow: float
    """1 mm, from 0 to 10000. Water of all springs together, as the equivalent depth of rain over the whole terrain."""
    evaporation: float
    """0.003, from 0 to 1. Fraction of the water that evaporates in one iteration. Higher values keep rivers short and lakes small."""
    pipe_depth: float
    """10 m, from 0.01 to 10000. Depth above which water runs no faster. Lower values make small rivers run as fast as large ones."""
    friction: float
    """0.02, from 0 to 10. How much the ground slows the water down. Higher values make rivers deeper and slower."""
    sediment_capacity: float
    """50, from 0 to 1000. How much rock the water can hold. Higher values cut deeper valleys and build larger fans."""
    min_tilt_angle: float
    """0.5 °, from 0 to 45. Minimum slope for the carrying capacity of water. Higher values let rivers cut into plains and lake beds."""
    shallow_depth: float
    """0.5 m, from 0 to 1000. Water shallower than this erodes less. Higher values spare the hillsides and erode only along rivers."""
    dissolving: float
    """0.2, from 0 to 10. Fraction of the unused capacity that the water fills with rock in one iteration. Higher values erode faster."""
    deposition: float
    """0.1, from 0 to 10. Fraction of the excess sediment that the water deposits in one iteration. With lower values rivers carry the sediment farther."""
    softening: float
    """0, from 0 to 1. Weakening of hard rock below water. Higher values let rivers cut faster into hard rock."""
    talus_angle: float
    """52 °, from 0 to 89. Steepest stable slope. The banks of rivers collapse until they have this slope."""
    bank_angle: float
    """25 °, from 0 to 89. Steepest stable bank next to running water. Lower values make more banks collapse, and rivers become wider than they are deep."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    border: Literal["Outflow", "Walls"]
    """Outflow; one of Outflow, Walls. Behaviour of water at the edges of the terrain."""
    def __init__(self, *, iterations: int = 300, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, rain: float = 2.0, springs: int = 0, spring_flow: float = 1.0, evaporation: float = 0.003000000026077032, pipe_depth: float = 10.0, friction: float = 0.019999999552965164, sediment_capacity: float = 50.0, min_tilt_angle: float = 0.5, shallow_depth: float = 0.5, dissolving: float = 0.20000000298023224, deposition: float = 0.10000000149011612, softening: float = 0.0, talus_angle: float = 52.0, bank_angle: float = 25.0, hardness: float = 0.0, border: Literal["Outflow", "Walls"] = "Outflow") -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., rain: float = ..., springs: int = ..., spring_flow: float = ..., evaporation: float = ..., pipe_depth: float = ..., friction: float = ..., sediment_capacity: float = ..., min_tilt_angle: float = ..., shallow_depth: float = ..., dissolving: float = ..., deposition: float = ..., softening: float = ..., talus_angle: float = ..., bank_angle: float = ..., hardness: float = ..., border: Literal["Outflow", "Walls"] = ...) -> None: ...

class StreamPower(Node):
    """Raises the terrain while streams cut it, over hundreds of thousands of years. Branching valleys and sharp divides form, and mountain ranges grow."""

    iterations: int
    """40, from 0 to 10000. Number of iterations, each of one time step. More iterations make the mountain range older."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    time_step: float
    """2000 years, from 1 to 1e+06. Duration of one iteration. Longer time steps make the mountain range older."""
    uplift_rate: float
    """0.5 mm/year, from 0 to 100. Greatest rate of uplift. Faster uplift makes higher and steeper mountains."""
    uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"]
    """Everywhere; one of Everywhere, Dome, EastWest, NorthSouth, Diagonal. Shape of the area that rises."""
    uplift_variation: float
    """0.3, from 0 to 1. Unevenness of the uplift. At 0 the uplift varies smoothly; at 1 some parts hardly rise."""
    erodibility: float
    """3 mm/year, from 0 to 1000. Rate at which a stream that drains 1 km² cuts down on a slope of 45°. High values make deep valleys and low mountains."""
    area_exponent: float
    """0.5, from 0 to 2. Exponent of the drainage area in the erosion: how much more a large stream erodes than a small one. High values make flat valley floors and steep valley heads."""
    slope_exponent: float
    """1, from 0.25 to 4. Exponent of the slope in the erosion: how strongly steepness increases it. Above 1, steps in a river erode away quickly."""
    source_area: float
    """20000 m², from 0 to 1e+07. Minimum drainage area of every point. Higher values make broad smooth slopes between few valleys."""
    deposition: float
    """0, from 0 to 10. Tendency of the eroded rock to settle. At 0 rivers carry all the rock away; at 1 they build fans and fill basins."""
    diffusivity: float
    """0.01 m²/year, from 0 to 100. Speed of the soil creep. Higher values round the crests more."""
    talus_angle: float
    """45 °, from 0 to 90. Steepest stable slope; landslides lower steeper slopes. At 90 any slope is stable."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: terrain at or below it neither rises nor erodes."""
    def __init__(self, *, iterations: int = 40, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, time_step: float = 2000.0, uplift_rate: float = 0.5, uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"] = "Everywhere", uplift_variation: float = 0.30000001192092896, erodibility: float = 3.0, area_exponent: float = 0.5, slope_exponent: float = 1.0, source_area: float = 20000.0, deposition: float = 0.0, diffusivity: float = 0.009999999776482582, talus_angle: float = 45.0, hardness: float = 0.0, sea_level: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., time_step: float = ..., uplift_rate: float = ..., uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"] = ..., uplift_variation: float = ..., erodibility: float = ..., area_exponent: float = ..., slope_exponent: float = ..., source_area: float = ..., deposition: float = ..., diffusivity: float = ..., talus_angle: float = ..., hardness: float = ..., sea_level: float = ...) -> None: ...

class AnalyticStreamPower(Node):
    """Makes mountains of any age; ten million years are computed as fast as one year. The terrain rises while streams erode it, solved in one step on the drainage network. The playhead is the age."""

    iterations: int
    """100, from 0 to 10000. Number of iterations, each of one time step. The age is the number of iterations times the time step. More iterations make older mountains at no cost."""
    time_step: float
    """50000 years, from 1 to 1e+07. Duration of one iteration. Longer time steps make older mountains."""
    network_age: float
    """10 Ma, from 0 to 1000. Age at which the drainage network is in balance with the terrain. Low values keep the valleys of the terrain below; high values let the uplift form new valleys."""
    network_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """Samples65; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the search for the network. Large valleys form first on a coarse grid, and larger grids add finer valleys to them."""
    uplift_rate: float
    """0.5 mm/year, from 0 to 100. Greatest rate of uplift. Faster uplift makes higher and steeper mountains."""
    uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"]
    """Everywhere; one of Everywhere, Dome, EastWest, NorthSouth, Diagonal. Shape of the area that rises."""
    uplift_variation: float
    """0.3, from 0 to 1. Unevenness of the uplift. At 0 the uplift varies smoothly; at 1 some parts hardly rise."""
    erodibility: float
    """3 mm/year, from 0 to 1000. Rate at which a stream that drains 1 km² cuts down on a slope of 45°. High values make deep valleys and low mountains."""
    area_exponent: float
    """0.5, from 0 to 2. Exponent of the drainage area in the erosion: how much more a large stream erodes than a small one. High values make flat valley floors and steep valley heads."""
    source_area: float
    """5000 m², from 0 to 1e+07. Minimum drainage area of every point. Higher values make broad smooth slopes between few valleys."""
    talus_angle: float
    """40 °, from 0 to 90. Steepest stable slope; landslides lower steeper slopes. At 90 any slope is stable."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: terrain at or below it neither rises nor erodes."""
    def __init__(self, *, iterations: int = 100, time_step: float = 50000.0, network_age: float = 10.0, network_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "Samples65", uplift_rate: float = 0.5, uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"] = "Everywhere", uplift_variation: float = 0.30000001192092896, erodibility: float = 3.0, area_exponent: float = 0.5, source_area: float = 5000.0, talus_angle: float = 40.0, hardness: float = 0.0, sea_level: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., time_step: float = ..., network_age: float = ..., network_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., uplift_rate: float = ..., uplift_shape: Literal["Everywhere", "Dome", "EastWest", "NorthSouth", "Diagonal"] = ..., uplift_variation: float = ..., erodibility: float = ..., area_exponent: float = ..., source_area: float = ..., talus_angle: float = ..., hardness: float = ..., sea_level: float = ...) -> None: ...

class Thermal(Node):
    """Lets loose rock slide until no slope is steeper than the talus angle. Cliffs crumble and scree gathers at their feet; gentle slopes stay unchanged. Until the rock is at rest, its movement follows the grid: on a cone the change of the height varies with the direction by 22 % of its mean. At rest the cone is round."""

    iterations: int
    """50, from 0 to 10000. Number of iterations, counted at the scene's resolution. More iterations carry the scree farther down."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    talus_angle: float
    """34 °, from 0 to 89. Steepest slope on which rock stays in place. Loose rock rests at 30 to 40 degrees. At the scale of a whole planet, even slopes of one degree are steep."""
    threshold: Literal["Document", "Angle"]
    """Angle; one of Document, Angle. Definition of the threshold: an angle, or the constant of Le Martelot 2005."""
    k: float
    """4, from 0 to 10000. The constant of Le Martelot 2005: 2 to 20 in the paper's text, 4 in its figures. Higher values leave steeper slopes."""
    rate: float
    """0.3, from 0 to 1. Fraction of the height above the stable slope that moves in one iteration. Above 30 % the slopes ripple until they settle; near 100 % they oscillate strongly."""
    neighbours: Literal["Moore", "VonNeumann", "Rotated"]
    """Moore; one of Moore, VonNeumann, Rotated. Neighbouring cells to which material can move."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 50, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, talus_angle: float = 34.0, threshold: Literal["Document", "Angle"] = "Angle", k: float = 4.0, rate: float = 0.30000001192092896, neighbours: Literal["Moore", "VonNeumann", "Rotated"] = "Moore", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., talus_angle: float = ..., threshold: Literal["Document", "Angle"] = ..., k: float = ..., rate: float = ..., neighbours: Literal["Moore", "VonNeumann", "Rotated"] = ..., hardness: float = ...) -> None: ...

class Creep(Node):
    """Makes soil creep downhill for thousands of years. Crests become round, hollows fill and small roughness disappears, while large forms stay."""

    iterations: int
    """30, from 0 to 10000. Number of iterations, each of one time step. More iterations make the terrain rounder."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    time_step: float
    """5000 years, from 1 to 1e+06. Duration of one iteration. On a small terrain an iteration stops once the soil has spread over about a hundredth of the side length."""
    diffusivity: float
    """0.01 m²/year, from 0 to 1. Speed of the creep: about 0.001 m²/year in dry ground, 0.01 in damp hills and 0.04 in ground that freezes and thaws. Higher values round the crests faster."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 30, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, time_step: float = 5000.0, diffusivity: float = 0.009999999776482582, hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., time_step: float = ..., diffusivity: float = ..., hardness: float = ...) -> None: ...

class Coastal(Node):
    """Lets waves eat into the land at the sea level. Cliffs retreat and leave a shallow platform, and the debris gathers in beaches."""

    iterations: int
    """60, from 0 to 10000. Number of iterations. More iterations move the cliffs farther back."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    retreat: float
    """4 m, from 0 to 1000. Distance by which a straight coast of loose rock retreats in one iteration in an open sea."""
    wave_height: float
    """5 m, from 0.1 to 200. Height that waves reach above the sea. Higher waves reach farther up gentle shores."""
    wave_base: float
    """15 m, from 0.1 to 1000. Depth below which waves do not erode the sea floor. The platform ends there."""
    cliff_reach: float
    """150 m, from 0 to 10000. Height above the waves up to which cliffs can collapse. Higher land never collapses."""
    cliff_angle: float
    """65 °, from 10 to 85. Steepest cliff that is stable once the waves have undercut it."""
    beach_angle: float
    """3 °, from 0.1 to 30. Slope of the beaches. Sand beaches slope at 1 to 3 degrees, shingle beaches at 5 to 10."""
    beach_share: float
    """0.3, from 0 to 1. Fraction of the eroded rock that stays on the shore as sand and shingle. The rest is mud, which is washed out to sea."""
    drift: float
    """40 m, from 0 to 10000. Distance over which debris spreads along the shore in one iteration."""
    fetch: float
    """3000 m, from 1 to 1e+06. Width of open water over which waves grow to their full strength. Bays and straits narrower than this are sheltered."""
    wave_azimuth: float
    """270 °, from 0 to 360. Direction from which the strongest waves come, clockwise from north."""
    prevailing: float
    """0.4, from 0 to 1. Strength of waves from the main direction compared with other waves. At 1 coasts turned away from the waves stay unchanged."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 60, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, retreat: float = 4.0, wave_height: float = 5.0, wave_base: float = 15.0, cliff_reach: float = 150.0, cliff_angle: float = 65.0, beach_angle: float = 3.0, beach_share: float = 0.30000001192092896, drift: float = 40.0, fetch: float = 3000.0, wave_azimuth: float = 270.0, prevailing: float = 0.4000000059604645, hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., retreat: float = ..., wave_height: float = ..., wave_base: float = ..., cliff_reach: float = ..., cliff_angle: float = ..., beach_angle: float = ..., beach_share: float = ..., drift: float = ..., fetch: float = ..., wave_azimuth: float = ..., prevailing: float = ..., hardness: float = ...) -> None: ...

class Dunes(Node):
    """Carries loose sand over the ground with the wind and piles it up into dunes. The layer can add sand first, and windblown sand can erode bare rock."""

    iterations: int
    """300, from 0 to 10000. Number of iterations. More iterations let the dunes grow, merge and travel."""
    wind_angle: float
    """250 °, from 0 to 360. Direction from which the wind blows, clockwise from north: 270 is a west wind. Crests form across the wind."""
    winds: int
    """1, from 1 to 8. Number of alternating winds. One wind forms crests across it. Two winds form ridges between their directions. Three or more winds form star dunes."""
    turn_angle: float
    """90 °, from 0 to 180. Angle between one wind and the next wind. At 120, three winds blow from all sides."""
    season: int
    """15, from 1 to 1000. Number of iterations for which each wind blows before the next wind."""
    sand_metres: float
    """14 m, from 0 to 1000. Mean depth of sand laid on the ground at the start. Little sand leaves single dunes on bare ground; much sand buries the ground."""
    patchiness: float
    """0.3, from 0 to 1. Unevenness of the sand laid at the start. At 0 it is a uniform layer, at 1 heaps with bare ground between them."""
    lift_metres: float
    """0.3 m, from 0 to 5. Depth of sand that the wind lifts from level ground in one iteration. With higher values, as in a stronger wind, dunes grow and travel faster."""
    saltation_metres: float
    """70 m, from 1 to 2000. Length of a hop of the sand. It sets the distance between dunes: crests start about three hops apart, and the distance grows as dunes merge."""
    rock_grip: float
    """0.35, from 0 to 1. Fraction of the windblown sand that stays where it lands on bare rock; on sand it is 60 %. Low values keep the ground between dunes bare."""
    shadow_angle: float
    """15 °, from 1 to 60. Angle at which a wind shadow descends behind a crest. Smaller angles shelter longer lee sides and make the dunes stand farther apart."""
    repose_angle: float
    """34 °, from 5 to 60. Steepest slope at which sand stays in place; the lee sides of dunes have this slope."""
    inflow: float
    """1, from 0 to 1. Sand that enters over the open windward edges, as a fraction of the sand that a saturated wind carries."""
    abrasion: float
    """0, from 0 to 1. Rock that windblown sand erodes from bare ground, as a fraction of the passing sand. Higher values carve the rock into ribs along the wind."""
    unevenness: float
    """0.5, from 0 to 1. Variation of the rock's hardness from place to place. Hard spots shelter the ground behind them."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 300, wind_angle: float = 250.0, winds: int = 1, turn_angle: float = 90.0, season: int = 15, sand_metres: float = 14.0, patchiness: float = 0.30000001192092896, lift_metres: float = 0.30000001192092896, saltation_metres: float = 70.0, rock_grip: float = 0.3499999940395355, shadow_angle: float = 15.0, repose_angle: float = 34.0, inflow: float = 1.0, abrasion: float = 0.0, unevenness: float = 0.5, hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., wind_angle: float = ..., winds: int = ..., turn_angle: float = ..., season: int = ..., sand_metres: float = ..., patchiness: float = ..., lift_metres: float = ..., saltation_metres: float = ..., rock_grip: float = ..., shadow_angle: float = ..., repose_angle: float = ..., inflow: float = ..., abrasion: float = ..., unevenness: float = ..., hardness: float = ...) -> None: ...

class Glacial(Node):
    """Lets glaciers grow and carve: troughs with broad floors and steep walls, cirques at their heads, side valleys that hang above the main valley, and moraines where the ice melts."""

    iterations: int
    """120, from 0 to 10000. Number of iterations, each of one time step. More iterations carve deeper."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    time_step: float
    """300 years, from 1 to 100000. Time for which the ice erodes the rock in one iteration. An ice age lasts some 50,000 years."""
    ice_years: float
    """5 years, from 0.1 to 10000. Part of the time step for which the ice itself is simulated. Glaciers reach their form within centuries. Lower values make the glaciers grow more slowly from iteration to iteration; above 16 they become too thick."""
    equilibrium_line: float
    """1000 m, from -10000 to 50000. Height at which snowfall equals melting over a year. Lower lines make longer and thicker glaciers."""
    balance_gradient: float
    """7 m/year/km, from 0 to 100. Increase of the yearly ice gain with height. High values make fast glaciers that end abruptly."""
    most_snow: float
    """1.5 m/year, from 0 to 50. Maximum yearly gain of ice at any height. Higher values make thicker ice on high mountains."""
    hold_angle: float
    """45 °, from 16 to 89. Steepest slope on which snow stays. Lower values keep the crests bare."""
    sliding: float
    """40 m/year, from 0 to 1000. Sliding speed of ice under a drag of 100 kPa, as below a glacier 100 m thick on a slope of 6°. At 0 the ice is frozen to its bed and erodes nothing."""
    softness: float
    """1 ×, from 0 to 10. Softness of the ice relative to ice at its melting point. Cold ice is a tenth as soft, flows slowly and grows thick."""
    floor_radius: float
    """800 m, from 0 to 10000. Radius to which a notch is rounded. Higher values make broader valley floors; at 0 ice cuts narrow slots."""
    erosion_rate: float
    """5 mm/year, from 0 to 1000. Rate at which ice erodes its bed where it slides at 100 m/year. Higher values carve deeper valleys."""
    erosion_exponent: float
    """1, from 0.5 to 3. Exponent of the sliding speed in the erosion. Above 1 fast ice erodes much more, and main valleys sink below their side valleys."""
    till_share: float
    """0.05, from 0 to 1. Fraction of the eroded rock that the ice carries. High values make high moraines; water carries the rest away."""
    wall_angle: float
    """55 °, from 20 to 89. Steepest wall that is stable; rock from steeper walls falls on the ice. At 89 all walls are stable."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    leave_ice: bool
    """False. Keeps the ice on the terrain, so that heights include it. If off, the ice has melted."""
    def __init__(self, *, iterations: int = 120, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, time_step: float = 300.0, ice_years: float = 5.0, equilibrium_line: float = 1000.0, balance_gradient: float = 7.0, most_snow: float = 1.5, hold_angle: float = 45.0, sliding: float = 40.0, softness: float = 1.0, floor_radius: float = 800.0, erosion_rate: float = 5.0, erosion_exponent: float = 1.0, till_share: float = 0.05000000074505806, wall_angle: float = 55.0, hardness: float = 0.0, leave_ice: bool = False) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., time_step: float = ..., ice_years: float = ..., equilibrium_line: float = ..., balance_gradient: float = ..., most_snow: float = ..., hold_angle: float = ..., sliding: float = ..., softness: float = ..., floor_radius: float = ..., erosion_rate: float = ..., erosion_exponent: float = ..., till_share: float = ..., wall_angle: float = ..., hardness: float = ..., leave_ice: bool = ...) -> None: ...

class Snow(Node):
    """Covers high and gentle slopes with snow. The snow slides off steep slopes and melts where it is warm. Cliffs stay bare, couloirs fill, and cones grow at their feet."""

    iterations: int
    """60, from 0 to 10000. Number of iterations. More iterations let the snow pile up and then slide to rest."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    snow_line: float
    """1000 m, from -10000 to 50000. Height at which the temperature is 0 °C. No snow falls below this height. Snowfall reaches its full amount where the air is 2 °C colder."""
    lapse_rate: float
    """6.5 °C/km, from 0.1 to 50. Decrease of the temperature per kilometre of height. Higher values make the edge of the snow sharper."""
    snowfall_metres: float
    """0.3 m, from 0 to 20. Depth of snow that falls in one iteration on open ground high above the snow line."""
    total_metres: float
    """10 m, from 0 to 1000. Total depth of snow that falls; after that the snow only slides and melts."""
    hold_angle: float
    """55 °, from 16 to 89. Steepest slope on which falling snow sticks."""
    repose_angle: float
    """40 °, from 5 to 60. Steepest slope on which snow is at rest; from steeper slopes it slides in avalanches."""
    smoothing_metres: float
    """5 m, from 0 to 100. Distance over which wind levels the snow in one iteration. Higher values make the snow fields smoother."""
    drift: float
    """0.4, from 0 to 1. Fraction of the snow that the wind carries from windward sides to lee sides. At 0 wind carries no snow."""
    wind_angle: float
    """290 °, from 0 to 360. Direction that the wind comes from, clockwise from north: 270 is a west wind."""
    melt_metres: float
    """0.02 m, from 0 to 5. Depth of snow that melts in one iteration for each degree above 0 °C."""
    sun_warmth: float
    """0 °C, from 0 to 60. Warming of a slope that faces the sun, compared with level ground. Higher values clear the sunny sides first."""
    sun_angle: float
    """180 °, from 0 to 360. Direction of the noon sun, clockwise from north: 180 is south."""
    def __init__(self, *, iterations: int = 60, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, snow_line: float = 1000.0, lapse_rate: float = 6.5, snowfall_metres: float = 0.30000001192092896, total_metres: float = 10.0, hold_angle: float = 55.0, repose_angle: float = 40.0, smoothing_metres: float = 5.0, drift: float = 0.4000000059604645, wind_angle: float = 290.0, melt_metres: float = 0.019999999552965164, sun_warmth: float = 0.0, sun_angle: float = 180.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., snow_line: float = ..., lapse_rate: float = ..., snowfall_metres: float = ..., total_metres: float = ..., hold_angle: float = ..., repose_angle: float = ..., smoothing_metres: float = ..., drift: float = ..., wind_angle: float = ..., melt_metres: float = ..., sun_warmth: float = ..., sun_angle: float = ...) -> None: ...

class Hydraulic(Node):
    """Lets rain loosen the ground, run downhill and deposit the sediment where the water dries. Hollows fill, valley floors level and the slopes above them steepen."""

    iterations: int
    """60, from 0 to 10000. Number of iterations, counted at the scene's resolution. More iterations carry the sediment farther."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    rain: float
    """0.01, from 0 to 1. Water that falls in one iteration, as a fraction of the relief. A rain map of the layers below multiplies it. More rain fills hollows and runs farther."""
    solubility: float
    """0.05, from 0 to 1. Depth of ground that water dissolves in one iteration, as a fraction of the water depth. Higher values erode faster."""
    sediment_capacity: float
    """0.05, from 0 to 1. Sediment that water can hold, as a fraction of the water depth. Water deposits sediment above this limit at once."""
    evaporation: float
    """0.5, from 0 to 1. Fraction of the water that evaporates in one iteration. Lower values let the water run farther."""
    neighbours: Literal["Moore", "VonNeumann", "Rotated"]
    """Moore; one of Moore, VonNeumann, Rotated. Neighbouring cells to which water can flow."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 60, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, rain: float = 0.009999999776482582, solubility: float = 0.05000000074505806, sediment_capacity: float = 0.05000000074505806, evaporation: float = 0.5, neighbours: Literal["Moore", "VonNeumann", "Rotated"] = "Moore", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., rain: float = ..., solubility: float = ..., sediment_capacity: float = ..., evaporation: float = ..., neighbours: Literal["Moore", "VonNeumann", "Rotated"] = ..., hardness: float = ...) -> None: ...

class HydraulicFast(Node):
    """Lets rain loosen the ground, run to the lowest neighbour and deposit the sediment where the water dries: the fast form of the papers, for comparison. In Talweg, Hydraulic erosion, classic, takes less time for an iteration. This form keeps more of the fine relief, but its rills follow the grid: on a cone the change of the height varies with the direction by 88 % of its mean."""

    iterations: int
    """60, from 0 to 10000. Number of iterations, counted at the scene's resolution. More iterations carry the sediment farther."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    rain: float
    """0.01, from 0 to 1. Water that falls in one iteration, as a fraction of the relief. A rain map of the layers below multiplies it. More rain fills hollows and runs farther."""
    solubility: float
    """0.05, from 0 to 1. Depth of ground that water dissolves and holds, as a fraction of the water depth. Higher values erode faster."""
    evaporation: float
    """0.5, from 0 to 1. Fraction of the water that evaporates in one iteration. Lower values let the water run farther."""
    levelled: Literal["Merged", "Water"]
    """Water; one of Merged, Water. Surface that flowing water levels: the water surface, or the surface of Le Martelot 2005."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 60, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, rain: float = 0.009999999776482582, solubility: float = 0.05000000074505806, evaporation: float = 0.5, levelled: Literal["Merged", "Water"] = "Water", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., rain: float = ..., solubility: float = ..., evaporation: float = ..., levelled: Literal["Merged", "Water"] = ..., hardness: float = ...) -> None: ...

class ThermalFast(Node):
    """Lets loose rock slide to the lowest neighbour: the fast form of the papers, for comparison. In Talweg, Thermal erosion takes less time for an iteration with the same neighbours. Here slopes come to rest up to a third too gentle, in fine streaks along the grid. Erosion follows the grid, too: on a cone the change of the height varies with the direction by 58 % of its mean. At rest, heights at the same distance from the tip of a cone 1,000 m high differ by about 50 m."""

    iterations: int
    """50, from 0 to 10000. Number of iterations, counted at the scene's resolution. More iterations carry the scree farther down."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    talus_angle: float
    """34 °, from 0 to 89. Steepest slope on which rock stays in place. Loose rock rests at 30 to 40 degrees."""
    threshold: Literal["Document", "Angle"]
    """Angle; one of Document, Angle. Definition of the threshold: an angle, or the constant of Le Martelot 2005."""
    k: float
    """4, from 0 to 10000. The constant of Le Martelot 2005: 2 to 20 in the paper's text, 4 in its figures. Higher values leave steeper slopes."""
    neighbours: Literal["Moore", "VonNeumann", "Rotated"]
    """Rotated; one of Moore, VonNeumann, Rotated. Neighbouring cells to which material can move."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 50, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, talus_angle: float = 34.0, threshold: Literal["Document", "Angle"] = "Angle", k: float = 4.0, neighbours: Literal["Moore", "VonNeumann", "Rotated"] = "Rotated", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., talus_angle: float = ..., threshold: Literal["Document", "Angle"] = ..., k: float = ..., neighbours: Literal["Moore", "VonNeumann", "Rotated"] = ..., hardness: float = ...) -> None: ...

class Olsen(Node):
    """Levels gentle slopes and keeps steep slopes. The plains and terraces between cliffs suit game maps. The edges of the plains follow the grid: on a cone the change of the height varies with the direction by 30 % of its mean."""

    iterations: int
    """50, from 0 to 10000. Number of iterations, counted at the scene's resolution. More iterations make wider plains."""
    largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"]
    """OneGrid; one of OneGrid, Samples33, Samples65, Samples129, Samples257, Samples513. Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid."""
    fine_weight: float
    """0.75, from 0.1 to 2. Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad, smooth landforms; above 1 the finest landforms prevail."""
    flat_angle: float
    """20 °, from 0 to 89. Steepest slope that is still levelled. Steeper slopes stay unchanged."""
    threshold: Literal["Document", "Angle"]
    """Angle; one of Document, Angle. Definition of the threshold: an angle, or the constant of Le Martelot 2005."""
    k: float
    """4, from 0 to 10000. The constant of Le Martelot 2005: 2 to 20 in the paper's text, 4 in its figures. Higher values also level steeper slopes."""
    neighbours: Literal["Moore", "VonNeumann", "Rotated"]
    """VonNeumann; one of Moore, VonNeumann, Rotated. Neighbouring cells to which material can move."""
    hardness: float
    """0, from 0 to 1. Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below made a hardness map, the higher hardness counts in each place."""
    def __init__(self, *, iterations: int = 50, largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = "OneGrid", fine_weight: float = 0.75, flat_angle: float = 20.0, threshold: Literal["Document", "Angle"] = "Angle", k: float = 4.0, neighbours: Literal["Moore", "VonNeumann", "Rotated"] = "VonNeumann", hardness: float = 0.0) -> None: ...
    def set(self, *, iterations: int = ..., largest_scale: Literal["OneGrid", "Samples33", "Samples65", "Samples129", "Samples257", "Samples513"] = ..., fine_weight: float = ..., flat_angle: float = ..., threshold: Literal["Document", "Angle"] = ..., k: float = ..., neighbours: Literal["Moore", "VonNeumann", "Rotated"] = ..., hardness: float = ...) -> None: ...

class FillDepressions(Node):
    """Lets water drain from everywhere: fills every depression up to its rim, which creates level valley floors or lakes, or cuts channels through the rims."""

    fill_with: Literal["Ground", "Water", "Channels"]
    """Ground; one of Ground, Water, Channels. Material that fills the depressions, or channels that drain them."""
    gradient: float
    """0 m/km, from 0 to 100. Slope of the filled terrain towards its outlet. 0 makes the filled terrain level; a small slope lets streams cross it."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: terrain at or below this height is not filled."""
    def __init__(self, *, fill_with: Literal["Ground", "Water", "Channels"] = "Ground", gradient: float = 0.0, sea_level: float = 0.0) -> None: ...
    def set(self, *, fill_with: Literal["Ground", "Water", "Channels"] = ..., gradient: float = ..., sea_level: float = ...) -> None: ...

class FlowAccumulation(Node):
    """Computes the drainage area of every cell and writes it to the flow map. The heights do not change."""

    courses: Literal["Spread", "Steepest", "Scattered"]
    """Spread; one of Spread, Steepest, Scattered. Distribution of a cell's water to its lower neighbours."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea, where water leaves the terrain."""
    def __init__(self, *, courses: Literal["Spread", "Steepest", "Scattered"] = "Spread", sea_level: float = 0.0) -> None: ...
    def set(self, *, courses: Literal["Spread", "Steepest", "Scattered"] = ..., sea_level: float = ...) -> None: ...

class Lakes(Node):
    """Fills large and deep depressions with lakes and writes them to the water map. The heights do not change."""

    smallest_area: float
    """10000 m², from 0 to 1e+07. Minimum area of a lake; smaller depressions stay dry."""
    least_depth: float
    """2 m, from 0 to 10000. Minimum depth of a lake at its deepest point; shallower depressions stay dry."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea: there are no lakes at or below this height."""
    def __init__(self, *, smallest_area: float = 10000.0, least_depth: float = 2.0, sea_level: float = 0.0) -> None: ...
    def set(self, *, smallest_area: float = ..., least_depth: float = ..., sea_level: float = ...) -> None: ...

class Rivers(Node):
    """Finds the rivers and cuts their beds, wider and deeper with a larger drainage area, always downhill and filled with water."""

    source_area: float
    """0.5 km², from 0.001 to 10000. Drainage area at which a river starts. Small values make many brooks."""
    width: float
    """20 m, from 0 to 10000. Width of a river with a drainage area of 10 km². At 0 the beds are one sample wide."""
    depth: float
    """8 m, from 0 to 1000. Depth of the bed of a river with a drainage area of 10 km². At 0 only the maps are written and the heights do not change."""
    bank_angle: float
    """65 °, from 1 to 89. Slope of the banks. Steep banks make gorges; gentle banks cut wide open valleys into the surrounding mountains."""
    smallest_order: int
    """1, from 1 to 12. Minimum Strahler order of a river: 1 keeps all brooks, 2 starts where two brooks meet."""
    lakes: bool
    """True. Fills the lakes that the rivers run through."""
    sea_level: float
    """0 m, from -100000 to 100000. Height of the sea, where rivers end."""
    def __init__(self, *, source_area: float = 0.5, width: float = 20.0, depth: float = 8.0, bank_angle: float = 65.0, smallest_order: int = 1, lakes: bool = True, sea_level: float = 0.0) -> None: ...
    def set(self, *, source_area: float = ..., width: float = ..., depth: float = ..., bank_angle: float = ..., smallest_order: int = ..., lakes: bool = ..., sea_level: float = ...) -> None: ...

class Hardness(Node):
    """Sets the hardness of the rock for the erosion layers above. The rock is uniform, or consists of hard and soft beds that are level, tilted or folded. The heights do not change."""

    structure: Literal["Beds", "Even"]
    """Beds; one of Beds, Even. Structure of the rock: uniform, or alternating hard and soft beds."""
    hard: float
    """0.85, from 0 to 1. Hardness of the hard beds: 0 is loose, 1 never erodes."""
    soft: float
    """0.1, from 0 to 1. Hardness of the soft beds: 0 is loose, 1 never erodes."""
    thickness: float
    """90 m, from 0.1 to 10000. Thickness of a bed: larger values make higher steps."""
    variation: float
    """0.5, from 0 to 1. Variation of the beds in thickness and hardness: at 0 all beds are equally thick, and only two hardnesses occur."""
    dip_angle: float
    """3 °, from 0 to 90. Tilt of the beds. Tilted beds erode to ridges with one steep side."""
    dip_direction: float
    """120 °, from 0 to 360. Direction in which the beds descend, clockwise from north."""
    fold_height: float
    """0 m, from 0 to 10000. Height of the fold crests above the mean of the bed: 0 leaves the beds unfolded."""
    fold_length: float
    """3000 m, from 1 to 1e+06. Distance from one fold crest to the next, along the dip direction."""
    irregularity: float
    """25 m, from 0 to 10000. Amplitude of the random undulation of the beds: larger values make the steps more irregular."""
    def __init__(self, *, structure: Literal["Beds", "Even"] = "Beds", hard: float = 0.8500000238418579, soft: float = 0.10000000149011612, thickness: float = 90.0, variation: float = 0.5, dip_angle: float = 3.0, dip_direction: float = 120.0, fold_height: float = 0.0, fold_length: float = 3000.0, irregularity: float = 25.0) -> None: ...
    def set(self, *, structure: Literal["Beds", "Even"] = ..., hard: float = ..., soft: float = ..., thickness: float = ..., variation: float = ..., dip_angle: float = ..., dip_direction: float = ..., fold_height: float = ..., fold_length: float = ..., irregularity: float = ...) -> None: ...

class Rain(Node):
    """Sets the rainfall for the erosion layers and rivers above. High terrain and windward slopes get more rain, the lee of mountains gets less. The heights do not change."""

    amount: float
    """1, from 0 to 100. Rainfall on open lowlands; 1 is the rainfall of a scene without a rain layer."""
    growth_with_height: float
    """0.3 1/km, from -10 to 10. Increase of rainfall per kilometre of height: 0.5 adds half of the rainfall at sea level per kilometre."""
    shadow: float
    """0.7, from 0 to 1. Strength of the rain shadow of mountains: at 0 both sides get equal rain, at 1 windward sides are wet and leeward sides dry."""
    wind_from: float
    """270 °, from 0 to 360. Direction from which the wind blows, clockwise from north."""
    shadow_reach: float
    """6000 m, from 1 to 1e+06. Distance behind mountains over which the air becomes moist again: larger values make longer rain shadows."""
    rain_height: float
    """1200 m, from 1 to 100000. Height gain after which rising air has lost most of its moisture. With small values even low hills cast a rain shadow."""
    def __init__(self, *, amount: float = 1.0, growth_with_height: float = 0.30000001192092896, shadow: float = 0.699999988079071, wind_from: float = 270.0, shadow_reach: float = 6000.0, rain_height: float = 1200.0) -> None: ...
    def set(self, *, amount: float = ..., growth_with_height: float = ..., shadow: float = ..., wind_from: float = ..., shadow_reach: float = ..., rain_height: float = ...) -> None: ...

class UpliftMap(Node):
    """Turns the heights of the layers below into an uplift map for *Uplift and stream power* above: higher terrain rises faster. The terrain is flattened, so that the mountains can grow from an image, a construction or any noise."""

    low: float
    """0 m, from -100000 to 100000. Height up to which there is no uplift."""
    high: float
    """1000 m, from -100000 to 100000. Height above which the uplift is at its maximum."""
    kept: float
    """0.05, from 0 to 1. Fraction of the relief of the layers below that remains: 0 leaves a plain, 1 leaves the whole relief."""
    level: float
    """0 m, from -100000 to 100000. Height of the plain to which the terrain is flattened."""
    def __init__(self, *, low: float = 0.0, high: float = 1000.0, kept: float = 0.05000000074505806, level: float = 0.0) -> None: ...
    def set(self, *, low: float = ..., high: float = ..., kept: float = ..., level: float = ...) -> None: ...

class PaintedMap(Node):
    """A data map painted by hand: uplift, hardness, rain, vegetation, sand, snow, or the density of trees and stones. The erosion layers above and the 3D view use the map."""

    kind: Literal["Uplift", "Hardness", "Rain", "Vegetation", "Sand", "Snow", "Trees", "Undergrowth", "Stones"]
    """Uplift; one of Uplift, Hardness, Rain, Vegetation, Sand, Snow, Trees, Undergrowth, Stones. Quantity to paint."""
    keep_below: bool
    """False. Paints on the map of the layers below instead of on a constant map."""
    value: float
    """0, from 0 to 10000. Value of unpainted areas, in the unit of the map."""
    strokes: str
    """as in scene files. The strokes, in the order in which they act."""
    def __init__(self, *, kind: Literal["Uplift", "Hardness", "Rain", "Vegetation", "Sand", "Snow", "Trees", "Undergrowth", "Stones"] = "Uplift", keep_below: bool = False, value: float = 0.0, strokes: str = ...) -> None: ...
    def set(self, *, kind: Literal["Uplift", "Hardness", "Rain", "Vegetation", "Sand", "Snow", "Trees", "Undergrowth", "Stones"] = ..., keep_below: bool = ..., value: float = ..., strokes: str = ...) -> None: ...

class MapFile(Node):
    """Loads a data map from a file, such as water, moisture or sand, for layers and views to read. Regions of planets use it for their maps."""

    file: str | PathLike[str]
    """''. The file: a .r32 file of numbers, or an image with values from 0 to 1."""
    kind: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"]
    """Water; one of Water, Sediment, Hardness, Flow, Wear, Deposits, Rain, Sand, Snow, Film, Vegetation, Brightness, Ground, Ridge, Uplift, Ice, Humidity, CrustAge, RockShare, GrassShare, SandShare, SnowShare, RoadShare, BareShare, TreeDensity, UndergrowthDensity, StoneDensity. Data map that the file holds."""
    def __init__(self, *, file: str | PathLike[str] = ..., kind: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"] = "Water") -> None: ...
    def set(self, *, file: str | PathLike[str] = ..., kind: Literal["Water", "Sediment", "Hardness", "Flow", "Wear", "Deposits", "Rain", "Sand", "Snow", "Film", "Vegetation", "Brightness", "Ground", "Ridge", "Uplift", "Ice", "Humidity", "CrustAge", "RockShare", "GrassShare", "SandShare", "SnowShare", "RoadShare", "BareShare", "TreeDensity", "UndergrowthDensity", "StoneDensity"] = ...) -> None: ...

class LayerGroup(Node):
    """Combines layers, and blends their result with the terrain below using a common blend mode, opacity and mask. A hidden group hides all its layers."""

    ground: Literal["Below", "Level"]
    """Below; one of Below, Level. Terrain that the group's layers start from."""
    def __init__(self, *, ground: Literal["Below", "Level"] = "Below") -> None: ...
    def set(self, *, ground: Literal["Below", "Level"] = ...) -> None: ...

__all__ = ["Perlin", "Ridged", "Billow", "Hybrid", "Simplex", "ValueNoise", "Spectral", "NoiseLibrary", "DiamondSquare", "Triangular", "MidpointLine", "SquigRiver", "Stamp", "Fault", "Circles", "Voronoi", "VoronoiMidpoint", "Cellular", "Shape", "Construction", "Import", "Reference", "Sculpt", "Continents", "Plates", "PlanetImport", "Craters", "RiverWalk", "PlanetRivers", "Patch", "Levels", "Terrace", "Blur", "Sharpen", "Normalise", "Clamp", "Invert", "Median", "Expander", "Ridges", "SpectralRetouch", "Perturbation", "Warp", "Transform", "Island", "Seamless", "Gullies", "Droplets", "ShallowWater", "StreamPower", "AnalyticStreamPower", "Thermal", "Creep", "Coastal", "Dunes", "Glacial", "Snow", "Hydraulic", "HydraulicFast", "ThermalFast", "Olsen", "FillDepressions", "FlowAccumulation", "Lakes", "Rivers", "Hardness", "Rain", "UpliftMap", "PaintedMap", "MapFile", "LayerGroup"]
