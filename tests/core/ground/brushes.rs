//! Tests of brush tools against their equations, which have closed forms on a ramp.

use std::sync::Arc;

use crate::kits::nodes::TestScene;
use talweg::brush::{Brush, BrushTool, Stroke, StrokePoint};
use talweg::field::{Edges, Terrain};
use talweg::nodes::Node;
use talweg::nodes::sculpt::ground::Sculpt;

const N: usize = 129;
const SIDE: f32 = 8000.0;
const RELIEF: f32 = 1800.0;
/// Row of the brush strokes, and the columns of their end points.
const ROW: usize = 64;
const ENDS: [usize; 2] = [32, 96];
/// Radius of the brush in samples.
const RADIUS: usize = 16;

/// Terrain that rises from 0 in the west to the relief in the east.
fn ramp() -> Terrain {
    Terrain::from_fn(N, Edges::Open, |u, _| u)
}

/// The ramp after an eastward stroke with a brush that has full strength over its whole disc.
fn stroked(brush: Brush) -> Terrain {
    let cell = SIDE / (N - 1) as f32;
    let brush = Brush { radius: RADIUS as f32 * cell, hardness: 1.0, ..brush };
    let path = ENDS.map(|column| StrokePoint::new(column as f32 * cell, ROW as f32 * cell)).to_vec();
    let strokes = Arc::new([Stroke::new(brush, path)].into_iter().collect());
    let made = TestScene::new(N, Edges::Open).finish(&Node::Sculpt(Sculpt { strokes }), &ramp(), 0);
    let before = ramp().height;
    for k in (0..N * N).filter(|k| (k / N).abs_diff(ROW) > RADIUS) {
        assert_eq!(made.height[k].to_bits(), before[k].to_bits(), "beside the stroke at {k}");
    }
    made
}

/// Height of a sample in the stroke's row, as a fraction of the relief.
fn height(terrain: &Terrain, column: usize) -> f32 {
    terrain.height[ROW * N + column]
}

fn at_start(column: usize) -> f32 {
    column as f32 / (N - 1) as f32
}

fn assert_near(found: f32, expected: f32, within: f32, what: &str) {
    assert!((found - expected).abs() <= within, "{what}: {found} is not {expected}");
}

#[test]
fn raising_lowering_and_flattening_follow_their_laws() {
    let of_tool = |tool: BrushTool| Brush { tool, amount: 90.0, strength: 0.25, level: 900.0, ..Brush::default() };
    let [raised, lowered, flattened] =
        [BrushTool::Raise, BrushTool::Lower, BrushTool::Flatten].map(|tool| stroked(of_tool(tool)));
    for column in [40, 64, 90] {
        let h = at_start(column);
        assert_near(height(&raised, column), h + 90.0 / RELIEF, 1e-6, "raised");
        assert_near(height(&lowered, column), h - 90.0 / RELIEF, 1e-6, "lowered");
        assert_near(height(&flattened, column), h + 0.25 * (900.0 / RELIEF - h), 1e-6, "flattened");
    }
}

#[test]
fn the_slope_brush_is_even_between_its_levels() {
    let brush = Brush { tool: BrushTool::Slope, strength: 1.0, level: 360.0, end_level: 1080.0, ..Brush::default() };
    let made = stroked(brush);
    for (column, metres) in [(ENDS[0], 360.0), (48, 540.0), (64, 720.0), (ENDS[1], 1080.0)] {
        assert_near(height(&made, column), metres / RELIEF, 1e-6, "slope");
    }
}

#[test]
fn a_smear_drags_terrain_and_releases_it_by_its_strength() {
    let smeared = |strength: f32| stroked(Brush { tool: BrushTool::Smear, strength, ..Brush::default() });
    // At full strength, the terrain under the brush at the start of the stroke moves to its end.
    assert_near(height(&smeared(1.0), ENDS[1]), at_start(ENDS[0]), 1e-5, "full strength");
    // At half strength, the brush moves terrain by one radius. By then the brush is a radius farther on, and the
    // terrain is outside its disc. The brush advances in steps of a tenth of the radius.
    let step = 0.05 * RADIUS as f32 / (N - 1) as f32;
    assert_near(height(&smeared(0.5), ENDS[1]), at_start(ENDS[1] - RADIUS), 1.1 * step, "half strength");
    let untouched = smeared(0.0);
    assert_eq!(height(&untouched, ENDS[1]).to_bits(), at_start(ENDS[1]).to_bits(), "no strength");
}
