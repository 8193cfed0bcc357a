//! Tests that compare rays on the graphics card with rays on the processor and with the grid.

use super::*;
use crate::view::{FARTHEST_WORLD, SIDE_WORLD};
use talweg::construction::Tree;
use talweg::construction::trace::{TraceRay, Tracer};

#[path = "../../../../tests/core/kits/construction.rs"]
mod construction_kit;

/// A construction tree and a grid of its heights. `seed` is the seed of the tree's noise.
fn gridded(tree: Tree, seed: u64) -> (Arc<SquareTerrain>, Arc<TreeSurface>) {
    let settings = Settings { sea_level: -9000.0, ..Settings::default() };
    let recipe = TreeRecipe {
        tree: Arc::new(tree),
        seed: seed as u32,
        level: 1.0,
        relief_over_size: settings.relief_over_size(),
        eroded: None,
    };
    let tree_surface = TreeSurface::untouched(recipe);
    let detail = tree_surface.detail(10.0);
    let relief_world = settings.relief_over_size() * SIDE_WORLD;
    let height = |u: f32, v: f32| {
        let flat = [u, v].map(|at| f64::from((at - 0.5) * SIDE_WORLD));
        tree_surface.sample(flat, &detail).height as f32 / relief_world
    };
    let terrain = Arc::new(Terrain::from_fn(65, Edges::Open, height));
    (prepared(&terrain, &settings, Overlay::None), Arc::new(tree_surface))
}

fn pose_of(prepared: &SquareTerrain, width: u32, height: u32) -> (Pose, crate::view::Lens) {
    let lens = CompareLayout::One.lens(Vec2::new(width as f32, height as f32), ViewProjection::Perspective);
    let origin = Pose { eye_world: Vec3::ZERO, yaw: 0.0, pitch: -0.5 };
    let perspective = ViewProjection::Perspective;
    (ViewCommand::Perspective.pose(&origin, prepared.scale.bounds_world(), &lens, perspective), lens)
}

/// Converts a ray from world space to metres of the construction tree. Also returns the length of `way` in these
/// metres.
fn in_metres(tree_surface: &TreeSurface, eye: Vec3, way: Vec3) -> (TraceRay, f64) {
    let (along, up) = (1.0 / tree_surface.world_per_metre, 1.0 / tree_surface.world_per_height_metre);
    let metres = |v: Vec3| [f64::from(v.x) * along, f64::from(v.z) * along, f64::from(v.y) * up];
    let half = 0.5 * tree_surface.program.side;
    let ([x, y, z], way) = (metres(eye), metres(way));
    let long = way.iter().map(|w| w * w).sum::<f64>().sqrt();
    (TraceRay { origin: [x + half, y + half, z], direction: way.map(|w| w / long) }, long)
}

/// Every ray must end at the processor's hit point, or at most the height of a pixel above this point. At most one ray
/// in 40 may end elsewhere, at edges where a single pixel decides what the ray hits.
fn assert_ends_agree(
    engine: &SharedEngine,
    name: &str,
    prepared: &Arc<SquareTerrain>,
    tree_surface: &Arc<TreeSurface>,
    half_detail: Option<f32>,
) {
    let (width, height) = (40, 24);
    let (pose, lens) = pose_of(prepared, width, height);
    let view = ShotView::Pose(pose);
    let mode = ViewMode::TracedDistance;
    let options = ShotOptions { width, height, view, mode, half_detail, ..ShotOptions::default() };
    let image = draw_tree(engine, prepared, tree_surface, &options);
    let pixel = f64::from(2.0 * (0.5 * lens.fov_y).tan() / height as f32);
    let mut tracer = Tracer::new(&tree_surface.program);
    let (along, up) = (1.0 / tree_surface.world_per_metre, 1.0 / tree_surface.world_per_height_metre);
    let (mut met, mut apart) = (0, 0);
    for (k, [r, g, b, _]) in image.as_chunks::<4>().0.iter().enumerate() {
        let at = Vec2::new((k as u32 % width) as f32 + 0.5, (k as u32 / width) as f32 + 0.5);
        let (ray, long) = in_metres(tree_surface, pose.eye_world, pose.ray(&lens, at).normalize());
        // make the processor's ray skip the same noise octaves as the shader
        tracer.spread = 0.5 * pixel * along / long;
        // convert the distance from horizontal metres to world units, and then to a length along the ray
        tracer.half_distance = half_detail.map(|half| f64::from(half) * long / along);
        tracer.tolerance = (1e-7 * tree_surface.program.side, 1e-6);
        let trace = tracer.trace(&ray);
        let Some(cpu) = trace.distance else { continue };
        if ray.point(cpu)[2] * tree_surface.world_per_height_metre < f64::from(prepared.scale.base_world) {
            continue; // the ray hits a point below the terrain block
        }
        met += 1;
        let whole = u32::from(*r) << 16 | u32::from(*g) << 8 | u32::from(*b);
        let gpu = f64::from(whole as f32 / 16_777_215.0 * FARTHEST_WORLD) * long;
        let tolerance = 0.25 * pixel * up * gpu / long + 2e-6 * tree_surface.program.side;
        let p = ray.point(gpu);
        let above = p[2] - tracer.height([p[0], p[1]], &tracer.detail(gpu));
        let entered = (cpu - trace.entry).abs() < 1e-3 * cpu && (gpu - cpu).abs() < 2e-3 * cpu;
        let agrees = entered || (gpu < cpu + 4.0 * tolerance && (-2.0 * tolerance..3.0 * tolerance).contains(&above));
        apart += usize::from(!agrees);
    }
    assert!(met > 100 && apart * 40 <= met, "{name}: {apart} of {met} rays end at another point");
}

