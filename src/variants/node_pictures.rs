//! Images that show the effect of a node's parameters. Each parameter is shown at a low, a middle and a high value on
//! the same terrain.

use super::param_ref::ParamRef;
use super::scene_variant::{SceneVariant, VariantSweep, sweep};
use crate::nodes::{Node, NodeKind};
use crate::planet::World;
use crate::scene::{Layer, Scene};

/// Number of values shown for a numeric parameter; for a choice, all options are shown.
const VALUES: usize = 3;

/// The terrain below a node in [`node_scene`]: hills, or the continents of a planet if the node runs only on planets.
/// Empty for a generator.
pub fn scene_below_node(node: &Node) -> Scene {
    let is_square = node.fits(World::Terrain);
    let mut scene = if is_square { Scene::default() } else { Scene::new_planet() };
    scene.name = node.about().label.into();
    scene.settings.seed = 3;
    scene.settings.sea_level = 0.0;
    if matches!(node.work(), NodeKind::Generator(_)) {
        scene.layers.clear();
    } else if is_square {
        scene.layers.extend(Node::named("Perlin").map(|hills| Layer::new(hills, 1)));
    }
    scene
}

/// The scene that shows a node: the node on the terrain of [`scene_below_node`].
pub fn node_scene(node: &Node) -> Scene {
    let mut scene = scene_below_node(node);
    scene.layers.push(Layer::new(node.clone(), 2));
    scene
}

/// Variants of each parameter that can be swept, by parameter index. For a number, the values run from the lower to the
/// upper end of its slider. For a choice, there is one variant for each option; for a switch, one for off and one for
/// on.
pub fn param_variants(node: &Node) -> Vec<(usize, Vec<SceneVariant>)> {
    let scene = node_scene(node);
    let layer = scene.layers.len() - 1;
    let params = node.about().params.iter().enumerate();
    params
        .filter_map(|(index, spec)| {
            let param_ref = ParamRef::find(&scene, Some(layer), spec.name).ok()?;
            let values = VariantSweep::new(param_ref, None, VALUES).ok()?;
            Some((index, sweep(&scene, &values).ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Store;
    use crate::field::Control;
    use crate::variants::{Size, draw};

    #[test]
    fn every_number_choice_and_switch_of_a_node_has_its_pictures() {
        for node in Node::catalogue() {
            let about = node.about();
            let shown = param_variants(&node);
            let is_plain = |kind: &crate::param::ParamKind| {
                use crate::param::ParamKind::{Bool, Choice, Float, Int};
                matches!(kind, Float { .. } | Int { .. } | Choice(_) | Bool)
            };
            let plain = about.params.iter().filter(|spec| is_plain(&spec.kind)).count();
            assert_eq!(shown.len(), plain, "{}", about.name);
            assert!(shown.iter().all(|(_, variants)| !variants.is_empty() && variants.len() <= 40), "{}", about.name);
        }
    }

    #[test]
    fn a_parameter_that_counts_shows_different_ground() {
        for (name, param) in [("Terrace", "step_height"), ("Continents", "plates")] {
            let node = Node::named(name).unwrap();
            let index = node.about().params.iter().position(|spec| spec.name == param).unwrap();
            let variants = param_variants(&node).into_iter().find(|(of, _)| *of == index).unwrap().1;
            let mut store = Store::forgetful();
            let size = Size { samples: 33, pixels: 32 };
            let pictures: Vec<_> = variants
                .iter()
                .map(|of| draw(&of.scene, size, &mut store, &Control::default()).unwrap().image)
                .collect();
            assert!(pictures.len() == 3 && pictures[0] != pictures[1] && pictures[1] != pictures[2], "{name}");
        }
    }
}
