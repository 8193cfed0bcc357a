//! The detail of one planet, shared by those who look at it: the threads that compute tiles, the camera, the picker.

use std::collections::HashMap;
use std::f64::consts::FRAC_PI_2;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use glam::DVec3;

use super::super::lod::GlobePatch;
use super::tile::{GlobeTile, STEPS};
use crate::view::render_base::{RenderBase, next_serial};
use talweg::appearance::{GlobeSites, Paint, PaletteTable, SampleCoverDepths, covered, globe_site};
use talweg::appearance_files::ScatterRules;
use talweg::field::globe::{locate, nearly_located};
use talweg::field::{Control, Globe, Terrain};
use talweg::planet_detail::{DetailSource, PlanetDetail};

/// Steps of a tile beside those of the planet: coarser levels show the maps of its samples.
const FINER: f64 = 4.0;
/// How far ground that no tile is known of may lie from the samples around it, in their steepest rises over a cell.
const SLACK_RISES: f64 = 1.5;
/// How far the ground of finer tiles may leave the range of a tile, in its steps.
const SLACK_STEPS: f64 = 3.0;
/// Distance of the samples that a place alone is asked for.
const SPACING_ALONE_METRES: f64 = 2.0;

/// Those on the graphics card.
type DrawnTiles = Arc<HashMap<GlobePatch, Arc<GlobeTile>>>;

/// See the module.
pub struct DetailGround {
    /// Different for every ground, and for every way to colour it.
    pub serial: u64,
    pub radius_metres: f64,
    pub sea_metres: Option<f64>,
    source: DetailSource,
    terrain: Arc<Terrain>,
    pub painter: Arc<TilePainter>,
    /// What grows on it, and the seed of the scene.
    pub scatter: (Arc<ScatterRules>, u32),
    slack_metres: f64,
    first_level: u32,
    /// Those of other colours share it.
    made: Arc<OnceLock<PlanetDetail<Arc<Terrain>>>>,
    /// Held while it is prepared.
    making: Mutex<()>,
    /// Of the preparation that goes on.
    preparing: Mutex<Arc<Control>>,
    /// What is on the graphics card.
    drawn: Arc<RwLock<DrawnTiles>>,
}

impl DetailGround {
    /// Of a planet of a radius whose maps have samples so far apart, with a rise of `steepest_metres` over a cell at
    /// the most.
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
            serial: next_serial(),
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

    /// The same ground in other colours.
    pub fn repainted(&self, painter: TilePainter) -> Self {
        Self {
            serial: next_serial(),
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

    /// The same ground with other plants and stones on it.
    pub fn planted(&self, rules: &Arc<ScatterRules>) -> Self {
        Self {
            serial: next_serial(),
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

    /// Whether both have the same heights.
    pub fn has_shape_of(&self, other: &DetailGround) -> bool {
        Arc::ptr_eq(&self.made, &other.made)
    }

    /// The detail, prepared now if it was not yet: that takes some tenths of a second, or seconds on large planets.
    /// `None` when it was [given up](Self::give_up) meanwhile.
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

    /// Stops a preparation that nobody waits for any more.
    pub fn give_up(&self) {
        self.preparing.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// What maps of the planet tell of a direction, if it has such maps: see [`globe_site`].
    pub fn site(&self) -> Option<impl Fn([f64; 3]) -> [f32; 4]> {
        globe_site(&self.terrain, self.source.relief_metres)
    }

    /// The first level that has tiles.
    pub fn first_level(&self) -> u32 {
        self.first_level
    }

    /// Metres between the samples of a tile of a level, in the middle of a face.
    pub fn spacing_metres(&self, level: u32) -> f64 {
        self.radius_metres * FRAC_PI_2 / (STEPS as f64 * f64::from(1u32 << level))
    }

    /// By how much ground may be higher or lower than that of the samples around it, in metres.
    pub fn slack_metres(&self) -> f64 {
        self.slack_metres
    }

    /// Takes over what is on the graphics card.
    pub fn show(&self, tiles: HashMap<GlobePatch, Arc<GlobeTile>>) {
        *self.drawn.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tiles);
    }

    fn drawn(&self) -> DrawnTiles {
        self.drawn.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A tile that is on screen.
    pub fn drawn_tile(&self, patch: GlobePatch) -> Option<Arc<GlobeTile>> {
        self.drawn().get(&patch).cloned()
    }

    /// Difference between the heights 0 and 1 of the planet's samples.
    pub fn relief_metres(&self) -> f32 {
        self.painter.relief_metres
    }

    /// The planet's samples.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// Height of ground and surface water in a direction, in metres: of the finest tile that is on screen, else of the
    /// detail itself, if that is prepared.
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
            let there = self.made.get()?.samples_alone(&[direction.to_array()], SPACING_ALONE_METRES, || false)?;
            Some(f64::from(there[0].height_metres + there[0].water_metres))
        })
    }

    /// What is known of the range of heights of a patch, in metres: of the nearest tile around it that is on screen.
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

/// What colours the ground between the samples.
pub struct TilePainter {
    globe: Arc<Globe>,
    biomes: Option<Arc<Paint>>,
    palette: Arc<PaletteTable>,
    relief_metres: f32,
    sea_metres: f32,
    /// Shares of the ground that sand and snow hide at the samples; empty where there are none.
    cover: [Vec<f32>; 2],
}

impl TilePainter {
    pub fn new(base: &RenderBase, globe: &Arc<Globe>, palette: &Arc<PaletteTable>) -> Self {
        let depths = SampleCoverDepths::new(&base.terrain, &base.settings);
        let shares = |which: usize| match depths.is_empty() {
            true => Vec::new(),
            false => (0..base.terrain.height.len()).map(|k| depths.shares(k)[which]).collect(),
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

    /// The colours of the scene: by what grows, or by height and slope, under what sand and snow lie on the ground.
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
            let place = nearly_located([x[k], y[k], z[k]].map(f64::from));
            *colour = covered(*colour, self.cover.each_ref().map(|shares| self.globe.sample_at(shares, place)));
        }
        colours
    }
}

/// The colour of a palette at a height and the height of the sea, as fractions of the relief, and a slope as a tangent.
/// Of its table the first half is water, the second land.
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
