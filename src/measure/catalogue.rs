//! The list of all measures. The panel, the command line and the JSON output use it.

use serde::{Serialize, Serializer};

use super::difference::Difference;
use super::{AreaQuantiles, Drainage, Measures, PlanetMeasures, Slopes};

/// Groups of related measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Family {
    /// Height range, and distribution of the terrain's area over height.
    Heights,
    /// Steepness of the terrain, and the erosion score.
    Slopes,
    /// Peaks, valleys and fractal dimensions.
    Form,
    /// Streams, drainage basins and the land that drains.
    Drainage,
    /// Areas where a character can walk and build.
    Playability,
    /// Temperature and moisture.
    Climate,
    /// The content hash of the terrain.
    Content,
    /// Differences between two terrains.
    Comparison,
}

impl Family {
    /// Name of the group in reports and the panel.
    pub fn label(self) -> &'static str {
        match self {
            Self::Heights => "Heights",
            Self::Slopes => "Slopes",
            Self::Form => "Form",
            Self::Drainage => "Drainage",
            Self::Playability => "Playability",
            Self::Climate => "Climate",
            Self::Content => "Content",
            Self::Comparison => "Comparison",
        }
    }
}

/// The value of a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeasureValue {
    /// A number in the unit of the measure.
    Number(f64),
    /// A whole number.
    Count(usize),
    /// A content hash.
    Hash(u128),
    /// No value, with the reason.
    Undefined(&'static str),
}

impl MeasureValue {
    fn or(value: Option<f64>, why: &'static str) -> Self {
        value.map_or(Self::Undefined(why), Self::Number)
    }

    /// The value as a number; `None` for a hash or an undefined value.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(value),
            Self::Count(count) => Some(count as f64),
            Self::Hash(_) | Self::Undefined(_) => None,
        }
    }
}

impl Serialize for MeasureValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Number(value) => serializer.serialize_f64(value),
            Self::Count(count) => serializer.serialize_u64(count as u64),
            Self::Hash(hash) => serializer.collect_str(&format_args!("{hash:032x}")),
            Self::Undefined(_) => serializer.serialize_none(),
        }
    }
}

/// A measure that is read from results of type `T`, with its description.
pub struct Measure<T> {
    /// Stable name of the measure in JSON and CSV.
    pub key: &'static str,
    /// Name of the measure in reports and the panel.
    pub label: &'static str,
    /// Unit of the value; empty if the value has no unit.
    pub unit: &'static str,
    /// Number of decimals shown.
    pub decimals: usize,
    /// The group that the measure belongs to.
    pub family: Family,
    /// Explanation of the measure in one plain sentence.
    pub meaning: &'static str,
    /// Source of the definition of the measure.
    pub source: &'static str,
    /// Reads the value of the measure from the results of a measurement.
    pub read: fn(&T) -> MeasureValue,
}

impl<T> Measure<T> {
    /// The value as text without its unit; "–" if the measure has no value.
    pub fn show(&self, of: &T) -> String {
        self.show_reading((self.read)(of))
    }

    /// The value as text, with its decimals and unit, or the reason why the measure has no value.
    pub fn show_reading(&self, reading: MeasureValue) -> String {
        match reading {
            MeasureValue::Number(value) => format!("{value:.*}", self.decimals),
            MeasureValue::Count(count) => count.to_string(),
            MeasureValue::Hash(hash) => format!("{hash:032x}"),
            MeasureValue::Undefined(_) => "–".into(),
        }
    }
}

const LEVEL: &str = "the ground is level";
const NO_LAND: &str = "everything is under the sea";
const NO_SEA: &str = "there is no sea";
const FEW: &str = "there are too few samples";
const NO_ORDERS: &str = "no two streams of one order join";
const NOT_PLAYABLE: &str = "nothing is playable";
const NO_CHANNELS: &str = "neither terrain has a channel";

/// The reason why a measure of the land has no value: there is no land, or all land is level.
fn no_relief(m: &Measures) -> &'static str {
    if m.heights.land_fraction == 0.0 { NO_LAND } else { LEVEL }
}

/// The reason why a fractal dimension has no value.
fn no_dimension(m: &Measures) -> &'static str {
    if m.is_level() { LEVEL } else { FEW }
}

fn erosion_score(slopes: &Slopes) -> MeasureValue {
    if slopes.mean > 0.0 { MeasureValue::Number(slopes.erosion_score()) } else { MeasureValue::Undefined(LEVEL) }
}

