//! `talweg textures`: the images of ground materials.

use std::path::PathBuf;

use clap::Args;

use super::output::ForceArgs;
use super::{CommandResult, Failure, print};
use talweg::appearance::materials::texture_files::write_material_textures;
use talweg::appearance_files::{Material, MaterialRule, MaterialRules, RecognisedTextures, RuleList, TextureSet};

/// Recognise the textures of a material in a folder, or write those of the built-in materials
#[derive(Args)]
#[command(after_help = "\
The first form prints a material rule that uses the images of FOLDER. It can be put into the materials of a scene, or into
a list of rules; the file names of ambientCG, Poly Haven, Megascans and others are recognised. The second form writes the
built-in materials as PNG files: albedo, normal (OpenGL), height, roughness and occlusion.

Examples:
  talweg textures Rock035_2K-JPG
  talweg textures --write built-in --material rock --side 1024")]
pub struct TexturesArgs {
    /// Folder with the images of one material
    #[arg(required_unless_present = "write")]
    folder: Option<PathBuf>,
    /// Write the built-in materials into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "folder")]
    write: Option<PathBuf>,
    /// Built-in material to write, such as `rock`; without it, all
    #[arg(long, requires = "write", value_parser = material)]
    material: Option<Material>,
    /// Pixels per side of the written images, a power of two
    #[arg(long, requires = "write", default_value_t = 1024, value_parser = side)]
    side: usize,
    #[command(flatten)]
    force: ForceArgs,
}

/// Largest side of the written images. Larger images would repeat the same shapes in more pixels.
const MOST_SIDE: usize = 4096;

fn side(text: &str) -> Result<usize, String> {
    let side = text.parse::<usize>().ok().filter(|side| side.is_power_of_two() && (16..=MOST_SIDE).contains(side));
    side.ok_or_else(|| format!("a power of two from 16 to {MOST_SIDE} is needed"))
}

fn material(text: &str) -> Result<Material, String> {
    let found = Material::ALL.iter().find(|material| material.label().eq_ignore_ascii_case(text));
    let labels = || Material::ALL.iter().map(|material| material.label().to_lowercase()).collect::<Vec<_>>();
    found.copied().ok_or_else(|| format!("the materials are {}", labels().join(", ")))
}

pub fn run(args: &TexturesArgs) -> CommandResult {
    if let Some(folder) = &args.write {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::Failed(anyhow::anyhow!("cannot make the folder {}: {error}", folder.display()))
        })?;
        for material in args.material.map_or_else(|| Material::ALL.to_vec(), |material| vec![material]) {
            let set = write_material_textures(material, args.side, folder, |path| args.force.target(path))?;
            print(&set.files.iter().flatten().map(|file| format!("{file}\n")).collect::<String>())?;
        }
        return Ok(());
    }
    let Some(folder) = &args.folder else { return Ok(()) };
    let RecognisedTextures { set, unused } = TextureSet::of_folder(folder)?;
    let rule = MaterialRule::with_textures(set);
    print(&MaterialRules(vec![rule]).to_ron())?;
    for path in unused {
        super::print_message(&format!("not used: {}", path.display()));
    }
    Ok(())
}
