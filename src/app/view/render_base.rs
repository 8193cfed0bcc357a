//! What a square and a globe have in common on their way to the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::view::overlays::legend::Legend;
use crate::view::overlays::overlay::OverlayChoice;
use crate::view::overlays::ramp::Ramp;
use talweg::appearance::{Biomes, Paint};
use talweg::field::{Grid, MapKind, Terrain};
use talweg::scene::Settings;

/// The terrain with its settings, what colours it, and what the colours mean.
#[derive(Clone)]
pub struct RenderBase {
    /// Different for everything that was ever made ready.
    pub serial: u64,
    /// The heights that are drawn: the terrain given, or fewer samples of it if it is too large for the screen.
    pub terrain: Arc<Terrain>,
    pub settings: Settings,
    /// Lowest and highest height, as fractions of the relief.
    pub range: (f32, f32),
    /// The overlay that was asked for.
    pub choice: OverlayChoice,
    /// What the colours of the overlay mean, or why there are none.
    pub legend: Option<Arc<Legend>>,
    /// What grows on the ground, if the scene is coloured by that.
    pub biomes: Option<BiomePaint>,
}

impl RenderBase {
    /// Without a legend: overlays are laid by the surface.
    pub fn new(terrain: Arc<Terrain>, settings: &Settings, range: (f32, f32), choice: &OverlayChoice) -> Self {
        let biomes = choice.biomes.as_ref().map(|biomes| BiomePaint::new(&terrain, settings, biomes, None));
        let (settings, choice) = (settings.clone(), choice.clone());
        Self { serial: next_serial(), terrain, settings, range, choice, legend: None, biomes }
    }

    /// The same ground under another overlay or with other biomes; the legend stays that of before.
    pub fn with_choice(&self, choice: &OverlayChoice) -> Self {
        let paint = |biomes| BiomePaint::new(&self.terrain, &self.settings, biomes, self.biomes.as_ref());
        let biomes = choice.biomes.as_ref().map(paint);
        Self { serial: next_serial(), choice: choice.clone(), biomes, ..self.clone() }
    }

    /// The colours of the overlay, if it shows anything.
    pub fn ramp(&self) -> Option<&'static Ramp> {
        self.legend.as_ref().filter(|legend| !legend.ticks.is_empty()).map(|legend| legend.ramp)
    }
}

/// The ground as a biome table paints it.
#[derive(Clone)]
pub struct BiomePaint {
    pub paint: Arc<Paint>,
    pub biomes: Arc<Biomes>,
}

impl BiomePaint {
    /// What is the same as in `before`, of the same terrain, is not worked out again.
    fn new(terrain: &Terrain, settings: &Settings, biomes: &Arc<Biomes>, before: Option<&Self>) -> Self {
        let paint = match before.filter(|before| before.biomes.has_climate_of(biomes)) {
            Some(before) if before.biomes == *biomes => return before.clone(),
            Some(before) => before.paint.with_table(biomes, settings),
            None => Paint::new(terrain, settings, biomes),
        };
        Self { paint: Arc::new(paint), biomes: biomes.clone() }
    }
}

/// A number that nothing made ready has had.
pub fn next_serial() -> u64 {
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    SERIAL.fetch_add(1, Ordering::Relaxed)
}

/// Heights and maps of a terrain on another grid; `resample` goes from the values of the one to those of the other.
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

/// Whether both have the same map, in the same place of memory, or none.
pub fn has_same_map(a: &Terrain, b: &Terrain, kind: MapKind) -> bool {
    match (a.map(kind), b.map(kind)) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}
