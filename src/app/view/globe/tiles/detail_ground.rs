//! The fine terrain of one globe. The threads that compute tiles, the camera and picking share it.

use std::collections::HashMap;
use std::f64::consts::FRAC_PI_2;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use glam::DVec3;

use super::super::lod::GlobePatch;
use super::tile::{GlobeTile, STEPS};
use crate::view::render_base::{RenderBase, new_serial};
use talweg::appearance::{GlobeSites, Paint, PaletteTable, SampleCoverDepths, covered, globe_site};
use talweg::appearance_files::ScatterRules;
use talweg::field::globe::{locate, locate_fast};
use talweg::field::{Control, Globe, Terrain};
use talweg::planet_detail::{DetailSource, PlanetDetail};

/// Least ratio of the globe's sample spacing to a tile's sample spacing. Coarser levels have no tiles and show the
/// globe's own maps.
const FINER: f64 = 4.0;
/// Greatest height difference between fine terrain that is not computed yet and the samples around it. The unit is the
/// greatest height difference across a cell.
const SLACK_RISES: f64 = 1.5;
/// Distance by which the terrain of finer levels can exceed the height range of a tile, as a multiple of the tile's
/// sample spacing.
const SLACK_STEPS: f64 = 3.0;
/// Sample spacing in metres for height queries at a single point.
const SPACING_ALONE_METRES: f64 = 2.0;

/// The tiles on the graphics card.
type DrawnTiles = Arc<HashMap<GlobePatch, Arc<GlobeTile>>>;

/// The fine terrain of a globe; see the module documentation.
pub struct FineTerrain {
    /// Serial number. Each fine terrain has its own number, and so has each recoloured copy.
    pub serial: u64,
    pub radius_metres: f64,
    pub sea_metres: Option<f64>,
    source: DetailSource,
    terrain: Arc<Terrain>,
    pub painter: Arc<TilePainter>,
    /// The scatter rules for plants and stones, and the seed of the scene.
    pub scatter: (Arc<ScatterRules>, u32),
    slack_metres: f64,
    first_level: u32,
    /// The prepared detail, which recoloured copies share.
    made: Arc<OnceLock<PlanetDetail<Arc<Terrain>>>>,
    /// Lock that a thread holds while it prepares the detail.
    making: Mutex<()>,
    /// Control that cancels the running preparation of the detail.
    preparing: Mutex<Arc<Control>>,
    /// The tiles on the graphics card.
    drawn: Arc<RwLock<DrawnTiles>>,
}

impl FineTerrain {
    /// Fine terrain for a globe with this radius and this sample spacing. `steepest_metres` is the greatest height
    /// difference across a cell of the globe's samples.
    pub fn new(
        source: DetailSource,
        terrain: Arc<Terrain>,
        painter: TilePainter,
        (radius_metres, cell_metres): (f64, f64),
        steepest_metres: f64,
    ) -> Self {
        let sea = source.sea_metres;
        let steps = FINER * radius_metres * FRAC_PI_2 / (cell_metres * STEPS as f64);
        Self {
            serial: new_serial(),
            radius_metres,
            sea_metres: (sea >= -source.relief_metres).then_some(f64::from(sea)),
            scatter: (painter.palette.scatter.clone(), source.seed),
            source,
            terrain,
            painter: Arc::new(painter),
            slack_metres: SLACK_RISES * steepest_metres,
            first_level: steps.max(1.0).log2().ceil() as u32,
            made: Arc::default(),
            making: Mutex::default(),
            preparing: Mutex::default(),
            drawn: Arc::default(),
        }
    }

    /// The same fine terrain with another painter of its colours.
    pub fn repainted(&self, painter: TilePainter) -> Self {
        Self {
            serial: new_serial(),
            source: self.source.clone(),
            terrain: self.terrain.clone(),
            painter: Arc::new(painter),
            scatter: self.scatter.clone(),
            made: self.made.clone(),
            making: Mutex::default(),
            preparing: Mutex::default(),
            drawn: Arc::default(),
            ..*self
        }
    }

