//! `import talweg`: the extension module `talweg._core` of the Python package, built by maturin (`pyproject.toml`).
//!
//! The module offers the functions of the command line to Python: [`eval`](talweg::eval) with the same bits, and the
//! options of `talweg export` and `talweg render` as keyword arguments. Exceptions have the same messages as the
//! command line. The Python files in `src/python/talweg` build classes from the node descriptions, and support xarray
//! and tqdm if these are installed.
//!
//! | file | contents |
//! |---|---|
//! | `work` | threads, progress, Ctrl-C: long work runs on other threads while Python checks for signals |
//! | `arrays` | conversion of numpy arrays in metres to and from heights |
//! | `scene` | scenes and their evaluation |
//! | `terrain` | finished terrains: arrays, maps, mass balance, hash, measures, pictures, files |
//! | `node` | single nodes, and processes that are run step by step |
//! | `options` | keyword arguments |
//! | `raster` | files of heights |
//! | `tiles` | builds in tiles |
//! | `error` | exceptions |
//!
//! Heights are in metres everywhere; the library's fractions of the relief are hidden. Rows are ordered from north to
//! south.

// The tests of this module are written in Python. Without this line, `cargo test --lib` would link a program that needs
// Python.
#![cfg(not(test))]

mod arrays;
mod error;
mod node;
mod options;
mod raster;
mod scene;
mod terrain;
mod tiles;
mod work;

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use talweg::appearance_files::all_palette_names;
use talweg::field::MapKind;
use talweg::nodes::Node;
use talweg::scene::{HASHED_SAMPLES, example_hashes};

/// Names of the built-in scenes, for [`load`](scene::load).
#[pyfunction]
fn examples() -> Vec<&'static str> {
    talweg::scene::examples().iter().map(|example| example.name).collect()
}

/// The published hash of each built-in scene by its name, for [`HASHED_SAMPLES`] samples per side.
#[pyfunction]
fn published_hashes() -> BTreeMap<&'static str, &'static str> {
    example_hashes().iter().map(|(name, hash)| (name.as_str(), hash.terrain.as_str())).collect()
}

/// Names of the palettes and biome tables for pictures.
#[pyfunction]
fn palettes() -> Vec<String> {
    all_palette_names()
}

/// All kinds of data maps by name, with their unit: "m" for depths in metres, "" for all others.
#[pyfunction]
fn map_kinds(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let kinds = PyDict::new(py);
    for &kind in MapKind::ALL {
        kinds.set_item(arrays::map_name(kind), if kind.is_thickness() { "m" } else { "" })?;
    }
    Ok(kinds)
}

/// Names of all nodes, in the order of the Add menu.
#[pyfunction]
fn node_names() -> Vec<&'static str> {
    Node::catalogue().iter().map(|node| node.about().name).collect()
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("TalwegError", py.get_type::<error::TalwegError>())?;
    module.add("UsageError", error::usage_error(py)?)?;
    module.add("TalwegWarning", py.get_type::<error::TalwegWarning>())?;
    module.add_class::<scene::PyScene>()?;
    module.add_class::<terrain::PyTerrain>()?;
    module.add_class::<node::PyNode>()?;
    module.add_class::<node::PyProcessRun>()?;
    module.add_class::<raster::PyRaster>()?;
    module.add_class::<tiles::PyPlan>()?;
    module.add_function(wrap_pyfunction!(scene::load, module)?)?;
    module.add_function(wrap_pyfunction!(scene::parse, module)?)?;
    module.add_function(wrap_pyfunction!(scene::scene_of_file, module)?)?;
    module.add_function(wrap_pyfunction!(terrain::measure, module)?)?;
    module.add_function(wrap_pyfunction!(terrain::restored_terrain, module)?)?;
    module.add_function(wrap_pyfunction!(raster::read, module)?)?;
    module.add_function(wrap_pyfunction!(tiles::plan, module)?)?;
    module.add_function(wrap_pyfunction!(tiles::open_plan, module)?)?;
    module.add_function(wrap_pyfunction!(node::node_description, module)?)?;
    module.add_function(wrap_pyfunction!(examples, module)?)?;
    module.add_function(wrap_pyfunction!(published_hashes, module)?)?;
    module.add("HASHED_SAMPLES", HASHED_SAMPLES)?;
    module.add_function(wrap_pyfunction!(palettes, module)?)?;
    module.add_function(wrap_pyfunction!(map_kinds, module)?)?;
    module.add_function(wrap_pyfunction!(node_names, module)?)?;
    Ok(())
}
