//! The interrupted writers: operations of the program, each writing a number into its output, and deliberately wrong
//! writers.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use talweg::construction::geometry::plane::Area;
use talweg::export::image_piece::{CutOut, CutOutError};
use talweg::export::maps::ExportMap;
use talweg::export::{ExportFolder, ExportRequest, export};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::io::SaveTarget;
use talweg::nodes::Node;
use talweg::planet::square::Square;
use talweg::recovery::{Session, UnsavedWork, abandoned_work};
use talweg::scene::{Layer, Scene, put_patch_back};

use crate::table::Finding;

/// A writer of successive states to the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A scene file.
    Save,
    /// A heightmap.
    Export,
    /// The unsaved edits of a session.
    Journal,
    /// A scene and the heights that it reads.
    Patch,
    /// A scene of one piece, and its two pictures.
    CutOut,
    /// Control: truncates the file and writes it again.
    Truncating,
    /// Control: writes a temporary file and copies it over the old one.
    CopyingOver,
    /// Control: removes the old file before the new one takes its place.
    Removing,
    /// Control: does not sync before and after the rename.
    Unsynced,
    /// Control: ignores errors.
    Silent,
    /// Control: reports success before it has finished.
    Hasty,
    /// Control: reports after the rename that nothing was replaced.
    Untruthful,
    /// Control: leaves its temporary file when it fails.
    Littering,
}

/// The deliberately wrong writers, each with the finding that the campaign must report for it.
pub const CONTROLS: [(Operation, Finding); 8] = [
    (Operation::Truncating, Finding::Torn),
    (Operation::CopyingOver, Finding::Torn),
    (Operation::Removing, Finding::Lost),
    (Operation::Unsynced, Finding::Lost),
    (Operation::Silent, Finding::Torn),
    (Operation::Hasty, Finding::Lost),
    (Operation::Untruthful, Finding::WrongSentence),
    (Operation::Littering, Finding::LeftOver),
];

/// The state found after an interruption.
#[derive(Debug, PartialEq)]
pub enum Found {
    Nothing,
    /// The complete state with this number.
    State(u64),
    Torn(String),
}

type Written = Result<(), Box<dyn Error>>;

/// A scene named by its number. Every other one is large, so that a mixture of two is detected.
fn scene(number: u64) -> Scene {
    let layer = |seed| Layer::new(Node::catalogue().remove(0), seed);
    let layers = if number.is_multiple_of(2) { 900 } else { 1 };
    Scene { name: number.to_string(), layers: (0..layers).map(layer).collect(), ..Scene::default() }
}

/// Level ground with its number as the height.
fn terrain(number: u64) -> Terrain {
    let samples = if number.is_multiple_of(2) { 129 } else { 17 };
    Terrain::from_fn(samples, Edges::Open, |_, _| number as f32)
}

/// The number that all heights of a raw file share.
fn height_of(bytes: &[u8]) -> Result<u64, String> {
    let (heights, rest) = bytes.as_chunks::<4>();
    let first = heights.first().map_or(0.0, |four| f32::from_le_bytes(*four));
    let number = first as u64;
    let wanted = terrain(number).height;
    let is_whole = rest.is_empty()
        && heights.len() == wanted.len()
        && heights.iter().all(|four| f32::from_le_bytes(*four) == first);
    if is_whole { Ok(number) } else { Err(format!("{} bytes that begin with {first}", bytes.len())) }
}

const SCENE_FILE: &str = "scene.ron";
const HEIGHTS_FILE: &str = "h.r32";
const STATE_FOLDER: &str = "state";

/// The data of a writer that last from one state to the next.
pub struct Writer {
    operation: Operation,
    folder: PathBuf,
    session: Option<Session>,
}

impl Operation {
    pub const ALL: [Self; 13] = [
        Self::Save,
        Self::Export,
        Self::Journal,
        Self::Patch,
        Self::CutOut,
        Self::Truncating,
        Self::CopyingOver,
        Self::Removing,
        Self::Unsynced,
        Self::Silent,
        Self::Hasty,
        Self::Untruthful,
        Self::Littering,
    ];

    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Whether this writer reports a state before the state is written.
    pub fn is_hasty(self) -> bool {
        self == Self::Hasty
    }

