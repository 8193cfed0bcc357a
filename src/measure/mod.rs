//! Quantitative measures of a terrain, chosen after the criteria of Le Martelot 2005 and a lecture on terrain in games.
//!
//! [`measure`] returns all measures of a terrain; [`difference`] returns the differences between two terrains.
//! [`MEASURES`], [`DIFFERENCES`] and [`PLOTS`] list the measures and plots with key, label, unit, meaning and source.
//! [`BANDS`] lists the ranges of the measures in real terrain.
//!
//! The sea: slopes, erosion score, dimensions and the height histogram cover the whole terrain, including the sea
//! floor. Hypsometry, steepness, peaks, drainage and playability cover only the land, which is the terrain above the
//! sea.
//!
//! Edges: a cell at an edge has neighbours at the opposite edge only if the terrain wraps. Each sample of a wrapping
//! terrain counts once. All measures skip void samples. The terrain ends at void samples as at an open edge, and water
//! leaves the terrain at void samples. The results do not depend on the number of threads: each row is summed
//! separately, and then the sums of the rows are added in order.

mod boxes;
mod catalogue;
mod climate;
mod difference;
mod drainage;
mod ground;
mod heights;
mod limits;
mod line;
mod material;
mod planet;
mod playability;
mod plots;
mod profile;
mod reference;
mod report;
mod slopes;
mod steepness;
mod summits;
mod variogram;

pub use catalogue::{DIFFERENCES, Family, MEASURES, Measure, MeasureValue, PLANET_MEASURES, measure_named};
pub use climate::{AreaQuantiles, ClimateMeasures, TerrainMeasures, TypeFraction, climate_measures};
pub use difference::{Difference, difference};
pub use drainage::{Drainage, Streams};
pub use heights::{HeightMeasures, Hypsometry};
pub use limits::{Limits, TerrainScale};
pub use line::{Fitted, LineFit};
pub use material::{LayerMaterial, layer_material, material_cubic_metres};
pub use planet::{PlanetMeasures, measure_planet};
pub use playability::Playability;
pub use plots::{PLOTS, Plot, PlotAxis, PlotStyle};
pub use profile::{EnclosedVolume, GroundProfile, ProfilePoint, enclosed_area, enclosed_volume};
pub use reference::{BANDS, ReferenceBand, bands};
pub use report::{comparison_csv, csv_field, named_values};
pub use slopes::{PairSlopes, Slopes, pair_slopes, slopes, slopes_by};
pub use steepness::Steepness;
pub use summits::{Summit, Summits};

use crate::field::{Cancelled, Control, Terrain};
use drainage::DrainageGround;
use ground::DistinctSamples;

/// All measures of a terrain, with the data of the plots.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// Number of samples per side; on a planet, per side of a face.
    pub samples: usize,
    /// The thresholds that the measures use.
    pub limits: Limits,
    /// Height range and hypsometry.
    pub heights: HeightMeasures,
    /// Slopes from the greatest height difference to the four neighbours (Olsen 2004), in metres.
    pub slopes: Slopes,
    /// Slopes from the height differences of all pairs of neighbouring samples (Le Martelot 2005), in metres.
    pub pair_slopes: PairSlopes,
    /// Steepness of the land; `None` if there is no land.
    pub steepness: Option<Steepness>,
    /// Peaks and valleys, with the prominence of each.
    pub summits: Summits,
    /// Line fit of the variogram for the fractal dimension; `None` on level terrain, or with too few samples.
    pub variogram: Option<Fitted>,
    /// Line fit of box counting for the fractal dimension; `None` on level terrain, or with too few samples.
    pub boxes: Option<Fitted>,
    /// Drainage network; `None` if there is no land, or if the land is level.
    pub drainage: Option<Drainage>,
    /// Playable and flat areas; `None` if there is no land.
    pub playability: Option<Playability>,
    /// Content hash of the terrain.
    pub hash: u128,
}

impl Measures {
    /// Whether all samples have the same height.
    pub fn is_level(&self) -> bool {
        self.heights.max_metres <= self.heights.min_metres
    }

    /// Fractal dimension from the variogram.
    pub fn fractal_dimension(&self) -> Option<f64> {
        self.variogram.as_ref().map(|fit| 3.0 - 0.5 * fit.line.slope)
    }

