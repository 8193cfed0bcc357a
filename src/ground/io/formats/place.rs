//! The position of a raster on a map, from the six numbers of an affine transformation and a coordinate system.

use super::GeoReference;
use super::ground_scale::true_steps;
use super::notes::RasterNote;

/// A transformation from columns and rows to map coordinates: x = x₀ + a · column + b · row, y = y₀ + d · column +
/// e · row. Column 0 and row 0 are the centre of the first sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MapTransform {
    pub x: f64,
    pub a: f64,
    pub b: f64,
    pub y: f64,
    pub d: f64,
    pub e: f64,
}

impl MapTransform {
    /// Converts GDAL's geotransform, whose origin is the outer corner of the first sample.
    pub fn of_corner([x, a, b, y, d, e]: [f64; 6]) -> Self {
        Self { x: x + 0.5 * (a + b), a, b, y: y + 0.5 * (d + e), d, e }
    }

    /// Whether the geotransform was the identity, which programs write when they know no position.
    fn is_identity(&self) -> bool {
        [self.a, self.b, self.d, self.e] == [1.0, 0.0, 0.0, 1.0] && [self.x, self.y] == [0.5, 0.5]
    }
}

/// The coordinate system of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CoordinateSystem {
    /// EPSG code, if the file states it.
    pub epsg: Option<u16>,
    /// Whether coordinates are angles; `None` if the file does not say so.
    pub is_geographic: Option<bool>,
    /// Size of the unit in metres, or in degrees if coordinates are angles.
    pub unit: Option<f64>,
    /// Radius of the planet in metres; `None` for Earth.
    pub radius_metres: Option<f64>,
    /// The projection in PROJ's notation, if the file describes the projection instead of giving an EPSG code.
    pub proj: Option<String>,
}

/// The position of a raster on a map. It also states whether the reader must reverse rows or columns, so that they run
/// from north to south and from west to east.
#[derive(Default)]
pub(super) struct Position {
    pub placement: Option<GeoReference>,
    /// Distances between neighbouring samples on the ground in metres, to the east and to the south, if they differ
    /// from the distances on the map or if there is no map position.
    pub cell_metres: Option<[f64; 2]>,
    /// Whether rows run from south to north in the file.
    pub reverses_rows: bool,
    /// Whether columns run from east to west in the file.
    pub reverses_columns: bool,
}

/// Largest angle between rows and east, and between columns and south, as the sine of the angle. Beyond it, a raster
/// counts as turned.
const MAX_TURN: f64 = 1.0e-6;

/// Computes the position of a raster of `columns` × `rows` samples from an affine transformation.
pub(super) fn position(
    affine: MapTransform,
    [columns, rows]: [usize; 2],
    system: &CoordinateSystem,
    is_area: bool,
    notes: &mut Vec<RasterNote>,
) -> Position {
    if affine.is_identity() {
        notes.push(RasterNote::new(
            "no-position",
            "its position is the identity transformation, which programs write when they know no position; the terrain keeps the size of the scene",
        ));
        return Position::default();
    }
    let numbers = [affine.x, affine.a, affine.b, affine.y, affine.d, affine.e];
    let determinant = affine.a * affine.e - affine.b * affine.d;
    if numbers.iter().any(|v| !v.is_finite()) || determinant == 0.0 {
        notes.push(RasterNote::new(
            "no-position",
            "its position is invalid, with a step of zero or a number that is not finite; the terrain keeps the size of the scene",
        ));
        return Position::default();
    }
    let [across, down] = [libm::hypot(affine.a, affine.d), libm::hypot(affine.b, affine.e)];
    let is_turned = affine.d.abs() > MAX_TURN * across || affine.b.abs() > MAX_TURN * down;
    // The rows of a map run from north to south, so its determinant is negative.
    let reverses_rows = if is_turned { determinant > 0.0 } else { affine.e > 0.0 };
    let reverses_columns = !is_turned && affine.a < 0.0;
    let step = if is_turned { [across, down] } else { [affine.a.abs(), affine.e.abs()] };
    let west = affine.x + if reverses_columns { affine.a * (columns - 1) as f64 } else { 0.0 };
    let north = affine.y + if reverses_rows { affine.e * (rows - 1) as f64 } else { 0.0 };
    let in_degrees =
        system.is_geographic.unwrap_or_else(|| super::reader::looks_like_degrees(west, north, step, columns));
    let unit = system.unit.unwrap_or(1.0);
    let found = GeoReference {
        epsg: system.epsg,
        in_degrees,
        radius_metres: system.radius_metres,
        west: west * unit,
        north: north * unit,
        step: step.map(|step| step * unit),
        is_area,
    };
    if !found.is_valid() {
        notes.push(RasterNote::new(
            "no-position",
            "its position has implausible numbers, so it is ignored; the terrain keeps the size of the scene",
        ));
        return Position { reverses_rows, reverses_columns, ..Position::default() };
    }
    if is_turned {
        return turned(affine, found, reverses_rows, notes);
    }
    let centre = [west + 0.5 * step[0] * (columns - 1) as f64, north - 0.5 * step[1] * (rows - 1) as f64];
    let cell_metres = true_steps(system, in_degrees, centre, step, notes);
    Position { placement: Some(found), cell_metres, reverses_rows, reverses_columns }
}

