//! Units of length and angle that files state, by EPSG code or by name.
//!
//! Source: EPSG Geodetic Parameter Dataset 12.029, as distributed with PROJ.

/// A unit with its EPSG code, its name and its size in metres or radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedUnit {
    pub epsg: u16,
    pub name: &'static str,
    pub size: f64,
}

const fn unit(epsg: u16, name: &'static str, size: f64) -> NamedUnit {
    NamedUnit { epsg, name, size }
}

/// Units of length; their sizes are metres.
#[rustfmt::skip]
const LENGTHS: [NamedUnit; 52] = [
    unit(9001, "metre", 1.0), unit(1025, "millimetre", 0.001), unit(1033, "centimetre", 0.01),
    unit(9036, "kilometre", 1000.0), unit(9002, "foot", 0.3048), unit(9003, "US survey foot", 1200.0 / 3937.0),
    unit(9096, "yard", 0.9144), unit(9014, "fathom", 1.8288), unit(9030, "nautical mile", 1852.0),
    unit(9093, "statute mile", 1609.344), unit(9097, "chain", 20.1168), unit(9098, "link", 0.201168),
    unit(9005, "Clarke's foot", 0.3047972654), unit(9031, "German legal metre", 1.0000135965),
    unit(9033, "US survey chain", 20.11684023368047), unit(9034, "US survey link", 0.2011684023368047),
    unit(9035, "US survey mile", 1609.3472186944375), unit(9037, "Clarke's yard", 0.9143917962),
    unit(9038, "Clarke's chain", 20.1166195164), unit(9039, "Clarke's link", 0.201166195164),
    unit(9040, "British yard (Sears 1922)", 0.9143984146160287),
    unit(9041, "British foot (Sears 1922)", 0.3047994715386762),
    unit(9042, "British chain (Sears 1922)", 20.116765121552632),
    unit(9043, "British link (Sears 1922)", 0.2011676512155263),
    unit(9050, "British yard (Benoit 1895 A)", 0.9143992),
    unit(9051, "British foot (Benoit 1895 A)", 0.3047997333333333),
    unit(9052, "British chain (Benoit 1895 A)", 20.1167824), unit(9053, "British link (Benoit 1895 A)", 0.201167824),
    unit(9060, "British yard (Benoit 1895 B)", 0.9143992042898124),
    unit(9061, "British foot (Benoit 1895 B)", 0.30479973476327077),
    unit(9062, "British chain (Benoit 1895 B)", 20.116782494375872),
    unit(9063, "British link (Benoit 1895 B)", 0.2011678249437587),
    unit(9070, "British foot (1865)", 0.30480083333333335), unit(9080, "Indian foot", 0.30479951024814694),
    unit(9081, "Indian foot (1937)", 0.30479841), unit(9082, "Indian foot (1962)", 0.3047996),
    unit(9083, "Indian foot (1975)", 0.3047995), unit(9084, "Indian yard", 0.9143985307444408),
    unit(9085, "Indian yard (1937)", 0.91439523), unit(9086, "Indian yard (1962)", 0.9143988),
    unit(9087, "Indian yard (1975)", 0.9143985), unit(9094, "Gold Coast foot", 0.3047997101815088),
    unit(9095, "British foot (1936)", 0.3048007491), unit(9099, "British yard (Sears 1922 truncated)", 0.914398),
    unit(9300, "British foot (Sears 1922 truncated)", 0.30479933333333337),
    unit(9301, "British chain (Sears 1922 truncated)", 20.116756),
    unit(9302, "British link (Sears 1922 truncated)", 0.20116756), unit(9207, "bin width 37.5 metres", 37.5),
    unit(9208, "bin width 25 metres", 25.0), unit(9209, "bin width 12.5 metres", 12.5),
    unit(9210, "bin width 6.25 metres", 6.25), unit(9211, "bin width 3.125 metres", 3.125),
];

/// Units of angle; their sizes are radians.
#[rustfmt::skip]
const ANGLES: [NamedUnit; 12] = [
    unit(9102, "degree", 1.0 / DEGREES), unit(9122, "degree", 1.0 / DEGREES), unit(9101, "radian", 1.0),
    unit(9103, "arc-minute", 1.0 / (60.0 * DEGREES)), unit(9104, "arc-second", 1.0 / (3600.0 * DEGREES)),
    unit(9105, "grad", 0.9 / DEGREES), unit(9106, "gon", 0.9 / DEGREES), unit(9109, "microradian", 1.0e-6),
    unit(9112, "centesimal minute", 0.009 / DEGREES), unit(9113, "centesimal second", 0.00009 / DEGREES),
    unit(9114, "mil", std::f64::consts::PI / 3200.0), unit(1031, "milliarc-second", 1.0 / (3_600_000.0 * DEGREES)),
];

/// Degrees in a radian.
const DEGREES: f64 = 180.0 / std::f64::consts::PI;

/// Geographic coordinate systems whose unit is the grad.
const SYSTEMS_IN_GRADS: [u16; 8] = [4807, 4810, 4811, 4816, 4819, 4821, 4901, 4902];

/// Units of heights in vertical and compound coordinate systems. Each entry has the first and the last EPSG code of a
/// range of systems, and the EPSG code of their unit.
#[rustfmt::skip]
const HEIGHT_SYSTEMS: [(u16, u16, u16); 23] = [
    (5754, 5754, 9095), (5702, 5702, 9003), (6360, 6360, 9003), (8052, 8052, 9003), (10919, 10919, 9003),
    (7406, 7407, 9003), (8712, 8800, 9003), (10920, 10920, 9003), (6358, 6359, 9003), (8053, 8053, 9003),
    (5614, 5614, 9002), (8050, 8051, 9002), (8897, 8897, 9002), (6130, 6132, 9002), (8228, 8228, 9002),
    (8700, 8711, 9002), (9502, 9504, 9002), (7968, 7968, 9001), (5703, 5703, 9001), (3855, 3855, 9001),
    (5773, 5773, 9001), (5714, 5714, 9001), (5701, 5701, 9001),
];

