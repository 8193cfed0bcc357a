//! Published values of real terrain, as reference ranges for the measures.
//!
//! The list contains only values that a publication states. A measure without a range has no known publication.

use serde::Serialize;

/// The range of a measure for real terrain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReferenceBand {
    /// Key of the measure.
    #[serde(skip)]
    pub key: &'static str,
    /// Lowest published value, in the unit of the measure.
    pub low: f64,
    /// Highest published value, in the unit of the measure.
    pub high: f64,
    /// The kind of terrain that the range applies to.
    #[serde(rename = "of")]
    pub terrain_kind: &'static str,
    /// The publication that states the values.
    pub source: &'static str,
}

/// All reference ranges.
pub const BANDS: &[ReferenceBand] = &[
    ReferenceBand {
        key: "hypsometric_integral",
        low: 0.35,
        high: 0.60,
        terrain_kind: "drainage basins in equilibrium; higher values mean young, uneroded terrain, lower values mean isolated hills on eroded plains",
        source: "Strahler, A. N. (1952): Hypsometric (area-altitude) analysis of erosional topography. Geological Society of \
                 America Bulletin 63(11), 1117-1142",
    },
    ReferenceBand {
        key: "fractal_dimension",
        low: 2.09,
        high: 2.59,
        terrain_kind: "means of whole states, from two-dimensional spectra: Arizona the lowest, Oregon the highest",
        source: "Huang, J. & Turcotte, D. L. (1989): Fractal mapping of digitized images: application to the topography of \
                 Arizona and comparisons with synthetic images. Journal of Geophysical Research 94(B6), 7491-7495; and \
                 (1990): Fractal image analysis: application to the topography of Oregon and synthetic images. Journal of \
                 the Optical Society of America A 7(6), 1124-1130",
    },
    ReferenceBand {
        key: "bifurcation_ratio",
        low: 3.0,
        high: 5.0,
        terrain_kind: "basins whose drainage network is not distorted by rock structure",
        source: "Strahler, A. N. (1957): Quantitative analysis of watershed geomorphology. Transactions, American Geophysical \
                 Union 38(6), 913-920",
    },
    ReferenceBand {
        key: "length_ratio",
        low: 1.5,
        high: 3.5,
        terrain_kind: "natural basins",
        source: "Smart, J. S. (1972): Channel networks. Advances in Hydroscience 8, 305-346; in Rodriguez-Iturbe, I. & Valdes, \
                 J. B. (1979): The geomorphologic structure of hydrologic response. Water Resources Research 15(6), \
                 1409-1420",
    },
    ReferenceBand {
        key: "drainage_density",
        low: 0.55,
        high: 2.09,
        terrain_kind: "basins of the humid northeastern United States, from topographic maps",
        source: "Langbein, W. B. and others (1947): Topographic characteristics of drainage basins. United States Geological \
                 Survey Water-Supply Paper 968-C, 125-158",
    },
    ReferenceBand {
        key: "land_share",
        low: 0.29,
        high: 0.30,
        terrain_kind: "Earth",
        source: "Charette, M. A. & Smith, W. H. F. (2010): The volume of Earth's ocean. Oceanography 23(2), 112-114",
    },
    ReferenceBand {
        key: "mean_land_metres",
        low: 797.0,
        high: 875.0,
        terrain_kind: "Earth; the low value is from satellites and includes ice sheets, the high value is from maps",
        source: "Eakins, B. W. & Sharman, G. F. (2012): Hypsographic curve of Earth's surface from ETOPO1. NOAA National \
                 Geophysical Data Center; Kossinna, E. (1933): Die Erdoberfläche. Handbuch der Geophysik 2, 869-954",
    },
    ReferenceBand {
        key: "mean_depth_metres",
        low: 3682.0,
        high: 3800.0,
        terrain_kind: "Earth's ocean",
        source: "Charette, M. A. & Smith, W. H. F. (2010): The volume of Earth's ocean. Oceanography 23(2), 112-114; Kossinna, E. \
                 (1921): Die Tiefen des Weltmeeres. Mittler, Berlin",
    },
    ReferenceBand {
        key: "forest_share",
        low: 0.31,
        high: 0.312,
        terrain_kind: "Earth's land in 2020: 31 %, or 4.06 of 13.0 billion hectares",
        source: "FAO (2020): Global Forest Resources Assessment 2020, Main report. Rome",
    },
];

/// The reference ranges of the measure called `key`.
pub fn bands(key: &str) -> impl Iterator<Item = &'static ReferenceBand> {
    BANDS.iter().filter(move |band| band.key == key)
}
