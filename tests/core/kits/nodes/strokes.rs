//! Brush strokes for the tests of nodes.

use talweg::brush::{Brush, BrushTool, Stroke, StrokePoint, Strokes};
use talweg::param::Params;

use super::extremes;

/// Points of a curved stroke across the middle of a terrain 8 km wide.
fn bend() -> Vec<StrokePoint> {
    vec![
        StrokePoint::new(1000.0, 1500.0),
        StrokePoint { x: 4200.0, y: 3300.0, pressure: 0.6 },
        StrokePoint::new(5200.0, 7100.0),
    ]
}

/// A typical stroke of every tool, once without and once with build-up.
pub fn plain() -> Strokes {
    let brushes = BrushTool::ALL.iter().flat_map(|&tool| {
        let radius = 900.0;
        let plain = Brush { tool, radius, level: 300.0, end_level: 700.0, iterations: 5, ..Brush::default() };
        [plain.clone(), Brush { build_up: true, pressure_widens: true, hardness: 0.5, angle: 30.0, ..plain }]
    });
    brushes.map(|brush| Stroke::new(brush, bend())).collect()
}

/// For each tool, a stroke with every number at one end of its hard range.
fn at_end(high: bool) -> Strokes {
    let brush = |tool| {
        let mut brush = Brush::default();
        for (k, spec) in brush.about().params.iter().enumerate().skip(1) {
            let ends = extremes(spec);
            let end = if high { ends.last() } else { ends.first() };
            brush.set(k, end.expect("a range has ends")).unwrap();
        }
        // The longest erosion stroke takes minutes. The contract tests of the erosion processes cover it.
        Brush { tool, iterations: brush.iterations.min(3), ..brush }
    };
    let mut strokes: Vec<Stroke> = BrushTool::ALL.iter().map(|&tool| Stroke::new(brush(tool), bend())).collect();
    let far = vec![StrokePoint::new(-1.0e7, 1.0e7), StrokePoint { x: 1.0e7, y: -1.0e7, pressure: 0.0 }];
    strokes.push(Stroke::new(brush(BrushTool::Raise), far));
    strokes.into_iter().collect()
}

/// Three cases: no strokes, strokes at the lower ends of all brush ranges, and strokes at the upper ends.
pub fn extreme() -> [Strokes; 3] {
    [Strokes::default(), at_end(false), at_end(true)]
}
