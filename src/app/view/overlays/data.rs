//! The data of an overlay, stored as positions on a colour ramp, with the value range and the legend.

use std::sync::Arc;

use rayon::prelude::*;

use super::choice::{Overlay, OverlayChoice, ReferenceTerrain, STEEPEST_DEGREES};
use super::legend::{Legend, Tick, decades, linear, nice, symmetric};
use super::ramp::{self, Ramp};
use crate::view::render::mips::{Mips, half_bytes};
use talweg::field::{Cancelled, Control, MapKind, Terrain, bilinear, slope_degrees};
use talweg::scene::{Settings, TerrainAttribute};
use talweg::terrain_attributes::{attribute_field, drainage};

/// Mapping from stored values to positions on a ramp.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OverlayScale {
    /// Fractions of the relief, shown in metres. The scale is from 0 to a value that only 2 % of the non-zero samples
    /// exceed.
    Metres,
    /// Powers of ten from 1 to nearly the largest value. The text is the unit.
    Powers(&'static str),
    /// Stored values between fixed limits. The text is the unit.
    Fixed(f32, f32, &'static str),
    /// Stored values on a scale from 0 to a value that only 2 % of the non-zero samples exceed. The text is the unit.
    Plain(&'static str),
    /// Positive and negative values, up to a magnitude that only 2 % of the non-zero samples exceed. The text is the
    /// unit.
    Signed(&'static str),
    /// Weights of a mask from 0 to 1. A weight is also the opacity of the overlay.
    Weight,
}

/// Scale and colour ramp of a data map. A new kind of map gets a default scale and ramp.
fn scheme(kind: MapKind) -> (OverlayScale, &'static Ramp) {
    match kind {
        MapKind::Water | MapKind::Film => (OverlayScale::Metres, &ramp::WATER),
        MapKind::Flow => (OverlayScale::Powers("cells"), &ramp::WATER),
        MapKind::Hardness | MapKind::Ground => (OverlayScale::Fixed(0.0, 1.0, ""), &ramp::HARDNESS),
        MapKind::Vegetation => (OverlayScale::Fixed(0.0, 1.0, ""), &ramp::PLANTS),
        MapKind::Uplift => (OverlayScale::Fixed(0.0, 1.0, ""), &ramp::EARTH),
        MapKind::Rain => (OverlayScale::Plain("× average"), &ramp::PLAIN),
        other if other.is_fraction() => (OverlayScale::Fixed(0.0, 1.0, ""), &ramp::EARTH),
        other if other.is_thickness() => (OverlayScale::Metres, &ramp::EARTH),
        _ => (OverlayScale::Plain(""), &ramp::PLAIN),
    }
}

/// How the overlay's opacity depends on the value. Where the overlay is transparent, the terrain's own colour is
/// visible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fade {
    /// Position on the ramp at which the overlay is transparent.
    pub transparent_at: f32,
    /// Distance on the ramp from `transparent_at` at which the overlay is opaque; 0 if the overlay is opaque
    /// everywhere.
    pub width: f32,
}

/// Overlay data ready to be drawn.
#[derive(Clone, Debug)]
pub struct Data {
    /// Positions on the ramp, from 0 to 1, in half precision.
    pub texels: Arc<Mips>,
    pub fade: Fade,
}

/// The data of an overlay with its legend. There are no data if the overlay has no values on this terrain or if the
/// shader computes the values.
pub fn overlay_data(
    terrain: &Terrain,
    relief_metres: f32,
    choice: &OverlayChoice,
    control: &Control,
) -> Result<(Option<Data>, Option<Arc<Legend>>), Cancelled> {
    let (data, legend) = overlay_places(terrain, relief_metres, choice, control)?;
    let Some((places, fade)) = data else { return Ok((None, legend)) };
    let texels = places.into_par_iter().map(|place| [place]).collect();
    let texels = Arc::new(Mips::new(terrain.samples(), texels, half_bytes, control)?);
    Ok((Some(Data { texels, fade }), legend))
}

/// Positions on the ramp, from 0 to 1, and the fade of the overlay.
type RampPlaces = (Vec<f32>, Fade);

/// The position of every sample on the ramp of an overlay, with the legend.
pub fn overlay_places(
    terrain: &Terrain,
    relief_metres: f32,
    choice: &OverlayChoice,
    control: &Control,
) -> Result<(Option<RampPlaces>, Option<Arc<Legend>>), Cancelled> {
    let legend = |ramp, unit: &str, ticks| {
        Some(Arc::new(Legend { title: choice.overlay.label(), unit: unit.into(), ramp, ticks }))
    };
    let found = match choice.overlay {
        Overlay::None => return Ok((None, None)),
        Overlay::Slope => return Ok((None, legend(&ramp::SLOPE, "°", linear(0.0, STEEPEST_DEGREES, 5, true)))),
        Overlay::Change => change_values(terrain, relief_metres, control),
        Overlay::Temperature | Overlay::Moisture => climate_values(terrain, choice, control),
        Overlay::Difference => difference_values(terrain, relief_metres, choice.reference.as_ref(), control),
        Overlay::Mask => mask_values(terrain, choice, control),
        Overlay::Map(kind) => map_values(terrain, relief_metres, kind, choice, control),
        Overlay::Attribute(attribute) => attribute_values(terrain, attribute, choice, control),
    };
    let OverlayValues { values, scale, ramp } = match found {
        Ok(found) => found,
        Err(NoValues::Missing(why)) => return Ok((None, Some(missing(why)))),
        Err(NoValues::Cancelled(cancelled)) => return Err(cancelled),
    };
    let ShownRange { low, high, unit, ticks, fade } = scale.range(&values);
    let is_log = matches!(scale, OverlayScale::Powers(_));
    let place = |value: f32| {
        let value = if is_log { value.max(1.0).log10() } else { value };
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    };
    let places = collect(terrain, control, |k| place(values[k]))?;
    Ok((Some((places, fade)), legend(ramp, unit, ticks)))
}

/// The values of an overlay at all samples, with the scale and the ramp that show them.
struct OverlayValues {
    values: Vec<f32>,
    scale: OverlayScale,
    ramp: &'static Ramp,
}

/// Why an overlay has no values.
enum NoValues {
    /// Data that the overlay needs are missing. The sentence names these data.
    Missing(String),
    Cancelled(Cancelled),
}

impl From<Cancelled> for NoValues {
    fn from(cancelled: Cancelled) -> Self {
        Self::Cancelled(cancelled)
    }
}

impl From<&str> for NoValues {
    fn from(why: &str) -> Self {
        Self::Missing(why.into())
    }
}

/// Deposition minus erosion in metres.
fn change_values(terrain: &Terrain, relief_metres: f32, control: &Control) -> Result<OverlayValues, NoValues> {
    let metres = |kind| terrain.map(kind).map(|map| move |k: usize| map[k] * relief_metres);
    let (wear, deposits) = (metres(MapKind::Wear), metres(MapKind::Deposits));
    if wear.is_none() && deposits.is_none() {
        return Err("No layer writes a wear or deposits map".into());
    }
    let net = |k| deposits.as_ref().map_or(0.0, |d| d(k)) - wear.as_ref().map_or(0.0, |w| w(k));
    Ok(OverlayValues { values: collect(terrain, control, net)?, scale: OverlayScale::Signed("m"), ramp: &ramp::CHANGE })
}

/// Temperature or moisture of the climate.
fn climate_values(terrain: &Terrain, choice: &OverlayChoice, control: &Control) -> Result<OverlayValues, NoValues> {
    let scene = choice.climate.as_ref().ok_or("No climate is available for this terrain")?;
    let fields = scene.climate_fields(terrain, control)?;
    Ok(if choice.overlay == Overlay::Temperature {
        let (low, high) = tens(&fields.celsius);
        OverlayValues { values: fields.celsius, scale: OverlayScale::Fixed(low, high, "°C"), ramp: &ramp::HEAT }
    } else {
        OverlayValues { values: fields.moisture, scale: OverlayScale::Fixed(0.0, 1.0, ""), ramp: &ramp::MOISTURE }
    })
}

/// Height difference to the reference, in metres.
fn difference_values(
    terrain: &Terrain,
    relief_metres: f32,
    reference: Option<&ReferenceTerrain>,
    control: &Control,
) -> Result<OverlayValues, NoValues> {
    let ReferenceTerrain { terrain: other, relief_metres: relief } =
        reference.ok_or("Choose a terrain to compare with first")?;
    if terrain.grid.is_globe() != other.grid.is_globe() {
        return Err("A planet can be compared only with planets".into());
    }
    let (n, same) = (terrain.samples(), terrain.grid == other.grid);
    let globes = if same { None } else { terrain.grid.shape().zip(other.grid.shape()) };
    let place = |i| terrain.grid.position(i);
    let at = |k: usize| match &globes {
        _ if same => other.height[k],
        Some((own, its)) => its.sample(&other.height, own.direction_of(k).map(f64::from)),
        None => other.height_at(place(k % n), place(k / n)),
    };
    let raised = |k: usize| terrain.height[k] * relief_metres - at(k) * relief;
    Ok(OverlayValues {
        values: collect(terrain, control, raised)?,
        scale: OverlayScale::Signed("m"),
        ramp: &ramp::CHANGE,
    })
}

/// The weights of a layer's mask.
fn mask_values(terrain: &Terrain, choice: &OverlayChoice, control: &Control) -> Result<OverlayValues, NoValues> {
    let mask = choice.mask.as_ref().ok_or("The mask has not been computed yet")?;
    let (n, same) = (terrain.samples(), terrain.grid == mask.grid);
    if !same && (terrain.grid.is_globe() || mask.grid.is_globe()) {
        return Err("The mask is being computed".into());
    }
    let (place, own) = (|i| terrain.grid.position(i), mask.grid.samples);
    let weight = |k: usize| match same {
        true => mask.weights[k],
        false => bilinear(own, |row, column| mask.weights[row * own + column], [place(k % n), place(k / n)]),
    };
    Ok(OverlayValues { values: collect(terrain, control, weight)?, scale: OverlayScale::Weight, ramp: &ramp::MASK })
}

/// The values of a data map at all samples.
fn map_values(
    terrain: &Terrain,
    relief_metres: f32,
    kind: MapKind,
    choice: &OverlayChoice,
    control: &Control,
) -> Result<OverlayValues, NoValues> {
    let map = match (terrain.map(kind), &choice.climate) {
        (Some(map), _) => map.clone(),
        // Every terrain has a flow.
        (None, Some(scene)) if kind == MapKind::Flow => drainage::flow(scene, terrain, control)?,
        _ => {
            let name = format!("{kind:?}").to_lowercase();
            return Err(NoValues::Missing(format!("No layer writes a {name} map")));
        }
    };
    let (scale, ramp) = scheme(kind);
    let unit = if scale == OverlayScale::Metres { relief_metres } else { 1.0 };
    Ok(OverlayValues { values: collect(terrain, control, |k| map[k] * unit)?, scale, ramp })
}

/// The values of a map that follows from the heights.
fn attribute_values(
    terrain: &Terrain,
    attribute: TerrainAttribute,
    choice: &OverlayChoice,
    control: &Control,
) -> Result<OverlayValues, NoValues> {
    let scene = choice.climate.as_ref().ok_or("The settings of this terrain are not available")?;
    if !attribute.fits(scene.settings.world) {
        return Err("Sunshine is computed on square terrain only. Extract a region of the planet first".into());
    }
    let (scale, ramp) = attribute_scheme(attribute);
    // Drainage areas are shown in powers of ten of m².
    let (_, unit) = attribute.shown_unit();
    let unit = if attribute == TerrainAttribute::DrainageArea { 1.0 } else { unit };
    let values = attribute_field(scene, terrain, attribute, control)?;
    Ok(OverlayValues { values: collect(terrain, control, |k| values[k] * unit)?, scale, ramp })
}

/// Scale and colour ramp of a terrain attribute.
fn attribute_scheme(attribute: TerrainAttribute) -> (OverlayScale, &'static Ramp) {
    match attribute {
        TerrainAttribute::Slope => (OverlayScale::Fixed(0.0, 90.0, "°"), &ramp::PLAIN),
        TerrainAttribute::Aspect => (OverlayScale::Fixed(0.0, 360.0, "°"), &ramp::COMPASS),
        TerrainAttribute::MeanCurvature
        | TerrainAttribute::ProfileCurvature
        | TerrainAttribute::PlanCurvature
        | TerrainAttribute::TangentialCurvature => (OverlayScale::Signed("1/km"), &ramp::CHANGE),
        TerrainAttribute::DrainageArea => (OverlayScale::Powers("m²"), &ramp::WATER),
        TerrainAttribute::Wetness => (OverlayScale::Plain(""), &ramp::MOISTURE),
        TerrainAttribute::SkyView => (OverlayScale::Fixed(0.0, 1.0, ""), &ramp::HARDNESS),
        TerrainAttribute::DaySunshine | TerrainAttribute::YearSunshine => (OverlayScale::Plain("h"), &ramp::HEAT),
    }
}

/// The values at both ends of a ramp, and the ticks between them.
struct ShownRange {
    low: f32,
    high: f32,
    unit: &'static str,
    ticks: Vec<Tick>,
    fade: Fade,
}

impl OverlayScale {
    /// The range of values that the ramp shows.
    fn range(self, values: &[f32]) -> ShownRange {
        let sequential = Fade { transparent_at: 0.0, width: 0.06 };
        // a little water flows everywhere, so places with little flow are transparent
        let rivers = Fade { transparent_at: 0.0, width: 0.3 };
        // a diverging ramp has a colour for zero, and transparency would draw a line around it
        let opaque = Fade { transparent_at: 0.0, width: 0.0 };
        // the opacity equals the weight of the layer
        let weight = Fade { transparent_at: 0.0, width: 1.0 };
        let most = || nice(magnitude_quantile(values, 0.98));
        let (low, high, unit, ticks, fade) = match self {
            Self::Signed(unit) => {
                let most = most();
                (-most, most, unit, symmetric(most), opaque)
            }
            Self::Metres => {
                let most = most();
                (0.0, most, "m", linear(0.0, most, 4, true), sequential)
            }
            Self::Plain(unit) => {
                let most = most();
                (0.0, most, unit, linear(0.0, most, 4, true), opaque)
            }
            // in °C, ticks are at whole multiples of ten degrees; otherwise they are at quarters of the range
            Self::Fixed(low, high, unit) => {
                let tens = ((high - low) / 10.0) as usize;
                let parts = if unit == "°C" {
                    (1..=tens).rev().find(|p| tens.is_multiple_of(*p) && *p <= 6).unwrap_or(4)
                } else {
                    4
                };
                (low, high, unit, linear(low, high, parts, false), opaque)
            }
            Self::Weight => (0.0, 1.0, "", linear(0.0, 1.0, 4, false), weight),
            Self::Powers(unit) => {
                let powers = magnitude_quantile(values, 0.9995).max(10.0).log10().ceil();
                (0.0, powers, unit, decades(powers as i32), rivers)
            }
        };
        ShownRange { low, high, unit, ticks, fade }
    }
}

/// sRGB colour and opacity of an overlay at every sample. `None` if the overlay has no values.
///
/// # Errors
/// If `control` cancels.
pub fn overlay_colours(
    terrain: &Terrain,
    settings: &Settings,
    choice: &OverlayChoice,
    control: &Control,
) -> Result<Option<Vec<[u8; 4]>>, Cancelled> {
    let coloured = |ramp: &Ramp, place: f32, share: f32| {
        let [r, g, b] = ramp.colour(place);
        [r, g, b, (255.0 * share.clamp(0.0, 1.0) + 0.5) as u8]
    };
    if choice.overlay == Overlay::Slope {
        let n = terrain.samples();
        let steepness = settings.relief_over_size();
        let place = |k: usize| slope_degrees(terrain.grid, &terrain.height, k / n, k % n, steepness) / STEEPEST_DEGREES;
        let places = collect(terrain, control, place)?;
        return Ok(Some(places.into_iter().map(|place| coloured(&ramp::SLOPE, place, 1.0)).collect()));
    }
    let (data, legend) = overlay_places(terrain, settings.relief_metres, choice, control)?;
    let (Some((places, fade)), Some(legend)) = (data, legend) else { return Ok(None) };
    let share = |place: f32| if fade.width > 0.0 { (place - fade.transparent_at).abs() / fade.width } else { 1.0 };
    Ok(Some(places.into_iter().map(|place| coloured(legend.ramp, place, share(place))).collect()))
}

/// The range in multiples of ten that contains 99 % of the values. A few cold peaks do not widen the range.
fn tens(values: &[f32]) -> (f32, f32) {
    let stride = values.len().div_ceil(RANGE_SAMPLES) | 1;
    let mut some: Vec<f32> = values.iter().step_by(stride).copied().filter(|v| v.is_finite()).collect();
    if some.is_empty() {
        return (0.0, 10.0);
    }
    some.sort_unstable_by(f32::total_cmp);
    let at = |share: f32| some[((some.len() - 1) as f32 * share) as usize];
    let low = 10.0 * (at(0.005) / 10.0).floor();
    (low, (10.0 * (at(0.995) / 10.0).ceil()).max(low + 10.0))
}

fn missing(why: String) -> Arc<Legend> {
    Arc::new(Legend { title: why, unit: String::new(), ramp: &ramp::PLAIN, ticks: Vec::new() })
}

/// Computes `value` for every sample in parallel. Values that are not finite become 0.
fn collect(terrain: &Terrain, control: &Control, value: impl Fn(usize) -> f32 + Sync) -> Result<Vec<f32>, Cancelled> {
    let n = terrain.samples();
    let mut out = vec![0.0; terrain.grid.len()];
    out.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
        control.check()?;
        for (j, out) in row.iter_mut().enumerate() {
            let value = value(i * n + j);
            *out = if value.is_finite() { value } else { 0.0 };
        }
        Ok(())
    })?;
    Ok(out)
}