macro_rules! measures {
    ($( $family:ident: $key:literal $label:literal [$unit:literal] $decimals:literal, $meaning:literal, $source:literal, $read:expr; )+) => {
        &[ $( Measure {
            key: $key, label: $label, unit: $unit, decimals: $decimals, family: Family::$family,
            meaning: $meaning, source: $source, read: $read,
        } ),+ ]
    };
}

/// All measures of a terrain.
#[rustfmt::skip]
pub const MEASURES: &[Measure<Measures>] = measures! {
    Heights: "min_metres" "Lowest" ["m"] 3,
        "Height of the lowest point of the terrain.", "",
        |m| MeasureValue::Number(m.heights.min_metres);
    Heights: "max_metres" "Highest" ["m"] 3,
        "Height of the highest point of the terrain.", "",
        |m| MeasureValue::Number(m.heights.max_metres);
    Heights: "mean_metres" "Mean height" ["m"] 3,
        "Mean height of the terrain.", "",
        |m| MeasureValue::Number(m.heights.mean_metres);
    Heights: "land_fraction" "Land fraction" [""] 4,
        "Fraction of the area above the sea.", "",
        |m| MeasureValue::Number(m.heights.land_fraction);
    Slopes: "erosion_score" "Erosion score" [""] 3,
        "Standard deviation of the slopes divided by their mean: high if level ground and steep relief occur together.",
        "Olsen 2004; Le Martelot 2005, §3.3.3",
        |m| erosion_score(&m.slopes);
    Slopes: "pair_score" "Score of all pairs" [""] 3,
        "Erosion score from the height differences of all pairs of neighbours, as Le Martelot 2005 describes the score, instead of the greatest of four differences.",
        "Le Martelot 2005, §3.3.3",
        |m| erosion_score(&m.pair_slopes.slopes);
    Slopes: "worded_score" "Score as worded" [""] 3,
        "Erosion score exactly as Le Martelot 2005 words it: the mean deviation of the height differences of all pairs of neighbours from their mean, divided by this mean.",
        "Le Martelot 2005, §3.3.3",
        |m| match m.pair_slopes.slopes.mean > 0.0 {
            true => MeasureValue::Number(m.pair_slopes.worded_score()),
            false => MeasureValue::Undefined(LEVEL),
        };
    Slopes: "mean_slope" "Mean height step" ["m"] 3,
        "Mean of the greatest height difference to the four neighbouring samples; denser samples make it smaller.",
        "Olsen 2004; Le Martelot 2005, §3.3.3",
        |m| MeasureValue::Number(m.slopes.mean);
    Slopes: "slope_deviation" "Height step deviation" ["m"] 3,
        "Standard deviation of the greatest height differences to the four neighbouring samples.",
        "Olsen 2004; Le Martelot 2005, §3.3.3",
        |m| MeasureValue::Number(m.slopes.deviation);
    Slopes: "mean_steepness" "Mean steepness" ["°"] 2,
        "Mean angle of the land with the horizontal.", "",
        |m| MeasureValue::or(m.steepness.as_ref().map(|s| s.mean_degrees), NO_LAND);
    Form: "hypsometric_integral" "Hypsometric integral" [""] 3,
        "Fraction of the volume between the lowest and the highest land that is still rock: it falls as erosion proceeds.",
        "Strahler 1952; Pike & Wilson 1971",
        |m| MeasureValue::or(m.heights.hypsometry.as_ref().map(|h| h.integral), no_relief(m));
    Form: "peaks" "Peaks" [""] 0,
        "Number of summits that rise at least the minimum prominence above the pass to a higher summit.",
        "Kirmse & de Ferranti 2017",
        |m| MeasureValue::Count(m.summits.peaks.len());
    Form: "valleys" "Valleys" [""] 0,
        "Number of low points that lie at least the minimum prominence below the pass to a deeper low point. A valley that runs over an open edge has its low point at the edge.",
        "Kirmse & de Ferranti 2017",
        |m| MeasureValue::Count(m.summits.valleys.len());
    Form: "fractal_dimension" "Fractal dimension" [""] 3,
        "Roughness of the terrain over all scales, from the variogram: 2 is smooth, 3 is noise.",
        "Mark & Aronson 1984; Klinkenberg & Goodchild 1992",
        |m| MeasureValue::or(m.fractal_dimension(), no_dimension(m));
    Form: "fractal_fit" "Fit of the dimension" ["R²"] 4,
        "Straightness of the variogram: near 1 the terrain is similar at all scales; at lower values a single dimension does not describe the terrain.",
        "Klinkenberg & Goodchild 1992",
        |m| MeasureValue::or(m.variogram.as_ref().map(|f| f.line.r_squared), no_dimension(m));
    Form: "box_dimension" "Box dimension" [""] 3,
        "Roughness of the terrain over all scales, from the number of boxes that cover the terrain.",
        "Clarke 1986; Dubuc et al. 1989",
        |m| MeasureValue::or(m.box_dimension(), no_dimension(m));
    Form: "box_fit" "Fit of the box dimension" ["R²"] 4,
        "Straightness of the line through the box counts.",
        "Clarke 1986; Dubuc et al. 1989",
        |m| MeasureValue::or(m.boxes.as_ref().map(|f| f.line.r_squared), no_dimension(m));
    Drainage: "stream_order" "Highest stream order" [""] 0,
        "Order of the largest stream: it grows by one where two streams of the same order join.",
        "Strahler 1957",
        |m| m.drainage.as_ref().map_or(MeasureValue::Undefined(no_relief(m)), |d| {
            MeasureValue::Count(d.streams.last().map_or(0, |s| s.order))
        });
    Drainage: "bifurcation_ratio" "Bifurcation ratio" [""] 2,
        "Ratio of the number of streams of one order to the number of streams of the next higher order.",
        "Horton 1945; Strahler 1957",
        |m| m.drainage.as_ref().map_or(MeasureValue::Undefined(no_relief(m)), |d| MeasureValue::or(d.bifurcation_ratio(), NO_ORDERS));
    Drainage: "length_ratio" "Length ratio" [""] 2,
        "Ratio of the mean length of streams of one order to the mean length of streams of the next lower order.",
        "Horton 1945; Strahler 1957",
        |m| m.drainage.as_ref().map_or(MeasureValue::Undefined(no_relief(m)), |d| MeasureValue::or(d.length_ratio(), NO_ORDERS));
    Drainage: "drainage_density" "Drainage density" ["km/km²"] 3,
        "Total channel length per area of land. It depends on the source area of a channel.",
        "Horton 1945",
        |m| MeasureValue::or(m.drainage.as_ref().map(|d| d.density), no_relief(m));
    Drainage: "drained_fraction" "Drained" [""] 4,
        "Fraction of the land whose water reaches the border or the sea without filling a depression first: eroded terrain drains, noise does not.",
        "",
        |m| MeasureValue::or(m.drainage.as_ref().map(|d| d.drained_fraction), no_relief(m));
    Drainage: "largest_basin_km2" "Largest basin" ["km²"] 3,
        "Catchment area of the largest river.", "",
        |m| MeasureValue::or(m.drainage.as_ref().map(|d| d.largest_basin_km2), no_relief(m));
    Drainage: "largest_basin_fraction" "Largest basin, fraction" [""] 4,
        "Catchment of the largest river as a fraction of the land.", "",
        |m| MeasureValue::or(m.drainage.as_ref().map(|d| d.largest_basin_fraction), no_relief(m));
    Playability: "playable_fraction" "Playable" [""] 4,
        "Fraction of the land that is gentle enough to cross.",
        "Olsen 2004; Le Martelot 2005, §3.3.3",
        |m| MeasureValue::or(m.playability.map(|p| p.playable_fraction), NO_LAND);
    Playability: "connected_fraction" "Connected" [""] 4,
        "Fraction of the playable land that belongs to its largest connected region: at 1 all playable land is connected.",
        "Olsen 2004; Le Martelot 2005, §3.3.3",
        |m| m.playability.map_or(MeasureValue::Undefined(NO_LAND), |p| MeasureValue::or(p.connected_fraction, NOT_PLAYABLE));
    Playability: "largest_flat_km2" "Largest flat region" ["km²"] 4,
        "Area of the largest connected region that is flat enough to build on.",
        "Olsen 2004; Le Martelot 2005, §3.3.3",
        |m| MeasureValue::or(m.playability.map(|p| p.largest_flat_km2), NO_LAND);
    Content: "hash" "Hash" [""] 0,
        "Content hash of size, heights and data maps (XXH3-128): equal hashes mean equal bits.", "",
        |m| MeasureValue::Hash(m.hash);
};