    /// The state found in the writer's folder. Unsaved work is removed when it is found.
    pub fn found(self, folder: &Path) -> Found {
        match self {
            Self::Export => match fs::read(folder.join(HEIGHTS_FILE)) {
                Err(_) => Found::Nothing,
                Ok(bytes) => height_of(&bytes).map_or_else(Found::Torn, Found::State),
            },
            Self::Journal => found_work(&folder.join(STATE_FOLDER)),
            Self::Patch => found_patch(&folder.join(SCENE_FILE)),
            Self::CutOut => found_cut_out(&folder.join(SCENE_FILE)),
            _ => match fs::read_to_string(folder.join(SCENE_FILE)) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Found::Nothing,
                Err(error) => Found::Torn(error.to_string()),
                Ok(text) => scene_number(&text).map_or_else(Found::Torn, Found::State),
            },
        }
    }
}

/// The number of a scene, if its text is that scene's to the last byte.
fn scene_number(text: &str) -> Result<u64, String> {
    let torn = || format!("{} bytes of a scene", text.len());
    let name = text.split('"').nth(1).ok_or_else(torn)?;
    let number: u64 = name.parse().map_err(|_| torn())?;
    let is_whole = scene(number).to_ron().is_ok_and(|whole| whole == text);
    if is_whole { Ok(number) } else { Err(torn()) }
}

fn found_work(state: &Path) -> Found {
    let found = match abandoned_work(state) {
        Ok(found) => found,
        // no session has started, and there is no space for the lock
        Err(_) if fs::read_dir(state.join("sessions")).is_ok_and(|mut entries| entries.next().is_none()) => {
            return Found::Nothing;
        }
        Err(error) => return Found::Torn(error.to_string()),
    };
    let mut seen = Found::Nothing;
    for one in found {
        seen = match &one.work {
            Err(error) => Found::Torn(error.to_string()),
            Ok(work) => match work.scene.name.parse() {
                Ok(number) if work.scene == scene(number) => Found::State(number),
                _ => Found::Torn(format!("a scene called {}", work.scene.name)),
            },
        };
        one.discard();
    }
    seen
}

fn found_patch(file: &Path) -> Found {
    if !file.exists() {
        return Found::Nothing;
    }
    let whole = || -> Result<u64, String> {
        let (scene, warnings) = Scene::load(file).map_err(|error| error.to_string())?;
        let heights = match scene.layers.last().map(|layer| &layer.node) {
            Some(Node::Patch(node)) => PathBuf::from(&node.file.0),
            _ => return Err("the scene has no patch".into()),
        };
        let bytes = fs::read(&heights).map_err(|error| format!("{}: {error}", heights.display()))?;
        let number = height_of(&bytes)?;
        let is_own = warnings.is_empty() && scene.name == number.to_string();
        if is_own { Ok(number) } else { Err(format!("scene {} reads the heights of {number}", scene.name)) }
    };
    whole().map_or_else(Found::Torn, Found::State)
}

/// A cut-out of a whole terrain, and its scene: a hole, and a summit whose position depends on the number.
fn cut_out(number: u64) -> Result<(CutOut, Scene), CutOutError> {
    let mut ground = terrain(number);
    let summit = number as usize % (ground.height.len() - 1);
    ground.height[summit] += 1.0;
    ground.map_mut(MapKind::Ground)[summit + 1] = 0.0;
    let of = Scene { name: number.to_string(), ..Scene::default() };
    let side = f64::from(of.settings.size_metres);
    Ok((CutOut::new(&of, &ground, &Area { low: [0.0; 2], high: [side; 2] })?, of))
}

const BORDER: f32 = 0.2;

fn found_cut_out(file: &Path) -> Found {
    if !file.exists() {
        return Found::Nothing;
    }
    let whole = || -> Result<u64, Box<dyn Error>> {
        let (scene, warnings) = Scene::load(file)?;
        let number = scene.name.rsplit(' ').next().unwrap_or_default().parse()?;
        let (cut, of) = cut_out(number)?;
        let folder = tempfile::tempdir()?;
        let again = folder.path().join(SCENE_FILE);
        cut.save(&of, BORDER, &SaveTarget::new(&again))?;
        let pictures = |scene: &Scene| scene.files().iter().map(fs::read).collect::<Result<Vec<_>, _>>();
        let (own, wanted) = (pictures(&scene)?, pictures(&Scene::load(&again)?.0)?);
        let is_own = warnings.is_empty() && own.len() == 2 && own == wanted;
        if is_own { Ok(number) } else { Err(format!("scene {} has other pictures", scene.name).into()) }
    };
    whole().map_or_else(|error| Found::Torn(error.to_string()), Found::State)
}

