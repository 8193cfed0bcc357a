//! Converts numpy arrays in metres to and from heights, which are fractions of the relief.

use numpy::ndarray::{ArrayView2, ArrayView3};
use numpy::{AllowTypeChange, PyArray1, PyArrayLikeDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::usage;
use super::scene::unwrapped;
use talweg::field::{Grid, MapKind, Terrain};

/// Name of a data map, as in exported files.
pub fn map_name(kind: MapKind) -> String {
    format!("{kind:?}").to_ascii_lowercase()
}

/// The data map called `name`.
pub fn map_kind(py: Python<'_>, name: &str) -> PyResult<MapKind> {
    let found = MapKind::ALL.iter().find(|kind| map_name(**kind) == name.to_ascii_lowercase());
    found.copied().ok_or_else(|| {
        let known: Vec<String> = MapKind::ALL.iter().map(|kind| map_name(*kind)).collect();
        usage(py, format_args!("there is no data map `{name}`; the maps are {}", known.join(", ")))
    })
}

/// Factor that converts a map's stored values to the units that users see.
pub fn map_unit(kind: MapKind, relief_metres: f32) -> f32 {
    if kind.is_thickness() { relief_metres } else { 1.0 }
}

/// Heights or a data map from the caller, as a square field or the six faces of a planet.
pub struct InputField {
    /// Samples per side; for a planet, per side of a face.
    pub samples: usize,
    /// Values row by row from the north-west; for a planet, face by face.
    pub values: Vec<f32>,
    /// For a masked array, 0 for masked samples and 1 for all others. Masked values are interpolated like a membrane
    /// from the border of each gap.
    pub ground: Option<Vec<f32>>,
}

/// The mask of a masked array; `None` if no value is masked.
fn mask_of(array: &Bound<'_, PyAny>) -> PyResult<Option<Vec<bool>>> {
    let py = array.py();
    let masked = py.import(intern!(py, "numpy"))?.getattr(intern!(py, "ma"))?;
    if !array.is_instance(&masked.getattr(intern!(py, "MaskedArray"))?)? {
        return Ok(None);
    }
    let mask = masked.call_method1(intern!(py, "getmaskarray"), (array,))?;
    let mask: PyArrayLikeDyn<'_, bool> = mask.extract()?;
    let mask: Vec<bool> = mask.as_array().iter().copied().collect();
    Ok(mask.contains(&true).then_some(mask))
}

/// Whether an array holds real numbers or booleans. Complex numbers, text and dates would be converted to arbitrary
/// numbers.
fn has_real_numbers(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = array.py();
    let array = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asanyarray"), (array,))?;
    let kind: String = array.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "kind"))?.extract()?;
    Ok(matches!(kind.as_str(), "b" | "i" | "u" | "f"))
}

/// Reads a square array, or the six faces of a planet, and divides each value by `unit`. `what` is the name of the
/// array in messages.
///
/// # Errors
/// If the array is not square, has values that are not finite real numbers, or is completely masked.
pub fn field_from_array(what: &str, array: &Bound<'_, PyAny>, unit: f32, is_planet: bool) -> PyResult<InputField> {
    let py = array.py();
    if !has_real_numbers(array).unwrap_or(false) {
        return Err(usage(py, format_args!("{what}: give an array of real numbers")));
    }
    let mask = mask_of(array)?;
    let array: PyArrayLikeDyn<'_, f32, AllowTypeChange> =
        array.extract().map_err(|_| usage(py, format_args!("{what}: give an array of numbers")))?;
    let shape = array.shape().to_vec();
    let samples = match (shape.as_slice(), is_planet) {
        ([rows, columns], false) if rows == columns => *rows,
        ([6, rows, columns], true) if rows == columns => *rows,
        ([rows, columns], false) => {
            let text =
                format!("{what}: {columns} × {rows} samples; only square terrains can be computed; crop it first");
            return Err(usage(py, text));
        }
        (_, false) => return Err(usage(py, format_args!("{what}: give a square array of two dimensions"))),
        (_, true) => {
            return Err(usage(py, format_args!("{what}: a planet has six square faces; give an array of 6 × n × n")));
        }
    };
    if Grid::working(samples, talweg::field::Edges::Open).samples
        != Grid::new(samples, talweg::field::Edges::Open).samples
    {
        return Err(usage(py, format_args!("{what}: give 2 to 16384 samples per side, not {samples}")));
    }
    let scaled = |value: &f32| value / unit;
    let view = array.as_array();
    // Read the values in row order, whatever the strides are.
    let mut values: Vec<f32> = match view.as_slice() {
        Some(numbers) => numbers.iter().map(scaled).collect(),
        None => view.iter().map(scaled).collect(),
    };
    if let Some(mask) = &mask {
        if is_planet {
            return Err(usage(py, format_args!("{what}: a planet cannot have voids; fill the masked samples")));
        }
        if !mask.contains(&false) {
            return Err(usage(py, format_args!("{what}: all of it is masked")));
        }
        values = talweg::io::filled_gaps(&values, mask, samples);
    }
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let (row, column) = (at / samples, at % samples);
        return Err(usage(
            py,
            format_args!(
                "{what}: row {row}, column {column} is not a finite number; fill it, or mask it (numpy.ma.masked_invalid): masked samples become voids"
            ),
        ));
    }
    let ground = mask.map(|mask| mask.iter().map(|is_masked| f32::from(u8::from(!is_masked))).collect());
    Ok(InputField { samples, values, ground })
}