/// All measures of the difference between two terrains.
#[rustfmt::skip]
pub const DIFFERENCES: &[Measure<Difference>] = measures! {
    Comparison: "rms_metres" "Root mean square" ["m"] 3,
        "Root mean square of the height differences.", "",
        |d| MeasureValue::Number(d.rms_metres);
    Comparison: "mean_absolute_metres" "Mean" ["m"] 3,
        "Mean absolute height difference.", "",
        |d| MeasureValue::Number(d.mean_absolute_metres);
    Comparison: "largest_metres" "Largest" ["m"] 3,
        "Largest absolute height difference.", "",
        |d| MeasureValue::Number(d.largest_metres);
    Comparison: "volume_gained_m3" "Volume gained" ["m³"] 0,
        "Volume where the second terrain is higher.", "",
        |d| MeasureValue::Number(d.volume_gained_m3);
    Comparison: "volume_lost_m3" "Volume lost" ["m³"] 0,
        "Volume where the second terrain is lower.", "",
        |d| MeasureValue::Number(d.volume_lost_m3);
    Comparison: "drainage_overlap" "Drainage overlap" [""] 4,
        "Fraction of the channels of both terrains that run within one cell of a channel of the other terrain.", "",
        |d| MeasureValue::or(d.drainage_overlap, NO_CHANNELS);
};