impl Writer {
    pub fn new(operation: Operation, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let session = match operation {
            Operation::Journal => Some(Session::start(&folder.join(STATE_FOLDER))?),
            _ => None,
        };
        Ok(Self { operation, folder: folder.into(), session })
    }

    /// Writes the state with this number; on return the state is kept.
    pub fn write(&self, number: u64) -> Written {
        let file = self.folder.join(SCENE_FILE);
        let text = || scene(number).to_ron();
        match self.operation {
            Operation::Save | Operation::Hasty => {
                scene(number).save(&file)?;
            }
            Operation::Export => {
                let request = ExportRequest::for_files(&[HEIGHTS_FILE.into()], &ExportMap::Heights, &[], None)?;
                let mut scene = Scene::default();
                scene.settings.relief_metres = 1.0;
                let place = ExportFolder { folder: self.folder.clone(), force: false, ..ExportFolder::default() };
                export(&request, &scene, &terrain(number), &place, &Control::default(), &|_| ())?;
            }
            Operation::Journal => {
                let work = UnsavedWork {
                    scene: scene(number),
                    file: Some(file),
                    edited: std::time::UNIX_EPOCH,
                    edit: "Rename".into(),
                    ended: None,
                };
                self.session.as_ref().ok_or("no session")?.keep(work.file.as_deref(), Some(&work))?;
            }
            Operation::Patch => {
                let planet = Scene { name: number.to_string(), ..Scene::new_planet() };
                let mut patch = Scene::default();
                patch.settings.relief_metres = 1.0;
                let square = Square { longitude: 1.0, latitude: 2.0, side_metres: 1.0e5 };
                let heights = file.with_extension("r32");
                put_patch_back(&planet, square, &patch, &terrain(number), &heights)?.save(&file)?;
            }
            Operation::CutOut => {
                let (cut, of) = cut_out(number)?;
                cut.save(&of, BORDER, &SaveTarget::new(&file))?;
            }
            Operation::Truncating => write_pieces(&file, &text()?)?,
            Operation::CopyingOver => {
                let beside = file.with_extension("new");
                write_pieces(&beside, &text()?)?;
                fs::copy(&beside, &file)?;
                fs::remove_file(&beside)?;
            }
            Operation::Removing => {
                let beside = file.with_extension("new");
                write_pieces(&beside, &text()?)?;
                let _ = fs::remove_file(&file);
                fs::rename(&beside, &file)?;
                File::open(&self.folder)?.sync_all()?;
            }
            Operation::Unsynced => {
                let beside = file.with_extension("new");
                fs::write(&beside, text()?)?;
                fs::rename(&beside, &file)?;
            }
            Operation::Silent => {
                let beside = file.with_extension("new");
                let _ = write_pieces(&beside, &text()?);
                let _ = fs::rename(&beside, &file);
            }
            Operation::Untruthful => scene(number).save(&file).map(drop).map_err(|error| {
                format!("cannot write {}: {error}. A file that was there before is untouched", file.display())
                    .replace("is replaced by the new file", "failed")
            })?,
            Operation::Littering => {
                let beside = self.folder.join(format!(".talweg-{}-{number}.tmp", std::process::id()));
                let failed = |error| format!("cannot write {}: {error}. It is untouched", file.display());
                write_pieces(&beside, &text()?).map_err(failed)?;
                fs::rename(&beside, &file).map_err(failed)?;
                File::open(&self.folder)?.sync_all()?;
            }
        }
        Ok(())
    }
}

/// Writes a file in place and in parts, as most programs do.
fn write_pieces(file: &Path, text: &str) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    text.as_bytes().chunks(4096).try_for_each(|piece| out.write_all(piece))?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()
}

/// Temporary files of the program and of the controls.
pub fn left_over(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("the folder").flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| is_temporary_name(name)).collect()
}

/// Whether this is a name that [`left_over`] finds.
pub fn is_temporary_name(name: &str) -> bool {
    name.starts_with(".talweg-")
}
