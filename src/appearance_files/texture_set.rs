//! Texture sets: the image files of a ground material from another program or library.
//!
//! A material rule names the files and the size that they cover on the ground:
//! ```
//! # let text = r#"
//! [(material: Rock, textures: (albedo: "rock/albedo.jpg", normal: "rock/normal.png", metres: 2.5))]
//! # "#;
//! # use talweg::appearance_files::{MaterialRules, RuleList};
//! # MaterialRules::from_ron("mine", text).unwrap();
//! ```
//! Talweg recognises the file names of ambientCG, Poly Haven, Megascans and many others: see
//! [`TextureSet::of_files`].

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::io::PICTURE_EXTENSIONS;
use crate::io::system_names::portable_text;

/// Allowed lengths of a texture on the ground, in metres.
pub const TEXTURE_METRES: [f32; 2] = [0.05, 1000.0];

/// Length of a texture on the ground in metres, until the user sets it. The libraries scan about this much ground.
const USUAL_METRES: f32 = 2.0;

crate::choices! {
    /// The property of the ground that an image of a texture set holds.
    TextureMap {
        Albedo "Albedo": "The colour of the ground without light and shadow.",
        Normal "Normal": "The direction that the ground faces.",
        Height "Height": "The relief of the ground: white is high.",
        Roughness "Roughness": "White is matt, black is shiny.",
        Occlusion "Occlusion": "White is open, black is hidden from the sky.",
    }
}

/// The image files of a material. Paths are absolute in memory, like those of all files of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "FileTextureSet", into = "FileTextureSet")]
pub struct TextureSet {
    /// The file of each map, in the order of [`TextureMap::ALL`]; `None` if the set lacks the map. If roughness and
    /// occlusion name the same file, its red channel holds the occlusion, and its green channel the roughness.
    pub files: [Option<String>; TextureMap::ALL.len()],
    /// Whether green in the normal map points down, as in DirectX, instead of up, as in OpenGL.
    pub is_directx: bool,
    /// Length of a side of the images on the ground, in metres.
    pub metres: f32,
}

/// A texture set as files of rules and scenes hold it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTextureSet {
    albedo: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    normal: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    directx_normal: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    height: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    roughness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    occlusion: Option<String>,
    metres: f32,
}

impl TryFrom<FileTextureSet> for TextureSet {
    type Error = String;

    fn try_from(file: FileTextureSet) -> Result<Self, String> {
        let [least, most] = TEXTURE_METRES;
        if !(least..=most).contains(&file.metres) {
            return Err(format!("the textures cover {} m; {least} to {most} m are allowed", file.metres));
        }
        if file.albedo.is_empty() {
            return Err("a texture set needs an albedo image".into());
        }
        let files = [Some(file.albedo), file.normal, file.height, file.roughness, file.occlusion];
        Ok(Self { files, is_directx: file.directx_normal, metres: file.metres })
    }
}

impl From<TextureSet> for FileTextureSet {
    fn from(set: TextureSet) -> Self {
        let [albedo, normal, height, roughness, occlusion] = set.files;
        let albedo = albedo.unwrap_or_default();
        Self { albedo, normal, directx_normal: set.is_directx, height, roughness, occlusion, metres: set.metres }
    }
}

/// A texture set that was recognised by its file names, and the files that do not belong to it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecognisedTextures {
    /// The texture set.
    pub set: TextureSet,
    /// Image files that the set does not use, for example other resolutions.
    pub unused: Vec<PathBuf>,
}

/// The reason why no texture set was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TextureSetError {
    /// The folder cannot be read.
    #[error("cannot read the folder {}: {message}", folder.display())]
    Read {
        /// The folder.
        folder: PathBuf,
        /// Cause of the error, in words.
        message: String,
    },
    /// No file name says that it is an albedo image.
    #[error(
        "no albedo image was found among {count} image files. Talweg looks for Albedo, BaseColor, Color, Diffuse or Diff \
         in the file name, as in `rock_albedo.png`, `Rock035_2K_Color.jpg` or `rock_ground_diff_4k.jpg`"
    )]
    NoAlbedo {
        /// Number of image files.
        count: usize,
    },
    /// The files belong to several materials.
    #[error("the images belong to several materials: {}. Choose the files of one of them", names.join(", "))]
    Several {
        /// Names of the materials.
        names: Vec<String>,
    },
}