    /// The same fine terrain with other scatter rules for plants and stones.
    pub fn planted(&self, rules: &Arc<ScatterRules>) -> Self {
        Self {
            serial: new_serial(),
            source: self.source.clone(),
            terrain: self.terrain.clone(),
            painter: self.painter.clone(),
            scatter: (rules.clone(), self.scatter.1),
            made: self.made.clone(),
            making: Mutex::default(),
            preparing: Mutex::default(),
            drawn: self.drawn.clone(),
            ..*self
        }
    }

    /// Whether both fine terrains have the same heights.
    pub fn has_shape_of(&self, other: &FineTerrain) -> bool {
        Arc::ptr_eq(&self.made, &other.made)
    }

    /// The prepared detail. The first call prepares it, which takes tenths of a second, or seconds on large globes.
    /// `None` if the preparation was [cancelled](Self::give_up).
    pub fn detail(&self) -> Option<&PlanetDetail<Arc<Terrain>>> {
        if self.made.get().is_none() {
            let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
            if self.made.get().is_none() {
                let control: Arc<Control> = Arc::default();
                *self.preparing.lock().unwrap_or_else(PoisonError::into_inner) = control.clone();
                let made = PlanetDetail::new(&self.source, self.terrain.clone(), &control).ok()?;
                let _ = self.made.set(made);
            }
        }
        self.made.get()
    }

    /// Cancels a preparation of the detail that is no longer needed.
    pub fn give_up(&self) {
        self.preparing.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Returns a function for the site values of a direction, if the globe has the required maps; see [`globe_site`].
    pub fn site(&self) -> Option<impl Fn([f64; 3]) -> [f32; 4]> {
        globe_site(&self.terrain, self.source.relief_metres)
    }

    /// The coarsest level that has tiles.
    pub fn first_level(&self) -> u32 {
        self.first_level
    }

    /// Sample spacing of a level's tiles in the centre of a face, in metres.
    pub fn spacing_metres(&self, level: u32) -> f64 {
        self.radius_metres * FRAC_PI_2 / (STEPS as f64 * f64::from(1u32 << level))
    }

    /// Greatest height difference between the fine terrain and the samples around it, in metres.
    pub fn slack_metres(&self) -> f64 {
        self.slack_metres
    }

    /// Stores the tiles that are now on the graphics card.
    pub fn show(&self, tiles: HashMap<GlobePatch, Arc<GlobeTile>>) {
        *self.drawn.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tiles);
    }