/// The position of a raster that is turned or sheared against the map. Only the distances between samples are used.
fn turned(affine: MapTransform, found: GeoReference, reverses_rows: bool, notes: &mut Vec<RasterNote>) -> Position {
    let angle = libm::atan2(affine.d, affine.a).to_degrees();
    let [across, down] = [libm::hypot(affine.a, affine.d), libm::hypot(affine.b, affine.e)];
    let skew = (affine.a * affine.b + affine.d * affine.e) / (across * down);
    let shape = if skew.abs() > MAX_TURN { " and sheared" } else { "" };
    notes.push(RasterNote::new(
        "turned",
        format!(
            "it is turned by {}°{shape} against the map; its cell size is used, but not its position, and its upper edge is not north. `gdalwarp IN OUT.tif` turns it to north",
            (angle * 1000.0).round() / 1000.0
        ),
    ));
    let latitude = found.north;
    Position { cell_metres: Some(found.step_metres(latitude)), reverses_rows, ..Position::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UTM: CoordinateSystem =
        CoordinateSystem { epsg: Some(32632), is_geographic: Some(false), unit: None, radius_metres: None, proj: None };

    fn placed(geotransform: [f64; 6]) -> (Position, Vec<RasterNote>) {
        let mut notes = Vec::new();
        let position = position(MapTransform::of_corner(geotransform), [65, 65], &UTM, true, &mut notes);
        (position, notes)
    }

    #[test]
    fn rows_and_columns_in_every_direction_are_the_same_place() {
        let (usual, notes) = placed([500_000.0, 30.0, 0.0, 5_000_000.0, 0.0, -30.0]);
        let place = usual.placement.unwrap();
        assert_eq!((place.west, place.north, place.step), (500_015.0, 4_999_985.0, [30.0; 2]));
        assert!(notes.is_empty() && !usual.reverses_rows && !usual.reverses_columns);
        let (south, _) = placed([500_000.0, 30.0, 0.0, 5_000_000.0 - 65.0 * 30.0, 0.0, 30.0]);
        assert_eq!((south.placement, south.reverses_rows), (Some(place), true));
        let (west, _) = placed([500_000.0 + 65.0 * 30.0, -30.0, 0.0, 5_000_000.0, 0.0, -30.0]);
        assert_eq!((west.placement, west.reverses_columns), (Some(place), true));
    }

    #[test]
    fn turned_grids_keep_their_cells_and_identities_have_no_place() {
        let angle = 33.0_f64.to_radians();
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let (turned, notes) = placed([5e5, 30.0 * cos, 30.0 * sin, 5e6, 30.0 * sin, -30.0 * cos]);
        assert!(turned.placement.is_none() && !turned.reverses_rows);
        let cell = turned.cell_metres.unwrap();
        assert!(cell.iter().all(|metres| (metres - 30.0).abs() < 1e-9), "{cell:?}");
        assert!(notes[0].text.contains("33°"), "{notes:?}");
        let (none, notes) = placed([0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert!(none.placement.is_none() && none.cell_metres.is_none() && notes.len() == 1);
    }
}
