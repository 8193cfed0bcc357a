//! Cuts terrain out as a primitive of a construction: an image of the heights, and a weight map.
//!
//! Law: the primitive's surface passes through the samples of its image
//! ([`image_sampler`](crate::construction::primitives::image_sampler)), so the image holds the heights themselves. The
//! remaining difference is the rounding to 16 bits. Where there is no terrain, the weight is 0.
//! Source: Génevaux et al. 2014, §4.2 (primitives from images of real ground, weight maps).

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::construction::geometry::plane::{Area, higher, lower};
use crate::construction::primitives::image::{Image, ImageSettings};
use crate::construction::{Frame, Piece, PieceKind, Tree};
use crate::field::{MapKind, Terrain};
use crate::io::formats::{RasterFormat, RasterSheet, Samples};
use crate::io::{FileError, SaveTarget, StagedFile, check_name};
use crate::nodes::Node;
use crate::nodes::generators::construction::Construction;
use crate::param::ImageFile;
use crate::scene::saved_files::{PICTURE_SUFFIXES, hashed_name, save_with_files};
use crate::scene::{Layer, Scene, SceneError};

/// The reason why terrain could not be cut out.
#[derive(Debug, thiserror::Error)]
pub enum CutOutError {
    /// The terrain is a planet, but primitives of a construction need a plane.
    #[error(
        "ground can only be cut out of a square terrain; extract a region of the planet first, with `talweg region take`"
    )]
    Planet,
    /// The requested area is outside the terrain.
    #[error("the area to cut out must have a width and a length, and lie on the terrain: from 0 to {0} m")]
    Outside(f32),
    /// There is no terrain in the requested area.
    #[error("the area to cut out contains no ground")]
    Void,
}

/// A part of a terrain that was cut out.
#[derive(Clone, Debug)]
pub struct CutOut {
    /// Number of columns and rows.
    pub size: [usize; 2],
    /// The area that the samples span, in metres of the scene: the requested area, extended to the next samples.
    pub area: Area,
    /// Heights in metres that black and white represent.
    pub range: [f64; 2],
    /// Control points of the heights, as integers from 0 to 65535.
    heights: Vec<u16>,
    /// Weights of the samples, if parts of the area have no terrain.
    weights: Option<Vec<u16>>,
}

