//! Godot with Terrain3D: OpenEXR in metres, colours, and a control map that stores integer bits as floats. The region
//! size of Terrain3D is a power of two.

use super::{ExportTarget, TargetNumbers, TargetSizes, map};
use crate::export::maps::ExportMap;
use crate::io::formats::{EXR, PNG};

pub(super) static GODOT: ExportTarget = ExportTarget {
    id: "godot",
    name: "Godot (Terrain3D)",
    help: "OpenEXR heights in metres, a control map of the ground types, colours.",
    sizes: TargetSizes::Multiple(256),
    products: |_| vec![map(ExportMap::Heights, &EXR), map(ExportMap::Control, &EXR), map(ExportMap::Colours, &PNG)],
    prepare: |_| (),
    read_me,
};

fn read_me(numbers: &TargetNumbers) -> String {
    let TargetNumbers { samples, cell_metres, low, high, .. } = *numbers;
    format!(
        "Open Terrain3D's importer scene, or call import_images.\n\
         \x20 Height file      {}\n\
         \x20 Control file     {}\n\
         \x20 Color file       {}\n\
         \x20 Import scale     1\n\
         \x20 Import offset    0\n\
         \x20 Vertex spacing   {cell_metres}\n\
         The images have {samples} x {samples} samples; a region size of 256 fits. Heights go from {low} to {high} m.\n\
         Textures 0, 1, 2 of the control map are the ground types of its legend, in that order.\n",
        numbers.files("heights"),
        numbers.files("control"),
        numbers.files("colours"),
    )
}
