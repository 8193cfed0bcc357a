//! Processes that work in place and skip unread maps give the same bits as processes that work on a copy and write all
//! maps.

use crate::kits::nodes::{TestScene, altered, on_squares, set};
use talweg::eval::{MemoryUse, Store, evaluate};
use talweg::field::{Control, Edges, MapKind};
use talweg::nodes::Node;
use talweg::param::LayerName;
use talweg::scene::{Layer, Mask, Reads, Scene};

const BOTH: [Edges; 2] = [Edges::Open, Edges::Wrap];

#[test]
fn in_place_steps_give_the_same_bits() {
    let control = Control::default();
    for edges in BOTH {
        // The sizes give several bands of rows with borders, and very few rows.
        for samples in [4, 33, 150] {
            let place = TestScene::new(samples, edges);
            let cx = place.context(&control);
            for node in on_squares().flat_map(|n| [n.clone(), altered(n)]) {
                let Some(process) = node.as_process() else { continue };
                let [mut beside, mut in_place] = [(); 2].map(|()| process.start(&cx, place.noise()));
                for _ in 0..2 {
                    beside.step(&cx).unwrap();
                    in_place.step_in_place(&cx).unwrap();
                    assert!(beside.terrain() == in_place.terrain(), "{samples} {edges:?} {node:?}");
                    assert_eq!(beside.mass_balance(), in_place.mass_balance(), "{samples} {edges:?} {node:?}");
                }
                // From here each run works in the way of the other run.
                beside.step_in_place(&cx).unwrap();
                in_place.step(&cx).unwrap();
                assert!(beside.into_terrain() == in_place.into_terrain(), "{samples} {edges:?} {node:?}");
            }
        }
    }
}

/// An export of heights skips maps that only record the work of an erosion process, and the process works in place. The
/// heights stay the same.
#[test]
fn heights_do_not_depend_on_other_requested_maps() {
    let alone = MemoryUse { heights_only: true, ..MemoryUse::TERRAIN };
    let is_process = |node: &Node| node.as_process().is_some();
    let made = |scene: &Scene, store: &mut Store| {
        evaluate(scene, scene.samples(), None, store, &Control::default()).expect("not cancelled")
    };
    let mut left_out = 0;
    for edges in BOTH {
        for mut node in on_squares().filter(is_process).flat_map(|n| [n.clone(), altered(n)]) {
            set(&mut node, "iterations", "5");
            let ground = Layer::new(Node::named("Perlin").expect("in the catalogue"), 1);
            let mut scene = Scene { layers: vec![ground, Layer::new(node.clone(), 2)], ..Scene::default() };
            (scene.settings.resolution, scene.settings.edges) = (129, edges);
            let kept = made(&scene, &mut Store::default());
            let read = made(&scene, &mut Store::for_use(&MemoryUse::TERRAIN));
            assert!(kept.terrain == read.terrain && kept.mass_balances == read.mass_balances, "in place: {node:?}");
            let heights = made(&scene, &mut Store::for_use(&alone));
            assert!(heights.mass_balances.is_empty(), "unread mass balances are not computed");
            assert!(heights.terrain.height == read.terrain.height, "{node:?}");
            for &kind in MapKind::ALL {
                let (all, some) = (read.terrain.map(kind), heights.terrain.map(kind));
                let is_state = kind == MapKind::Sediment && node.traits().finer_grids.carries_sediment_on;
                let is_record = MapKind::EROSION_RECORDS.contains(&kind) || kind == MapKind::Sediment;
                if is_record && !is_state && some.is_none() {
                    left_out += usize::from(all.is_some());
                } else {
                    assert!(all == some, "{kind:?} of {node:?}");
                }
            }
        }
    }
    assert!(left_out > 0, "no process skips any map");
    // Two masks each read a map. One of the masks reads the map of a single layer.
    let mut scene = Scene::default();
    let named = |name: &str| Layer::new(Node::named(name).expect("in the catalogue"), 1);
    scene.layers = vec![named("Perlin"), named("StreamPower"), named("Terrace"), named("Blur")];
    scene.layers[2].mask = Mask { by_data: true, data: MapKind::Wear, data_from: 1.0, ..Mask::default() };
    scene.layers[1].name = "Rivers".into();
    let (layer, layer_data) = (LayerName("Rivers".into()), MapKind::Flow);
    let reads = Mask { by_layer: true, layer, layer_reads: Reads::Data, layer_data, ..Mask::default() };
    scene.layers[3].mask = Mask { layer_from: 20.0, ..reads };
    scene.settings.resolution = 129;
    let [all, heights] = [MemoryUse::TERRAIN, alone].map(|what| made(&scene, &mut Store::for_use(&what)).terrain);
    assert!(all.height == heights.height && heights.map(MapKind::Wear) == all.map(MapKind::Wear));
    let unread = |kind: MapKind| Mask { layer_data: kind, ..scene.layers[3].mask.clone() };
    let mut other = scene.clone();
    other.layers[3].mask = unread(MapKind::Deposits);
    assert!(made(&other, &mut Store::forgetful()).terrain.height != all.height, "the mask matters");
    assert!(all.map(MapKind::Deposits).is_some() && heights.map(MapKind::Deposits).is_none());
}
