//! Reads files of heights as arrays, in every format that Talweg supports.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use super::error::{failed, usage};
use talweg::io::formats::{HeightUnit, NoDataRule, NumberMeaning, ReadOptions};
use talweg::io::{Raster, check_name};
use talweg::mesh::raster_or_mesh;

/// A file of heights: GeoTIFF, PNG, OpenEXR, ESRI ASCII, SRTM or raw, or a mesh whose upper surface is read.
#[pyclass(name = "Raster", module = "talweg._core", frozen)]
pub struct PyRaster {
    raster: Arc<Raster>,
    path: PathBuf,
}

/// Reads a file of heights. The values are metres if the file says so, and are otherwise scaled to 0 to 1. `numbers`
/// and `unit` are values of the parameters of an `Import` layer, such as "Metres" and "Feet". `no_data` is the number
/// that marks samples without data; with `keep_all` every number is a height. `channel` counts from 1.
#[pyfunction]
#[pyo3(signature = (path, *, numbers="File", unit="File", no_data=None, keep_all=false, channel=0, first_row_is_south=false, raw_width=0, big_endian=false))]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub fn read(
    py: Python<'_>,
    path: PathBuf,
    numbers: &str,
    unit: &str,
    no_data: Option<f32>,
    keep_all: bool,
    channel: u16,
    first_row_is_south: bool,
    raw_width: u32,
    big_endian: bool,
) -> PyResult<PyRaster> {
    check_name(&path).map_err(failed)?;
    let name = std::path::absolute(&path).map_err(failed)?.to_string_lossy().into_owned();
    let options = ReadOptions {
        raw_width,
        big_endian,
        first_row_is_south,
        meaning: NumberMeaning::named(numbers)
            .ok_or_else(|| unknown(py, "numbers", numbers, NumberMeaning::names()))?,
        unit: HeightUnit::named(unit).ok_or_else(|| unknown(py, "unit", unit, HeightUnit::names()))?,
        no_data: if keep_all { NoDataRule::Never } else { no_data.map_or(NoDataRule::File, |_| NoDataRule::Given) },
        no_data_value: no_data.unwrap_or_default(),
        channel,
    };
    let raster = py.detach(|| raster_or_mesh(&name, options)).map_err(failed)?;
    Ok(PyRaster { raster, path })
}

/// The error for a word that is not allowed.
fn unknown(py: Python<'_>, option: &str, word: &str, allowed: impl Iterator<Item = &'static str>) -> PyErr {
    let allowed: Vec<&str> = allowed.collect();
    usage(py, format!("{option}: `{word}` is not one of {}", allowed.join(", ")))
}

#[pymethods]
impl PyRaster {
    /// Heights in rows from north to south: metres if the file says so, otherwise 0 to 1. Samples without data are
    /// interpolated from the border of the gap; the map `ground` is 0 at these samples.
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (low, high) = self.raster.range_metres.unwrap_or((0.0, 1.0));
        let metres = self.raster.filled().iter().map(|value| low + (high - low) * value).collect();
        self.shaped(py, metres)
    }

    /// An array for use as the data map `ground`: 1 where the file has data, 0 elsewhere. None if the file has data
    /// everywhere.
    #[getter]
    fn ground<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.raster.is_void.is_empty() {
            return Ok(None);
        }
        let ground = self.raster.is_void.iter().map(|is_void| if *is_void { 0.0 } else { 1.0 }).collect();
        self.shaped(py, ground).map(Some)
    }

    /// Whether the heights are in metres.
    #[getter]
    fn is_metres(&self) -> bool {
        self.raster.range_metres.is_some()
    }

    /// Sentences that say which data in the file Talweg changed, ignored or had to guess, and how that affects the
    /// result.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.raster.notes.iter().map(|note| note.text.clone()).collect()
    }

    /// Distance between neighbouring samples in metres, to the east and to the south; None if the file does
    /// not state it. Degrees are converted to metres at the latitude of the file's centre.
    #[getter]
    fn cell_metres(&self) -> Option<(f64, f64)> {
        self.raster.cell_metres().map(|[east, south]| (east, south))
    }

    /// EPSG code of the coordinate system, if the file contains a code.
    #[getter]
    fn epsg(&self) -> Option<u16> {
        self.raster.placement.as_ref()?.epsg
    }

    /// Easting and northing, or longitude and latitude, of the first sample, if the file is georeferenced.
    #[getter]
    fn north_west(&self) -> Option<(f64, f64)> {
        self.raster.placement.as_ref().map(|place| (place.west, place.north))
    }

    /// Number of rows and number of columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.raster.height, self.raster.width)
    }

    fn __repr__(&self) -> String {
        let unit = if self.is_metres() { "metres" } else { "0 to 1" };
        format!(
            "<talweg.Raster {}, {} × {} samples, {unit}>",
            self.path.display(),
            self.raster.width,
            self.raster.height
        )
    }
}

impl PyRaster {
    fn shaped<'py>(&self, py: Python<'py>, values: Vec<f32>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyArray1::from_vec(py, values).reshape([self.raster.height, self.raster.width])?.into_any())
    }
}