/// Vertical and compound coordinate systems that count depths, in ranges of EPSG codes. Depths grow downwards.
#[rustfmt::skip]
const DEPTH_SYSTEMS: [(u16, u16); 28] = [
    (5336, 5336), (5612, 5612), (5614, 5614), (5706, 5706), (5715, 5715), (5734, 5734), (5739, 5739), (5789, 5789),
    (5831, 5831), (5861, 5867), (5873, 5873), (6357, 6359), (7976, 7976), (8051, 8051), (8053, 8053), (8358, 8358),
    (8378, 8378), (8897, 8897), (9287, 9290), (9672, 9672), (9883, 9883), (10150, 10157), (10349, 10349),
    (10364, 10379), (10547, 10556), (10649, 10650), (10651, 10652), (10678, 10679),
];

/// The unit of length with the EPSG code `epsg`.
pub fn length_unit(epsg: u16) -> Option<NamedUnit> {
    LENGTHS.into_iter().find(|unit| unit.epsg == epsg)
}

/// The unit of angle with the EPSG code `epsg`.
pub fn angle_unit(epsg: u16) -> Option<NamedUnit> {
    ANGLES.into_iter().find(|unit| unit.epsg == epsg)
}

/// Size in degrees of the unit of the geographic coordinate system with the EPSG code `epsg`.
pub fn degrees_of_system(epsg: u16) -> f64 {
    if SYSTEMS_IN_GRADS.contains(&epsg) { 0.9 } else { 1.0 }
}

/// The unit of heights in a vertical or compound coordinate system; `None` if it is not known to differ from the metre.
pub fn height_unit_of_system(epsg: u16) -> Option<NamedUnit> {
    let run = HEIGHT_SYSTEMS.into_iter().find(|(first, last, _)| (*first..=*last).contains(&epsg))?;
    length_unit(run.2)
}

/// Whether a vertical or compound coordinate system counts depths downwards.
pub fn counts_depths(epsg: u16) -> bool {
    DEPTH_SYSTEMS.into_iter().any(|(first, last)| (first..=last).contains(&epsg))
}

/// EPSG codes of units, with the names and abbreviations that programs write, in lower case.
#[rustfmt::skip]
const NAMES: [(u16, &[&str]); 13] = [
    (9001, &["m", "metre", "metres", "meter", "meters", "mts", "metre(s)", "meter(s)"]),
    (1025, &["mm", "millimetre", "millimetres", "millimeter", "millimeters"]),
    (1033, &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    (9036, &["km", "kilometre", "kilometres", "kilometer", "kilometers"]),
    (9002, &["ft", "foot", "feet", "international foot", "international feet", "foot_intl", "ft-int", "ift", "'"]),
    (9003, &["us-ft", "ftus", "us survey foot", "us survey feet", "us_survey_foot", "foot_us", "survey foot",
        "survey feet", "us ft", "usft", "us survey foot (ftus)", "ft (us survey)", "foot (us survey)", "us foot"]),
    (9096, &["yd", "yard", "yards"]),
    (9014, &["fathom", "fathoms", "fath", "ftm"]),
    (9030, &["nautical mile", "nautical miles", "nmi", "kmi"]),
    (9093, &["mi", "mile", "miles", "statute mile", "us-mi"]),
    (9097, &["ch", "chain", "chains"]),
    (9098, &["link", "links"]),
    (9005, &["clarke's foot", "foot_clarke"]),
];

/// Name and length in metres of the unit that a file calls `name`. The decimetre is a special case, because it has no
/// EPSG code.
pub fn length_named(name: &str) -> Option<(&'static str, f64)> {
    let name = name.trim().trim_end_matches('.').to_ascii_lowercase();
    if ["dm", "decimetre", "decimetres", "decimeter", "decimeters"].contains(&name.as_str()) {
        return Some(("decimetre", 0.1));
    }
    let (epsg, _) = NAMES.into_iter().find(|(_, names)| names.contains(&name.as_str()))?;
    length_unit(epsg).map(|unit| (unit.name, unit.size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_their_size() {
        assert_eq!(length_unit(9096).map(|unit| unit.size), Some(0.9144));
        assert_eq!(length_named("US survey foot"), Some(("US survey foot", 1200.0 / 3937.0)));
        assert_eq!(length_named(" CM "), Some(("centimetre", 0.01)));
        assert_eq!(length_named("parsec"), None);
        let grad = angle_unit(9105).unwrap().size * DEGREES;
        assert!((grad - 0.9).abs() < 1e-15);
        assert_eq!((degrees_of_system(4807), degrees_of_system(4326)), (0.9, 1.0));
        for units in [&LENGTHS[..], &ANGLES[..]] {
            for (k, unit) in units.iter().enumerate() {
                assert!(units[..k].iter().all(|other| other.epsg != unit.epsg), "{unit:?}");
            }
        }
        for (epsg, names) in NAMES {
            assert!(length_unit(epsg).is_some() && names.iter().all(|name| *name == name.to_lowercase()), "{epsg}");
        }
    }

    #[test]
    fn height_systems_have_unit_and_direction() {
        assert_eq!(height_unit_of_system(6360).map(|unit| unit.epsg), Some(9003));
        assert_eq!(height_unit_of_system(8228).map(|unit| unit.epsg), Some(9002));
        assert_eq!(height_unit_of_system(5703).map(|unit| unit.size), Some(1.0));
        assert!(counts_depths(5715) && counts_depths(8053) && !counts_depths(5703));
    }
}
