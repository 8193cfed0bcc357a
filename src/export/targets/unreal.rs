//! Unreal Engine, Landscape: 16 bits span 512 m at a Z scale of 100. Unreal's technical guide recommends the supported
//! sizes.

use super::{ExportTarget, TargetNumbers, TargetSizes, map};
use crate::export::maps::ExportMap;
use crate::io::formats::PNG;

/// Metres that 65,535 steps span at a Z scale of 100.
const SPAN_METRES: f32 = 512.0;

pub(super) static UNREAL: ExportTarget = ExportTarget {
    id: "unreal",
    name: "Unreal Engine (Landscape)",
    help: "16-bit heights of a size that Landscape supports, a greyscale weight map for each ground type, normals.",
    sizes: TargetSizes::Listed(&[127, 253, 505, 1009, 2017, 4033, 8129]),
    products: |_| {
        vec![
            map(ExportMap::Heights, &PNG),
            map(ExportMap::Weights, &PNG),
            map(ExportMap::Normals, &PNG),
            map(ExportMap::Colours, &PNG),
        ]
    },
    prepare: |request| request.directx_normals = true,
    read_me,
};

fn read_me(numbers: &TargetNumbers) -> String {
    let TargetNumbers { samples, cell_metres, low, high, .. } = *numbers;
    let z_scale = (high - low) / SPAN_METRES * 100.0;
    let xy_scale = cell_metres * 100.0;
    let z = (low + high) * 0.5 * 100.0;
    format!(
        "Landscape mode, Manage, New, Import from File.\n\
         \x20 Heightmap file   {}\n\
         \x20 Resolution       {samples} x {samples}\n\
         \x20 Scale            X {xy_scale}  Y {xy_scale}  Z {z_scale}\n\
         \x20 Location Z       {z}\n\
         Heights go from {low} to {high} m.\n\
         \n\
         Layers: make a landscape layer (weight-blended) for each of these and import the file into it:\n\
         \x20 {}\n\
         Normals are for DirectX, green down: {}\n",
        numbers.files("heights"),
        numbers.files("weight"),
        numbers.files("normals"),
    )
}
