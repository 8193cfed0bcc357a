//! Render data that square terrains and globes have in common.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::overlays::choice::OverlayChoice;
use super::overlays::legend::Legend;
use super::overlays::ramp::Ramp;
use talweg::appearance::{Biomes, Paint};
use talweg::field::{Grid, MapKind, Terrain};
use talweg::scene::Settings;

/// The data that every terrain prepared for drawing has: the terrain and its settings, the requested overlay and its
/// legend, and colours by biome.
#[derive(Clone)]
pub struct RenderBase {
    /// Serial number of this prepared terrain. No two prepared terrains share a number.
    pub serial: u64,
    /// The terrain to draw: the given terrain, or a coarser resampling if the given terrain is too large to draw.
    pub terrain: Arc<Terrain>,
    pub settings: Settings,
    /// Lowest and highest height of the terrain, as fractions of the relief.
    pub range: (f32, f32),
    /// The requested overlay.
    pub choice: OverlayChoice,
    /// Legend of the overlay's colours, or the reason why the overlay shows none.
    pub legend: Option<Arc<Legend>>,
    /// Colours by biome, if the scene has a biome table.
    pub biomes: Option<BiomePaint>,
}

impl RenderBase {
    /// Returns base data without a legend. The surface sets the legend when it computes the overlay.
    pub fn new(terrain: Arc<Terrain>, settings: &Settings, range: (f32, f32), choice: &OverlayChoice) -> Self {
        let biomes = choice.biomes.as_ref().map(|biomes| BiomePaint::new(&terrain, settings, biomes, None));
        let (settings, choice) = (settings.clone(), choice.clone());
        Self { serial: new_serial(), terrain, settings, range, choice, legend: None, biomes }
    }

    /// The same terrain with another overlay or other biomes. The legend is copied unchanged.
    pub fn with_choice(&self, choice: &OverlayChoice) -> Self {
        let paint = |biomes| BiomePaint::new(&self.terrain, &self.settings, biomes, self.biomes.as_ref());
        let biomes = choice.biomes.as_ref().map(paint);
        Self { serial: new_serial(), choice: choice.clone(), biomes, ..self.clone() }
    }

    /// The colour ramp of the overlay, if the overlay shows anything.
    pub fn ramp(&self) -> Option<&'static Ramp> {
        self.legend.as_ref().filter(|legend| !legend.ticks.is_empty()).map(|legend| legend.ramp)
    }
}

/// A terrain coloured by a biome table.
#[derive(Clone)]
pub struct BiomePaint {
    pub paint: Arc<Paint>,
    pub biomes: Arc<Biomes>,
}

impl BiomePaint {
    /// Paints `terrain` with `biomes`. Reuses unchanged data of `before`, which must belong to the same terrain.
    fn new(terrain: &Terrain, settings: &Settings, biomes: &Arc<Biomes>, before: Option<&Self>) -> Self {
        let paint = match before.filter(|before| before.biomes.has_climate_of(biomes)) {
            Some(before) if before.biomes == *biomes => return before.clone(),
            Some(before) => before.paint.with_table(biomes, settings),
            None => Paint::new(terrain, settings, biomes),
        };
        Self { paint: Arc::new(paint), biomes: biomes.clone() }
    }
}

/// Returns a serial number that no prepared terrain has used before.
pub fn new_serial() -> u64 {
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    SERIAL.fetch_add(1, Ordering::Relaxed)
}

/// Resamples the heights and maps of a terrain to another grid. `resample` reads the old values and writes the new
/// values.
pub fn resampled(terrain: &Terrain, grid: Grid, resample: impl Fn(&[f32], &mut [f32])) -> Arc<Terrain> {
    let mut fewer = Terrain::flat(grid);
    resample(&terrain.height, &mut fewer.height);
    for &kind in MapKind::ALL {
        if let Some(map) = terrain.map(kind) {
            resample(map, fewer.map_mut(kind));
        }
    }
    Arc::new(fewer)
}

/// Whether both terrains share the same map of this kind in memory, or both lack it.
pub fn has_same_map(a: &Terrain, b: &Terrain, kind: MapKind) -> bool {
    match (a.map(kind), b.map(kind)) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}
