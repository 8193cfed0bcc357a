//! Distances on the ground for maps whose projection changes lengths, such as Web Mercator.

use proj4rs::Proj;
use proj4rs::transform::transform;

use super::notes::RasterNote;
use super::place::CoordinateSystem;

/// Minimum relative difference between a length on the map and the same length on the ground; smaller differences are
/// ignored. Survey projections, such as UTM, change lengths less than this.
const DIFFERENCE: f64 = 0.01;
/// Semi-major axis (in metres) and squared eccentricity of WGS 84.
const AXIS: f64 = 6_378_137.0;
const ECCENTRICITY_SQUARED: f64 = 6.694_379_990_141_316_5e-3;

/// Length on the ground, in metres, of a step to the east and of a step to the south on a map. `centre` is the position
/// of the raster's centre in the unit of the coordinate system; `step` has the same unit. `None` if lengths on the map
/// are within 1 % of lengths on the ground, or if the projection is unknown.
pub(super) fn true_steps(
    system: &CoordinateSystem,
    in_degrees: bool,
    centre: [f64; 2],
    step: [f64; 2],
    notes: &mut Vec<RasterNote>,
) -> Option<[f64; 2]> {
    if in_degrees || system.radius_metres.is_some() {
        return None;
    }
    let unit = system.unit.unwrap_or(1.0);
    let [on_map_east, on_map_south] = step.map(|step| step * unit);
    let [east, south] = steps_on_ground(&projection(system)?, unit, centre, step)?;
    if (east / on_map_east - 1.0).abs() < DIFFERENCE && (south / on_map_south - 1.0).abs() < DIFFERENCE {
        return None;
    }
    let name = system.epsg.map_or("its projection".into(), |epsg| format!("its projection (EPSG:{epsg})"));
    notes.push(RasterNote::new(
        "map-scale",
        format!(
            "{name} changes lengths: a step of {} m to the east and {} m to the south on the map is {} m and {} m on the ground; the terrain uses the lengths on the ground",
            tidy(on_map_east),
            tidy(on_map_south),
            tidy(east),
            tidy(south)
        ),
    ));
    Some([east, south])
}

/// Ratio of a length on the map to the same length on the ground, to the east and to the south, at a position of a
/// coordinate system in metres. `None` if the projection is unknown.
pub fn map_scale(epsg: u16, position: [f64; 2]) -> Option<[f64; 2]> {
    let system = CoordinateSystem { epsg: Some(epsg), ..CoordinateSystem::default() };
    let [east, south] = steps_on_ground(&projection(&system)?, 1.0, position, [100.0; 2])?;
    Some([100.0 / east, 100.0 / south])
}

fn projection(system: &CoordinateSystem) -> Option<Proj> {
    let proj = match (&system.proj, system.epsg) {
        (_, Some(epsg)) => Proj::from_epsg_code(epsg).ok(),
        (Some(text), None) => Proj::from_proj_string(text).ok(),
        (None, None) => None,
    };
    proj.filter(|proj| !proj.is_latlong())
}

fn steps_on_ground(proj: &Proj, unit: f64, centre: [f64; 2], step: [f64; 2]) -> Option<[f64; 2]> {
    let degrees = Proj::from_proj_string("+proj=longlat +datum=WGS84 +no_defs").ok()?;
    let to_units = unit / proj.to_meter();
    let place = |x: f64, y: f64| -> Option<[f64; 2]> {
        let mut point = (x * to_units, y * to_units, 0.0);
        transform(proj, &degrees, &mut point).ok()?;
        (point.0.is_finite() && point.1.is_finite()).then_some([point.0, point.1])
    };
    let [x, y] = centre;
    let length = |[dx, dy]: [f64; 2]| -> Option<f64> {
        let [a, b] = [place(x - 0.5 * dx, y - 0.5 * dy)?, place(x + 0.5 * dx, y + 0.5 * dy)?];
        let latitude = 0.5 * (a[1] + b[1]);
        let sine = libm::sin(latitude);
        let curve = 1.0 - ECCENTRICITY_SQUARED * sine * sine;
        let across = AXIS / libm::sqrt(curve) * libm::cos(latitude);
        let along = AXIS * (1.0 - ECCENTRICITY_SQUARED) / (curve * libm::sqrt(curve));
        let turn = libm::remainder(b[0] - a[0], std::f64::consts::TAU);
        let metres = libm::hypot(across * turn, along * (b[1] - a[1]));
        // The last digits depend on the system's mathematical functions, so only ten significant digits are kept.
        (metres > 0.0).then(|| tidy_number(metres))
    };
    Some([length([step[0], 0.0])?, length([0.0, step[1]])?])
}

/// A number rounded to ten significant digits.
fn tidy_number(number: f64) -> f64 {
    format!("{number:.9e}").parse().unwrap_or(number)
}

/// A length for users, with at most four decimals.
fn tidy(metres: f64) -> f64 {
    (metres * 1.0e4).round() / 1.0e4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(epsg: u16, centre: [f64; 2]) -> Option<[f64; 2]> {
        let system = CoordinateSystem { epsg: Some(epsg), ..CoordinateSystem::default() };
        true_steps(&system, false, centre, [30.0; 2], &mut Vec::new())
    }

    #[test]
    fn web_mercator_doubles_lengths_at_60_degrees() {
        assert_eq!(cell(3857, [1.0e6, 0.0]), None);
        let [east, south] = cell(3857, [1.0e6, 8_399_737.89]).unwrap();
        // Radii of curvature of WGS 84 at 60° north: 6 394 209 m across and 6 383 454 m along the meridian.
        assert!((east - 30.0 * 6_394_209.0 / AXIS * 0.5).abs() < 1e-3, "{east}");
        assert!((south - 30.0 * 6_383_454.0 / AXIS * 0.5).abs() < 1e-3, "{south}");
    }

    #[test]
    fn surveys_keep_their_steps() {
        assert_eq!(cell(32632, [500_000.0, 5.0e6]), None);
        assert_eq!(cell(2056, [2.6e6, 1.2e6]), None);
        let [east, south] = map_scale(32632, [500_000.0, 5.0e6]).unwrap();
        assert!((east - 0.9996).abs() < 1e-5 && (south - 0.9996).abs() < 1e-5, "{east} {south}");
    }
}
