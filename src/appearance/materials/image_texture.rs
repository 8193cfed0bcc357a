//! Textures of ground materials from image files: the images of a [`TextureSet`], converted to what the view draws.

use std::path::Path;

use rayon::prelude::*;

use crate::appearance::colours::srgb::{decode, encode};
use crate::appearance_files::{TextureMap, TextureSet};
use crate::io::{Picture, RasterError, picture};

/// Relief of a set without a normal map: the height from black to white, divided by the side of the image. Makers of
/// textures do not state this number; scanned ground has about this much relief.
const DEPTH: f32 = 0.04;
/// Least vertical part of a normal. Normals that lie flatter are damaged pixels.
const LEAST_UP: f32 = 0.1;

/// The images of a texture set as square textures that repeat.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageTexture {
    /// Number of texels per side, a power of two.
    pub side: usize,
    /// Slope to the east, slope to the south, height and openness of every texel, in rows from the north-west corner.
    /// The byte 128 means no slope. Height and openness start at byte 0; the openness of a hidden texel is 0.
    pub relief: Vec<[u8; 4]>,
    /// Red, green and blue of every texel as square roots of linear light, and the roughness.
    pub colours: Vec<[u8; 4]>,
    /// The slope that the bytes 1 and 255 represent.
    pub steepest: f32,
    /// Mean colour as linear light.
    pub mean_colour: [f32; 3],
    /// Mean roughness, 0 to 1.
    pub mean_roughness: f32,
}

impl ImageTexture {
    /// Reads the images of a set, and resamples them to `side` texels per side, a power of two.
    ///
    /// # Errors
    /// When an image cannot be read; the error names the file and the reason.
    pub fn read(set: &TextureSet, side: usize) -> Result<Self, RasterError> {
        let read = |map: TextureMap| set.file(map).map(|name| picture(Path::new(name))).transpose();
        let albedo = read(TextureMap::Albedo)?;
        let light = albedo.map_or_else(|| vec![[0.5; 3]; side * side], |albedo| light_of(&albedo, side));
        let (occlusion, roughness) = if set.is_packed() {
            let packed = read(TextureMap::Occlusion)?;
            let channel = |k: usize| packed.as_ref().map(|packed| resampled(packed.channel(k), packed, side));
            (channel(0), channel(1))
        } else {
            let grey = |map: TextureMap| Ok(read(map)?.map(|image| resampled(image.channel(0), &image, side)));
            (grey(TextureMap::Occlusion)?, grey(TextureMap::Roughness)?)
        };
        let height = read(TextureMap::Height)?.map(|image| spread(resampled(image.channel(0), &image, side)));
        let slopes = match (read(TextureMap::Normal)?, &height) {
            (Some(normal), _) => slopes_of_normals(&normal, set.is_directx, side),
            (None, Some(height)) => slopes_of_heights(height, side),
            (None, None) => vec![[0.0; 2]; side * side],
        };
        let steepest = slopes.iter().flatten().fold(1e-3_f32, |most, slope| most.max(slope.abs()));
        let byte = |x: f32| (255.0 * x.clamp(0.0, 1.0) + 0.5) as u8;
        let signed = |x: f32| (128.0 + 127.0 * x.clamp(-1.0, 1.0) + 0.5) as u8;
        let value = |map: &Option<Vec<f32>>, k: usize, usual: f32| map.as_ref().map_or(usual, |map| map[k]);
        let relief = |k: usize| {
            let [east, south] = slopes[k].map(|slope| signed(slope / steepest));
            [east, south, byte(value(&height, k, 0.5)), byte(value(&occlusion, k, 1.0))]
        };
        let colour = |k: usize| {
            let [red, green, blue] = light[k].map(|c| byte(c.clamp(0.0, 1.0).sqrt()));
            [red, green, blue, byte(value(&roughness, k, 1.0))]
        };
        let count = (side * side) as f64;
        let mean = |of: &dyn Fn(usize) -> f32| ((0..side * side).map(|k| f64::from(of(k))).sum::<f64>() / count) as f32;
        Ok(Self {
            side,
            relief: (0..side * side).map(relief).collect(),
            colours: (0..side * side).map(colour).collect(),
            steepest,
            mean_colour: std::array::from_fn(|c| mean(&|k| light[k][c])),
            mean_roughness: mean(&|k| value(&roughness, k, 1.0)),
        })
    }

    /// The mean colour in sRGB, for swatches.
    pub fn swatch(&self) -> [u8; 3] {
        encode(self.mean_colour)
    }
}

