//! Incremental evaluation of brush strokes: only the last stroke is computed again, on the cached result of the strokes
//! before it. If the last stroke erodes, only its last part is computed again.
//!
//! The result equals a full computation bit for bit, because strokes and their parts are applied one after another.
//! While the user draws with an erosion brush ([`StrokedFields::is_drawing`]), that stroke is eroded on a coarser grid,
//! fast enough to follow the pointer. After the user lifts the brush, the stroke is computed in full.

use std::sync::Arc;

use rayon::prelude::*;

use super::ContentKey;
use crate::brush::{BrushTool, Stroke, Strokes};
use crate::field::{Cancelled, Grid, Region, Terrain};
use crate::io::raster;
use crate::nodes::Context;
use crate::nodes::maps::painted::PaintedMap;
use crate::nodes::sculpt::Canvas;
use crate::nodes::sculpt::ground::Sculpt;

/// Maximum number of cached fields: a layer and its mask, each as a preview and at full size, and the field that the
/// user draws on.
const MOST: usize = 5;

/// Number of samples per side of the eroded area while the user draws with an erosion brush.
const DRAWN_EROSION_SAMPLES: usize = 97;

/// A field with some strokes applied.
struct RememberedField {
    /// Key of everything that the field depends on, except its strokes.
    key: ContentKey,
    strokes: Vec<Arc<Stroke>>,
    values: Vec<f32>,
}

/// Latest results of brush strokes, newest first.
#[derive(Default)]
pub struct StrokedFields {
    settled: Vec<RememberedField>,
    /// Whether the user is drawing and waits to see each brush movement.
    pub(super) is_drawing: bool,
}

impl StrokedFields {
    /// Returns the field `blank` with all strokes applied. The field before the last stroke is cached under `key`.
    fn with_strokes(
        &mut self,
        key: ContentKey,
        canvas: &Canvas,
        strokes: &Strokes,
        blank: impl FnOnce() -> Vec<f32>,
    ) -> Result<Vec<f32>, Cancelled> {
        // Picture files are hashed by their contents, each file once.
        let mut pictures: Vec<&str> = strokes.image_files().map(|file| file.0.as_str()).collect();
        pictures.sort_unstable();
        pictures.dedup();
        let hash = |name: &str| raster(name).map_or(0, |raster| raster.hash).to_le_bytes();
        let key = pictures.iter().fold(key, |key, name| key.join(&hash(name)));
        let all: Vec<&Arc<Stroke>> = strokes.visible().collect();
        let Some((drawn, finished)) = all.split_last() else { return Ok(blank()) };
        let finished: Vec<_> = finished.iter().flat_map(|stroke| stroke.pieces()).collect();
        let mut pieces = drawn.pieces();
        let last = pieces.pop();
        let before: Vec<_> = finished.iter().cloned().chain(pieces).collect();
        let blank = |_: &mut Self| Ok(RememberedField { key, strokes: Vec::new(), values: blank() });
        let (mut values, canvas) = if self.is_drawing && drawn.brush.tool == BrushTool::Erode {
            let coarse = Canvas { erosion_samples: DRAWN_EROSION_SAMPLES, ..*canvas };
            let (exact, key) = (key, key.join(b"drawn"));
            let finished = |fields: &mut Self| {
                let values = fields.apply_strokes(exact, canvas, &finished, blank)?;
                Ok(RememberedField { key, strokes: finished, values })
            };
            (self.apply_strokes(key, &coarse, &before, finished)?, coarse)
        } else {
            (self.apply_strokes(key, canvas, &before, blank)?, *canvas)
        };
        if let Some(last) = last {
            canvas.piece(&last, &mut values)?;
        }
        Ok(values)
    }