    fn drawn(&self) -> DrawnTiles {
        self.drawn.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The tile of a patch, if it is on the graphics card.
    pub fn drawn_tile(&self, patch: GlobePatch) -> Option<Arc<GlobeTile>> {
        self.drawn().get(&patch).cloned()
    }

    /// Height difference in metres between the heights 0 and 1 of the globe's samples.
    pub fn relief_metres(&self) -> f32 {
        self.painter.relief_metres
    }

    /// The terrain at the globe's samples.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// Height of the surface in a direction, in metres. The surface is the water where there is any, otherwise the
    /// terrain. The height comes from the finest tile on the graphics card. If there is no such tile, it comes from the
    /// detail itself, provided that the detail is prepared.
    pub fn height_metres(&self, direction: DVec3) -> Option<f64> {
        let drawn = self.drawn();
        let (face, u, v) = locate(direction.to_array());
        let tile_at = |level: u32| {
            let tiles = f64::from(1u32 << level);
            let place = |x: f64| ((x * tiles) as u32).min((1 << level) - 1);
            drawn.get(&GlobePatch { level, face: face as u32, row: place(v), column: place(u) })
        };
        let finest = drawn.keys().map(|patch| patch.level).max().unwrap_or(0);
        let tile = (self.first_level..=finest).rev().find_map(tile_at);
        tile.map(|tile| f64::from(tile.height_at(u, v))).or_else(|| {
            let there =
                self.made.get()?.samples_on_this_thread(&[direction.to_array()], SPACING_ALONE_METRES, || false)?;
            Some(f64::from(there[0].height_metres + there[0].water_metres))
        })
    }

    /// Returns a function for the height range of a patch, in metres. The range comes from the smallest enclosing tile
    /// on the graphics card.
    pub fn ranges(&self) -> impl Fn(GlobePatch) -> Option<(f64, f64)> + use<> {
        let (drawn, first) = (self.drawn(), self.first_level);
        let steps: Vec<f64> = (0..32).map(|level| self.spacing_metres(level)).collect();
        move |patch| {
            let tile =
                patch.ancestors().take_while(|patch| patch.level >= first).find_map(|patch| drawn.get(&patch))?;
            let slack = if tile.patch.level == patch.level { 1.0 } else { SLACK_STEPS };
            let slack = slack * steps[tile.patch.level as usize];
            Some((f64::from(tile.lowest_metres) - slack, f64::from(tile.highest_metres) + slack))
        }
    }
}

/// Computes the colours of the fine terrain.
pub struct TilePainter {
    globe: Arc<Globe>,
    biomes: Option<Arc<Paint>>,
    palette: Arc<PaletteTable>,
    relief_metres: f32,
    sea_metres: f32,
    /// Fractions of the surface that sand and snow cover at each sample. A list is empty if the terrain has no sand or
    /// no snow.
    cover: [Vec<f32>; 2],
}

impl TilePainter {
    pub fn new(base: &RenderBase, globe: &Arc<Globe>, palette: &Arc<PaletteTable>) -> Self {
        let depths = SampleCoverDepths::new(&base.terrain, &base.settings);
        let shares = |which: usize| match depths.is_empty() {
            true => Vec::new(),
            false => (0..base.terrain.height.len()).map(|k| depths.hidden_fractions(k)[which]).collect(),
        };
        Self {
            globe: globe.clone(),
            biomes: base.biomes.as_ref().map(|biomes| biomes.paint.clone()),
            palette: palette.clone(),
            relief_metres: base.settings.relief_metres,
            sea_metres: base.settings.sea_level,
            cover: [shares(0), shares(1)],
        }
    }

    /// The scene's colours: by biome, or by height and slope. Sand and snow cover these colours.
    pub fn colours(&self, ground: &GlobeSites) -> Vec<[u8; 3]> {
        let mut colours = match &self.biomes {
            Some(paint) => paint.colours_of(ground),
            None => {
                let (relief, sea) = (self.relief_metres, self.sea_metres / self.relief_metres);
                let heights = ground.metres.iter().zip(ground.slopes);
                heights.map(|(metres, slope)| palette_colour(&self.palette, metres / relief, sea, *slope)).collect()
            }
        };
        if self.cover[0].is_empty() {
            return colours;
        }
        let [x, y, z] = ground.directions;
        for (k, colour) in colours.iter_mut().enumerate().filter(|(k, _)| ground.metres[*k] >= self.sea_metres) {
            let place = locate_fast([x[k], y[k], z[k]].map(f64::from));
            *colour = covered(*colour, self.cover.each_ref().map(|shares| self.globe.sample_at(shares, place)));
        }
        colours
    }
}

/// The palette colour for a height, a sea level (both as fractions of the relief) and a slope (as a tangent). The first
/// half of the palette's table is for water, the second half for land.
pub fn palette_colour(table: &PaletteTable, height: f32, sea: f32, slope: f32) -> [u8; 3] {
    let half = table.lut.len() / 2;
    let (from, to) = table.rock_degrees;
    let over = height - sea;
    let step = |share: f32| (share.clamp(0.0, 1.0) * (half - 1) as f32) as usize;
    let [r, g, b, _] = if over < 0.0 {
        table.lut[half - 1 - step(-over)]
    } else {
        table.lut[half + step(over / (1.0 - sea).max(1e-6))]
    };
    let bare = ((slope.atan().to_degrees() - from) / (to - from).max(0.5)).clamp(0.0, 1.0);
    let rock = if over < 0.0 { 0.0 } else { bare * f32::from(table.rock[3]) / 255.0 };
    let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * rock) as u8;
    [mix(r, table.rock[0]), mix(g, table.rock[1]), mix(b, table.rock[2])]
}