/// The colours of an image as linear light, resampled.
fn light_of(image: &Picture, side: usize) -> Vec<[f32; 3]> {
    let channel = |k: usize| {
        let values = image.channel(k);
        if image.is_float {
            return resampled(values, image, side);
        }
        let linear = |value: &f32| decode([(255.0 * value.clamp(0.0, 1.0) + 0.5) as u8; 3])[0];
        resampled(&values.iter().map(linear).collect::<Vec<_>>(), image, side)
    };
    let [red, green, blue] = [0, 1, 2].map(channel);
    (0..side * side).map(|k| [red[k], green[k], blue[k]]).collect()
}

/// Values of an image on a square of `side` × `side` texels. Each texel is the mean of the pixels that it covers, or a
/// linear interpolation if the image has fewer pixels than the square.
fn resampled(values: &[f32], image: &Picture, side: usize) -> Vec<f32> {
    let (columns, rows) = (Weights::new(image.width, side), Weights::new(image.height, side));
    let across: Vec<f32> = values
        .par_chunks(image.width)
        .flat_map_iter(|row| {
            columns.0.iter().map(|texel| texel.iter().map(|&(k, weight)| row[k] * weight).sum::<f32>())
        })
        .collect();
    rows.0
        .par_iter()
        .flat_map_iter(|texel| {
            let across = &across;
            (0..side).map(move |j| texel.iter().map(|&(k, weight)| across[k * side + j] * weight).sum::<f32>())
        })
        .collect()
}

/// For every texel along an axis: the pixels that it reads, with weights that add up to 1.
struct Weights(Vec<Vec<(usize, f32)>>);

impl Weights {
    fn new(pixels: usize, texels: usize) -> Self {
        let step = pixels as f32 / texels as f32;
        let texel = |t: usize| {
            if step < 1.0 {
                let at = (t as f32 + 0.5) * step - 0.5 + pixels as f32;
                let low = at.floor();
                let part = at - low;
                let low = low as usize;
                return vec![(low % pixels, 1.0 - part), ((low + 1) % pixels, part)];
            }
            let (from, to) = (t as f32 * step, (t + 1) as f32 * step);
            let covered = |k: usize| (to.min((k + 1) as f32) - from.max(k as f32)).max(0.0) / step;
            (from as usize..(to.ceil() as usize).min(pixels)).map(|k| (k, covered(k))).collect()
        };
        Self((0..texels).map(texel).collect())
    }
}

/// Values scaled so that they range from 0 to 1.
fn spread(mut values: Vec<f32>) -> Vec<f32> {
    let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    values.iter_mut().for_each(|v| *v = (*v - low) / (high - low).max(1e-6));
    values
}

/// Slopes to the east and to the south of a normal map, resampled. Green points to the north, or to the south with
/// `is_directx`.
fn slopes_of_normals(normals: &Picture, is_directx: bool, side: usize) -> Vec<[f32; 2]> {
    let sign = if is_directx { -1.0 } else { 1.0 };
    let (red, green) = (normals.channel(0), normals.channel(1));
    let slope = |k: usize| {
        let (x, y) = (2.0 * red[k] - 1.0, sign * (2.0 * green[k] - 1.0));
        let up = (1.0 - x * x - y * y).max(0.0).sqrt().max(LEAST_UP);
        // ground that faces east falls to the east, and ground that faces north rises to the south
        [-x / up, y / up]
    };
    let slopes: Vec<[f32; 2]> = (0..red.len()).into_par_iter().map(slope).collect();
    let axis = |k: usize| resampled(&slopes.iter().map(|slope| slope[k]).collect::<Vec<_>>(), normals, side);
    axis(0).into_iter().zip(axis(1)).map(|(east, south)| [east, south]).collect()
}