/// On the graphics card and on the processor, κ = 1 / (1 + (t/half)²) along every ray. With another formula, rays would
/// hit other points of a disc with many noise octaves.
#[test]
fn gpu_and_cpu_rays_reduce_detail_in_the_same_way() {
    let engine = SharedEngine::default();
    for name in ["12-craters", "16-levels-of-detail"] {
        let (prepared, tree_surface) = tree(&format!("paper-004-fig-{name}"));
        for half in [700.0, 3000.0] {
            assert_ends_agree(&engine, name, &prepared, &tree_surface, Some(half));
        }
        let picture = |half_detail| {
            let options =
                ShotOptions { width: 96, height: 60, mode: ViewMode::Traced, half_detail, ..ShotOptions::default() };
            draw_tree(&engine, &prepared, &tree_surface, &options)
        };
        assert!(picture(Some(300.0)) != picture(None), "{name}: the distance takes nothing away");
    }
}

#[test]
fn gpu_and_cpu_rays_end_at_the_same_points() {
    let engine = SharedEngine::default();
    for name in ["12-craters", "13-dunes", "15-instances", "21-mountain-road", "22-oasis"] {
        let (prepared, tree_surface) = tree(&format!("paper-004-fig-{name}"));
        assert_ends_agree(&engine, name, &prepared, &tree_surface, None);
    }
    let (prepared, tree_surface) = tree("gullied-mountains");
    assert_ends_agree(&engine, "gullies", &prepared, &tree_surface, None);
}

#[test]
fn gpu_and_cpu_rays_agree_in_random_trees() {
    let engine = SharedEngine::default();
    let trees = |make: fn(u64) -> Tree, seeds: std::ops::Range<u64>| seeds.map(move |seed| (make(seed), seed));
    for (tree, seed) in trees(construction_kit::tree, 0..12).chain(trees(construction_kit::copies, 0..8)) {
        let name = format!("{} {seed}", if tree.definitions.is_empty() { "tree" } else { "tree with instances" });
        let (prepared, tree_surface) = gridded(tree, seed);
        assert_ends_agree(&engine, &name, &prepared, &tree_surface, None);
    }
}

#[test]
fn rays_and_grid_show_the_same_picture() {
    let engine = SharedEngine::default();
    let (prepared, tree_surface) = tree("paper-004-fig-21-mountain-road");
    let draw = |mode| {
        let options = ShotOptions { width: 64, height: 40, mode, ..ShotOptions::default() };
        draw_tree(&engine, &prepared, &tree_surface, &options)
    };
    let (rays, grid) = (draw(ViewMode::Traced), draw(ViewMode::Shaded));
    let away: u32 = rays.iter().zip(&grid).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    let mean = f64::from(away) / rays.len() as f64;
    assert!(mean < 5.0, "the pictures differ by {mean} of 255");
    // evaluation counts have many colours, few of them as red as the palette; in the shaded image, roads and rock are
    // not red either
    let cost = draw(ViewMode::TracedCost);
    let red = |image: &[u8]| {
        let is_red = |[r, g, b, _]: &&[u8; 4]| u32::from(*r) > u32::from(*g.max(b)) + 40;
        image.as_chunks::<4>().0.iter().filter(is_red).count()
    };
    assert!(red(&rays) > 200 && red(&cost) * 3 < red(&rays), "{} and {}", red(&rays), red(&cost));
    let colours: std::collections::BTreeSet<_> = cost.as_chunks::<4>().0.iter().collect();
    assert!(colours.len() > 40, "{} colours", colours.len());
}

