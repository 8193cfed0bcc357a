//! The fuzz targets. Each target is a function that takes bytes from a fuzzer and checks the result.
//!
//! `fuzz/` runs them with libFuzzer; the test `corpus` replays the files in `fuzz/corpus/`. A target either panics or
//! returns silently.

use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use talweg::appearance::PaletteTable;
use talweg::appearance_files::{BiomeTable, MaterialRules, Palette, PaletteColours, RuleList, ScatterRules};
use talweg::eval::{Store, evaluate};
use talweg::export::origin::{may_carry_scene, read_origin};
use talweg::field::{Control, Terrain};
use talweg::io::formats::ReadOptions;
use talweg::io::{clear_raster_cache, raster, raster_as};
use talweg::mesh::formats::UpAxis;
use talweg::mesh::import::MeshSurface;
use talweg::nodes::Node;
use talweg::param::{ParamKind, Params, Value};
use talweg::planet::projection::FACE_NAMES;
use talweg::preferences::{MOST_VERSIONS, Preferences, PreferencesFile, Recent};
use talweg::recovery::{Session, abandoned_work};
use talweg::scene::import::scene_from_file;
use talweg::scene::{Layer, Scene, Settings, Severity};
use talweg::tiles::{PLAN_FILE, SCENE_FILE, StageProduct, TileBuild, tile_plan, write_plan};

use super::random_edits::{Random, check, check_file, edited};

/// A fuzz target: a function that accepts any bytes.
pub struct FuzzTarget {
    /// Name of the target. It is also the name of its folder in `fuzz/corpus/` and of its program in `fuzz/`.
    pub name: &'static str,
    pub run: fn(&[u8]),
}

pub const TARGETS: [FuzzTarget; 16] = [
    FuzzTarget { name: "scene_text", run: scene_text },
    FuzzTarget { name: "biome_table", run: biome_table },
    FuzzTarget { name: "rule_list", run: rule_list },
    FuzzTarget { name: "palette", run: palette },
    FuzzTarget { name: "heightmap", run: heightmap },
    FuzzTarget { name: "raster", run: raster_file },
    FuzzTarget { name: "raster_with_header", run: raster_with_header },
    FuzzTarget { name: "packed_raster", run: packed_raster },
    FuzzTarget { name: "planet_import", run: planet_import },
    FuzzTarget { name: "mesh_from_above", run: mesh_from_above },
    FuzzTarget { name: "preferences", run: preferences },
    FuzzTarget { name: "session", run: session },
    FuzzTarget { name: "evaluation", run: evaluation },
    FuzzTarget { name: "edits", run: edits },
    FuzzTarget { name: "tile_plan", run: tile_plan_text },
    FuzzTarget { name: "tile", run: tile_file },
];

/// Samples per side of the terrain of the targets of builds in tiles, and of a tile.
const TILED_SAMPLES: [usize; 2] = [130, 65];

/// A build in tiles, with all of its tiles, in a folder that exists as long as the program runs.
struct SoundBuild {
    folder: tempfile::TempDir,
    build: TileBuild,
    /// The path and the bytes of one tile.
    tile: (std::path::PathBuf, Vec<u8>),
    hash: u128,
}

/// The build that each run damages and repairs. Runs wait for each other.
static SOUND_BUILD: LazyLock<Mutex<SoundBuild>> = LazyLock::new(|| {
    let folder = scratch();
    let [samples, side] = TILED_SAMPLES;
    let mut scene = Scene { layers: vec![Layer::new(Node::named("Perlin").expect("a node"), 1)], ..Scene::default() };
    scene.settings.resolution = samples as u32;
    let plan = tile_plan(&scene, samples, side).expect("a plan");
    let at = folder.path().join("plan");
    write_plan(&at, &plan, &scene).expect("a folder");
    let build = TileBuild::open(&at).expect("a build");
    for task in 0..build.plan.stages[0].tasks {
        build.run_task(0, task, &Control::default()).expect("a tile");
    }
    let path = build.store.path(StageProduct::Ground(0), [0, 1]);
    let bytes = std::fs::read(&path).expect("a tile");
    let hash = build.merged(&Control::default()).expect("a terrain").hash;
    Mutex::new(SoundBuild { folder, build, tile: (path, bytes), hash })
});

