//! Bevy: floats in metres for a heightfield collider, colours and normals for a material.

use super::{ExportTarget, TargetNumbers, TargetSizes, map, mesh};
use crate::export::maps::ExportMap;
use crate::io::formats::{PNG, R32};

pub(super) static BEVY: ExportTarget = ExportTarget {
    id: "bevy",
    name: "Bevy",
    help: "A GLB mesh, RAW 32-bit heights in metres for colliders, colours, normals.",
    sizes: TargetSizes::Any,
    products: |_| {
        vec![mesh(), map(ExportMap::Heights, &R32), map(ExportMap::Colours, &PNG), map(ExportMap::Normals, &PNG)]
    },
    prepare: |_| (),
    read_me,
};

fn read_me(numbers: &TargetNumbers) -> String {
    let TargetNumbers { samples, size_metres, cell_metres, low, high, .. } = *numbers;
    format!(
        "{} is a scene: SceneRoot(asset_server.load(GltfAssetLabel::Scene(0).from_asset(file))).\n\
         {} holds {samples} x {samples} little-endian f32 in metres ({low} to {high}), row by row from the north-west;\n\
         neighbours are {cell_metres} m apart, the side is {size_metres} m. A heightfield collider takes them as they are.\n\
         {} is the base colour (sRGB), {} the normal map (linear, green to the north).\n\
         The talweg library does the same without files: see its example bevy_game.\n",
        numbers.meshes(),
        numbers.files("heights"),
        numbers.files("colours"),
        numbers.files("normals"),
    )
}