impl TextureSet {
    /// Recognises the images of the only material in a folder, as [`of_files`](Self::of_files) does. Files that are not
    /// images are ignored.
    ///
    /// # Errors
    /// When the folder cannot be read, and the errors of `of_files`.
    pub fn of_folder(folder: &Path) -> Result<RecognisedTextures, TextureSetError> {
        Self::of_files(&files_of(folder)?)
    }

    /// The texture set to which an image belongs: the images of the same material in the folder of `image`. If no word
    /// of the file name names a map, the image is the albedo of a set without other maps.
    ///
    /// # Errors
    /// When the folder cannot be read, or has no albedo image of this material.
    pub fn of_image(image: &Path) -> Result<RecognisedTextures, TextureSetError> {
        let Some(name) = NamedTexture::of_path(image) else {
            let mut files: [Option<String>; _] = Default::default();
            files[TextureMap::Albedo as usize] = Some(portable_text(image));
            let set = Self { files, is_directx: false, metres: USUAL_METRES };
            return Ok(RecognisedTextures { set, unused: Vec::new() });
        };
        let mut files = files_of(image.parent().unwrap_or(Path::new("")))?;
        files.retain(|file| NamedTexture::of_path(file).is_some_and(|other| other.material == name.material));
        Self::of_files(&files)
    }

    /// Recognises the images of a material by their names. The names consist of words, such as `Rock035_2K_NormalGL`,
    /// `rock_ground_02_nor_gl_4k`, `tgmpbfkn_2K_Albedo` or `T_tgmpbfkn_2K_ORM`. If a map exists in several versions,
    /// the largest resolution up to 4K is used, and OpenGL normals are preferred to DirectX normals.
    ///
    /// # Errors
    /// When no image is an albedo, or the images belong to several materials.
    pub fn of_files(files: &[PathBuf]) -> Result<RecognisedTextures, TextureSetError> {
        let is_picture = |path: &&PathBuf| {
            let extension = path.extension().unwrap_or_default();
            PICTURE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
        };
        let pictures: Vec<&PathBuf> = files.iter().filter(is_picture).collect();
        let mut named: Vec<(NamedTexture, &PathBuf)> =
            pictures.iter().filter_map(|path| Some((NamedTexture::of_path(path)?, *path))).collect();
        let mut albedos: Vec<&str> = named
            .iter()
            .filter(|(name, _)| name.maps.contains(&TextureMap::Albedo))
            .map(|(name, _)| name.material.as_str())
            .collect();
        albedos.sort_unstable();
        albedos.dedup();
        let material = match albedos[..] {
            [] => return Err(TextureSetError::NoAlbedo { count: pictures.len() }),
            [only] => only.to_owned(),
            _ => return Err(TextureSetError::Several { names: albedos.into_iter().map(String::from).collect() }),
        };
        named.retain(|(name, _)| name.material == material);
        named.sort_by_key(|(name, _)| std::cmp::Reverse(name.rank));
        let best = |map: TextureMap| named.iter().find(|(name, _)| name.maps.contains(&map));
        let files = std::array::from_fn(|k| best(TextureMap::ALL[k]).map(|(_, path)| portable_text(path)));
        let is_directx = best(TextureMap::Normal).is_some_and(|(name, _)| name.is_directx);
        let files: [Option<String>; _] = files;
        let is_used = |path: &&PathBuf| files.iter().flatten().any(|used| *used == portable_text(path));
        let unused = pictures.iter().copied().filter(|path| !is_used(path)).cloned().collect();
        Ok(RecognisedTextures { set: Self { files, is_directx, metres: USUAL_METRES }, unused })
    }

    /// The file of a map.
    pub fn file(&self, map: TextureMap) -> Option<&str> {
        self.files[map as usize].as_deref()
    }

    /// The name of the set for users: the name of its folder, or of the albedo image if the folder has no name.
    pub fn label(&self) -> String {
        let albedo = Path::new(self.file(TextureMap::Albedo).unwrap_or_default());
        let folder = albedo.parent().and_then(Path::file_name).or_else(|| albedo.file_stem());
        folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Whether one image holds occlusion and roughness, in red and green.
    pub fn is_packed(&self) -> bool {
        let [occlusion, roughness] = [TextureMap::Occlusion, TextureMap::Roughness].map(|map| self.file(map));
        occlusion.is_some() && occlusion == roughness
    }
}

/// The paths in a folder, in the order of their names.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, TextureSetError> {
    let failed = |error: std::io::Error| TextureSetError::Read { folder: folder.into(), message: error.to_string() };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        files.push(entry.map_err(failed)?.path());
    }
    files.sort();
    Ok(files)
}