    /// Fractal dimension from box counting.
    pub fn box_dimension(&self) -> Option<f64> {
        self.boxes.as_ref().map(|fit| -fit.line.slope)
    }
}

/// Measures `terrain` on the threads of the current pool. The results have the same bits for any number of threads.
///
/// On a planet, this function measures only the face around longitude 0, as if the face were flat. [`measure_planet`]
/// measures the whole planet.
pub fn measure(
    terrain: &Terrain,
    scale: TerrainScale,
    limits: &Limits,
    control: &Control,
) -> Result<Measures, Cancelled> {
    if terrain.grid.is_globe() {
        return measure(&terrain.face(0), scale, limits, control);
    }
    let ground = DistinctSamples::new(terrain, scale, control)?;
    let form = || {
        let heights = heights::heights(&ground, control)?;
        control.check()?;
        let slopes = (slopes(terrain), pair_slopes(terrain));
        let (degrees, steepness) = steepness::steepness(&ground, control)?;
        let playability = playability::playability(&ground, &degrees, limits, control)?;
        let (variogram, boxes) = dimensions(&ground, control)?;
        Ok((heights, slopes, steepness, playability, variogram, boxes, terrain.hash()))
    };
    let summits = || summits::summits(&ground, limits, control);
    let drainage = || drainage::drainage(&DrainageGround::of_square(&ground), limits, control);
    let (drainage, (summits, form)) = rayon::join(drainage, || rayon::join(summits, form));
    let (heights, slopes, steepness, playability, variogram, boxes, hash) = form?;
    let metres = |slopes: Slopes| {
        let metres = f64::from(scale.relief_metres);
        Slopes { mean: slopes.mean * metres, deviation: slopes.deviation * metres }
    };
    Ok(Measures {
        samples: terrain.samples(),
        limits: limits.clone(),
        heights,
        slopes: metres(slopes.0),
        pair_slopes: PairSlopes {
            slopes: metres(slopes.1.slopes),
            mean_deviation: slopes.1.mean_deviation * f64::from(scale.relief_metres),
        },
        steepness,
        summits: summits?,
        variogram,
        boxes,
        drainage: drainage?,
        playability,
        hash,
    })
}

/// The line fits of the variogram and of box counting.
fn dimensions(ground: &DistinctSamples, control: &Control) -> Result<(Option<Fitted>, Option<Fitted>), Cancelled> {
    if ground.all.is_level() {
        return Ok((None, None));
    }
    let normalised = ground.normalised(control)?;
    let (variogram, boxes) = rayon::join(
        || variogram::variogram(ground, &normalised, control),
        || boxes::box_counting(ground, &normalised, control),
    );
    Ok((variogram?, boxes?))
}

/// Each family of measures as a separate function, for benchmarks.
#[doc(hidden)]
pub mod families {
    use super::*;

    /// A function that computes one family of measures.
    pub type MeasureFn = fn(&Terrain, TerrainScale, &Limits, &Control);

    /// Name and function of each family. Each function collects the distinct samples itself, so its time includes that
    /// step.
    pub const ALL: &[(&str, MeasureFn)] = &[
        ("heights", |t, s, _, c| done(heights::heights(&ground(t, s, c), c))),
        ("slopes", |t, _, _, _| done(slopes(t))),
        ("steepness, playability", |t, s, l, c| {
            let ground = ground(t, s, c);
            let Ok((degrees, _)) = steepness::steepness(&ground, c) else { return };
            done(playability::playability(&ground, &degrees, l, c));
        }),
        ("peaks and valleys", |t, s, l, c| done(summits::summits(&ground(t, s, c), l, c))),
        ("dimensions", |t, s, _, c| done(dimensions(&ground(t, s, c), c))),
        ("drainage", |t, s, l, c| {
            let ground = ground(t, s, c);
            done(drainage::drainage(&DrainageGround::of_square(&ground), l, c));
        }),
        ("hash", |t, _, _, _| done(t.hash())),
    ];

    /// Prevents the optimiser from removing the computation of `result`.
    fn done<T>(result: T) {
        std::hint::black_box(result);
    }

    fn ground<'a>(terrain: &'a Terrain, scale: TerrainScale, control: &Control) -> DistinctSamples<'a> {
        DistinctSamples::new(terrain, scale, control).expect("never cancelled")
    }
}