impl CutOut {
    /// Cuts out the terrain in `area`, in metres of the scene from its north-west corner.
    ///
    /// # Errors
    /// If the terrain is a planet, or there is no terrain in the area.
    pub fn new(scene: &Scene, terrain: &Terrain, area: &Area) -> Result<Self, CutOutError> {
        let settings = &scene.settings;
        if settings.is_planet() || terrain.grid.is_globe() {
            return Err(CutOutError::Planet);
        }
        let (n, side) = (terrain.samples(), f64::from(settings.size_metres));
        let last = (n - 1) as f64;
        let inside = area.intersection(Area { low: [0.0; 2], high: [side; 2] });
        if inside.is_empty() || (0..2).any(|k| inside.low[k] >= inside.high[k]) {
            return Err(CutOutError::Outside(settings.size_metres));
        }
        // An area that extends beyond a sample by only a tiny fraction of a cell is not extended to the next sample.
        let span = [0, 1].map(|k| {
            let (from, to) = (inside.low[k] / side * last, inside.high[k] / side * last);
            let first = (libm::floor(from + 1e-6) as usize).min(n - 2);
            (first, (libm::ceil(to - 1e-6) as usize).clamp(first + 1, n - 1))
        });
        let [(left, right), (top, bottom)] = span;
        let (width, rows) = (right - left + 1, bottom - top + 1);
        let cells = || (top..=bottom).flat_map(|i| (left..=right).map(move |j| i * n + j));
        let relief = f64::from(settings.relief_metres);
        let ground = || cells().filter(|&k| terrain.has_ground(k)).map(|k| f64::from(terrain.height[k]) * relief);
        let lowest = ground().fold(f64::INFINITY, lower);
        if lowest.is_infinite() {
            return Err(CutOutError::Void);
        }
        let height = |k: usize| if terrain.has_ground(k) { f64::from(terrain.height[k]) * relief } else { lowest };
        let heights: Vec<f64> = cells().map(height).collect();
        let (low, high) =
            heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &h| (lower(low, h), higher(high, h)));
        let steps = if high > low { 65535.0 / (high - low) } else { 0.0 };
        let weights = terrain.map(MapKind::Ground).filter(|map| cells().any(|k| map[k] < 1.0));
        let at = |i: usize| i as f64 / last * side;
        Ok(Self {
            size: [width, rows],
            area: Area { low: [at(left), at(top)], high: [at(right), at(bottom)] },
            range: [low, high],
            heights: heights.iter().map(|h| ((h - low) * steps + 0.5) as u16).collect(),
            weights: weights.map(|map| cells().map(|k| (map[k].clamp(0.0, 1.0) * 65535.0 + 0.5) as u16).collect()),
        })
    }

    /// Paths of the picture files, in the folder of the scene file `scene`: heights, and weights if they are needed.
    /// The file names contain a hash of the contents.
    pub fn pictures(&self, scene: &Path) -> Vec<PathBuf> {
        let stem = scene.file_stem().unwrap_or_default().to_string_lossy();
        let file = |(name, values): (&str, &Vec<u16>)| {
            let mut hash = Xxh3::new();
            self.size.iter().for_each(|side| hash.update(&(*side as u64).to_le_bytes()));
            values.iter().for_each(|value| hash.update(&value.to_le_bytes()));
            scene.with_file_name(hashed_name(&format!("{stem}-{name}"), hash.digest(), "png"))
        };
        PICTURE_SUFFIXES.into_iter().zip(self.fields()).map(file).collect()
    }

    /// The heights, and the weights if the cut-out has them.
    fn fields(&self) -> impl Iterator<Item = &Vec<u16>> {
        std::iter::once(&self.heights).chain(&self.weights)
    }

    /// The construction primitive with these picture files, in the order of [`pictures`](Self::pictures). `border` is
    /// the fraction of the primitive over which it blends into the surrounding terrain, from 0.001 to 0.5.
    fn piece(&self, pictures: &[PathBuf], border: f32) -> Piece {
        let file = |picture: usize| {
            ImageFile(pictures.get(picture).map_or_else(String::new, |path| path.to_string_lossy().into_owned()))
        };
        let Area { low, high } = self.area;
        let corner = |x: f64, y: f64| (x as f32, y as f32);
        let image = Image {
            corners: [
                corner(low[0], low[1]),
                corner(high[0], low[1]),
                corner(high[0], high[1]),
                corner(low[0], high[1]),
            ],
            settings: ImageSettings {
                picture: file(0),
                height: self.range[0] as f32,
                depth: (self.range[1] - self.range[0]) as f32,
                border: border.clamp(0.001, 0.5),
                weights: file(1),
            },
        };
        Piece::named("cut out", PieceKind::Image(image))
    }

    /// Whether the cut-out has a weight map.
    pub fn has_weights(&self) -> bool {
        self.weights.is_some()
    }

    /// Writes the pictures, then a scene with only this primitive, in its original place; see [`save_with_files`]. The
    /// scene has the settings and colours of the original scene `of`. `border` is the fraction of the primitive over
    /// which it blends into the surrounding terrain, from 0.001 to 0.5.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&self, of: &Scene, border: f32, to: &SaveTarget) -> Result<(), SceneError> {
        check_name(to.path())?;
        let pictures = self.pictures(to.path());
        let scene = self.scene(of, self.piece(&pictures, border));
        let write = || pictures.iter().zip(self.fields()).try_for_each(|(path, values)| self.write(path, values));
        save_with_files(&scene, to, pictures.iter().map(PathBuf::as_path), write).map(|_| ())
    }

    /// Writes a picture. An existing file with this name has the same values, because the name contains their hash.
    fn write(&self, path: &Path, values: &[u16]) -> Result<(), FileError> {
        let [width, rows] = self.size;
        let format = RasterFormat::for_path(path)?;
        let of_row = |row: usize, columns: Range<usize>, out: &mut [u16]| {
            out.copy_from_slice(&values[row * width..][columns]);
        };
        let sheet = RasterSheet { samples: Samples::U16(&of_row), ..RasterSheet::grey(width, rows) };
        let target = SaveTarget::new(path).over_read_only(true).over_links(true);
        StagedFile::new(&target, |file| format.write(&sheet, file))?.commit()
    }

    fn scene(&self, of: &Scene, piece: Piece) -> Scene {
        let frame =
            Frame { side: of.settings.size_metres, relief: of.settings.relief_metres, ground: self.range[0] as f32 };
        let tree = Tree { frame, terrain: piece, ..Tree::default() };
        let node = Node::Construction(Construction { tree: Arc::new(tree), ..Construction::default() });
        Scene {
            settings: of.settings.clone(),
            palette: of.palette.clone(),
            name: format!("Cut out of {}", of.name),
            layers: vec![Layer::new(node, 1)],
            ..Scene::default()
        }
    }
}
