"""Arrays of xarray in and out. xarray is not needed: without it nobody has one of its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import UsageError, map_kinds


def _spacing(coordinates: Any, name: str) -> float:
    steps = np.diff(np.asarray(coordinates, dtype=float))
    if steps.size == 0 or steps[0] == 0 or not np.allclose(steps, steps[0], rtol=1e-6):
        raise UsageError(f"the coordinates `{name}` are not evenly spaced; resample first, or give a numpy array")
    return float(steps[0])


def unwrapped(heights: Any, cell_metres: float | None) -> tuple[Any, float | None]:
    """The numbers, rows from north to south, and the distance of the coordinates where `cell_metres` is None."""
    if not (hasattr(heights, "coords") and hasattr(heights, "dims")) or len(heights.dims) != 2:
        return (heights.values if hasattr(heights, "values") else heights), cell_metres
    down, across = heights.dims
    numbers = heights.values
    if down in heights.coords and heights.coords[down].size > 1:
        south = _spacing(heights.coords[down], down)
        # y grows to the north
        if south > 0:
            numbers = numbers[::-1]
        if cell_metres is None and across in heights.coords:
            east = _spacing(heights.coords[across], across)
            if not np.isclose(abs(south), abs(east), rtol=0.01):
                raise UsageError(
                    f"samples are {abs(east):g} apart along `{across}` and {abs(south):g} along `{down}`; "
                    "resample to squares first, or give cell_metres"
                )
            cell_metres = (abs(south) + abs(east)) / 2
    return numbers, cell_metres


def dataset(terrain: Any, like: Any = None) -> Any:
    """Heights and maps of a terrain with coordinates."""
    try:
        import xarray
    except ImportError:
        raise UsageError("to_xarray needs xarray: `pip install xarray`") from None
    flip = False
    if like is not None:
        if getattr(like, "shape", None) != terrain.heights.shape:
            raise UsageError("like: give an array of xarray with as many rows and columns as the terrain")
        dims = like.dims
        coords = {name: like.coords[name] for name in dims if name in like.coords}
        down = coords.get(dims[0])
        flip = down is not None and down.size > 1 and float(down[1]) > float(down[0])
    elif terrain.is_planet:
        dims, coords = ("face", "row", "column"), {"face": ["+x", "-x", "+y", "-y", "+z", "-z"]}
    else:
        along = np.linspace(0.0, float(terrain.size_metres), terrain.samples)
        dims, coords = ("y", "x"), {"y": ("y", along[::-1], {"units": "m"}), "x": ("x", along, {"units": "m"})}

    def variable(numbers: np.ndarray, unit: str) -> tuple[Any, ...]:
        return dims, (numbers[::-1] if flip else numbers), ({"units": unit} if unit else {})

    units = map_kinds()
    variables = {"heights": variable(terrain.heights, "m")}
    variables |= {name: variable(array, units[name]) for name, array in terrain.maps.items()}
    attributes = {"talweg_hash": terrain.hash, "cell_metres": terrain.cell_metres}
    return xarray.Dataset(variables, coords=coords, attrs=attributes)
