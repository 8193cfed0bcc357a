//! The textures of the ground materials as files for other programs: a table of the rules, and the images of each
//! material beside it. Splat maps and weights say where each material lies.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::ExportError;
use super::names::plain;
use crate::appearance::encode;
use crate::appearance::materials::texture_files::{BUILT_IN_METRES, file_stem, material_images};
use crate::appearance::materials::textures::look_of;
use crate::appearance_files::{Material, MaterialRule, TextureMap, TextureSet};
use crate::field::Control;
use crate::io::{SaveTarget, StagedFile, StagedSet};
use crate::scene::Scene;

/// Extension of the table.
pub(super) const EXTENSION: &str = "textures.json";
/// Pixels per side of the images of built-in materials.
const SIDE: usize = 1024;

/// Whether a file name has the extension of the table.
pub(super) fn is_table(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(EXTENSION).is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
}

/// The images of a material: those of a texture set, or those of a built-in material.
#[derive(PartialEq)]
enum MaterialImages<'a> {
    Set(&'a TextureSet),
    BuiltIn(Material),
}

impl<'a> MaterialImages<'a> {
    fn of_rule(rule: &'a MaterialRule) -> Self {
        rule.textures.as_ref().map_or(Self::BuiltIn(rule.material), Self::Set)
    }

    fn metres(&self) -> f32 {
        match self {
            Self::Set(set) => set.metres,
            Self::BuiltIn(_) => BUILT_IN_METRES,
        }
    }

    /// The name of the material in file names.
    fn stem(&self) -> String {
        match self {
            Self::Set(set) => plain(&set.label()),
            Self::BuiltIn(material) => file_stem(*material),
        }
    }

    fn is_directx(&self) -> bool {
        matches!(self, Self::Set(set) if set.is_directx)
    }
}

/// Writes the table of the rules to `table`, and the images of all their materials beside it. `target` checks each
/// file. Returns the paths.
pub(super) fn stage(
    scene: &Scene,
    table: &Path,
    target: &dyn Fn(&Path) -> SaveTarget,
    control: &Control,
    set: &mut StagedSet,
) -> Result<Vec<PathBuf>, ExportError> {
    let rules = scene.material_rules();
    let mut materials: Vec<MaterialImages> = Vec::new();
    for rule in &rules.0 {
        let images = MaterialImages::of_rule(rule);
        if !materials.contains(&images) {
            materials.push(images);
        }
    }
    let file = target(table).path().to_path_buf();
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.get(..name.len() - EXTENSION.len() - 1).unwrap_or_default().to_owned();
    let mut written: Vec<PathBuf> = Vec::new();
    let mut described: Vec<Value> = Vec::new();
    for (at, images) in materials.iter().enumerate() {
        control.check()?;
        // two sets can lie in folders of the same name
        let same = materials[..at].iter().filter(|other| other.stem() == images.stem()).count();
        let number = if same == 0 { String::new() } else { format!("-{}", same + 1) };
        let name_of = |map: TextureMap, extension: &str| {
            let map = map.label().to_lowercase();
            table.with_file_name(format!("{stem}-{}{number}_{map}.{extension}", images.stem()))
        };
        let mut files = serde_json::Map::new();
        match images {
            MaterialImages::BuiltIn(material) => {
                for (map, image) in material_images(*material, SIDE) {
                    let path = name_of(map, "png");
                    set.push(image.stage_while(target(&path), control)?);
                    note(&mut files, &mut written, map, &target(&path));
                }
            }
            MaterialImages::Set(textures) => {
                for map in TextureMap::ALL.iter().copied() {
                    let Some(source) = textures.file(map).map(Path::new) else { continue };
                    let extension = source.extension().unwrap_or_default().to_string_lossy().to_lowercase();
                    let path = name_of(map, &extension);
                    set.push(copied(source, target(&path), control)?);
                    note(&mut files, &mut written, map, &target(&path));
                }
            }
        }
        described.push(json!({
            "files": files,
            "metres": images.metres(),
            "normal": if images.is_directx() { "DirectX" } else { "OpenGL" },
            "occlusion_and_roughness_in_red_and_green":
                matches!(images, MaterialImages::Set(textures) if textures.is_packed()),
        }));
    }
    let rule = |rule: &MaterialRule| {
        let images = MaterialImages::of_rule(rule);
        json!({
            "name": rule.name,
            "material": rule.material.label(),
            "colour": encode(look_of(rule.material).colour),
            "own_colour": rule.tint,
            "textures": materials.iter().position(|other| *other == images),
        })
    };
    let rules: Vec<Value> = rules.0.iter().map(rule).collect();
    let text = serde_json::to_string_pretty(&json!({ "rules": rules, "textures": described }))
        .map_err(|error| ExportError::Request(error.to_string()))?;
    set.push(StagedFile::new_while(target(table), control, |out| std::io::Write::write_all(out, text.as_bytes()))?);
    written.insert(0, file);
    Ok(written)
}

/// Notes a written image in the table and in the report.
fn note(files: &mut serde_json::Map<String, Value>, written: &mut Vec<PathBuf>, map: TextureMap, target: &SaveTarget) {
    let name = target.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    files.insert(map.label().to_lowercase(), name.into());
    written.push(target.path().to_path_buf());
}

/// A copy of an image file.
fn copied(source: &Path, to: SaveTarget, control: &Control) -> Result<StagedFile, ExportError> {
    let failed = |error: std::io::Error| {
        ExportError::Request(format!("the texture {} cannot be copied: {error}", source.display()))
    };
    let mut file = std::fs::File::open(source).map_err(failed)?;
    Ok(StagedFile::new_while(to, control, |out| std::io::copy(&mut file, out).map(drop))?)
}
