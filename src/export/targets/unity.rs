//! Unity, Terrain: a 16-bit RAW file that starts in the south-west, with 2^n + 1 samples per side.

use super::{ExportTarget, TargetNumbers, TargetSizes, map};
use crate::export::maps::ExportMap;
use crate::io::formats::{PNG, R16};

pub(super) static UNITY: ExportTarget = ExportTarget {
    id: "unity",
    name: "Unity (Terrain)",
    help: "RAW 16-bit heights of 2^n + 1 samples, splat maps, normals.",
    sizes: TargetSizes::PowerAndOne(33, 4097),
    products: |_| {
        vec![
            map(ExportMap::Heights, &R16),
            map(ExportMap::Splat, &PNG),
            map(ExportMap::Normals, &PNG),
            map(ExportMap::Colours, &PNG),
        ]
    },
    prepare: |request| request.south_first = true,
    read_me,
};

fn read_me(numbers: &TargetNumbers) -> String {
    let TargetNumbers { samples, size_metres, low, high, .. } = *numbers;
    format!(
        "Terrain settings, Texture Resolutions, Import Raw.\n\
         \x20 File             {}\n\
         \x20 Depth            Bit 16\n\
         \x20 Resolution       {samples}\n\
         \x20 Byte Order       Windows\n\
         \x20 Flip Vertically  off\n\
         \x20 Terrain Size     X {size_metres}  Y {}  Z {size_metres}\n\
         Position Y of the terrain: {low}. Heights go from {low} to {high} m.\n\
         \n\
         Splat maps hold the weights of four Terrain Layers in red, green, blue and alpha; they add up to 255:\n\
         \x20 {}\n",
        numbers.files("heights"),
        high - low,
        numbers.files("splat"),
    )
}
