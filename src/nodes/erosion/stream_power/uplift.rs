//! Distribution of the uplift, relative to its greatest rate.
//!
//! Law: everywhere 1; dome sin²(πu)·sin²(πv) at the position (u, v); range cos²(πt) for |t| < ½, with t the distance
//! from the axis through the centre, in side lengths. The parameter `uplift_variation`, a, multiplies this shape by 1 +
//! 2a·(noise - 1), at least 0, with noise in [0, 1] around ½.
//! Boundary: towards open edges a range fades as sin²(½π·e/`END`), with e the distance from the end of the range
//! divided by the length of its axis. Edges stay at their height, so a range of uniform uplift up to the edges would
//! end in a cliff. On a wrapping terrain everything repeats, and a range continues without end along a side or a
//! diagonal.

use std::sync::Arc;

use crate::Context;
use crate::generators::gradient_noise::GradientNoise;
use crate::generators::octaves::{self, NoiseFade, Octaves};
use crate::generators::warp::DomainWarp;
use talweg_ground::field::{Cancelled, Edges};

talweg_ground::choices! {
    /// Shape of the uplift.
    UpliftShape {
        Everywhere "Everywhere": "The whole terrain rises evenly, except its edges.",
        Dome "Dome": "The middle rises; the edges stay.",
        EastWest "Range, east to west": "A band through the middle rises, from the west edge to the east edge, and fades towards both.",
        NorthSouth "Range, north to south": "A band through the middle rises, from the north edge to the south edge, and fades towards both.",
        Diagonal "Range, diagonal": "A band through the middle rises, from the south-west to the north-east corner, and fades towards both.",
    }
}

/// Parameters of processes in which terrain rises while streams cut it; used as `uplift_params!();`.
macro_rules! uplift_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// Greatest rate of uplift. Faster uplift makes higher and steeper mountains.
            uplift_rate: f32 ["mm/year"] = 0.5, 0.0..=100.0, slider 0.0..=5.0;
            /// Shape of the area that rises.
            uplift_shape: $crate::erosion::stream_power::uplift::UpliftShape
                = $crate::erosion::stream_power::uplift::UpliftShape::Everywhere
                => |streams| streams.uplift_rate > 0.0;
            /// Unevenness of the uplift. At 0 the uplift varies smoothly; at 1 some parts hardly rise.
            uplift_variation: f32 ["share"] = 0.3, 0.0..=1.0 => |streams| streams.uplift_rate > 0.0;
            /// Rate at which a stream that drains 1 km² cuts down on a slope of 45°. High values make deep valleys and
            /// low mountains.
            erodibility: f32 ["mm/year"] = 3.0, 0.0..=1000.0, slider 0.0..=20.0;
            /// Exponent of the drainage area in the erosion: how much more a large stream erodes than a small one. High
            /// values make flat valley floors and steep valley heads.
            area_exponent: f32 = 0.5, 0.0..=2.0, slider 0.3..=0.7 => |streams| streams.erodibility > 0.0;
            $($rest)*
        ] }
    };
}

pub(crate) use uplift_params;

/// Fraction of the length of a range over which its uplift fades towards each open edge.
const END: f32 = 0.3;
/// Number of noise features of the variation along a side of the terrain.
const FREQUENCY: f32 = 3.0;
const OCTAVES: u32 = 4;

/// Fraction of the greatest uplift in every sample; `None` if the fraction is 1 everywhere.
pub struct Uplift(Option<Vec<f32>>);

/// Returns the shape on a globe: a dome on the equator at longitude 0, or a range along a whole great circle.
fn on_globe(shape: UpliftShape, [x, y, z]: [f32; 3]) -> f32 {
    let across = match shape {
        UpliftShape::Everywhere => return 1.0,
        UpliftShape::Dome => return if x > 0.0 { x * x } else { 0.0 },
        UpliftShape::EastWest => z,
        UpliftShape::NorthSouth => y,
        UpliftShape::Diagonal => (z - y) * std::f32::consts::FRAC_1_SQRT_2,
    };
    // `across` is the sine of the distance from the great circle; the result is cos² of twice that distance
    let form = 1.0 - 2.0 * across * across;
    if form > 0.0 { form * form } else { 0.0 }
}

