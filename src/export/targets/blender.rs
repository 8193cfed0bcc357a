//! Blender: OpenEXR in metres for a Displace modifier, colours and normals for the terrain's material.

use super::{ExportTarget, TargetNumbers, TargetSizes, map, mesh};
use crate::export::maps::ExportMap;
use crate::io::formats::{EXR, PNG};

pub(super) static BLENDER: ExportTarget = ExportTarget {
    id: "blender",
    name: "Blender",
    help: "A GLB mesh, OpenEXR heights in metres for displacement, colours, normals.",
    sizes: TargetSizes::Any,
    products: |_| {
        vec![mesh(), map(ExportMap::Heights, &EXR), map(ExportMap::Colours, &PNG), map(ExportMap::Normals, &PNG)]
    },
    prepare: |_| (),
    read_me,
};

fn read_me(numbers: &TargetNumbers) -> String {
    let TargetNumbers { samples, size_metres, low, high, .. } = *numbers;
    format!(
        "File, Import, glTF 2.0: {}, in metres, with its colours inside.\n\
         Or add a grid of {size_metres} m with {} x {} subdivisions, and a Displace modifier.\n\
         \x20 Texture          {} (Color Space: Non-Color; Image Mapping, Extension: Extend; Interpolation off)\n\
         \x20 Coordinates      UV\n\
         \x20 Direction        Z\n\
         \x20 Midlevel         0\n\
         \x20 Strength         1\n\
         The values are metres, from {low} to {high}.\n\
         Material: {} as base colour (sRGB), {} as normal map (Non-Color).\n",
        numbers.meshes(),
        samples - 1,
        samples - 1,
        numbers.files("heights"),
        numbers.files("colours"),
        numbers.files("normals"),
    )
}