/// Slopes to the east and to the south of repeating heights from 0 to 1.
fn slopes_of_heights(height: &[f32], side: usize) -> Vec<[f32; 2]> {
    let at = |i: usize, j: usize| height[i % side * side + j % side];
    let scale = 0.5 * DEPTH * side as f32;
    let slope = |k: usize| {
        let (i, j) = (k / side, k % side);
        let east = at(i, j + 1) - at(i, j + side - 1);
        [scale * east, scale * (at(i + 1, j) - at(i + side - 1, j))]
    };
    (0..height.len()).map(slope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::write_atomically;

    /// Writes an image of 8-bit colours.
    fn image(path: &Path, side: usize, colour: impl Fn(usize, usize) -> [u8; 3]) -> String {
        let pixels: Vec<u8> = (0..side * side).flat_map(|k| colour(k / side, k % side)).collect();
        write_atomically(path, |out| {
            let mut encoder = png::Encoder::new(out, side as u32, side as u32);
            encoder.set_color(png::ColorType::Rgb);
            Ok(encoder.write_header()?.write_image_data(&pixels)?)
        })
        .unwrap();
        path.display().to_string()
    }

    fn set(files: [Option<String>; 5]) -> TextureSet {
        TextureSet { files, is_directx: false, metres: 2.0 }
    }

    #[test]
    fn colours_are_averaged_as_light() {
        let folder = tempfile::tempdir().unwrap();
        let checks = image(&folder.path().join("a.png"), 64, |i, j| [[0; 3], [255; 3]][(i + j) % 2]);
        let texture = ImageTexture::read(&set([Some(checks), None, None, None, None]), 16).unwrap();
        assert_eq!((texture.side, texture.colours.len()), (16, 256));
        assert!(texture.mean_colour.iter().all(|c| (c - 0.5).abs() < 1e-3), "{:?}", texture.mean_colour);
        assert_eq!(texture.swatch(), [188; 3], "half of the light is the sRGB byte 188");
        assert!(texture.colours.iter().all(|texel| *texel == [180, 180, 180, 255]), "the square root of 0.5");
        assert!(texture.relief.iter().all(|texel| *texel == [128, 128, 128, 255]), "level, open ground");
    }

    #[test]
    fn normals_of_both_conventions_give_the_same_slopes() {
        let folder = tempfile::tempdir().unwrap();
        let albedo = image(&folder.path().join("a.png"), 8, |_, _| [128; 3]);
        // a plane that rises by 0.75 m per metre to the west and by 0.5 m per metre to the north
        let length = (1.0 + 0.75_f32 * 0.75 + 0.25).sqrt();
        let part = |x: f32| (127.5 + 127.5 * x / length + 0.5) as u8;
        let open_gl = image(&folder.path().join("n.png"), 8, |_, _| [part(0.75), part(-0.5), part(1.0)]);
        let direct_x = image(&folder.path().join("d.png"), 8, |_, _| [part(0.75), part(0.5), part(1.0)]);
        let of = |normal: String, is_directx| {
            let set = TextureSet { is_directx, ..set([Some(albedo.clone()), Some(normal), None, None, None]) };
            let texture = ImageTexture::read(&set, 8).unwrap();
            let [east, south, ..] = texture.relief[9];
            [east, south].map(|byte| (f32::from(byte) - 128.0) / 127.0 * texture.steepest)
        };
        for slopes in [of(open_gl, false), of(direct_x, true)] {
            assert!((slopes[0] + 0.75).abs() < 0.02 && (slopes[1] + 0.5).abs() < 0.02, "{slopes:?}");
        }
    }

    #[test]
    fn heights_give_slopes_where_normals_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let albedo = image(&folder.path().join("a.png"), 32, |_, _| [128; 3]);
        let ramp = image(&folder.path().join("h.png"), 32, |_, j| [(j * 8) as u8; 3]);
        let texture = ImageTexture::read(&set([Some(albedo), None, Some(ramp), None, None]), 32).unwrap();
        let slope = |k: usize| (f32::from(texture.relief[k][0]) - 128.0) / 127.0 * texture.steepest;
        // the ramp rises by the depth over 31 of 32 texels
        let expected = DEPTH * 32.0 / 31.0;
        assert!((slope(5 * 32 + 10) - expected).abs() < 0.02, "{} {expected}", slope(5 * 32 + 10));
        assert_eq!((texture.relief[0][2], texture.relief[31][2]), (0, 255));
    }

    #[test]
    fn one_image_holds_occlusion_and_roughness() {
        let folder = tempfile::tempdir().unwrap();
        let albedo = image(&folder.path().join("a.png"), 4, |_, _| [128; 3]);
        let packed = image(&folder.path().join("arm.png"), 4, |_, _| [51, 204, 0]);
        let files = [Some(albedo), None, None, Some(packed.clone()), Some(packed)];
        let texture = ImageTexture::read(&set(files), 4).unwrap();
        assert_eq!((texture.relief[0][3], texture.colours[0][3]), (51, 204));
        assert!((texture.mean_roughness - 0.8).abs() < 1e-3);
    }

    #[test]
    fn a_missing_image_is_named() {
        let error = ImageTexture::read(&set([Some("/no/such/albedo.png".into()), None, None, None, None]), 4);
        assert!(error.unwrap_err().to_string().contains("/no/such/albedo.png"));
    }

    #[test]
    fn weights_of_texels_add_up_to_one() {
        for (pixels, texels) in [(64, 16), (100, 16), (3, 16), (16, 16), (1, 8), (4097, 1024)] {
            for texel in &Weights::new(pixels, texels).0 {
                let sum: f32 = texel.iter().map(|(_, weight)| weight).sum();
                assert!((sum - 1.0).abs() < 1e-3, "{pixels} {texels} {texel:?}");
            }
        }
    }
}