    /// Returns the field of `key` with `strokes` applied, and caches it. The computation starts from the longest cached
    /// prefix of the strokes, or from `start` if no prefix is cached.
    fn apply_strokes(
        &mut self,
        key: ContentKey,
        canvas: &Canvas,
        strokes: &[Arc<Stroke>],
        start: impl FnOnce(&mut Self) -> Result<RememberedField, Cancelled>,
    ) -> Result<Vec<f32>, Cancelled> {
        let begins_so = |settled: &RememberedField| {
            let same = |(a, b): (&Arc<Stroke>, &Arc<Stroke>)| Arc::ptr_eq(a, b) || a == b;
            settled.key == key
                && settled.strokes.len() <= strokes.len()
                && settled.strokes.iter().zip(strokes).all(same)
        };
        let known = (0..self.settled.len()).filter(|&k| begins_so(&self.settled[k]));
        let known = known.max_by_key(|&k| self.settled[k].strokes.len());
        let mut settled = match known {
            Some(known) => self.settled.remove(known),
            None => start(self)?,
        };
        for stroke in &strokes[settled.strokes.len()..] {
            canvas.piece(stroke, &mut settled.values)?;
            settled.strokes.push(stroke.clone());
        }
        let values = settled.values.clone();
        self.settled.insert(0, settled);
        self.settled.truncate(MOST);
        Ok(values)
    }

    /// Applies the strokes of a layer to the terrain below it.
    ///
    /// # Errors
    /// If the computation was cancelled; the caller must then drop the terrain.
    pub fn sculpt(
        &mut self,
        beneath: ContentKey,
        node: &Sculpt,
        cx: &Context,
        terrain: &mut Terrain,
    ) -> Result<(), Cancelled> {
        let height = std::mem::take(&mut terrain.height);
        terrain.height = self.with_strokes(beneath, &Sculpt::canvas(cx, terrain), &node.strokes, || height)?;
        Ok(())
    }

    /// Applies a layer's strokes to the map that the layer paints.
    ///
    /// # Errors
    /// If the computation was cancelled; the caller must then drop the terrain.
    pub fn paint(
        &mut self,
        beneath: ContentKey,
        node: &PaintedMap,
        cx: &Context,
        terrain: &mut Terrain,
    ) -> Result<(), Cancelled> {
        let blank = PaintedMap { strokes: Strokes::none(), ..node.clone() };
        let key = super::node_values_key(beneath.join(b"map"), &blank);
        let map = self.with_strokes(key, &node.canvas(cx), &node.strokes, || node.blank(cx, terrain))?;
        node.set_map(cx, map, terrain)
    }

    /// Returns a painted mask: the strokes applied to the uniform value `unpainted`.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn mask(&mut self, cx: &Context, unpainted: f32, strokes: &Strokes) -> Result<Vec<f32>, Cancelled> {
        let grid = [cx.grid.samples as u64, cx.grid.edges as u64];
        let key = ContentKey::start(&[b"mask", &unpainted.to_le_bytes(), &cx.size_metres.to_le_bytes()]);
        let key = grid.iter().fold(key, |key, part| key.join(&part.to_le_bytes()));
        self.with_strokes(key, &Canvas::mask(cx), strokes, || vec![unpainted; cx.grid.len()])
    }
}

