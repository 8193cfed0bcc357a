//! Surface normals.

use super::layout::PixelLayout;
use super::{ExportMap, MapNature, MapRows, MapSheet};
use crate::appearance::planet_normals;
use crate::field::{Cancelled, Control, Terrain, gradient};
use crate::io::formats::each_number;
use crate::scene::Scene;

/// Surface normals: east, north and up from -1 to 1. On cube faces, the components are along columns, against rows, and
/// up.
pub(super) fn normals<'a>(
    scene: &'a Scene,
    terrain: &'a Terrain,
    layout: &'a PixelLayout,
    control: &Control,
) -> Result<MapSheet<'a>, Cancelled> {
    if terrain.grid.is_globe() {
        let picture = planet_normals(scene, terrain, layout.planet, control)?;
        let value = move |row: usize, column: usize, channel: usize| {
            f32::from(picture.rgb[(row * picture.width + column) * 3 + channel]) / 127.5 - 1.0
        };
        return Ok(normal_sheet(Box::new(each_number(value))));
    }
    let steepness = scene.settings.relief_over_size();
    let at = move |row, column| normal(gradient(terrain.grid, &terrain.height, row, column), steepness);
    Ok(normal_sheet(each_normal(at)))
}

/// Rows of normals that `at` returns for a row and a column.
pub(super) fn each_normal<'a>(at: impl Fn(usize, usize) -> [f32; 3] + Sync + 'a) -> MapRows<'a> {
    Box::new(move |row, columns, out| {
        out.as_chunks_mut().0.iter_mut().zip(columns).for_each(|(out, column)| *out = at(row, column));
    })
}

/// The normal (east, north, up) of a square at a sample whose height gradient towards the east and the south is given.
pub(super) fn normal((east, south): (f32, f32), steepness: f32) -> [f32; 3] {
    let (x, y) = (-east * steepness, south * steepness);
    let length = (x * x + y * y + 1.0).sqrt();
    [x, y, 1.0].map(|part| part / length)
}

pub(super) fn normal_sheet(rows: MapRows) -> MapSheet {
    MapSheet {
        label: ExportMap::Normals.to_string(),
        nature: MapNature::Vector,
        unit: "",
        channels: 3,
        range: (-1.0, 1.0),
        legend: Vec::new(),
        rows,
    }
}