/// Greatest number of values to read for an estimate of their range.
const RANGE_SAMPLES: usize = 1 << 17;

/// The magnitude that only the fraction `1 - share` of the non-zero values exceeds.
fn magnitude_quantile(values: &[f32], share: f32) -> f32 {
    // an odd stride, so that the values do not all come from the same columns
    let stride = values.len().div_ceil(RANGE_SAMPLES) | 1;
    let mut sizes: Vec<f32> = values.iter().step_by(stride).map(|v| v.abs()).filter(|v| *v > 1e-6).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    let at = ((sizes.len() - 1) as f32 * share) as usize;
    *sizes.select_nth_unstable_by(at, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::overlays::choice::climate_of;
    use talweg::field::Edges;
    use talweg::scene::Scene;

    fn overlay_with_legend(
        terrain: &Terrain,
        overlay: Overlay,
        reference: Option<ReferenceTerrain>,
    ) -> (Option<Data>, Arc<Legend>) {
        let (data, legend) = overlay_data(
            terrain,
            1000.0,
            &OverlayChoice { overlay, reference, ..OverlayChoice::default() },
            &Control::default(),
        )
        .expect("never cancelled");
        (data, legend.expect("every overlay has a legend"))
    }

    /// Position of sample `k` on the ramp.
    fn ramp_position(data: &Data, k: usize) -> f32 {
        let bits = u16::from_le_bytes([data.texels.levels[0].bytes[2 * k], data.texels.levels[0].bytes[2 * k + 1]]);
        if bits == 0 { 0.0 } else { f32::from_bits(((u32::from(bits) & 0x7fff) << 13) + (112 << 23)) }
    }

    #[test]
    fn every_map_has_a_unique_name_and_a_message_if_missing() {
        let terrain = Terrain::from_fn(5, Edges::Open, |u, _| u);
        let mut names = Vec::new();
        for overlay in Overlay::all() {
            assert_eq!(Overlay::named(&overlay.name()), Some(overlay));
            assert!(!names.contains(&overlay.label()), "{overlay:?}");
            names.push(overlay.label());
            assert!(overlay.help().ends_with('.'), "{overlay:?}");
            if let Overlay::Map(_) = overlay {
                let (data, legend) = overlay_with_legend(&terrain, overlay, None);
                assert!(data.is_none() && legend.title.starts_with("No layer writes"), "{}", legend.title);
            }
        }
        assert!(overlay_with_legend(&terrain, Overlay::Map(MapKind::Flow), None).1.title.contains("flow map"));
    }

    #[test]
    fn temperature_and_moisture_match_the_climate() {
        let mut planet = Scene::new_planet();
        planet.settings.resolution = 17;
        let mut land = Scene::default();
        land.settings.resolution = 17;
        for scene in [planet, land] {
            let control = Control::default();
            let evaluated = talweg::eval::evaluate(&scene, 17, None, &mut talweg::eval::Store::forgetful(), &control);
            let terrain = evaluated.unwrap().terrain;
            for overlay in [Overlay::Temperature, Overlay::Moisture] {
                let choice = OverlayChoice { overlay, climate: Some(climate_of(&scene)), ..OverlayChoice::default() };
                let relief = scene.settings.relief_metres;
                let (data, legend) = overlay_places(&terrain, relief, &choice, &control).unwrap();
                let ((places, _), legend) = (data.unwrap(), legend.unwrap());
                assert_eq!(places.len(), terrain.grid.len());
                let number = |text: &str| text.replace('−', "-").parse::<f32>().unwrap();
                let ends = [&legend.ticks[0], legend.ticks.last().unwrap()].map(|tick| number(&tick.text));
                let expected = match overlay {
                    Overlay::Temperature => scene.climate_fields(&terrain, &control).unwrap().celsius,
                    _ => scene.climate_fields(&terrain, &control).unwrap().moisture,
                };
                for (place, value) in places.iter().zip(expected) {
                    let read = ends[0] + (ends[1] - ends[0]) * place;
                    assert!((read - value.clamp(ends[0], ends[1])).abs() < 1e-3, "{read} instead of {value}");
                }
                // a scene with another climate produces another image
                let mut other = scene.clone();
                other.set("climate.rain=2").unwrap();
                let changed = OverlayChoice { climate: Some(climate_of(&other)), ..choice.clone() };
                assert!(!choice.has_same_image(&changed) && choice.has_same_image(&choice.clone()));
            }
        }
    }

    #[test]
    fn attributes_and_flow_need_no_layer() {
        let mut scene = Scene::default();
        (scene.settings.size_metres, scene.settings.relief_metres) = (640.0, 640.0);
        let plane = Terrain::from_fn(65, Edges::Open, |_, v| 0.5 - 0.25 * v);
        let choice = |overlay| OverlayChoice { overlay, climate: Some(climate_of(&scene)), ..OverlayChoice::default() };
        let places = |overlay| {
            let (data, legend) = overlay_places(&plane, 640.0, &choice(overlay), &Control::default()).unwrap();
            (data.unwrap().0, legend.unwrap())
        };
        for &attribute in TerrainAttribute::ALL {
            let (places, legend) = places(Overlay::Attribute(attribute));
            assert!(legend.title == attribute.label() && legend.ticks.len() > 1, "{attribute:?}");
            assert!(places.iter().all(|place| (0.0..=1.0).contains(place)), "{attribute:?}");
        }
        // The slope faces south, in the middle of the compass.
        assert!(places(Overlay::Attribute(TerrainAttribute::Aspect)).0.iter().all(|place| (place - 0.5).abs() < 1e-3));
        // Water gathers to the south, in each column for itself.
        let (flow, _) = places(Overlay::Map(MapKind::Flow));
        assert!((2..65).all(|row| flow[row * 65 + 30] > flow[row * 65 - 35]));
        // The sun of the view has no effect on them, but the sea level has.
        let aspect = choice(Overlay::Attribute(TerrainAttribute::Wetness));
        let mut other = scene.clone();
        other.settings.sun_azimuth += 20.0;
        let turned = OverlayChoice { climate: Some(climate_of(&other)), ..aspect.clone() };
        assert!(aspect.has_same_image(&turned));
        other.settings.sea_level += 20.0;
        let raised = OverlayChoice { climate: Some(climate_of(&other)), ..aspect.clone() };
        assert!(!aspect.has_same_image(&raised));
    }

    #[test]
    fn wear_is_below_the_middle_and_deposits_above_in_metres() {
        let mut terrain = Terrain::from_fn(101, Edges::Open, |_, _| 0.0);
        for k in 0..101 * 101 {
            // 10 m in most places, and 400 m in a few places that the range of the ramp ignores
            let depth = if k % 1000 == 0 { 0.4 } else { 0.01 };
            terrain.map_mut(if k % 2 == 0 { MapKind::Wear } else { MapKind::Deposits })[k] = depth;
        }
        let (data, legend) = overlay_with_legend(&terrain, Overlay::Change, None);
        let data = data.unwrap();
        let texts: Vec<&str> = legend.ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!((texts, legend.unit.as_str()), (vec!["≤ −10", "−5", "0", "5", "≥ 10"], "m"));
        assert_eq!((ramp_position(&data, 2), ramp_position(&data, 3)), (0.0, 1.0));
        terrain.map_mut(MapKind::Wear).fill(0.0);
        terrain.map_mut(MapKind::Deposits).fill(0.0);
        let (data, _) = overlay_with_legend(&terrain, Overlay::Change, None);
        assert_eq!(ramp_position(&data.unwrap(), 7), 0.5, "no change maps to the middle of the ramp");
    }

    #[test]
    fn flow_is_shown_in_powers_of_ten() {
        let mut terrain = Terrain::from_fn(64, Edges::Open, |_, _| 0.0);
        for (k, flow) in terrain.map_mut(MapKind::Flow).iter_mut().enumerate() {
            *flow = [1.0, 10.0, 100.0, 1000.0][k % 4];
        }
        let (data, legend) = overlay_with_legend(&terrain, Overlay::Map(MapKind::Flow), None);
        let data = data.unwrap();
        for (k, expected) in [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].into_iter().enumerate() {
            assert!((ramp_position(&data, k) - expected).abs() < 1e-3);
        }
        assert_eq!(legend.ticks.len(), 4);
    }

    #[test]
    fn differences_are_in_metres_for_any_two_sizes() {
        let slope = |samples| Terrain::from_fn(samples, Edges::Open, |u, v| u + v);
        let reference =
            |samples, relief_metres| Some(ReferenceTerrain { terrain: Arc::new(slope(samples)), relief_metres });
        let (data, legend) = overlay_with_legend(&slope(65), Overlay::Difference, reference(33, 1000.0));
        assert!((0..65 * 65).all(|k| (ramp_position(data.as_ref().unwrap(), k) - 0.5).abs() < 1e-3), "equal terrains");
        assert_eq!(legend.unit, "m");
        let (data, legend) = overlay_with_legend(&slope(65), Overlay::Difference, reference(65, 500.0));
        assert_eq!(ramp_position(data.as_ref().unwrap(), 0), 0.5);
        assert!(ramp_position(data.as_ref().unwrap(), 65 * 65 - 1) > 0.95, "1000 m higher");
        assert_eq!(legend.ticks.last().unwrap().text, "≥ 1000");
        let (data, legend) = overlay_with_legend(&slope(65), Overlay::Difference, None);
        assert!(data.is_none() && legend.title.contains("a terrain to compare with"));
    }

    #[test]
    fn a_superseded_overlay_stops() {
        let mut terrain = Terrain::from_fn(65, Edges::Open, |_, _| 0.0);
        terrain.map_mut(MapKind::Water).fill(0.1);
        let control = Control::default();
        control.cancel();
        let choice = OverlayChoice { overlay: Overlay::Map(MapKind::Water), ..OverlayChoice::default() };
        assert!(overlay_data(&terrain, 1.0, &choice, &control).is_err());
    }
}
