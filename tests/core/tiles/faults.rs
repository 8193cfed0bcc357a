//! Damaged, swapped and stale tiles and edited plans are refused with an error message. Tiles can then be computed
//! again.

use std::path::Path;

use super::builds::{layer, planned, run_all, scene, whole};
use talweg::field::Control;
use talweg::scene::Scene;
use talweg::tiles::{
    PLAN_FILE, SCENE_FILE, StageProduct, TaskOutcome, TileBuild, TileError, TileFault, TileId, TilePlan, TileState,
    tile_plan, tile_plan_with_masks, write_plan,
};

const SAMPLES: usize = 400;
const TILE: usize = 200;
/// Samples per side of a block.
const BLOCK: usize = 64;

fn eroded() -> Scene {
    let mut scene = scene(SAMPLES as u32, vec![layer("Perlin", 1), layer("Thermal", 2), layer("Levels", 3)]);
    scene.set("2.iterations=9").unwrap();
    scene.set("3.gamma=1.5").unwrap();
    scene
}

fn ground(stage: usize, row: usize, column: usize) -> TileId {
    TileId { product: StageProduct::Ground(stage), place: [row, column] }
}

fn path(build: &TileBuild, tile: TileId) -> std::path::PathBuf {
    build.store.path(tile.product, tile.place)
}

/// Flips a bit of the sample at a row and column inside the first block of a tile of heights.
fn flip(file: &Path, row: usize, column: usize) {
    let mut bytes = std::fs::read(file).unwrap();
    let blocks = TILE.div_ceil(BLOCK).pow(2);
    let head = bytes.len() - 4 * TILE * TILE - 16 * (blocks + 1);
    bytes[head + 4 * (row * BLOCK + column) + 1] ^= 4;
    std::fs::write(file, bytes).unwrap();
}

fn run_stage(build: &TileBuild, stage: usize) {
    for task in 0..build.plan.stages[stage].tasks {
        build.run_task(stage, task, &Control::default()).unwrap();
    }
}

/// A build with several stages, each computed in four tiles. The first stage computes only heights.
fn two_stages(folder: &Path) -> TileBuild {
    let mut scene = eroded();
    scene.set("2.iterations=40").unwrap();
    let build = planned(folder, &scene, SAMPLES, TILE);
    assert!(build.plan.stages.len() > 1 && build.plan.stages.iter().all(|stage| stage.tasks == 4));
    build
}

#[test]
fn a_task_refuses_a_damaged_block_that_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let build = two_stages(&folder.path().join("plan"));
    let halo = build.plan.stages[1].halo;
    assert!(halo > 0 && halo < TILE - 2 * BLOCK, "{halo}");
    run_stage(&build, 0);
    let file = path(&build, ground(0, 0, 0));
    flip(&file, 3, 5);
    let control = Control::default();
    let refused = build.run_task(1, 0, &control).unwrap_err();
    let TileError::BadTile { tile, fault: TileFault::Samples { field: 0, rows, columns }, .. } = &refused else {
        panic!("{refused}");
    };
    assert_eq!((*tile, rows.clone(), columns.clone()), (ground(0, 0, 0), 0..BLOCK, 0..BLOCK));
    let said = refused.to_string();
    assert!(said.contains("ground-0-0.tile") && said.contains("run stage 0 again"), "{said}");
    // The task of the neighbouring tile reads a halo from the other side of the damaged tile, and verifies only that
    // part.
    assert_eq!(build.run_task(1, 1, &control).unwrap(), TaskOutcome::Done);
    assert_eq!(build.run_task(0, 0, &control).unwrap(), TaskOutcome::Done, "the damaged tile is made anew");
    (1..build.plan.stages.len()).for_each(|stage| run_stage(&build, stage));
    assert_eq!(build.merged(&control).unwrap().hash, whole(&build.scene, SAMPLES).hash());
}

