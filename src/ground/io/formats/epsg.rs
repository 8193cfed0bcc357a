//! Projected coordinate systems of the EPSG register whose unit is not the metre.

/// A unit of length, and the EPSG codes of the coordinate systems with this unit. The codes form ranges, each with a
/// first code, a last code and a step.
struct LengthUnit {
    /// Plural name of the unit, such as "US survey feet".
    name: &'static str,
    metres: f64,
    systems: &'static [(u16, u16, u16)],
}

/// Name and length in metres of a projected coordinate system's unit, given its EPSG code. `None` if the unit is the
/// metre.
pub fn unit_of_system(epsg: u16) -> Option<(&'static str, f64)> {
    let is_in =
        |&(first, last, step): &(u16, u16, u16)| (first..=last).contains(&epsg) && (epsg - first).is_multiple_of(step);
    UNITS.iter().find(|unit| unit.systems.iter().any(is_in)).map(|unit| (unit.name, unit.metres))
}

/// Source: EPSG Geodetic Parameter Dataset 12.029, as distributed with PROJ. The ranges also include compound
/// coordinate systems that contain a projected system with this unit. No coordinate system in metres has an EPSG code
/// within one of these ranges.
#[rustfmt::skip]
const UNITS: [LengthUnit; 15] = [
    LengthUnit { name: "US survey feet", metres: 1200.0 / 3937.0, systems: &[
        (2155, 2155, 1), (2194, 2194, 1), (2204, 2204, 1), (2225, 2250, 1), (2254, 2263, 3), (2255, 2267, 3),
        (2259, 2262, 1), (2268, 2277, 3), (2272, 2278, 3), (2276, 2279, 1), (2283, 2289, 1), (2870, 2895, 1),
        (2899, 2919, 4), (2900, 2928, 4), (2902, 2906, 1), (2917, 2918, 1), (2925, 2930, 1), (2964, 2968, 1),
        (3089, 3091, 2), (3102, 3102, 1), (3363, 3365, 2), (3404, 3404, 1), (3417, 3438, 1), (3441, 3446, 1),
        (3451, 3459, 1), (3485, 3487, 2), (3490, 3512, 2), (3515, 3553, 2), (3560, 3570, 1), (3582, 3586, 2),
        (3598, 3600, 2), (3608, 3632, 2), (3640, 3642, 2), (3650, 3662, 4), (3652, 3652, 1), (3660, 3672, 4),
        (3670, 3674, 4), (3677, 3686, 3), (3688, 3700, 4), (3690, 3690, 1), (3698, 3698, 1), (3728, 3739, 1),
        (3753, 3760, 1), (3991, 3992, 1), (4217, 4217, 1), (4399, 4413, 1), (4418, 4433, 1), (4438, 4439, 1),
        (4455, 4457, 1), (5623, 5625, 1), (5646, 5646, 1), (5654, 5655, 1), (6200, 6202, 1), (6411, 6413, 2),
        (6416, 6438, 2), (6441, 6479, 2), (6484, 6492, 2), (6501, 6507, 2), (6510, 6510, 1), (6517, 6543, 2),
        (6549, 6555, 2), (6563, 6565, 2), (6568, 6576, 4), (6574, 6590, 4), (6584, 6588, 4), (6593, 6609, 2),
        (6612, 6618, 2), (6625, 6627, 1), (6633, 6633, 1), (6880, 6880, 1), (6923, 6925, 2), (6966, 6966, 1),
        (6997, 6997, 1), (7057, 7070, 1), (7128, 7132, 4), (7258, 7370, 2), (7407, 7407, 1), (7587, 7645, 1),
        (8035, 8036, 1), (8091, 8093, 2), (8096, 8172, 2), (8177, 8180, 3), (8182, 8185, 3), (8189, 8197, 4),
        (8200, 8210, 2), (8213, 8216, 3), (8220, 8224, 4), (8226, 8226, 1), (8380, 8384, 2), (8387, 8387, 1),
        (8518, 8540, 1), (8712, 8800, 1), (9748, 9749, 1), (10481, 10481, 1), (10516, 10516, 1), (10622, 10622, 1),
        (10911, 10916, 1), (23301, 23333, 1), (26729, 26813, 1), (26847, 26870, 1), (32001, 32058, 1),
        (32064, 32077, 1), (32099, 32099, 1), (32164, 32167, 1), (32664, 32667, 1),
    ] },
    LengthUnit { name: "feet", metres: 0.3048, systems: &[
        (2222, 2224, 1), (2251, 2253, 1), (2256, 2256, 1), (2265, 2273, 4), (2266, 2270, 4), (2280, 2282, 1),
        (2867, 2869, 1), (2896, 2898, 1), (2901, 2901, 1), (2909, 2910, 1), (2913, 2914, 1), (2921, 2923, 1),
        (2992, 2994, 2), (3080, 3080, 1), (3359, 3361, 2), (3479, 3483, 2), (3588, 3590, 2), (3593, 3593, 1),
        (3605, 3605, 1), (3634, 3636, 2), (3644, 3648, 2), (3656, 3656, 1), (3676, 3682, 3), (5588, 5588, 1),
        (6128, 6141, 1), (6391, 6391, 1), (6405, 6409, 2), (6494, 6496, 2), (6499, 6499, 1), (6515, 6515, 1),
        (6545, 6547, 2), (6557, 6561, 2), (6570, 6570, 1), (6785, 6863, 2), (6868, 6868, 1), (6885, 6887, 2),
        (7119, 7127, 1), (8065, 8068, 1), (8312, 8348, 2), (8700, 8711, 1), (10980, 10987, 1), (20050, 20050, 1),
    ] },
    LengthUnit { name: "German legal metres", metres: 1.0000135965, systems: &[
        (29371, 29385, 1),
    ] },
    LengthUnit { name: "Indian yards", metres: 0.9143985307444408, systems: &[
        (24370, 24374, 1), (24382, 24382, 1),
    ] },
    LengthUnit { name: "Clarke's feet", metres: 0.3047972654, systems: &[
        (2314, 2314, 1), (3407, 3407, 1), (5589, 5589, 1), (24100, 24100, 1),
    ] },
    LengthUnit { name: "Gold Coast feet", metres: 0.3047997101815088, systems: &[
        (2136, 2136, 1), (2159, 2160, 1),
    ] },
    LengthUnit { name: "British yards", metres: 0.9143984146160287, systems: &[
        (27291, 27292, 1),
    ] },
    LengthUnit { name: "links", metres: 0.201168, systems: &[
        (3139, 3140, 1),
    ] },
    LengthUnit { name: "Clarke's links", metres: 0.201166195164, systems: &[
        (2066, 2066, 1), (30200, 30200, 1),
    ] },
    LengthUnit { name: "Clarke's yards", metres: 0.9143917962, systems: &[
        (5472, 5472, 1),
    ] },
    LengthUnit { name: "kilometres", metres: 1000.0, systems: &[
        (22300, 22300, 1),
    ] },
    LengthUnit { name: "British chains (Benoit 1895)", metres: 20.116782494375872, systems: &[
        (24571, 24571, 1),
    ] },
    LengthUnit { name: "British chains (Sears 1922)", metres: 20.116765121552632, systems: &[
        (29871, 29871, 1),
    ] },
    LengthUnit { name: "British chains (Sears 1922, cut)", metres: 20.116756, systems: &[
        (3167, 3167, 1),
    ] },
    LengthUnit { name: "British feet (Sears 1922)", metres: 0.3047994715386762, systems: &[
        (29872, 29872, 1),
    ] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feet_are_distinguished_from_metres() {
        for (epsg, unit, metres) in [
            (2263, "US survey feet", 0.304_800_6),
            (2229, "US survey feet", 0.304_800_6),
            (2222, "feet", 0.3048),
            (6557, "feet", 0.3048),
            (29871, "British chains (Sears 1922)", 20.116_765_1),
        ] {
            let (name, is) = unit_of_system(epsg).unwrap_or_else(|| panic!("{epsg}"));
            assert!(name == unit && (is - metres).abs() < 1e-7, "{epsg}: {name}, {is}");
        }
        for epsg in [2056, 3857, 32632, 25832, 27700, 5514, 2154, 3035, 6350, 6556, 26985, 32661, 0] {
            assert_eq!(unit_of_system(epsg), None, "{epsg}");
        }
    }
}
