//! Curves of a process over its iterations, so that several processes can be drawn in one chart.

use std::f64::consts::PI;

use super::history::{Moment, moment_at};
use super::{Cache, Playhead, Store, Timeline, evaluate, timed_layers};
use crate::field::metric::GridMetric;
use crate::field::{Cancelled, Control};
use crate::measure::{Slopes, slopes_by};
use crate::nodes::MassBalance;
use crate::scene::Scene;

/// Approximate number of points of a curve.
const POINTS: u32 = 48;
/// Memory for the results of the layers below the processes, in bytes.
const CACHE_BYTES: usize = 256 << 20;

/// Measurements of a process after an iteration, before the layer's mask and opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessPoint {
    /// Number of the iteration; 0 is the terrain below the layer.
    pub iteration: u32,
    /// Mean and deviation of the slopes, in metres between neighbouring samples.
    pub slopes: Slopes,
    /// Material that the process has eroded so far, in cubic metres.
    pub eroded: f64,
    /// Material that the process has deposited so far, in cubic metres.
    pub deposited: f64,
    /// Run time per iteration since the previous point, in milliseconds; `None` at the start.
    pub milliseconds: Option<f64>,
}

/// A process and its measurements over the iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessCurve {
    /// Index of the layer.
    pub layer: usize,
    /// Name of the layer.
    pub name: String,
    /// The measurements in order of iteration.
    pub points: Vec<ProcessPoint>,
}

/// Runs the process of each layer of `layers` at the size of the scene and measures it. Of several branches, only the
/// one that is measured is shown. With `alone`, the other layers of `layers` are hidden meanwhile, so that each process
/// starts on the same terrain. Layers without a process or without iterations are left out.
///
/// # Errors
/// [`Cancelled`] if `control` requests it.
pub fn process_curves(
    scene: &Scene,
    layers: &[usize],
    alone: bool,
    control: &Control,
) -> Result<Vec<ProcessCurve>, Cancelled> {
    // the timeline keeps the statistics and the newest state, and no key frames, which would need much memory
    let mut store = Store::new(Cache::new(CACHE_BYTES), Timeline::new(1));
    let mut curves = Vec::new();
    for &layer in layers {
        let mut shown = scene.clone();
        let hidden = layers.iter().filter(|&&other| alone && other != layer);
        hidden.filter(|&&other| other < scene.layers.len()).for_each(|&other| shown.layers[other].enabled = false);
        if let Some(total) = scene.iterations(layer).filter(|&total| total > 0) {
            shown.show_layer(layer);
            shown.hide_above(layer);
            curves.push(curve(&shown, layer, total, &mut store, control)?);
        }
    }
    Ok(curves)
}

/// The curve of the process `layer`, the highest visible layer of `scene`, over `total` iterations.
fn curve(
    scene: &Scene,
    layer: usize,
    total: u32,
    store: &mut Store,
    control: &Control,
) -> Result<ProcessCurve, Cancelled> {
    let samples = scene.samples();
    let relief = f64::from(scene.settings.relief_metres);
    let volume = area(scene) * relief / scene.grid(samples).distinct_len().max(1) as f64;
    let point = |moment: Moment, milliseconds: Option<f64>| {
        let slopes = moment.slopes?;
        Some(ProcessPoint {
            iteration: moment.iteration,
            slopes: Slopes { mean: slopes.mean * relief, deviation: slopes.deviation * relief },
            eroded: moment.mass_balance.eroded * volume,
            deposited: moment.mass_balance.deposited * volume,
            milliseconds,
        })
    };
    let below = evaluate(scene, samples, Some(Playhead { layer, iteration: 0 }), store, control)?.terrain;
    let slopes = Some(slopes_by(&GridMetric::new(below.grid), &below));
    drop(below);
    let mut points = Vec::new();
    points.extend(point(Moment { iteration: 0, mass_balance: MassBalance::default(), slopes }, None));
    let (mut at, stride) = (0, total.div_ceil(POINTS));
    while at < total {
        let next = at.saturating_add(stride).min(total);
        let playhead = (next < total).then_some(Playhead { layer, iteration: next });
        let (made, spent) = timed_layers(control, || evaluate(scene, samples, playhead, store, control));
        made?;
        let time = spent.iter().find(|(index, _)| *index == layer).map(|(_, time)| time.as_secs_f64() * 1000.0);
        let moment = moment_at(scene, samples, layer, next, store);
        points.extend(moment.and_then(|moment| point(moment, time.map(|time| time / f64::from(next - at)))));
        at = next;
    }
    Ok(ProcessCurve { layer, name: scene.layers[layer].name.clone(), points })
}

