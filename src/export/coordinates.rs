//! EPSG coordinate systems in which a terrain in metres can be placed.

use super::ExportError;
use crate::io::formats::epsg::unit_of_system;
use crate::scene::BuildPlacement;

/// Ranges of EPSG codes of coordinate systems that are not projected: longitude and latitude, or coordinates from the
/// Earth's centre. Each entry is the first and the last code of a range. No projected system has a code within one of
/// these ranges.
/// Source: EPSG Geodetic Parameter Dataset 12.029, as distributed with PROJ.
#[rustfmt::skip]
const NOT_PROJECTED: [(u16, u16); 175] = [
    (3819, 3824), (3887, 3889), (3906, 3906), (4000, 4025), (4027, 4036), (4039, 4047), (4052, 4055), (4073, 4081),
    (4120, 4216), (4218, 4389), (4463, 4466), (4468, 4470), (4472, 4473), (4475, 4483), (4490, 4490), (4555, 4558),
    (4600, 4646), (4657, 4765), (4801, 4811), (4813, 4821), (4823, 4824), (4882, 5013), (5132, 5132), (5228, 5233),
    (5244, 5246), (5250, 5252), (5262, 5264), (5322, 5324), (5332, 5332), (5340, 5342), (5352, 5354), (5358, 5360),
    (5363, 5365), (5368, 5381), (5391, 5393), (5451, 5451), (5464, 5464), (5467, 5467), (5487, 5489), (5524, 5527),
    (5544, 5546), (5558, 5558), (5560, 5561), (5591, 5593), (5681, 5681), (5828, 5830), (5884, 5886), (6133, 6135),
    (6207, 6207), (6309, 6311), (6317, 6325), (6363, 6365), (6666, 6668), (6704, 6706), (6781, 6783), (6881, 6883),
    (6892, 6894), (6934, 6934), (6978, 6983), (6985, 6990), (7034, 7042), (7071, 7073), (7084, 7088), (7133, 7139),
    (7371, 7373), (7656, 7686), (7789, 7789), (7796, 7798), (7815, 7816), (7842, 7844), (7879, 7881), (7884, 7886),
    (7900, 7931), (8042, 8043), (8084, 8086), (8227, 8255), (8351, 8351), (8397, 8431), (8449, 8449), (8541, 8545),
    (8683, 8685), (8694, 8699), (8816, 8818), (8860, 8902), (8905, 8907), (8915, 8949), (8972, 9019), (9053, 9075),
    (9138, 9140), (9146, 9148), (9151, 9153), (9182, 9184), (9248, 9248), (9251, 9251), (9253, 9253), (9266, 9267),
    (9292, 9294), (9299, 9299), (9307, 9309), (9331, 9333), (9364, 9364), (9372, 9372), (9378, 9384), (9403, 9403),
    (9453, 9453), (9468, 9470), (9474, 9475), (9545, 9547), (9694, 9696), (9700, 9702), (9739, 9739), (9753, 9758),
    (9763, 9763), (9775, 9784), (9866, 9866), (9871, 9871), (9892, 9893), (9939, 9939), (9964, 9964), (9969, 9969),
    (9974, 9974), (9988, 9990), (10158, 10158), (10175, 10178), (10185, 10185), (10191, 10191), (10196, 10196),
    (10204, 10204), (10209, 10209), (10214, 10214), (10219, 10219), (10224, 10224), (10229, 10229), (10237, 10237),
    (10249, 10249), (10252, 10252), (10256, 10256), (10260, 10260), (10265, 10265), (10268, 10268), (10272, 10272),
    (10277, 10277), (10282, 10284), (10297, 10305), (10307, 10312), (10326, 10328), (10345, 10346), (10412, 10414),
    (10468, 10468), (10473, 10475), (10569, 10571), (10604, 10606), (10623, 10623), (10628, 10628), (10634, 10639),
    (10669, 10673), (10688, 10690), (10723, 10725), (10734, 10739), (10758, 10758), (10760, 10762), (10779, 10785),
    (10789, 10791), (10798, 10800), (10805, 10807), (10829, 10831), (10849, 10849), (10860, 10860), (10873, 10898),
    (10908, 10910), (10939, 10941), (10950, 10968), (11041, 11043), (20033, 20041), (20044, 20046),
];

/// Refuses a coordinate system whose axes are not east and north in metres. The error names the system to use at that
/// position.
pub(super) fn check_placement(placement: &BuildPlacement) -> Result<(), ExportError> {
    let BuildPlacement { epsg, west, south } = *placement;
    let unit = unit_of_system(epsg);
    if unit.is_none() && !NOT_PROJECTED.iter().any(|(first, last)| (*first..=*last).contains(&epsg)) {
        return Ok(());
    }
    let is_place = west.abs() <= 180.0 && south.abs() <= 84.0;
    let instead = if is_place {
        let zone = ((west + 180.0) / 6.0).floor().clamp(0.0, 59.0) as u16 + 1;
        let code = if south < 0.0 { 32_700 } else { 32_600 } + zone;
        format!("the UTM zone there is EPSG:{code}, with easting and northing in metres")
    } else {
        "UTM zones are EPSG:32601 to 32660 in the north and 32701 to 32760 in the south".into()
    };
    if let Some(unit) = unit {
        return Err(ExportError::Request(format!(
            "EPSG:{epsg} has the unit {} ({} m), but a terrain is placed in metres east and north. Give a system in \
             metres: many of these systems have a twin in metres, and UTM zones are EPSG:32601 to 32660 in the north and \
             32701 to 32760 in the south",
            unit.name, unit.size
        )));
    }
    Err(ExportError::Request(format!(
        "EPSG:{epsg} counts in degrees, or from the Earth's centre, but a terrain is placed in metres east and north. Give a projected system: {instead}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_refused_with_a_suitable_system() {
        let said = |epsg, west, south| {
            check_placement(&BuildPlacement { epsg, west, south }).err().map(|error| error.to_string())
        };
        for epsg in [4326, 4258, 4979, 4978, 4269, 7844, 6318, 9000] {
            let text = said(epsg, 7.0, 46.0).unwrap_or_else(|| panic!("{epsg}"));
            assert!(text.contains(&format!("EPSG:{epsg}")) && text.contains("32632"), "{text}");
        }
        assert!(said(4326, -70.5, -33.0).is_some_and(|text| text.contains("32719")));
        assert!(said(4326, 2_600_000.0, 1_200_000.0).is_some_and(|text| text.contains("32601 to 32660")));
        for epsg in [2056, 3857, 32632, 25832, 27700, 4087, 5514, 4647, 4839, 4462, 0] {
            assert_eq!(said(epsg, 2_600_000.0, 1_200_000.0), None, "{epsg}");
        }
        for (epsg, unit) in [(2263, "US survey foot (0.30480"), (2222, "foot (0.3048 m)"), (6557, "foot (0.3048 m)")] {
            let text = said(epsg, 300_000.0, 60_000.0).unwrap_or_else(|| panic!("{epsg}"));
            assert!(text.contains(unit) && text.contains("32601 to 32660"), "{text}");
        }
        assert!(NOT_PROJECTED.is_sorted() && NOT_PROJECTED.iter().all(|(first, last)| first <= last));
    }
}
