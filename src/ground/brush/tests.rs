use super::*;
use crate::field::{Control, Edges, Grid};
use crate::io::ron_dialect;
use crate::param::StructuredValue;

fn stroke(brush: Brush, path: &[(f32, f32)]) -> Stroke {
    Stroke::new(brush, path.iter().map(|&(x, y)| StrokePoint::new(x, y)).collect())
}

fn covered(stroke: &Stroke, samples: usize, edges: Edges) -> Vec<f32> {
    let grid = Grid::new(samples, edges);
    let mut all = vec![0.0; grid.len()];
    if let Some(covered) = stroke.coverage(grid, 1000.0, &Control::default()).unwrap() {
        let mut weights = covered.weights.iter();
        for row in covered.region.rows.clone() {
            for column in covered.region.columns.clone() {
                all[row * samples + column] = *weights.next().unwrap();
            }
        }
        assert!(weights.next().is_none());
    }
    all
}

#[test]
fn weights_follow_the_distance_from_the_path_and_not_the_grid() {
    let brush = Brush { radius: 200.0, hardness: 0.25, ..Brush::default() };
    let line = stroke(brush, &[(300.0, 500.0), (700.0, 500.0)]);
    // The weight is 1 up to a quarter of the radius. It then falls as 1 - (3 t² - 2 t³), where t goes from 0 to 1 over
    // the rest of the radius.
    for (samples, edges) in [(101, Edges::Open), (201, Edges::Open), (101, Edges::Wrap)] {
        let (all, step) = (covered(&line, samples, edges), (samples - 1) / 100);
        let at = |x: usize, y: usize| all[y / 10 * step * samples + x / 10 * step];
        assert_eq!([at(500, 500), at(500, 540), at(500, 550)], [1.0; 3]);
        assert_eq!(at(500, 700), 0.0);
        let t = (125.0 - 50.0) / 150.0;
        let expected = 1.0 - (3.0 * t * t - 2.0 * t * t * t);
        let near = 0.5 * (at(500, 620) + at(500, 630));
        assert!((near - expected).abs() < 0.01, "weight {near}, expected {expected}, at {samples} samples");
        // The end of the stroke is round.
        assert!((at(820, 500) - at(500, 620)).abs() < 1e-6);
        assert_eq!(at(910, 500), 0.0);
    }
}

#[test]
fn a_self_crossing_stroke_acts_once_unless_it_builds_up() {
    let path = [(200.0, 500.0), (800.0, 500.0), (800.0, 510.0), (200.0, 510.0)];
    let once = Brush { radius: 100.0, ..Brush::default() };
    let twice = Brush { build_up: true, ..once.clone() };
    let middle =
        |brush: &Brush, path: &[(f32, f32)]| covered(&stroke(brush.clone(), path), 101, Edges::Open)[50 * 101 + 50];
    assert_eq!(middle(&once, &path), 1.0);
    let pass = middle(&twice, &path[..2]);
    assert!((pass - 1.0).abs() < 0.02, "a single pass along the centreline gives 1, not {pass}");
    let passes = middle(&twice, &path);
    assert!(passes > 1.9 * pass && passes < 2.0 * pass + 0.02, "{passes}");
}

#[test]
fn pressure_makes_a_stroke_weaker_and_narrower_if_asked_to() {
    let light = |widens: bool| {
        let brush = Brush { radius: 200.0, hardness: 1.0, pressure_widens: widens, ..Brush::default() };
        let path = [200.0, 800.0].map(|x| StrokePoint { x, y: 500.0, pressure: 0.5 });
        covered(&Stroke::new(brush, path.into()), 101, Edges::Open)
    };
    let at = |all: &[f32], y: usize| all[y / 10 * 101 + 50];
    assert_eq!([500, 590, 690].map(|y| at(&light(false), y)), [0.5; 3]);
    assert_eq!([500, 590, 690].map(|y| at(&light(true), y)), [0.5, 0.5, 0.0]);
}

#[test]
fn strokes_continue_across_the_seam_of_a_wrapping_terrain() {
    let brush = Brush { radius: 100.0, hardness: 1.0, ..Brush::default() };
    let corner = stroke(brush, &[(0.0, 0.0)]);
    let count = |edges| covered(&corner, 101, edges).iter().filter(|&&w| w > 0.0).count();
    let (open, wrapping) = (count(Edges::Open), count(Edges::Wrap));
    // The stroke is centred on a corner. With open edges it covers a quarter of the disc; with wrapping edges, the
    // whole disc.
    assert!(wrapping > 3 * open, "{open} {wrapping}");
    let all = covered(&corner, 101, Edges::Wrap);
    assert_eq!([all[95], all[95 * 101], all[95 * 101 + 95]], [1.0; 3]);
}