/// The caller's heights as a terrain on `grid`; masked samples become voids.
pub fn ground_of(field: InputField, grid: Grid) -> Terrain {
    let mut terrain = Terrain::flat(grid);
    terrain.height = field.values;
    if let Some(ground) = field.ground {
        terrain.set_map(MapKind::Ground, Some(std::sync::Arc::new(ground)));
    }
    terrain
}

/// Adds the caller's data maps to a terrain. The values are in the units that users see.
///
/// # Errors
/// If a name is unknown, a map differs in size from the terrain, or a part of a map is masked.
pub fn add_maps(terrain: &mut Terrain, maps: &Bound<'_, PyDict>, relief_metres: f32) -> PyResult<()> {
    let py = maps.py();
    for (name, array) in maps {
        let name: String = name.extract()?;
        let kind = map_kind(py, &name)?;
        let unit = map_unit(kind, relief_metres);
        let (array, _) = unwrapped(&array, Some(1.0))?;
        let InputField { samples, values, ground } =
            field_from_array(&format!("map `{name}`"), &array, unit, terrain.grid.is_globe())?;
        if ground.is_some() {
            let text = format!("map `{name}`: a part of it is masked; fill it, or mask the heights there");
            return Err(usage(py, text));
        }
        if kind == MapKind::Ground && terrain.map(kind).is_some() {
            return Err(usage(py, "map `ground`: the heights are masked already; give one of the two"));
        }
        if samples != terrain.samples() {
            let text = format!("map `{name}`: {samples} samples per side, and the heights have {}", terrain.samples());
            return Err(usage(py, text));
        }
        terrain.set_map(kind, Some(std::sync::Arc::new(values)));
    }
    Ok(())
}

/// `values` as a read-only array of the grid's shape. The array takes over the memory without copying.
pub fn owned<'py>(py: Python<'py>, grid: Grid, values: Vec<f32>) -> PyResult<Bound<'py, PyAny>> {
    let n = grid.samples;
    let flat = PyArray1::from_vec(py, values);
    // Lock the array before it is reshaped: views of a locked array are also locked.
    lock(flat.as_any())?;
    let shaped =
        if grid.is_globe() { flat.reshape([grid.faces(), n, n])?.into_any() } else { flat.reshape([n, n])?.into_any() };
    Ok(shaped)
}

/// Makes an array read-only.
fn lock(array: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = array.py();
    let flags = PyDict::new(py);
    flags.set_item(intern!(py, "write"), false)?;
    array.call_method(intern!(py, "setflags"), (), Some(&flags)).map(drop)
}

/// A map as an array that reads the terrain's own memory and keeps `owner` alive.
#[allow(unsafe_code, reason = "numpy borrows memory that the owner keeps")]
pub fn view<'py>(owner: &Bound<'py, PyAny>, grid: Grid, values: &[f32]) -> PyResult<Bound<'py, PyAny>> {
    let n = grid.samples;
    let made = if grid.is_globe() {
        let lent = ArrayView3::from_shape([grid.faces(), n, n], values).map_err(super::error::failed)?;
        // SAFETY: `owner` is the Python object that holds the values in an `Arc` and never changes them. numpy keeps
        // `owner` alive as the array's base, and the array is locked before any other code receives it.
        unsafe { numpy::PyArray3::borrow_from_array(&lent, owner.clone()) }.into_any()
    } else {
        let lent = ArrayView2::from_shape([n, n], values).map_err(super::error::failed)?;
        // SAFETY: the same reasons as for planets above.
        unsafe { numpy::PyArray2::borrow_from_array(&lent, owner.clone()) }.into_any()
    };
    lock(&made)?;
    Ok(made)
}