/// The region of a square grid in which two fields differ.
pub fn changed_samples(grid: Grid, a: &[f32], b: &[f32]) -> Region {
    let row = |i: usize| {
        let (a, b) = (grid.row(a, i), grid.row(b, i));
        let differs = |j: &usize| a[*j].to_bits() != b[*j].to_bits();
        let first = (0..grid.samples).find(differs)?;
        let last = (first..grid.samples).rev().find(differs)?;
        Some(Region { rows: i..i + 1, columns: first..last + 1 })
    };
    (0..grid.rows()).into_par_iter().filter_map(row).reduce(Region::none, |a, b| a.union(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brush::{Brush, BrushErosion, StrokePoint};
    use crate::eval::{Store, evaluate};
    use crate::field::{Control, Edges};
    use crate::nodes::Node;
    use crate::nodes::maps::painted::PaintedKind;
    use crate::scene::{Layer, Scene};

    const SAMPLES: usize = 129;

    fn stroke(tool: BrushTool, k: usize) -> Stroke {
        let brush = Brush { tool, radius: 600.0, level: 400.0, iterations: 3, ..Brush::default() };
        let path = (0..4).map(|p| StrokePoint::new(800.0 * p as f32 + 300.0 * k as f32, 900.0 * k as f32));
        Stroke::new(brush, path.collect())
    }

    /// A scene with noise, strokes on this noise, a painted map, and a layer with a painted mask.
    fn scene(strokes: &Strokes) -> Scene {
        let mut scene = Scene::default();
        scene.settings.resolution = SAMPLES as u32;
        let strokes = Arc::new(strokes.clone());
        let painted = PaintedMap { kind: PaintedKind::Snow, strokes: strokes.clone(), ..PaintedMap::default() };
        let nodes = [Node::Sculpt(Sculpt { strokes: strokes.clone() }), Node::PaintedMap(painted)];
        scene.layers = vec![Layer::new(Node::named("Perlin").unwrap(), 3)];
        scene.layers.extend(nodes.map(|node| Layer::new(node, 1)));
        scene.layers.push(Layer::new(Node::named("Terrace").unwrap(), 1));
        let mask = &mut scene.layers[3].mask;
        (mask.by_paint, mask.painted, mask.unpainted) = (true, strokes, 0.25);
        scene
    }

    #[test]
    fn live_strokes_give_the_bits_of_a_full_evaluation() {
        for edges in [Edges::Open, Edges::Wrap] {
            let (mut store, mut strokes) = (Store::default(), Strokes::default());
            let mut check = |strokes: &Strokes, what: &str| {
                let mut scene = scene(strokes);
                scene.settings.edges = edges;
                let run = |store: &mut Store| evaluate(&scene, SAMPLES, None, store, &Control::default()).unwrap();
                store.transient = true;
                let live = run(&mut store);
                assert_eq!(live.terrain, run(&mut Store::forgetful()).terrain, "{what}");
                live.terrain
            };
            let mut before = check(&strokes, "no strokes");
            for (k, &tool) in BrushTool::ALL.iter().enumerate() {
                // The stroke gains points as the user draws it.
                let whole = stroke(tool, k);
                strokes.list_mut().push(Arc::new(whole.clone()));
                for points in 1..=whole.path.len() {
                    let grown = whole.with_path(whole.path[..points].to_vec());
                    *strokes.list_mut().last_mut().unwrap() = Arc::new(grown);
                    let after = check(&strokes, &format!("{tool:?} of {points} points"));
                    let smears = tool == BrushTool::Smear && points == 1;
                    assert_eq!(after == before, smears, "{tool:?} of {points} points changes the ground");
                    before = after;
                }
            }
            // Strokes before the last stroke are changed, removed, hidden and moved.
            let lower = strokes.list()[1].with_brush(Brush { amount: 77.0, ..strokes.list()[1].brush.clone() });
            strokes.list_mut()[1] = Arc::new(lower);
            check(&strokes, "changed");
            strokes.list_mut().remove(3);
            check(&strokes, "removed");
            strokes.list_mut()[0] = Arc::new(strokes.list()[0].shown(false));
            check(&strokes, "hidden");
            strokes.list_mut().swap(2, 5);
            check(&strokes, "moved");
        }
    }

    #[test]
    fn a_growing_erosion_stroke_recomputes_only_its_end() {
        let (mut store, whole) = (Store { transient: true, ..Store::default() }, stroke(BrushTool::Erode, 1));
        let run = |points: usize, store: &mut Store| {
            let strokes: Strokes = [whole.with_path(whole.path[..points].to_vec())].into_iter().collect();
            let mut scene = scene(&strokes);
            scene.layers.truncate(2);
            evaluate(&scene, SAMPLES, None, store, &Control::default()).unwrap().terrain
        };
        let mut settled = 0;
        for points in 1..=whole.path.len() {
            run(points, &mut store);
            let grown = Arc::new(whole.with_path(whole.path[..points].to_vec())).pieces().len();
            assert_eq!(store.strokes.settled.len(), 1, "the field is reused");
            assert_eq!(store.strokes.settled[0].strokes.len(), grown - 1);
            settled = settled.max(grown - 1);
        }
        assert!(settled >= 1, "{settled}");
    }

    /// Height change at the middle of a straight stroke of `radii` brush radii in length.
    fn worked(radii: f32, erosion: BrushErosion) -> f32 {
        let (samples, radius) = (257, 400.0);
        let brush = Brush { tool: BrushTool::Erode, radius, erosion, strength: 1.0, ..Brush::default() };
        let ends = [-0.5, 0.5].map(|side| StrokePoint::new(4000.0 + side * radii * radius, 4000.0));
        let strokes = |list: &[Stroke]| -> Scene {
            let mut scene = scene(&list.iter().cloned().collect());
            scene.layers.truncate(2);
            scene
        };
        let ground = |scene: &Scene| {
            evaluate(scene, samples, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain
        };
        let (before, after) = (ground(&strokes(&[])), ground(&strokes(&[Stroke::new(brush, ends.to_vec())])));
        let around = samples / 2 - 6..samples / 2 + 7;
        let cells = around.clone().flat_map(|i| around.clone().map(move |j| i * samples + j));
        cells.map(|k| (after.height[k] - before.height[k]).abs()).sum()
    }

    #[test]
    fn long_and_short_strokes_erode_a_point_about_equally() {
        for erosion in [BrushErosion::Droplets, BrushErosion::Thermal, BrushErosion::Creep] {
            let short = worked(2.0, erosion);
            for radii in [3.0, 5.0, 8.0, 12.0] {
                let ratio = worked(radii, erosion) / short;
                assert!((0.5..2.0).contains(&ratio), "{erosion:?}, {radii} radii: {ratio}");
            }
        }
    }

    #[test]
    fn a_drawn_erosion_is_coarse_first_and_exact_afterwards() {
        let samples = 385;
        for erosion in [BrushErosion::Droplets, BrushErosion::Thermal, BrushErosion::Creep] {
            let brush = Brush { tool: BrushTool::Erode, radius: 900.0, erosion, strength: 1.0, ..Brush::default() };
            let path = [1500.0, 3000.0, 5500.0].map(|x| StrokePoint::new(x, 4000.0)).to_vec();
            let strokes: Strokes = [Stroke::new(brush, path)].into_iter().collect();
            let mut scene = scene(&strokes);
            scene.layers.truncate(2);
            let height = |store: &mut Store| {
                evaluate(&scene, samples, None, store, &Control::default()).unwrap().terrain.height.clone()
            };
            let whole = height(&mut Store::forgetful());
            let mut store = Store { transient: true, ..Store::default() };
            store.strokes.is_drawing = true;
            let drawn = height(&mut store);
            assert_eq!(drawn, height(&mut store), "the same result again");
            store.strokes.is_drawing = false;
            assert_eq!(whole, height(&mut store), "{erosion:?}: once the brush is lifted");
            scene.layers.truncate(1);
            let before = evaluate(&scene, samples, None, &mut store, &Control::default()).unwrap().terrain;
            // After smoothing over a cell of the coarser grid, the height changes of both strokes are nearly equal.
            let change = |made: &[f32]| {
                let less: Vec<f32> = made.iter().zip(&before.height).map(|(made, before)| made - before).collect();
                let around = |k: usize| {
                    let (i, j) = (k / samples, k % samples);
                    let cells = (i - 3..=i + 3).flat_map(|i| (j - 3..=j + 3).map(move |j| i * samples + j));
                    cells.map(|k| f64::from(less[k])).sum::<f64>()
                };
                let inner = 3..samples - 3;
                inner.clone().flat_map(|i| inner.clone().map(move |j| i * samples + j)).map(around).collect::<Vec<_>>()
            };
            let (a, b) = (change(&whole), change(&drawn));
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let alike = product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt();
            let size = (product(&b, &b) / product(&a, &a)).sqrt();
            assert!(whole != drawn && alike > 0.7 && (0.5..2.0).contains(&size), "{erosion:?}: {alike}, {size}");
        }
    }

    #[test]
    fn differences_are_found_to_the_sample() {
        let grid = Grid::new(9, Edges::Open);
        let a = vec![0.0; grid.len()];
        assert!(changed_samples(grid, &a, &a).is_empty());
        let mut b = a.clone();
        (b[2 * 9 + 7], b[5 * 9 + 3]) = (1.0, -1.0);
        assert_eq!(changed_samples(grid, &a, &b), Region { rows: 2..6, columns: 3..8 });
    }
}