/// A plan text that is accepted equals the plan of its scene; any other text is refused with a reason.
fn tile_plan_text(bytes: &[u8]) {
    let sound = SOUND_BUILD.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = scratch();
    let from = sound.folder.path().join("plan").join(SCENE_FILE);
    std::fs::copy(from, folder.path().join(SCENE_FILE)).expect("a file");
    std::fs::write(folder.path().join(PLAN_FILE), bytes).expect("a file");
    match TileBuild::open(folder.path()) {
        Ok(build) => assert_eq!(build.plan, sound.build.plan),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A damaged tile is refused with a reason. The first two bytes give the length of the file. Each further group of
/// three bytes changes one byte of the file: two bytes give its offset, and the third the bits to flip.
fn tile_file(bytes: &[u8]) {
    let Some((length, edits)) = bytes.split_first_chunk::<2>() else { return };
    let sound = SOUND_BUILD.lock().unwrap_or_else(PoisonError::into_inner);
    let (path, whole) = &sound.tile;
    let mut changed = whole.clone();
    for [high, low, bits] in edits.as_chunks::<3>().0 {
        let place = usize::from(u16::from_be_bytes([*high, *low])) % changed.len();
        changed[place] ^= bits;
    }
    let length = usize::from(u16::from_be_bytes(*length));
    changed.truncate(if length == 0 { changed.len() } else { length % (changed.len() + 1) });
    std::fs::write(path, &changed).expect("a file");
    match sound.build.merged(&Control::default()) {
        Ok(merged) => assert_eq!((merged.hash, &changed), (sound.hash, whole), "a damaged tile was used"),
        Err(error) => assert!(changed != *whole && !error.to_string().is_empty()),
    }
    std::fs::write(path, whole).expect("a file");
}

/// Maximum number of edits in one run. More edits would only take longer.
const MOST_EDITS: usize = 12;
/// Maximum number of iterations: enough for every process to start, deposit and end.
const MOST_ITERATIONS: i64 = 2;

/// A temporary folder, in memory if the system supports that.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a temporary folder")
}

/// The text of a scene is read, or refused with a reason. An accepted scene is written and read again unchanged.
fn scene_text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Scene::from_ron(text) {
        Ok((scene, _)) => check(&scene, "a scene read from text"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn biome_table(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match BiomeTable::from_ron("table", text) {
        Ok(table) => {
            let again = BiomeTable::from_ron("table", &table.to_ron()).expect("what was written is read");
            assert!(again == table, "read back\n{again:?}\nis not\n{table:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn rule_list(bytes: &[u8]) {
    fn read_again<L: RuleList + PartialEq>(text: &str) {
        match L::from_ron("list", text) {
            Ok(list) => {
                let again = L::from_ron("list", &list.to_ron()).expect("what was written is read");
                assert!(again == list, "{} is read back as {}", list.to_ron(), again.to_ron());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    read_again::<MaterialRules>(text);
    read_again::<ScatterRules>(text);
}

/// A palette is refused with a reason, or its numbers are in range and it colours a terrain.
fn palette(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Palette::from_ron("palette", text) {
        Ok(palette) => {
            let stops = match &palette.colours {
                PaletteColours::Sea { water, land } => [&water[..], &land[..]],
                PaletteColours::Relief(stops) => [&stops[..], &[]],
            };
            assert!(stops.iter().all(|stops| stops.is_sorted_by(|a, b| a.0 <= b.0)), "{palette:?}");
            assert!(stops.concat().iter().all(|(at, _)| (0.0..=1.0).contains(at)), "{palette:?}");
            assert!((0.0..=90.0).contains(&palette.rock_degrees.0), "{palette:?}");
            let table = PaletteTable::new(&palette, &Settings::default());
            assert!((0.0..=1.0).contains(&table.rock_opacity(60.0)), "{palette:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Whether the parser of a target for texts accepts an input; `None` for other targets. Inputs on both sides show that
/// fuzzing reaches the parser and the code after it.
pub fn is_text_read(target: &str, bytes: &[u8]) -> Option<bool> {
    let text = std::str::from_utf8(bytes).unwrap_or("\0");
    Some(match target {
        "scene_text" => Scene::from_ron(text).is_ok(),
        "biome_table" => BiomeTable::from_ron("table", text).is_ok(),
        "rule_list" => MaterialRules::from_ron("list", text).is_ok() || ScatterRules::from_ron("list", text).is_ok(),
        "palette" => Palette::from_ron("palette", text).is_ok(),
        "preferences" => {
            let folder = scratch();
            for name in CONFIG_FILES {
                std::fs::write(folder.path().join(name), bytes).expect("a file");
            }
            let view = PreferencesFile::load(Some(folder.path())).1;
            view.is_none() || Recent::load(Some(folder.path())).1.is_none()
        }
        "session" => session_files(bytes).iter().any(|file| {
            let folder = scratch();
            write_session(folder.path(), file);
            abandoned_work(folder.path()).expect("the folder is there").iter().any(|found| found.work.is_ok())
        }),
        _ => return None,
    })
}

/// The first byte selects among `choices`, the rest is the file.
fn chosen(bytes: &[u8], choices: [usize; 3]) -> Option<([usize; 3], &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    let mut left = usize::from(first);
    let chosen = choices.map(|count| {
        let choice = left % count;
        left /= count;
        choice
    });
    Some((chosen, rest))
}

const ENDINGS: [&str; 3] = ["png", "r16", "r32"];
const RASTER_ENDINGS: [&str; 6] = ["tif", "exr", "hgt", "asc", "raw", "r32"];
const HEADER_ENDINGS: [&str; 5] = ["bil", "bip", "bsq", "flt", "dem"];
const PACKED_ENDINGS: [&str; 3] = ["zip", "asc.gz", "hgt.gz"];
const MESH_ENDINGS: [&str; 5] = ["glb", "gltf", "obj", "ply", "stl"];

/// The file extension for an input of a target, from its first byte, and the file contents; `None` for targets that do
/// not read heights.
pub fn height_file<'a>(target: &str, bytes: &'a [u8]) -> Option<(&'static str, &'a [u8])> {
    let endings: &[&str] = match target {
        "heightmap" => &ENDINGS,
        "raster" => &RASTER_ENDINGS,
        "raster_with_header" => &HEADER_ENDINGS,
        "packed_raster" => &PACKED_ENDINGS,
        "mesh_from_above" => &MESH_ENDINGS,
        _ => return None,
    };
    let (&first, contents) = bytes.split_first()?;
    Some((endings[usize::from(first) % endings.len()], contents))
}

/// The scene embedded in a file is a valid scene, or is refused with a reason.
fn check_origin(file: &Path) {
    if !may_carry_scene(file) {
        return;
    }
    match read_origin(file) {
        Ok(origin) => check(&origin.scene, "carried by a file"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn is_valid(terrain: &Terrain) -> bool {
    terrain.height.iter().all(|h| h.is_finite()) && terrain.maps().all(|(_, map)| map.iter().all(|v| v.is_finite()))
}

/// Evaluates a scene with one layer that reads files. The layer is refused with a reason, or its heights are finite
/// numbers.
fn check_import(settings: &str, node: &str, samples: usize, is_read: bool) {
    let text = format!("(version: 1, settings: ({settings}), layers: [(node: {node})])");
    let (scene, warnings) = Scene::from_ron(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(warnings.is_empty(), "{warnings:?}");
    let done = evaluate(&scene, samples, None, &mut Store::forgetful(), &Control::default()).expect("not cancelled");
    assert!(is_valid(&done.terrain), "a height is not a number");
    // A warning that file and scene have different land sizes does not count as a refusal.
    let is_refused = done.problems.iter().any(|problem| problem.severity == Severity::Broken);
    assert!(!is_read || !is_refused, "read, and refused: {:?}", done.problems);
    assert!(is_read || is_refused, "the file cannot be read, but no problem is reported");
    assert!(done.problems.iter().all(|problem| !problem.message.is_empty()));
}

/// A heightmap. A layer reads it, and it is opened as a file that can contain a scene.
fn heightmap(bytes: &[u8]) {
    let Some(([ending, sampling, fit], contents)) = chosen(bytes, [3, 2, 3]) else { return };
    let folder = scratch();
    let file = folder.path().join(format!("h.{}", ENDINGS[ending]));
    std::fs::write(&file, contents).expect("a file");
    check_origin(&file);
    // The cache would take two files with equal time stamps and sizes for the same file.
    clear_raster_cache();
    let name = file.to_str().expect("text");
    let read = raster(name);
    if let Ok(read) = &read {
        assert!(read.values.len() == read.width * read.height && read.width.min(read.height) >= 2);
        assert!(read.values.iter().all(|v| (0.0..=1.0).contains(v)), "a value is not between 0 and 1");
    }
    let (sampling, fit) = (["Bicubic", "Bilinear"][sampling], ["Stretch", "Crop", "Whole"][fit]);
    check_import("", &format!("Import(file: {name:?}, sampling: {sampling}, fit: {fit})"), 9, read.is_ok());
}

/// A raster of any format except PNG, read as terrain, as a planet, and for a new scene. The first byte also selects
/// the filling of no-data samples and the width of raw files.
fn raster_file(bytes: &[u8]) {
    let Some(([ending, voids, width], contents)) = chosen(bytes, [6, 4, 4]) else { return };
    let folder = scratch();
    let file = folder.path().join(format!("N46E007.{}", RASTER_ENDINGS[ending]));
    std::fs::write(&file, contents).expect("a file");
    check_raster(&file, voids, [0, 1, 2, 7][width]);
}

/// Reads the bytes as a raster with a header file; see [`write_with_header`].
fn raster_with_header(bytes: &[u8]) {
    let Some(([ending, voids, _], contents)) = chosen(bytes, [5, 4, 1]) else { return };
    let folder = scratch();
    let file = folder.path().join(format!("N46E007.{}", HEADER_ENDINGS[ending]));
    write_with_header(&file, contents);
    check_raster(&file, voids, 0);
}

/// Reads the bytes as a raster in a ZIP archive or compressed with gzip.
fn packed_raster(bytes: &[u8]) {
    let Some(([ending, voids, _], contents)) = chosen(bytes, [3, 4, 1]) else { return };
    let folder = scratch();
    let file = folder.path().join(format!("N46E007.{}", PACKED_ENDINGS[ending]));
    std::fs::write(&file, contents).expect("a file");
    check_raster(&file, voids, 0);
}

/// Writes a raster and its header file `.hdr`. The header is the part of `contents` before the first zero byte, and the
/// raster is the rest.
pub fn write_with_header(file: &Path, contents: &[u8]) {
    let end = contents.iter().position(|byte| *byte == 0).unwrap_or(contents.len());
    std::fs::write(file.with_extension("hdr"), &contents[..end]).expect("a file");
    std::fs::write(file, contents.get(end + 1..).unwrap_or_default()).expect("a file");
}

/// A raster file is read as terrain, as a planet and for a new scene, or refused with a reason.
fn check_raster(file: &Path, voids: usize, width: u32) {
    check_origin(file);
    clear_raster_cache();
    let name = file.to_str().expect("text");
    let read = raster_as(name, ReadOptions { raw_width: width, big_endian: width == 7, ..ReadOptions::default() });
    match &read {
        Ok(read) => {
            assert!(read.values.len() == read.width * read.height && read.width.min(read.height) >= 2);
            assert!(read.values.iter().all(|v| (0.0..=1.0).contains(v)), "a value is not between 0 and 1");
            assert!(read.is_void.is_empty() || read.is_void.len() == read.values.len());
            assert!(read.filled().iter().all(|v| (0.0..=1.0).contains(v)), "a filled value is not between 0 and 1");
            assert!(read.cell_metres().is_none_or(|cell| cell.iter().all(|m| m.is_finite())), "{:?}", read.placement);
        }
        Err(error) => assert!(error.to_string().contains("N46E007"), "{error}"),
    }
    // The import does not clamp heights that exceed every allowed relief; the evaluation limits them.
    let node = format!(
        "Import(file: {name:?}, voids: {}, raw_width: {width}, raw_bytes: {})",
        ["Smooth", "Lowest", "Sea", "Void"][voids],
        if width == 7 { "Big" } else { "Little" },
    );
    check_import("", &node, 9, read.is_ok());
    let planet = format!(
        "PlanetImport(file: {name:?}, voids: {}, raw_width: {width}, raw_bytes: {})",
        ["Smooth", "Lowest", "Sea", "Sea"][voids],
        if width == 7 { "Big" } else { "Little" },
    );
    check_import("world: Planet", &planet, 5, read.is_ok());
    match scene_from_file(file) {
        Ok(scene) => check(&scene, "made of a file"),
        Err(error) => assert!(error.to_string().contains("N46E007"), "{error}"),
    }
}

/// The map or the six faces of a planet, read by a layer.
fn planet_import(bytes: &[u8]) {
    let Some(([ending, sampling, layout], contents)) = chosen(bytes, [3, 2, 3]) else { return };
    let folder = scratch();
    let ending = ENDINGS[ending];
    let names = match layout {
        2 => FACE_NAMES.map(|face| format!("p-{face}.{ending}")).to_vec(),
        _ => vec![format!("p.{ending}")],
    };
    for name in &names {
        std::fs::write(folder.path().join(name), contents).expect("a file");
    }
    clear_raster_cache();
    let file = folder.path().join(&names[0]);
    let name = file.to_str().expect("text");
    let (sampling, named) = (["Bicubic", "Bilinear"][sampling], ["Map", "Points", "Faces"][layout]);
    let read = raster(name);
    // The image of a cube face must be square.
    let is_read = read.is_ok_and(|read| layout < 2 || read.width == read.height);
    let node = format!("PlanetImport(file: {name:?}, sampling: {sampling}, layout: {named})");
    check_import("world: Planet", &node, 5, is_read);
}

/// A mesh rasterised in plan view. It is refused with a reason, or its heights are numbers between its lowest and
/// highest points.
fn mesh_from_above(bytes: &[u8]) {
    let Some((&first, contents)) = bytes.split_first() else { return };
    let folder = scratch();
    let file = folder.path().join(format!("m.{}", MESH_ENDINGS[usize::from(first) % MESH_ENDINGS.len()]));
    std::fs::write(&file, contents).expect("a file");
    check_origin(&file);
    let up = [None, Some(UpAxis::Y), Some(UpAxis::Z)][usize::from(first) / MESH_ENDINGS.len() % 3];
    let seen = MeshSurface::read(&file, up).and_then(|mesh| {
        let (low, high) =
            mesh.positions.iter().fold((f32::MAX, f32::MIN), |(low, high), p| (low.min(p[1]), high.max(p[1])));
        Ok((mesh.heights(16, 9, &Control::default())?, low, high))
    });
    match seen {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok((seen, low, high)) => {
            assert_eq!(seen.metres.len(), 16 * 9);
            let mut there = seen.metres.iter().filter(|metres| !metres.is_nan());
            assert!(there.all(|metres| (low..=high).contains(metres)), "a height is outside the range of the mesh");
        }
    }
}

const CONFIG_FILES: [&str; 2] = ["view.ron", "recent.ron"];

/// The files of the configuration folder: accepted values are in range and kept unchanged, refused files are copied
/// aside before they are replaced.
fn preferences(bytes: &[u8]) {
    let folder = scratch();
    let files = CONFIG_FILES.map(|name| folder.path().join(name));
    for file in &files {
        std::fs::write(file, bytes).expect("a file");
    }
    let (mut view, view_problem) = PreferencesFile::load(Some(folder.path()));
    let (mut recent, recent_problem) = Recent::load(Some(folder.path()));
    let kept = view.kept().clone();
    for (index, spec) in kept.globe.about().params.iter().enumerate() {
        if let (ParamKind::Float { hard: (low, high), .. }, Value::Float(value)) = (&spec.kind, kept.globe.get(index)) {
            assert!((*low..=*high).contains(&value), "{}: {value}", spec.name);
        }
    }
    assert!(kept.versions <= MOST_VERSIONS);
    let liked = Preferences { versions: (kept.versions + 1) % MOST_VERSIONS, ..kept };
    view.keep(liked.clone()).expect("the folder is writable");
    recent.note(Path::new("/the last one.ron")).expect("the folder is writable");
    for (file, problem) in files.iter().zip([view_problem, recent_problem]) {
        if let Some(problem) = problem {
            let aside = file.with_extension("ron.unreadable");
            assert!(problem.to_string().contains(&aside.display().to_string()), "{problem}");
            assert_eq!(std::fs::read(aside).expect("a copy"), bytes);
        }
    }
    let (view, problem) = PreferencesFile::load(Some(folder.path()));
    assert!(problem.is_none() && *view.kept() == liked, "{problem:?}: {:?} is not {liked:?}", view.kept());
    let (again, problem) = Recent::load(Some(folder.path()));
    assert!(problem.is_none() && again.paths() == recent.paths() && again.nodes() == recent.nodes(), "{problem:?}");
}

/// The contents of session files to try: the input itself and, if it is a text, a session whose scene is the input.
/// The scene inside a session is a quoted text, and a fuzzer rarely finds one by changing single letters.
fn session_files(bytes: &[u8]) -> Vec<Vec<u8>> {
    let head = "(version:1,process:77,file:None,edited:1700000000,edit:\"Rename\",ended:None,scene:";
    let text = std::str::from_utf8(bytes).ok();
    let around = text.map(|text| format!("{head}Some({text:?}))").into_bytes());
    std::iter::once(bytes.to_vec()).chain(around).collect()
}

fn write_session(state: &Path, bytes: &[u8]) {
    let dead = state.join("sessions/1-1-0");
    std::fs::create_dir_all(&dead).expect("a folder");
    std::fs::write(dead.join("session.ron"), bytes).expect("a file");
}

fn session(bytes: &[u8]) {
    session_files(bytes).iter().for_each(|file| session_file(file));
}

/// The session file of an editor that has ended: it is offered unchanged, or reported as unreadable, and never lost.
fn session_file(bytes: &[u8]) {
    let folder = scratch();
    write_session(folder.path(), bytes);
    let found = abandoned_work(folder.path()).expect("the folder is there");
    let Some(one) = found.first() else {
        // The file was removed, because it says that nothing was unsaved.
        let text = std::str::from_utf8(bytes).expect("a file that is not text is not removed");
        assert!(text.contains("None"), "unsaved work was removed");
        return;
    };
    assert_eq!(std::fs::read(one.path()).expect("the file stays"), bytes);
    match &one.work {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(work) => {
            let other = scratch();
            let session = Session::start(other.path()).expect("a session");
            session.keep(work.file.as_deref(), Some(work)).expect("what was read is kept");
            drop(session);
            let again = abandoned_work(other.path()).expect("the folder is there");
            let again = again.first().and_then(|found| found.work.as_ref().ok()).expect("it is offered again");
            assert!(again.scene == work.scene, "the scene differs");
            assert_eq!((&again.edit, &again.ended, again.edited), (&work.edit, &work.ended, work.edited));
        }
    }
}

/// A scene, as text or as edits, evaluated at 32 samples. Its heights are finite, and a second evaluation gives the
/// same heights.
fn evaluation(bytes: &[u8]) {
    let scene = match std::str::from_utf8(bytes) {
        Ok(text) if text.starts_with('(') => match Scene::from_ron(text) {
            Ok((scene, _)) => scene,
            Err(_) => return,
        },
        _ => edited(&mut Random::from_bytes(bytes), MOST_EDITS, |_, _| {}),
    };
    let scene = shortened(scene);
    let done = evaluate(&scene, 32, None, &mut Store::forgetful(), &Control::default()).expect("not cancelled");
    assert!(is_valid(&done.terrain), "a height is not a number");
    let again = evaluate(&scene, 32, None, &mut Store::forgetful(), &Control::default()).expect("not cancelled");
    assert_eq!(again.terrain.hash(), done.terrain.hash(), "evaluated again it differs");
}

/// The scene with few layers and iterations, to keep the test short.
fn shortened(mut scene: Scene) -> Scene {
    scene.layers.truncate(8);
    for layer in &mut scene.layers {
        let few = |node: &mut Node| {
            let params = node.params_mut();
            if let Some(index) = params.about().find("iterations")
                && let Value::Int(iterations) = params.get(index)
            {
                params.set(index, &Value::Int(iterations.min(MOST_ITERATIONS))).expect("it is in range");
            }
        };
        few(&mut layer.node);
        layer.epochs.truncate(2);
        for epoch in &mut layer.epochs {
            few(&mut epoch.node);
            epoch.iterations = epoch.iterations.min(MOST_ITERATIONS as u32);
        }
    }
    scene
}

/// A scene after any edits is saved and opened again unchanged.
fn edits(bytes: &[u8]) {
    let scene = edited(&mut Random::from_bytes(bytes), MOST_EDITS, |_, _| {});
    check_file(&scene, &scratch().path().join("scene.ron"), "after the edits");
}