/// The meaning of the file name of an image.
struct NamedTexture {
    maps: Vec<TextureMap>,
    is_directx: bool,
    /// The words of the name that tell the material, without those for the map and the resolution.
    material: String,
    /// Images of higher rank are preferred.
    rank: i32,
}

impl NamedTexture {
    /// The meaning of a file name; `None` if no word names a map.
    fn of_path(path: &Path) -> Option<Self> {
        let words = words(&path.file_stem()?.to_string_lossy());
        let (mut maps, mut is_directx, mut rank) = (Vec::new(), false, 0);
        let mut material = Vec::new();
        let is_unreal = words.first().is_some_and(|word| word == "t");
        for (k, word) in words.iter().enumerate() {
            let is_short_map = is_unreal && k > 0 && k + 1 == words.len();
            let found: &[TextureMap] = match word.as_str() {
                "albedo" | "basecolor" | "basecolour" | "color" | "colour" | "col" | "diffuse" | "diff" => {
                    &[TextureMap::Albedo]
                }
                "normal" | "normals" | "nor" | "nrm" => &[TextureMap::Normal],
                "height" | "displacement" | "disp" | "bump" => &[TextureMap::Height],
                "roughness" | "rough" => &[TextureMap::Roughness],
                "ao" | "occlusion" | "ambientocclusion" => &[TextureMap::Occlusion],
                "arm" | "orm" => &[TextureMap::Occlusion, TextureMap::Roughness],
                "b" | "d" if is_short_map => &[TextureMap::Albedo],
                "n" if is_short_map => &[TextureMap::Normal],
                "h" if is_short_map => &[TextureMap::Height],
                "r" if is_short_map => &[TextureMap::Roughness],
                _ => &[],
            };
            // a bump map is a height map of less depth, and a packed image is worth less than images of their own
            rank -= i32::from(word == "bump") + i32::from(found.len() > 1);
            match word.as_str() {
                _ if !found.is_empty() && maps.is_empty() => maps.extend(found),
                "gl" | "opengl" if maps.contains(&TextureMap::Normal) => rank += 1,
                "dx" | "directx" if maps.contains(&TextureMap::Normal) => is_directx = true,
                "png" | "jpg" | "exr" | "base" | "ambient" => {}
                _ => match resolution(word) {
                    Some(thousands) => rank += if thousands <= 4 { 10 * thousands } else { -thousands },
                    None => material.push(word.as_str()),
                },
            }
        }
        (!maps.is_empty()).then(|| Self { maps, is_directx, material: material.join("_"), rank })
    }
}

/// The resolution that a word such as `4k` states, in thousands of pixels.
fn resolution(word: &str) -> Option<i32> {
    word.strip_suffix('k')?.parse().ok().filter(|thousands| (1..=64).contains(thousands))
}

