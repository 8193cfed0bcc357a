//! The data overlays with their names, and the choice of the overlay to show.

use std::sync::Arc;

use talweg::appearance::Biomes;
use talweg::eval::LayerMask;
use talweg::field::{MapKind, Terrain};
use talweg::param::{ParamKind, WithoutRange};
use talweg::scene::{Scene, Settings, TerrainAttribute};

/// Steepest slope that the colour ramp distinguishes, in degrees. Steeper slopes have the last colour of the ramp.
pub const STEEPEST_DEGREES: f32 = 75.0;

/// Data that colour the terrain in place of the scene's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overlay {
    #[default]
    None,
    Slope,
    /// A map that follows from the heights, other than the slope.
    Attribute(TerrainAttribute),
    /// Deposition minus erosion.
    Change,
    /// Temperature of the climate in °C.
    Temperature,
    /// Moisture, from desert to rain forest.
    Moisture,
    Map(MapKind),
    /// Height difference to the reference terrain.
    Difference,
    /// Strength of a layer's mask.
    Mask,
}

/// One sentence about the contents of a data map.
fn sentence(kind: MapKind) -> &'static str {
    match MapKind::kind() {
        ParamKind::Choice(choices) => choices[kind as usize].help,
        _ => "A data map that a layer wrote.",
    }
}

impl Overlay {
    /// All overlays, in the order of the menu.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::None, Self::Slope];
        let others = TerrainAttribute::ALL.iter().copied().filter(|&attribute| attribute != TerrainAttribute::Slope);
        all.extend(others.map(Self::Attribute));
        all.extend([Self::Change, Self::Temperature, Self::Moisture]);
        all.extend(MapKind::ALL.iter().copied().map(Self::Map));
        all.push(Self::Difference);
        all
    }

    pub fn label(self) -> String {
        match self {
            Self::None => "No overlay".into(),
            Self::Slope => "Slope".into(),
            Self::Attribute(attribute) => attribute.label().into(),
            Self::Change => "Erosion and deposition".into(),
            Self::Temperature => "Temperature".into(),
            Self::Moisture => "Moisture".into(),
            Self::Map(kind) => kind.label().into(),
            Self::Difference => "Difference A − B".into(),
            Self::Mask => "Mask of the layer".into(),
        }
    }

    /// One sentence about the overlay, for its tooltip.
    pub fn help(self) -> String {
        match self {
            Self::None => "Shows the terrain in the colours of its palette or biomes.".into(),
            Self::Slope => {
                "Colours the terrain by its slope: green up to 15°, yellow to 30°, red to 45°, then violet.".into()
            }
            Self::Attribute(attribute) => attribute.help().into(),
            Self::Change => "Shows where material was eroded (brown) and deposited (green).".into(),
            Self::Temperature => {
                "Shows the temperature by latitude, height and season. Scenes with biomes have climate settings.".into()
            }
            Self::Moisture => {
                "Shows the moisture from winds, distance from the sea and rain shadows, from desert to rain forest."
                    .into()
            }
            Self::Map(kind) => sentence(kind).into(),
            Self::Mask => {
                "Shows the mask of the layer: clear where the layer has no effect, violet where it has full effect."
                    .into()
            }
            Self::Difference => {
                "Shows where the terrain is lower (brown) or higher (green) than B, the terrain you compare with."
                    .into()
            }
        }
    }

    /// Name of the overlay on the command line.
    pub fn name(self) -> String {
        match self {
            Self::Change => "change".into(),
            Self::Map(kind) => format!("{kind:?}").to_lowercase(),
            Self::Attribute(attribute) => attribute.id().into(),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|overlay| overlay.name() == name)
    }
}

/// The overlay to show, and the data that it needs.
#[derive(Clone, Debug, Default)]
pub struct OverlayChoice {
    pub overlay: Overlay,
    pub reference: Option<ReferenceTerrain>,
    /// Biomes that colour the terrain in place of the palette.
    pub biomes: Option<Arc<Biomes>>,
    /// The scene without its layers: only its settings and climate, from which temperature, moisture and terrain
    /// attributes are computed.
    pub climate: Option<Arc<Scene>>,
    /// The mask of a layer that is being edited.
    pub mask: Option<Arc<LayerMask>>,
}

/// The parts of a scene that determine temperature and moisture.
pub fn climate_of(scene: &Scene) -> Arc<Scene> {
    let Scene { settings, mut planet, climate, palette, biomes, .. } = scene.clone();
    // the climate does not depend on the hour of the day
    planet.hour = 0.0;
    Arc::new(Scene { settings, planet, climate, palette, biomes, ..Scene::default() })
}

/// The settings that terrain attributes depend on, besides the terrain itself. Moving the sun of the view does not
/// change them.
fn attribute_settings(scene: &Scene) -> impl PartialEq + use<> {
    let Settings { world, size_metres, relief_metres, sea_level, voids, day, latitude, .. } = scene.settings;
    (world, [size_metres, relief_metres, sea_level, latitude, scene.planet.radius_metres], voids, day)
}

/// The terrain that height differences are measured from.
#[derive(Clone, Debug)]
pub struct ReferenceTerrain {
    pub terrain: Arc<Terrain>,
    pub relief_metres: f32,
}

impl PartialEq for ReferenceTerrain {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terrain, &other.terrain) && self.relief_metres == other.relief_metres
    }
}

impl OverlayChoice {
    /// Whether both choices produce the same image. The reference matters only if the overlay uses it.
    pub fn has_same_image(&self, other: &Self) -> bool {
        let compares = self.overlay == Overlay::Difference;
        let same_biomes = match (&self.biomes, &other.biomes) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (a, b) => a.is_none() && b.is_none(),
        };
        let same_climate = match self.overlay {
            Overlay::Temperature | Overlay::Moisture => self.climate == other.climate,
            Overlay::Attribute(_) | Overlay::Map(MapKind::Flow) => {
                let settings = |choice: &Self| choice.climate.as_ref().map(|scene| attribute_settings(scene));
                settings(self) == settings(other)
            }
            _ => true,
        };
        let same_mask = match (&self.mask, &other.mask) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        self.overlay == other.overlay
            && same_biomes
            && same_climate
            && (!compares || self.reference == other.reference)
            && (self.overlay != Overlay::Mask || same_mask)
    }
}
