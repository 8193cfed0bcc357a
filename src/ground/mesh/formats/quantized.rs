//! Quantized-mesh 1.0: a tile of terrain on the globe for CesiumJS.
//!
//! The mesh fills the geographic rectangle [`MeshWriteOptions::bounds`] up to its edges. Only the terrain surface is
//! written, without walls, base and water. Positions are rounded to 1/32767 of the tile's size, and heights to 1/32767
//! of the tile's height range. Indices, edges and normals are encoded as in the crate `quantized-mesh`.

use std::io::{self, Write};

use quantized_mesh::{
    EdgeIndices, EncodeOptions, QUANTIZED_MAX, QuantizedMeshEncoder, QuantizedMeshHeader, QuantizedVertices, TileBounds,
};

use super::{GeoBounds, MeshFormat, MeshWriteOptions, UpAxis, bounds_of, refused};
use crate::mesh::{Mesh, PartKind};

/// The quantized-mesh format.
pub static FORMAT: MeshFormat = MeshFormat {
    id: "quantized-mesh",
    extension: "terrain",
    name: "Quantized mesh (Cesium)",
    about: "For CesiumJS and other globes: one tile between given longitudes and latitudes.",
    up: UpAxis::Z,
    chooses_up: false,
    colours: false,
    normals: true,
    textures: false,
    parts: false,
    read_extras: None,
    writes: |kind| kind == PartKind::Ground,
    write,
};

fn write(mesh: &Mesh, writing: &MeshWriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let Some(bounds) = writing.bounds else {
        return Err(refused(
            "a quantized mesh needs a position on the globe: give its west, south, east and north edges in degrees",
        ));
    };
    write_tile(mesh, bounds, out)
}

/// Writes the terrain surface of a mesh as one tile.
///
/// # Errors
/// When the tile cannot be written, the mesh has no terrain surface, or the bounds are not a rectangle on the globe.
pub fn write_tile(mesh: &Mesh, bounds: GeoBounds, out: &mut dyn Write) -> io::Result<()> {
    let GeoBounds { west, south, east, north } = bounds;
    let is_on_globe = (-180.0..=180.0).contains(&west)
        && (-180.0..=180.0).contains(&east)
        && (-90.0..=90.0).contains(&south)
        && (-90.0..=90.0).contains(&north)
        && west < east
        && south < north;
    if !is_on_globe {
        let edges = format!("west {west}, south {south}, east {east}, north {north}");
        return Err(refused(format!(
            "{edges} is not a rectangle on the globe: west must be less than east, and south less than north"
        )));
    }
    let Some(part) = FORMAT.parts(mesh).next() else { return Err(refused("the mesh has no terrain surface")) };
    // The format requires vertices in the order in which the triangles first use them.
    let range = part.vertices.start as usize..part.vertices.end as usize;
    let (low, high) = bounds_of(&mesh.positions[range.clone()]);
    let mut numbers = vec![u32::MAX; range.len()];
    let mut order = Vec::with_capacity(range.len());
    let mut indices = Vec::with_capacity(3 * part.triangles.len());
    for &k in part.triangles.iter().flatten() {
        let number = &mut numbers[k as usize - range.start];
        if *number == u32::MAX {
            *number = order.len() as u32;
            order.push(k as usize);
        }
        indices.push(*number);
    }
    drop(numbers);
    let share = |value: f32, low: f32, high: f32| {
        if high > low { (f64::from(value) - f64::from(low)) / (f64::from(high) - f64::from(low)) } else { 0.0 }
    };
    let quantized = |share: f64| (share * f64::from(QUANTIZED_MAX) + 0.5) as u16;
    // In the axes of the mesh, x points east and z points south.
    let shares =
        |[x, y, z]: [f32; 3]| [share(x, low[0], high[0]), 1.0 - share(z, low[2], high[2]), share(y, low[1], high[1])];
    let mut vertices = QuantizedVertices::with_capacity(order.len());
    for &k in &order {
        let [u, v, height] = shares(mesh.positions[k]).map(quantized);
        vertices.push(u, v, height);
    }
    let tile = TileBounds::new(west, south, east, north);
    let geodetic = order.iter().map(|&k| {
        let [u, v, _] = shares(mesh.positions[k]);
        [west + u * (east - west), south + v * (north - south), f64::from(mesh.positions[k][1])]
    });
    let header = QuantizedMeshHeader::from_bounds_with_vertices_iter(&tile, low[1], high[1], geodetic);
    let normals = order.iter().map(|&k| earth_centred(mesh.normals[k], shares(mesh.positions[k]), bounds)).collect();
    let edges = EdgeIndices::from_vertices(&vertices);
    let options = EncodeOptions { include_normals: true, normals: Some(normals), ..EncodeOptions::default() };
    QuantizedMeshEncoder::new(header, vertices, indices, edges).encode_to_with_options(out, &options)
}

/// Converts a normal in mesh axes (x to the east, y up, z to the south) to earth-centred axes.
fn earth_centred([x, y, z]: [f32; 3], [u, v, _]: [f64; 3], bounds: GeoBounds) -> [f32; 3] {
    let longitude = (bounds.west + u * (bounds.east - bounds.west)).to_radians();
    let latitude = (bounds.south + v * (bounds.north - bounds.south)).to_radians();
    let (sin_lon, cos_lon) = (libm::sin(longitude), libm::cos(longitude));
    let (sin_lat, cos_lat) = (libm::sin(latitude), libm::cos(latitude));
    let (east, up, north) = (f64::from(x), f64::from(y), -f64::from(z));
    [
        (-sin_lon * east - sin_lat * cos_lon * north + cos_lat * cos_lon * up) as f32,
        (cos_lon * east - sin_lat * sin_lon * north + cos_lat * sin_lon * up) as f32,
        (cos_lat * north + sin_lat * up) as f32,
    ]
}