/// The words of a name, in small letters: parts between signs, and parts such as `Normal` and `GL` of `NormalGL`.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
        let joined = part.to_lowercase();
        let suffix = ["gl", "dx"].into_iter().find_map(|end| Some((joined.strip_suffix(end)?, end)));
        match suffix {
            Some((word @ ("normal" | "nor" | "nrm"), end)) => words.extend([word.to_owned(), end.to_owned()]),
            _ => words.push(joined),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognised(names: &[&str]) -> Result<RecognisedTextures, TextureSetError> {
        TextureSet::of_files(&names.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    fn maps(names: &[&str]) -> [Option<String>; 5] {
        recognised(names).unwrap().set.files
    }

    #[test]
    fn names_of_the_libraries_are_recognised() {
        let ambient_cg = [
            "Rock035.png",
            "Rock035_2K-JPG_AmbientOcclusion.jpg",
            "Rock035_2K-JPG_Color.jpg",
            "Rock035_2K-JPG_Displacement.jpg",
            "Rock035_2K-JPG_NormalDX.jpg",
            "Rock035_2K-JPG_NormalGL.jpg",
            "Rock035_2K-JPG_Roughness.jpg",
            "Rock035_2K-JPG.usdc",
        ];
        let found = recognised(&ambient_cg).unwrap();
        let expected = ["Color", "NormalGL", "Displacement", "Roughness", "AmbientOcclusion"];
        assert_eq!(found.set.files, expected.map(|map| Some(format!("Rock035_2K-JPG_{map}.jpg"))));
        assert!(!found.set.is_directx);
        assert_eq!(found.unused, ["Rock035.png", "Rock035_2K-JPG_NormalDX.jpg"].map(PathBuf::from));

        let poly_haven = ["diff_4k.jpg", "nor_gl_4k.exr", "disp_4k.png", "rough_4k.exr", "ao_4k.jpg"];
        let poly_haven = poly_haven.map(|end| format!("rock_ground_02_{end}"));
        let names: Vec<&str> = poly_haven.iter().map(String::as_str).collect();
        assert_eq!(maps(&names), poly_haven.clone().map(Some));
        let packed = maps(&["aerial_rocks_02_diff_2k.jpg", "aerial_rocks_02_arm_2k.jpg"]);
        assert_eq!(packed[3], packed[4]);
        assert_eq!(packed[3].as_deref(), Some("aerial_rocks_02_arm_2k.jpg"));

        let megascans = ["Albedo.jpg", "Normal.jpg", "Displacement.exr", "Roughness.jpg", "AO.jpg"];
        let megascans = megascans.map(|end| format!("tgmpbfkn_2K_{end}"));
        let mut names: Vec<&str> = megascans.iter().map(String::as_str).collect();
        names.extend(["tgmpbfkn_2K_Bump.jpg", "tgmpbfkn_2K_Cavity.jpg"]);
        assert_eq!(maps(&names), megascans.clone().map(Some));
        let fab = maps(&["T_tgmpbfkn_2K_B.png", "T_tgmpbfkn_2K_N.png", "T_tgmpbfkn_2K_ORM.png"]);
        let [b, n, orm] = ["B", "N", "ORM"].map(|end| Some(format!("T_tgmpbfkn_2K_{end}.png")));
        assert_eq!(fab, [b, n, None, orm.clone(), orm]);
    }

    #[test]
    fn the_best_version_of_a_map_is_used() {
        let names = ["moss_albedo_1k.png", "moss_albedo_4k.png", "moss_albedo_8k.png", "moss_normal_dx_4k.png"];
        let found = recognised(&names).unwrap();
        assert_eq!(found.set.file(TextureMap::Albedo), Some("moss_albedo_4k.png"));
        assert!(found.set.is_directx, "only DirectX normals are there");
    }

    #[test]
    fn folders_without_one_material_are_refused() {
        let error = recognised(&["moss_normal.png", "moss_preview.png"]).unwrap_err();
        assert_eq!(error, TextureSetError::NoAlbedo { count: 2 });
        let error = recognised(&["moss_albedo.png", "rock_albedo.png"]).unwrap_err();
        assert!(error.to_string().contains("several materials: moss, rock"), "{error}");
        assert!(TextureSet::of_folder(Path::new("/no/such/folder")).unwrap_err().to_string().contains("cannot read"));
    }

    #[test]
    fn an_image_leads_to_the_other_maps_of_its_material() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["moss_albedo.png", "moss_normal.png", "rock_albedo.png", "photo.jpg", "moss.txt"] {
            std::fs::write(path(name), "").unwrap();
        }
        let names = |image: &str| {
            let files = TextureSet::of_image(&path(image)).unwrap().set.files;
            let name = |file: String| Path::new(&file).file_name().unwrap().to_string_lossy().into_owned();
            files.map(|file| file.map(name))
        };
        let [albedo, normal] = ["moss_albedo.png", "moss_normal.png"].map(|name| Some(name.to_owned()));
        assert_eq!(names("moss_normal.png"), [albedo, normal, None, None, None]);
        assert_eq!(names("photo.jpg"), [Some("photo.jpg".into()), None, None, None, None]);
        assert!(matches!(TextureSet::of_folder(folder.path()), Err(TextureSetError::Several { .. })));
    }

    #[test]
    fn faulty_sets_are_refused_with_a_reason() {
        let error = |text: &str| ron::from_str::<TextureSet>(text).unwrap_err().to_string();
        assert!(error("(albedo: \"a.png\", metres: 0)").contains("0.05 to 1000 m"));
        assert!(error("(albedo: \"\", metres: 1)").contains("needs an albedo"));
        assert!(error("(albedo: \"a.png\", metres: 1, gloss: \"b.png\")").contains("gloss"));
        let set: TextureSet = ron::from_str("(albedo: \"a/b.png\", metres: 2)").unwrap();
        assert_eq!(set.label(), "a");
        assert_eq!(ron::from_str::<TextureSet>(&ron::to_string(&set).unwrap()).as_ref(), Ok(&set));
    }
}