/// A construction tree that cannot be traced causes an error; the grid must not silently replace it.
#[test]
fn a_tree_too_deep_for_rays_is_refused_with_a_reason() {
    use talweg::construction::{OperatorGroup, Piece, PieceKind};
    let mut tree = construction_kit::tree(3);
    let (prepared, shallow) = gridded(tree.clone(), 3);
    for _ in 0..24 {
        let of = vec![Piece::named("plain", PieceKind::Disc(Default::default())), std::mem::take(&mut tree.terrain)];
        tree.terrain =
            Piece::named("blend", PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() }));
    }
    let recipe = TreeRecipe { tree: Arc::new(tree), ..shallow.recipe.clone() };
    let subject = ShotSubject::Terrain(prepared, red(), Some(Arc::new(TreeSurface::untouched(recipe))));
    let options = ShotOptions { width: 32, height: 24, mode: ViewMode::Traced, ..ShotOptions::default() };
    let refused = guarded(|| render(&subject, &options, RenderQuality::Still)).unwrap_or_else(|e| panic!("{e}"));
    assert!(matches!(&refused, Err(ShotError::Untraced(_))), "{refused:?}");
    assert!(refused.is_err_and(|error| error.to_string().contains("adaptive")));
}

/// An overlay looks the same on a construction tree as on the grid, and hides the colours of the terrain.
#[test]
fn overlays_look_the_same_with_rays_and_grid() {
    let engine = SharedEngine::default();
    let (plain, tree_surface) = tree("paper-004-fig-22-oasis");
    let apart = |a: &[u8], b: &[u8]| {
        let away: u32 = a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        f64::from(away) / a.len() as f64
    };
    let draw = |prepared: &Arc<SquareTerrain>, mode| {
        let options = ShotOptions { width: 48, height: 30, mode, ..ShotOptions::default() };
        draw_tree(&engine, prepared, &tree_surface, &options)
    };
    // one overlay is stored and the other computed by the shader; each is drawn in a different view mode
    for (overlay, mode) in [(Overlay::Map(MapKind::Vegetation), ViewMode::Traced), (Overlay::Slope, ViewMode::Adaptive)]
    {
        let choice = OverlayChoice { overlay, ..OverlayChoice::default() };
        let over = Arc::new(plain.with_overlay(&choice, &Control::default()).expect("never cancelled"));
        let (grid, with, without) = (draw(&over, ViewMode::Shaded), draw(&over, mode), draw(&plain, mode));
        let (same, other) = (apart(&with, &grid), apart(&with, &without));
        assert!(same < 6.0 && other > 3.0 * same, "{overlay:?}, {mode:?}: {same} from the grid, {other} from none");
    }
}

/// In the cut-out areas of a construction tree, neither terrain nor the sides of the block are drawn.
#[test]
fn rays_show_a_cut_out_tree_cut_out() {
    let engine = SharedEngine::default();
    use talweg::nodes::Node;
    let mut scene = talweg::scene::example("paper-004-fig-12-craters").expect("a built-in example").scene.clone();
    let Node::Construction(construction) = &mut scene.layers[0].node else { panic!("a construction") };
    construction.tree = Arc::new(talweg::construction::Tree {
        terrain: talweg::construction::Piece::named(
            "island",
            talweg::construction::PieceKind::Disc(talweg::construction::primitives::disc::Disc {
                x: 4000.0,
                y: 4000.0,
                radius: 2500.0,
                height: 500.0,
                ..Default::default()
            }),
        ),
        ..Default::default()
    });
    let ground = |cut_out: bool, mode: ViewMode| {
        let mut scene = scene.clone();
        if let Node::Construction(construction) = &mut scene.layers[0].node {
            construction.cut_out = cut_out;
        }
        let (prepared, tree_surface) = tree_of(&scene);
        let options = ShotOptions { width: 96, height: 60, mode, ..ShotOptions::default() };
        let image = draw_tree(&engine, &prepared, &tree_surface, &options);
        // the terrain is red, the background bluish
        image.as_chunks::<4>().0.iter().filter(|[r, _, b, _]| r > b).count()
    };
    let (grid, rays, whole) =
        (ground(true, ViewMode::Shaded), ground(true, ViewMode::Traced), ground(false, ViewMode::Traced));
    assert!(grid > 100 && rays.abs_diff(grid) * 10 < grid && whole > 3 * grid, "{grid} {rays} {whole}");
}