/// Area of the terrain in square metres.
fn area(scene: &Scene) -> f64 {
    match scene.as_planet() {
        Some(planet) => 4.0 * PI * f64::from(planet.radius_metres) * f64::from(planet.radius_metres),
        None => f64::from(scene.settings.size_metres) * f64::from(scene.settings.size_metres),
    }
}

#[cfg(test)]
mod tests {
    use super::super::history;
    use super::*;

    /// Hills below two branches of thermal erosion with 60 iterations and one hydraulic erosion with 5.
    const SCENE: &str = "(version: 1, settings: (resolution: 65), layers: [
        (name: \"Hills\", node: Perlin()),
        (name: \"A\", branch: 1, enabled: false, node: Thermal(iterations: 60)),
        (name: \"B\", branch: 1, node: Thermal(iterations: 60, talus_angle: 20.0)),
        (name: \"Rain\", node: Hydraulic(iterations: 5)),
    ])";

    #[test]
    fn curves_have_the_values_of_the_timeline() {
        let (scene, _) = Scene::from_ron(SCENE).unwrap();
        let control = Control::default();
        let curves = process_curves(&scene, &[1, 2, 3, 0], false, &control).unwrap();
        assert_eq!(curves.iter().map(|curve| curve.name.as_str()).collect::<Vec<_>>(), ["A", "B", "Rain"]);
        assert_eq!(curves[0].points[0].slopes, curves[1].points[0].slopes, "branches start on the same terrain");
        assert!(curves[1].points.last().unwrap().slopes.mean < curves[0].points.last().unwrap().slopes.mean);
        for curve in &curves {
            let points = &curve.points;
            let (first, last) = (points[0], points[points.len() - 1]);
            assert_eq!((first.iteration, first.eroded, first.milliseconds), (0, 0.0, None));
            assert!(points.len() >= 6 && points.windows(2).all(|pair| pair[0].iteration < pair[1].iteration));
            assert!(points[1..].iter().all(|point| point.milliseconds.is_some_and(|time| time > 0.0)));
            let mut shown = scene.clone();
            shown.show_layer(curve.layer);
            shown.hide_above(curve.layer);
            let mut store = Store::default();
            let made = evaluate(&shown, 65, None, &mut store, &control).unwrap().terrain;
            let timeline = history(&shown, 65, curve.layer, &store).unwrap();
            let end = timeline.moments.last().unwrap();
            assert_eq!((last.iteration, Some(last.iteration)), (end.iteration, shown.iterations(curve.layer)));
            let relief = f64::from(shown.settings.relief_metres);
            let slopes = slopes_by(&GridMetric::new(made.grid), &made);
            assert_eq!(last.slopes.mean, slopes.mean * relief);
            let side = f64::from(shown.settings.size_metres);
            let eroded = end.mass_balance.eroded / timeline.cells as f64 * relief * side * side;
            assert!((last.eroded - eroded).abs() <= 1e-9 * eroded, "{} instead of {eroded}", last.eroded);
        }
    }

    #[test]
    fn processes_alone_start_on_the_same_terrain() {
        let (scene, _) = Scene::from_ron(SCENE).unwrap();
        let start = |alone: bool| {
            let curves = process_curves(&scene, &[2, 3], alone, &Control::default()).unwrap();
            [curves[0].points[0].slopes, curves[1].points[0].slopes]
        };
        let [thermal, rain] = start(true);
        assert_eq!(thermal, rain);
        let [thermal, rain] = start(false);
        assert!(rain.mean < thermal.mean, "rain falls on the eroded terrain");
    }
}
