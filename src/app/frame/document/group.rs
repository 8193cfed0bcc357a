//! The parameter groups of a scene.

use talweg::param::Params;
use talweg::scene::Scene;

/// One parameter group of the scene or of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Settings,
    Planet,
    /// The climate that determines the biomes.
    Climate,
    Node(usize),
    Mix(usize),
    Mask(usize),
}

impl Group {
    /// Index of the layer that the group belongs to, if it belongs to a layer.
    pub fn layer(self) -> Option<usize> {
        match self {
            Self::Settings | Self::Planet | Self::Climate => None,
            Self::Node(index) | Self::Mix(index) | Self::Mask(index) => Some(index),
        }
    }

    /// The parameters of the group in `scene`, if its layer exists.
    pub fn params(self, scene: &Scene) -> Option<&dyn Params> {
        match self {
            Self::Settings => Some(&scene.settings),
            Self::Planet => Some(&scene.planet),
            Self::Climate => Some(scene.effective_climate()),
            Self::Node(index) => scene.layers.get(index).map(|l| l.node.params()),
            Self::Mix(index) => scene.layers.get(index).map(|l| &l.mix as &dyn Params),
            Self::Mask(index) => scene.layers.get(index).map(|l| &l.mask as &dyn Params),
        }
    }

    pub fn of_mut(self, scene: &mut Scene) -> Option<&mut dyn Params> {
        match self {
            Self::Settings => Some(&mut scene.settings),
            Self::Planet => Some(&mut scene.planet),
            Self::Climate => {
                let climate = scene.climate();
                Some(scene.climate.get_or_insert(climate))
            }
            Self::Node(index) => scene.layers.get_mut(index).map(|l| l.node.params_mut()),
            Self::Mix(index) => scene.layers.get_mut(index).map(|l| &mut l.mix as &mut dyn Params),
            Self::Mask(index) => scene.layers.get_mut(index).map(|l| &mut l.mask as &mut dyn Params),
        }
    }
}