#[test]
fn merging_refuses_damaged_and_swapped_tiles() {
    let folder = tempfile::tempdir().unwrap();
    let build = planned(&folder.path().join("plan"), &scene(SAMPLES as u32, vec![layer("Perlin", 1)]), SAMPLES, TILE);
    run_all(&build);
    let control = Control::default();
    let [one, other] = [ground(0, 0, 1), ground(0, 1, 0)].map(|tile| path(&build, tile));
    let sound = [&one, &other].map(|file| std::fs::read(file).unwrap());
    std::fs::write(&one, &sound[1]).unwrap();
    std::fs::write(&other, &sound[0]).unwrap();
    let said = build.merged(&control).unwrap_err().to_string();
    assert!(said.contains("tile 0-1 of the ground of stage 0 holds another tile: tile 1-0"), "{said}");
    assert!([1, 2].iter().all(|&task| build.run_task(0, task, &control).unwrap() == TaskOutcome::Done));
    assert_eq!([&one, &other].map(|file| std::fs::read(file).unwrap()), sound);
    flip(&one, 0, 0);
    let said = build.merged(&control).unwrap_err().to_string();
    assert!(said.contains("is damaged in rows 0 to 63 and columns 0 to 63 of field 0"), "{said}");
    // A tile of an earlier version, and a file that is no tile.
    for (magic, reason) in [(b"TalwegT2", "another version of Talweg"), (b"notatile", "is not a tile")] {
        let mut bytes = sound[0].clone();
        bytes[..8].copy_from_slice(magic);
        std::fs::write(&one, bytes).unwrap();
        let said = build.merged(&control).unwrap_err().to_string();
        assert!(said.contains(reason), "{said}");
    }
    std::fs::write(&one, b"").unwrap();
    assert!(build.merged(&control).unwrap_err().to_string().contains("incomplete"));
}

/// Writes a tile with wrong heights and matching hashes, as a faulty machine could do.
fn forge(build: &TileBuild, tile: TileId) {
    let region = build.plan.region(tile.product.stage(), tile.place);
    let heights = build.store.heights(&build.plan, tile.product, &region).unwrap();
    let raised: Vec<f32> = heights.iter().map(|height| height + 0.01).collect();
    build.store.write_field(&build.plan, tile.product, tile.place, &raised).unwrap();
}

#[test]
fn tiles_computed_from_a_bad_tile_are_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    let build = two_stages(&folder.path().join("plan"));
    let (control, wanted) = (Control::default(), whole(&build.scene, SAMPLES).hash());
    run_stage(&build, 0);
    forge(&build, ground(0, 0, 0));
    (1..build.plan.stages.len()).for_each(|stage| run_stage(&build, stage));
    assert_ne!(build.merged(&control).unwrap().hash, wanted, "the forged tile has an effect");
    assert!(build.open_stages().unwrap().iter().all(|open| !open));
    // Its task makes the tile anew, once it is gone.
    std::fs::remove_file(path(&build, ground(0, 0, 0))).unwrap();
    assert_eq!(build.run_task(0, 0, &control).unwrap(), TaskOutcome::Done);
    let said = build.merged(&control).unwrap_err().to_string();
    assert!(said.contains("was made of another version of tile 0-0 of the ground of stage 0"), "{said}");
    let open = build.open_stages().unwrap();
    assert!(open[1..].iter().all(|open| *open), "{open:?}");
    let bad = build.check_tiles(&control).unwrap();
    let bad: Vec<_> = bad.iter().filter(|tile| matches!(tile.state, TileState::Bad(TileFault::OldInput(_)))).collect();
    assert!(bad.iter().any(|bad| bad.tile == ground(1, 0, 0)), "{bad:?}");
    (1..build.plan.stages.len()).for_each(|stage| run_stage(&build, stage));
    assert_eq!(build.merged(&control).unwrap().hash, wanted);
}

#[test]
fn check_lists_complete_missing_removed_and_bad_tiles() {
    let folder = tempfile::tempdir().unwrap();
    let build = two_stages(&folder.path().join("plan"));
    let states = |stage: usize| -> Vec<TileState> {
        let checked = build.check_tiles(&Control::default()).unwrap();
        checked.into_iter().filter(|tile| tile.tile.product.stage() == stage).map(|tile| tile.state).collect()
    };
    assert_eq!(states(0), [const { TileState::Missing }; 4]);
    run_all(&build);
    assert_eq!(states(0), [const { TileState::Complete }; 4]);
    flip(&path(&build, ground(0, 1, 0)), 1, 1);
    let damage = TileState::Bad(TileFault::Samples { field: 0, rows: 0..BLOCK, columns: 0..BLOCK });
    assert_eq!(states(0), [TileState::Complete, TileState::Complete, damage, TileState::Complete]);
    let last = build.plan.stages.len() - 1;
    build.remove_unread_tiles(last, &build.open_stages().unwrap());
    assert_eq!(states(0), [const { TileState::Removed }; 4]);
    assert_eq!(states(last), [const { TileState::Complete }; 4]);
}

