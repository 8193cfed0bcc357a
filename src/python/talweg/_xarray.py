"""Converts arrays to and from xarray, which is only needed by callers that use it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._core import UsageError, map_kinds

# Names of coordinates that point east, names that point north, and names in degrees.
_EAST = {"x", "lon", "longitude", "easting", "eastings", "projection_x_coordinate"}
_NORTH = {"y", "lat", "latitude", "northing", "northings", "projection_y_coordinate"}
_DEGREES = {"lon", "longitude", "lat", "latitude"}
# Length of each unit in metres.
_METRES = {"m": 1.0, "metre": 1.0, "metres": 1.0, "meter": 1.0, "meters": 1.0, "km": 1000.0, "kilometre": 1000.0}
_METRES |= {"kilometres": 1000.0, "kilometer": 1000.0, "kilometers": 1000.0, "": 1.0, "1": 1.0}


class _Sheet(NamedTuple):
    """A two-dimensional array with its orientation, for turning rows north to south and columns west to east."""

    array: Any
    is_turned: bool
    is_south_up: bool
    is_east_first: bool

    def straightened(self, numbers: np.ndarray) -> np.ndarray:
        """Turns values in the array's orientation north up."""
        numbers = numbers.T if self.is_turned else numbers
        return numbers[:: -1 if self.is_south_up else 1, :: -1 if self.is_east_first else 1]

    def as_given(self, numbers: np.ndarray) -> np.ndarray:
        """Turns values that are north up into the array's orientation."""
        numbers = numbers[:: -1 if self.is_south_up else 1, :: -1 if self.is_east_first else 1]
        return numbers.T if self.is_turned else numbers


def _is_array(thing: Any) -> bool:
    return hasattr(thing, "coords") and hasattr(thing, "dims")


def _of_dataset(heights: Any) -> Any:
    """The array of a Dataset that holds the heights."""
    if not (_is_array(heights) and hasattr(heights, "data_vars")):
        return heights
    if "heights" in heights.data_vars:
        return heights["heights"]
    names = ", ".join(f"`{name}`" for name in heights.data_vars) or "none"
    raise UsageError(f"this is a Dataset without `heights`; give one of its arrays, as dataset[NAME]: it has {names}")


def _sheet(array: Any) -> _Sheet:
    """The array without dimensions of length 1 (a band, a time), if exactly two dimensions remain."""
    if len(array.dims) > 2:
        array = array.squeeze(drop=True)
    if len(array.dims) != 2:
        return _Sheet(array, False, False, False)
    down, across = (str(name).lower() for name in array.dims)
    is_turned = down in _EAST and across in _NORTH
    rows, columns = array.dims[::-1] if is_turned else array.dims

    def first_and_second(name: Any) -> tuple[float, float]:
        coordinates = array.coords.get(name)
        if coordinates is None or coordinates.size < 2:
            return 0.0, 0.0
        return float(coordinates[0]), float(coordinates[1])

    (south, north), (west, east) = first_and_second(rows), first_and_second(columns)
    return _Sheet(array, is_turned, north > south, east < west)


def _spacing(coordinates: Any, name: str) -> float:
    steps = np.diff(np.asarray(coordinates, dtype=float))
    if steps.size == 0 or steps[0] == 0 or not np.allclose(steps, steps[0], rtol=1e-6):
        raise UsageError(f"the coordinates `{name}` are not evenly spaced; resample first, or give a numpy array")
    return float(abs(steps[0]))


def _metres(array: Any, name: Any) -> float:
    """Metres per unit of a coordinate."""
    unit = str(array.coords[name].attrs.get("units", "")).strip()
    system = ""
    for about in ("spatial_ref", "crs"):
        if about in array.coords:
            system = str(array.coords[about].attrs.get("crs_wkt", ""))
    is_geographic = system.lstrip().upper().startswith(("GEOGCS", "GEOGCRS", "GEODCRS"))
    if unit.lower().startswith("degree") or str(name).lower() in _DEGREES or (is_geographic and not unit):
        raise UsageError(
            f"the coordinates `{name}` are degrees, so its cells are not square in metres; resample to metres first "
            "(rioxarray: heights.rio.reproject(heights.rio.estimate_utm_crs())), or give cell_metres"
        )
    if unit.lower() not in _METRES:
        raise UsageError(f"the coordinates `{name}` are in `{unit}`; convert them to metres, or give cell_metres")
    return _METRES[unit.lower()]


def _with_gaps(array: Any) -> np.ndarray:
    """The values of the array, masked where xarray or the original file has no data."""
    numbers = array.values
    if not np.issubdtype(numbers.dtype, np.number) or np.iscomplexobj(numbers):
        return numbers
    gaps = np.isnan(numbers)
    for name in ("_FillValue", "missing_value", "nodata"):
        fill = array.attrs.get(name)
        if fill is not None and np.ndim(fill) == 0:
            gaps |= numbers == fill
    return np.ma.masked_array(numbers, gaps) if gaps.any() else numbers


def unwrapped(heights: Any, cell_metres: float | None) -> tuple[Any, float | None]:
    """The heights, rows from north to south, and `cell_metres`. If it is None, the coordinates give the distance."""
    heights = _of_dataset(heights)
    if not _is_array(heights):
        # A pandas table also has the attribute `values`.
        return (heights.values if hasattr(heights, "values") else heights), cell_metres
    sheet = _sheet(heights)
    array = sheet.array
    numbers = _with_gaps(array)
    if len(array.dims) != 2:
        return numbers, cell_metres
    down, across = array.dims
    if cell_metres is None and down in array.coords and across in array.coords and min(array.shape) > 1:
        along, right = (_spacing(array.coords[name], name) * _metres(array, name) for name in (down, across))
        if not np.isclose(along, right, rtol=0.01):
            raise UsageError(
                f"samples are {right:g} m apart along `{across}` and {along:g} m along `{down}`; "
                "resample to squares first, or give cell_metres"
            )
        cell_metres = (along + right) / 2
    return sheet.straightened(numbers), cell_metres


def dataset(terrain: Any, like: Any = None) -> Any:
    """Heights and data maps of a terrain as a Dataset with coordinates."""
    try:
        import xarray
    except ImportError:
        raise UsageError("to_xarray needs xarray: `pip install xarray`") from None
    sheet = None
    if like is not None:
        like = _of_dataset(like)
        if _is_array(like):
            sheet = _sheet(like)
        if sheet is None or sheet.array.shape != terrain.heights.shape:
            raise UsageError("like: give an array of xarray with the rows and columns of the terrain")
        like = sheet.array
        dims = like.dims
        coords = {name: like.coords[name] for name in dims if name in like.coords}
    elif terrain.is_planet:
        dims, coords = ("face", "row", "column"), {"face": ["+x", "-x", "+y", "-y", "+z", "-z"]}
    else:
        along = np.linspace(0.0, float(terrain.size_metres), terrain.samples)
        dims, coords = ("y", "x"), {"y": ("y", along[::-1], {"units": "m"}), "x": ("x", along, {"units": "m"})}

    def variable(numbers: np.ndarray, unit: str) -> tuple[Any, ...]:
        is_square = sheet is not None and numbers.ndim == 2
        return dims, (sheet.as_given(numbers) if is_square else numbers), ({"units": unit} if unit else {})

    units = map_kinds()
    variables = {"heights": variable(terrain.heights, "m")}
    variables |= {name: variable(array, units[name]) for name, array in terrain.maps.items()}
    attributes = {"talweg_hash": terrain.hash, "cell_metres": terrain.cell_metres}
    return xarray.Dataset(variables, coords=coords, attrs=attributes)