/// All measures of a planet.
#[rustfmt::skip]
pub const PLANET_MEASURES: &[Measure<PlanetMeasures>] = measures! {
    Heights: "radius_metres" "Radius" ["m"] 0,
        "Radius at height 0.", "",
        |m| MeasureValue::Number(f64::from(m.radius_metres));
    Heights: "area_km2" "Area" ["km²"] 0,
        "Area of the whole planet at height 0.", "",
        |m| MeasureValue::Number(m.area_km2);
    Heights: "land_share" "Land fraction" [""] 4,
        "Fraction of the planet above the sea.", "",
        |m| MeasureValue::Number(m.land_share);
    Heights: "land_km2" "Land area" ["km²"] 0,
        "Area above the sea.", "",
        |m| MeasureValue::Number(m.land_km2);
    Heights: "lowest_metres" "Lowest" ["m"] 1,
        "Height of the lowest point.", "",
        |m| MeasureValue::Number(m.lowest_metres);
    Heights: "highest_metres" "Highest" ["m"] 1,
        "Height of the highest point.", "",
        |m| MeasureValue::Number(m.highest_metres);
    Heights: "mean_metres" "Mean" ["m"] 1,
        "Mean height of the whole planet.", "",
        |m| MeasureValue::Number(m.mean_metres);
    Heights: "mean_land_metres" "Mean land height" ["m"] 1,
        "Mean height of the land above the sea; above height 0 where there is no sea.", "",
        |m| MeasureValue::or(m.mean_land_metres, NO_LAND);
    Heights: "mean_depth_metres" "Mean depth" ["m"] 1,
        "Mean depth of the sea.", "",
        |m| MeasureValue::or(m.mean_depth_metres, NO_SEA);
    Heights: "sea_km3" "Sea" ["km³"] 0,
        "Volume of water in the sea.", "",
        |m| MeasureValue::Number(m.sea_km3);
    Slopes: "erosion_score" "Erosion score" [""] 3,
        "Standard deviation of the slopes divided by their mean, weighted by area: high if level ground and steep relief occur together.",
        "Olsen 2004",
        |m| erosion_score(&m.slopes);
    Slopes: "mean_slope" "Mean height step" ["m"] 3,
        "Mean of the greatest height difference to the four neighbouring samples, scaled to the side of a mean cell.",
        "Olsen 2004",
        |m| MeasureValue::Number(m.slopes.mean);
    Slopes: "slope_deviation" "Height step deviation" ["m"] 3,
        "Standard deviation of the greatest height differences to the four neighbouring samples.",
        "Olsen 2004",
        |m| MeasureValue::Number(m.slopes.deviation);
    Slopes: "mean_land_slope_degrees" "Mean land slope" ["°"] 2,
        "Mean slope of the land, measured between neighbouring samples.", "",
        |m| MeasureValue::or(m.mean_land_slope_degrees, NO_LAND);
    Drainage: "stream_order" "Highest stream order" [""] 0,
        "Order of the largest stream: it grows by one where two streams of the same order join.",
        "Strahler 1957",
        |m| of_drainage(m, |d| MeasureValue::Count(d.streams.last().map_or(0, |s| s.order)));
    Drainage: "bifurcation_ratio" "Bifurcation ratio" [""] 2,
        "Ratio of the number of streams of one order to the number of streams of the next higher order.",
        "Horton 1945; Strahler 1957",
        |m| of_drainage(m, |d| MeasureValue::or(d.bifurcation_ratio(), NO_ORDERS));
    Drainage: "length_ratio" "Length ratio" [""] 2,
        "Ratio of the mean length of streams of one order to the mean length of streams of the next lower order.",
        "Horton 1945; Strahler 1957",
        |m| of_drainage(m, |d| MeasureValue::or(d.length_ratio(), NO_ORDERS));
    Drainage: "drainage_density" "Drainage density" ["km/km²"] 5,
        "Total channel length per area of land. It depends on the source area of a channel.",
        "Horton 1945",
        |m| of_drainage(m, |d| MeasureValue::Number(d.density));
    Drainage: "drained_fraction" "Drained" [""] 4,
        "Fraction of the land whose water reaches the sea without filling a depression first.", "",
        |m| of_drainage(m, |d| MeasureValue::Number(d.drained_fraction));
    Drainage: "largest_basin_km2" "Largest basin" ["km²"] 0,
        "Catchment area of the largest river.", "",
        |m| of_drainage(m, |d| MeasureValue::Number(d.largest_basin_km2));
    Climate: "mean_temperature_celsius" "Mean temperature" ["°C"] 1,
        "Mean temperature.", "",
        |m| MeasureValue::Number(m.climate.celsius.mean);
    Climate: "min_temperature_celsius" "Min temperature" ["°C"] 1,
        "Lowest temperature.", "",
        |m| MeasureValue::Number(m.climate.celsius.min);
    Climate: "max_temperature_celsius" "Max temperature" ["°C"] 1,
        "Highest temperature.", "",
        |m| MeasureValue::Number(m.climate.celsius.max);
    Climate: "mean_land_temperature_celsius" "Mean land temperature" ["°C"] 1,
        "Mean temperature of the land.", "",
        |m| of_land(m.climate.land_celsius);
    Climate: "mean_moisture" "Mean moisture" [""] 3,
        "Mean moisture; 0 is a desert, 1 a rain forest.", "",
        |m| MeasureValue::Number(m.climate.moisture.mean);
    Climate: "min_moisture" "Min moisture" [""] 3,
        "Lowest moisture.", "",
        |m| MeasureValue::Number(m.climate.moisture.min);
    Climate: "max_moisture" "Max moisture" [""] 3,
        "Highest moisture.", "",
        |m| MeasureValue::Number(m.climate.moisture.max);
    Climate: "mean_land_moisture" "Mean land moisture" [""] 3,
        "Mean moisture of the land.", "",
        |m| of_land(m.climate.land_moisture);
    Climate: "forest_share" "Forest" [""] 3,
        "Fraction of the land whose most frequent ground type has a name that contains forest.", "",
        |m| forest(m);
};