#[test]
fn edited_plans_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("plan");
    let build = two_stages(&place);
    let text = std::fs::read_to_string(place.join(PLAN_FILE)).unwrap();
    let halo = format!("halo: {}", build.plan.stages[1].halo);
    let edits = [
        (halo.as_str(), "halo: 2"),
        (&halo, "halo: 18446744073709551615"),
        ("samples: 400", "samples: 18446744073709551615"),
        ("tile: 200", "tile: 0"),
        ("tasks: 4", "tasks: 9"),
        ("Ground(0)", "Ground(7)"),
        ("name: \"Perlin noise\"", "name: \"\""),
    ];
    for (from, to) in edits.into_iter().filter(|(from, _)| text.contains(from)) {
        std::fs::write(place.join(PLAN_FILE), text.replacen(from, to, 1)).unwrap();
        let said = TileBuild::open(&place).unwrap_err().to_string();
        assert!(said.contains("plan.ron was edited or damaged") && said.contains("new plan"), "{from}: {said}");
    }
    assert!(edits[..6].iter().all(|(from, _)| text.contains(from)), "{text}");
    for (from, to) in [("version: 2", "version: 1"), ("talweg: \"", "talweg: \"9.")] {
        std::fs::write(place.join(PLAN_FILE), text.replacen(from, to, 1)).unwrap();
        let said = TileBuild::open(&place).unwrap_err().to_string();
        assert!(said.contains("two versions may not fit together"), "{said}");
    }
    std::fs::write(place.join(PLAN_FILE), &text[..text.len() / 2]).unwrap();
    assert!(matches!(TileBuild::open(&place), Err(TileError::NotAPlan { .. })));
    std::fs::write(place.join(PLAN_FILE), &text).unwrap();
    let scene_text = std::fs::read_to_string(place.join(SCENE_FILE)).unwrap();
    std::fs::write(place.join(SCENE_FILE), scene_text + " ").unwrap();
    assert!(matches!(TileBuild::open(&place), Err(TileError::OtherScene { .. })));
}

/// Edits of the plan with matching hashes, as a person who knows the format could make them.
#[test]
fn edited_plans_with_fitting_hashes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let scene = eroded();
    let sound = tile_plan(&scene, SAMPLES, TILE).unwrap();
    let mask = tile_plan_with_masks(&scene, SAMPLES, TILE, &[0]).unwrap().masks[0].clone();
    type PlanEdit<'a> = (&'a str, &'a dyn Fn(&mut TilePlan));
    let edits: [PlanEdit; 8] = [
        ("halo", &|plan| plan.stages[0].halo = 2),
        ("largest halo", &|plan| plan.stages[0].halo = usize::MAX),
        ("tile", &|plan| plan.tile = usize::MAX),
        ("samples", &|plan| plan.samples = usize::MAX),
        ("stages", &|plan| plan.stages.clear()),
        ("result", &|plan| plan.result = StageProduct::Ground(usize::MAX)),
        ("tasks", &|plan| plan.stages[0].tasks = usize::MAX),
        ("mask", &|plan| plan.masks = vec![talweg::tiles::PlannedMask { layer: 99, ..mask.clone() }]),
    ];
    for (what, edit) in edits {
        let (mut plan, place) = (sound.clone(), folder.path().join(what));
        edit(&mut plan);
        write_plan(&place, &plan, &scene).unwrap();
        let said = TileBuild::open(&place).unwrap_err().to_string();
        assert!(said.contains("plan.ron was edited or damaged"), "{what}: {said}");
    }
    assert!(matches!(tile_plan(&scene, SAMPLES, usize::MAX), Err(TileError::Sizes)));
    assert!(matches!(tile_plan_with_masks(&scene, SAMPLES, TILE, &[9]), Err(TileError::NoLayer { layer: 9, .. })));
}