#[test]
fn strokes_are_written_a_line_each_and_read_back_equal() {
    let brush = Brush { tool: BrushTool::Stamp, image: ImageFile("stamp:crater".into()), ..Brush::default() };
    let mut strokes: Strokes = [
        stroke(brush, &[(1.5, -2.25)]),
        stroke(Brush::default(), &[(10.0, 20.0), (30.0, 40.0)]),
        Stroke::new(Brush::default(), vec![StrokePoint { x: 1.0, y: 2.0, pressure: 0.25 }]).shown(false),
        stroke(Brush::default(), &[]),
    ]
    .into_iter()
    .collect();
    let text = strokes.to_ron(0);
    assert_eq!(text.lines().count(), 6, "{text}");
    assert!(text.contains("path:\"10,20 30,40\"") && text.contains("path:\"1,2,0.25\""), "{text}");
    let read: Strokes = ron_dialect().from_str(&text).unwrap();
    assert_eq!((&read, read.key()), (&strokes, strokes.key()));
    assert_eq!(strokes.visible().count(), 2, "one stroke is hidden, one has no points");
    strokes.list_mut().pop();
    assert_ne!(read, strokes);
    assert_ne!(read.key(), strokes.key());
    for wrong in ["[(path: \"1\")]", "[(path: \"1,2,3,4\")]", "[(path: \"a,b\")]"] {
        let error = strokes.parse(wrong).unwrap_err();
        assert!(error.contains("not a point of a stroke"), "{error}");
    }
}

#[test]
fn numbers_out_of_range_are_clamped_and_reported() {
    let bad = vec![
        StrokePoint::new(f32::NAN, 0.0),
        StrokePoint { x: 1.0e30, y: -1.0e30, pressure: 7.0 },
        StrokePoint::new(1.0, 2.0),
    ];
    let strokes: Strokes = [Stroke::new(Brush { radius: -5.0, ..Brush::default() }, bad)].into_iter().collect();
    let (mended, moved) = StructuredValue::sanitised(&strokes).unwrap();
    let told: Vec<String> = moved.iter().map(ToString::to_string).collect();
    assert!(told.len() == 2 && told.iter().all(|text| text.contains("stroke 1")), "{told:?}");
    assert!(mended.sanitised().is_none());
    let text = mended.to_text();
    assert!(text.contains("10000000,-10000000") && text.contains("radius:0.01"), "{text}");
}

#[test]
fn fewer_points_stay_near_the_path_and_its_pressure() {
    let path: Vec<StrokePoint> = (0..=200)
        .map(|k| {
            let t = k as f32 / 200.0;
            StrokePoint { x: 1000.0 * t, y: 300.0 * libm::sinf(6.0 * t), pressure: 0.5 + 0.5 * t }
        })
        .collect();
    let few = simplified(&path, 100.0, 2.0);
    assert!(few.len() < 40 && few.len() > 8, "{}", few.len());
    assert_eq!((few.first(), few.last()), (path.first(), path.last()));
    for p in &path {
        let near = few.windows(2).map(|ends| {
            let along = ends[1].x - ends[0].x;
            let t = ((p.x - ends[0].x) / along).clamp(0.0, 1.0);
            path::distance(path::interpolated(ends[0], ends[1], t), *p)
        });
        assert!(near.fold(f32::MAX, f32::min) < 4.0, "{p:?}");
    }
    assert_eq!(simplified(&[], 1.0, 1.0), []);
    assert_eq!(simplified(&path[..1], 1.0, 1.0), path[..1]);
    let rounded = StrokePoint { x: 1234.5678, y: 0.123, pressure: 0.333 };
    assert_eq!(rounded.rounded(200.0), StrokePoint { x: 1235.0, y: 0.0, pressure: 0.33 });
    assert_eq!(rounded.rounded(2.0), StrokePoint { x: 1234.57, y: 0.12, pressure: 0.33 });
}

#[test]
fn pieces_of_an_erosion_stroke_stay_as_it_grows() {
    let path: Vec<StrokePoint> =
        (0..=90).map(|k| StrokePoint::new(10.0 * k as f32, 200.0 * libm::sinf(0.1 * k as f32))).collect();
    let brush = Brush { tool: BrushTool::Erode, radius: 50.0, iterations: 30, seed: 7, ..Brush::default() };
    let stroke = |points: usize| Arc::new(Stroke::new(brush.clone(), path[..points].to_vec()));
    let whole = stroke(path.len()).pieces();
    let lengths: Vec<f32> = whole.iter().map(|piece| path::length(&piece.path)).collect();
    let (last, others) = lengths.split_last().unwrap();
    assert!(others.len() > 8 && others.iter().all(|long| (long - 100.0).abs() < 0.01), "{lengths:?}");
    assert!((lengths.iter().sum::<f32>() - path::length(&path)).abs() < 0.1 && *last <= 100.0);
    assert!(whole.windows(2).all(|pair| pair[0].path.last() == pair[1].path.first()));
    // Each piece has its own seed. The shorter last piece runs fewer iterations, in proportion to its length.
    assert!(whole.iter().enumerate().all(|(k, piece)| piece.brush.seed == 7 + k as u32));
    assert_eq!(whole.last().unwrap().brush.iterations, (30.0 * last / 100.0).ceil() as u32);
    for points in 1..=path.len() {
        let grown = stroke(points).pieces();
        let (_, settled) = grown.split_last().unwrap();
        assert!(settled.iter().zip(&whole).all(|(a, b)| a == b), "{points}");
    }
    let raised = Stroke::new(Brush { tool: BrushTool::Raise, ..brush.clone() }, path.clone());
    assert_eq!(Arc::new(raised).pieces().len(), 1);
    // A stroke that is too long gets the maximum number of pieces, and possibly one more for the remainder.
    let far = [0.0, FARTHEST_METRES].map(|x| StrokePoint::new(x, 0.0)).to_vec();
    let thin = Arc::new(Stroke::new(Brush { radius: 0.01, ..brush }, far));
    assert!((MAX_PIECES..=MAX_PIECES + 1).contains(&thin.pieces().len()));
}