impl Uplift {
    /// The uplift of every sample: the fraction from shape and variation, times the `map` that layers below may have
    /// made ([`MapKind::Uplift`](talweg_ground::field::MapKind::Uplift)).
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new(
        cx: &Context,
        shape: UpliftShape,
        variation: f32,
        map: Option<&Arc<Vec<f32>>>,
    ) -> Result<Self, Cancelled> {
        let mut uplift = Self::by_shape(cx, shape, variation)?;
        let Some(map) = map else { return Ok(uplift) };
        let share = uplift.0.get_or_insert_with(|| vec![1.0; map.len()]);
        share.iter_mut().zip(&**map).for_each(|(share, &there)| *share *= if there > 0.0 { there } else { 0.0 });
        Ok(uplift)
    }

    fn by_shape(cx: &Context, shape: UpliftShape, variation: f32) -> Result<Self, Cancelled> {
        if shape == UpliftShape::Everywhere && variation == 0.0 {
            return Ok(Self(None));
        }
        let grid = cx.grid;
        let mut share = vec![0.0; grid.len()];
        let law = Octaves { count: OCTAVES, frequency: FREQUENCY, lacunarity: 2.0, offset: [0.0; 2] };
        let weights = octaves::weights(OCTAVES, 0.5, 2.0 * variation);
        let noise = GradientNoise::new(grid, cx.random.fork(1), &law, NoiseFade::Improved, DomainWarp::NONE);
        noise.sum(cx, 1.0 - variation, &weights, &mut share)?;
        if let Some(globe) = grid.shape() {
            cx.rows(&mut share, |row, cells| {
                for (j, share) in cells.iter_mut().enumerate() {
                    let form = on_globe(shape, globe.direction_of(row * grid.samples + j));
                    *share = if *share > 0.0 { *share * form } else { 0.0 };
                }
            })?;
            return Ok(Self(Some(share)));
        }
        let swell = |t: f32| {
            let s = libm::sinf(t * std::f32::consts::PI);
            s * s
        };
        let open = grid.edges == Edges::Open;
        // returns the fraction of the uplift at `place` along the axis, which runs from 0 at one end to 1 at the other
        // end
        let end = |place: f32| {
            let from_end = if place < 0.5 { place } else { 1.0 - place };
            if open && from_end < END { swell(0.5 * from_end / END) } else { 1.0 }
        };
        let ([top, left], whole) = (grid.first(), grid.whole_samples());
        let ends: Vec<f32> = (0..whole).map(|k| end(grid.position(k))).collect();
        let diagonal_ends: Vec<f32> = (0..2 * whole).map(|k| end(0.5 * grid.position(k))).collect();
        let along: Vec<f32> = (0..whole).map(|k| swell(grid.position(k))).collect();
        cx.rows(&mut share, |row, cells| {
            let i = top + row;
            for (share, j) in cells.iter_mut().zip(left..) {
                let form = match shape {
                    UpliftShape::Everywhere => 1.0,
                    UpliftShape::Dome => along[i] * along[j],
                    UpliftShape::EastWest => along[i] * ends[j],
                    UpliftShape::NorthSouth => along[j] * ends[i],
                    UpliftShape::Diagonal => {
                        let sum = (i + j) % (whole - 1);
                        let far = (i + j).abs_diff(whole - 1) * 2 > whole - 1;
                        let across = if far && open { 0.0 } else { swell(grid.position(sum) + 0.5) };
                        across * diagonal_ends[j + whole - 1 - i]
                    }
                };
                *share = if *share > 0.0 { *share * form } else { 0.0 };
            }
        })?;
        if grid.edges == Edges::Wrap {
            let n = grid.samples;
            (0..n).for_each(|i| share[i * n + n - 1] = share[i * n]);
            share.copy_within(0..n, (n - 1) * n);
        }
        Ok(Self(Some(share)))
    }

    /// Fraction of the greatest uplift in sample `k` of the grid.
    #[inline(always)]
    pub fn relative_uplift(&self, k: usize) -> f32 {
        self.0.as_ref().map_or(1.0, |share| share[k])
    }

    /// Memory of the uplift in bytes.
    pub fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |share| 4 * share.len())
    }
}
