//! Writes the textures of the built-in materials as image files, for other programs and as patterns for texture sets of
//! one's own.

use std::path::Path;

use super::textures::{MaterialTexture, look_of};
use crate::appearance::colours::srgb::encode;
use crate::appearance::pictures::image::RgbImage;
use crate::appearance_files::{Material, TextureMap, TextureSet};
use crate::io::system_names::portable_text;
use crate::io::{FileError, SaveTarget};

/// Factor between the tone of a texture and the exponent of its brightness, as in the view.
const TONE: f32 = 0.8;
/// Openness of the lowest and of the highest ground, as in the view.
const OPENNESS: [f32; 2] = [0.77, 1.0];
/// Length of the finest built-in texture in metres, as in the view.
pub const BUILT_IN_METRES: f32 = 1.7;

/// The images of a built-in material with `side` pixels per side, a power of two: albedo, normal (OpenGL), height,
/// roughness and occlusion.
pub fn material_images(material: Material, side: usize) -> Vec<(TextureMap, RgbImage)> {
    let (texture, look) = (MaterialTexture::new(material, side), look_of(material));
    let signed = |byte: u8| (f32::from(byte) - 128.0) / 127.0;
    let byte = |x: f32| (255.0 * x.clamp(0.0, 1.0) + 0.5) as u8;
    let image = |map: TextureMap| {
        let pixel = |x: usize, y: usize| {
            let [east, south, height, tone] = texture.texels[y * side + x];
            let height = f32::from(height) / 255.0;
            match map {
                TextureMap::Albedo => {
                    let bright = libm::exp2f(signed(tone) * look.contrast * TONE);
                    encode(look.colour.map(|c| c * bright))
                }
                TextureMap::Normal => {
                    let slope = texture.steepest * look.depth;
                    let (x, y) = (-signed(east) * slope, signed(south) * slope);
                    let length = (x * x + y * y + 1.0).sqrt();
                    [x, y, 1.0].map(|part| byte(0.5 + 0.5 * part / length))
                }
                TextureMap::Height => [byte(height); 3],
                TextureMap::Roughness => [byte(1.0 - (look.gloss / 0.35).min(1.0).sqrt()); 3],
                TextureMap::Occlusion => [byte(OPENNESS[0] + (OPENNESS[1] - OPENNESS[0]) * height); 3],
            }
        };
        (map, RgbImage::from_fn(side, side, pixel))
    };
    TextureMap::ALL.iter().copied().map(image).collect()
}

/// The name of a built-in material in file names.
pub fn file_stem(material: Material) -> String {
    material.label().to_lowercase().replace(' ', "_")
}

/// Writes the images of a built-in material as PNG files into a folder, with the checks of `to_file`. The names start
/// with the name of the material.
///
/// # Errors
/// When a file cannot be written.
pub fn write_material_textures(
    material: Material,
    side: usize,
    folder: &Path,
    to_file: impl Fn(&Path) -> SaveTarget,
) -> Result<TextureSet, FileError> {
    let mut files: [Option<String>; _] = Default::default();
    for (map, image) in material_images(material, side) {
        let path = folder.join(format!("{}_{}.png", file_stem(material), map.label().to_lowercase()));
        image.save(to_file(&path))?;
        files[map as usize] = Some(portable_text(&path));
    }
    Ok(TextureSet { files, is_directx: false, metres: BUILT_IN_METRES })
}

#[cfg(test)]
mod tests {
    use super::super::image_texture::ImageTexture;
    use super::*;

    #[test]
    fn written_textures_are_recognised_and_look_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let side = 64;
        let written =
            write_material_textures(Material::Rock, side, folder.path(), |path| SaveTarget::new(path)).unwrap();
        let found = TextureSet::of_folder(folder.path()).unwrap();
        assert_eq!((&found.set.files, found.unused.len()), (&written.files, 0));
        let (read, made) = (ImageTexture::read(&written, side).unwrap(), MaterialTexture::new(Material::Rock, side));
        let look = look_of(Material::Rock);
        let slope = |texel: [u8; 4], steepest: f32| (f32::from(texel[0]) - 128.0) / 127.0 * steepest;
        let worst = (0..side * side)
            .map(|k| (slope(read.relief[k], read.steepest) - slope(made.texels[k], made.steepest * look.depth)).abs())
            .fold(0.0, f32::max);
        let steepest = made.steepest * look.depth;
        assert!(worst < 0.05 * steepest + 0.02, "slopes differ by {worst}; the steepest slope is {steepest}");
        for (c, (mean, own)) in read.mean_colour.iter().zip(look.colour).enumerate() {
            assert!((mean / own - 1.0).abs() < 0.1, "channel {c}: {mean} {own}");
        }
    }
}