/// Reads a measure of a planet's streams, or returns the reason why the planet has no streams.
fn of_drainage(m: &PlanetMeasures, read: impl Fn(&Drainage) -> MeasureValue) -> MeasureValue {
    let why = if m.land_share > 0.0 { LEVEL } else { NO_LAND };
    m.drainage.as_ref().map_or(MeasureValue::Undefined(why), read)
}

/// Fraction of the land that is forest, according to the biome table.
fn forest(m: &PlanetMeasures) -> MeasureValue {
    let of_types = m.climate.types.iter().filter(|kind| kind.name.to_lowercase().contains("forest"));
    let shares: Vec<f64> = of_types.map(|kind| kind.fraction).collect();
    match shares.as_slice() {
        _ if m.land_share <= 0.0 => MeasureValue::Undefined(NO_LAND),
        [] => MeasureValue::Undefined("the biome table has no forest"),
        shares => MeasureValue::Number(shares.iter().sum::<f64>() / m.land_share),
    }
}

/// The mean of a quantity over the land, or the reason why it has no value.
fn of_land(quantiles: Option<AreaQuantiles>) -> MeasureValue {
    MeasureValue::or(quantiles.map(|spread| spread.mean), NO_LAND)
}

/// The terrain measure with the given key.
pub fn measure_named(key: &str) -> Option<&'static Measure<Measures>> {
    MEASURES.iter().find(|measure| measure.key == key)
}
