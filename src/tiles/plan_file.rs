//! The files of a plan in its folder: the plan as text with its hash, and the scene.

use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::{TileError, TilePlan, tile_plan_with_masks};
use crate::io::{FileError, ron_layout, ron_reason, sweep_folder, write_atomically};
use crate::scene::Scene;

/// Current version of the text format, and of the tiles that belong to it.
pub const PLAN_VERSION: u32 = 2;
/// File name of the plan in its folder.
pub const PLAN_FILE: &str = "plan.ron";
/// File name of the scene in the folder of a plan.
pub const SCENE_FILE: &str = "scene.ron";

/// The text of a plan.
#[derive(Serialize, Deserialize)]
struct PlanText {
    /// Version of the text format.
    version: u32,
    /// Version of the program that made the plan.
    talweg: String,
    /// Hash of the plan, which shows whether the plan was edited or damaged.
    hash: String,
    /// Hash of the file of the scene.
    scene_hash: String,
    plan: TilePlan,
}

/// The beginning of the text of a plan of any version.
#[derive(Deserialize)]
struct PlanStart {
    version: u32,
    talweg: String,
}

fn hash_text(hash: u128) -> String {
    format!("{hash:032x}")
}

/// Writes a plan and its scene into a new folder. The plan is written last: a folder without a plan is not a build.
///
/// # Errors
/// If the folder already contains anything but a scene, or cannot be written.
pub fn write_plan(folder: &Path, plan: &TilePlan, scene: &Scene) -> Result<(), TileError> {
    let failed = |source| TileError::Folder { path: folder.into(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    sweep_folder(folder);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        // A run that was killed before it wrote the plan leaves its scene in the folder.
        if entry.map_err(failed)?.file_name() != SCENE_FILE {
            return Err(FileError::NotEmpty { path: folder.into() }.into());
        }
    }
    scene.save(folder.join(SCENE_FILE))?;
    let text = PlanText {
        version: PLAN_VERSION,
        talweg: env!("CARGO_PKG_VERSION").into(),
        hash: hash_text(plan.key()),
        scene_hash: scene_hash(folder)?,
        plan: plan.clone(),
    };
    let text =
        ron::ser::to_string_pretty(&text, ron_layout(5)).map_err(|error| TileError::Text(error.to_string()))? + "\n";
    Ok(write_atomically(folder.join(PLAN_FILE), |file| std::io::Write::write_all(file, text.as_bytes()))?)
}

fn scene_hash(folder: &Path) -> Result<String, TileError> {
    let path = folder.join(SCENE_FILE);
    let bytes = std::fs::read(&path).map_err(|source| TileError::Read { path, source })?;
    Ok(hash_text(xxh3_128(&bytes)))
}

/// Reads the plan and the scene in a folder, and checks that both are as they were written and fit together: the plan
/// must be the one that this program makes for the scene.
///
/// # Errors
/// If a file is missing or was changed, or the plan was made by another version.
pub fn read_plan(folder: &Path) -> Result<(TilePlan, Scene), TileError> {
    let (plan_path, scene_path) = (folder.join(PLAN_FILE), folder.join(SCENE_FILE));
    let text = read_text(&plan_path)?;
    if scene_hash(folder)? != text.scene_hash {
        return Err(TileError::OtherScene { path: scene_path });
    }
    let (scene, _) = Scene::load(&scene_path)?;
    let plan = text.plan;
    let edited = |difference: String| TileError::EditedPlan { path: plan_path.clone(), difference };
    let masks: Vec<usize> = plan.masks.iter().map(|mask| mask.layer).collect();
    let made = tile_plan_with_masks(&scene, plan.samples, plan.tile, &masks);
    let made = made.map_err(|error| edited(format!("it cannot be a plan of its scene ({error})")))?;
    if made.scene_key != plan.scene_key {
        return Err(TileError::OtherScene { path: scene_path });
    }
    match difference(&plan, &made) {
        Some(difference) => Err(edited(difference)),
        None => Ok((plan, scene)),
    }
}

fn read_text(path: &Path) -> Result<PlanText, TileError> {
    let text = std::fs::read_to_string(path).map_err(|source| TileError::Read { path: path.into(), source })?;
    let not_a_plan =
        |error: ron::error::SpannedError| TileError::NotAPlan { path: path.into(), error: ron_reason(&error.code) };
    let PlanStart { version, talweg } = ron::from_str(&text).map_err(not_a_plan)?;
    if version != PLAN_VERSION || talweg != env!("CARGO_PKG_VERSION") {
        return Err(TileError::OtherProgram { path: path.into(), talweg, version });
    }
    let read: PlanText = ron::from_str(&text).map_err(not_a_plan)?;
    match read.hash == hash_text(read.plan.key()) {
        true => Ok(read),
        false => {
            Err(TileError::EditedPlan { path: path.into(), difference: "its hash does not match its text".into() })
        }
    }
}

/// The first difference between a plan that was read and the plan that the scene needs.
fn difference(read: &TilePlan, made: &TilePlan) -> Option<String> {
    if read.stages.len() != made.stages.len() {
        return Some(format!("it has {} stages, and its scene needs {}", read.stages.len(), made.stages.len()));
    }
    let stage = read.stages.iter().zip(&made.stages).position(|(read, made)| read != made);
    match stage {
        Some(stage) => Some(format!("its stage {stage} is not the one that its scene needs")),
        None => (read != made).then(|| "its result or its masks are not those that its scene needs".into()),
    }
}
