//! WorldPainter: a 16-bit PNG with a block per sample, and masks of ground types.

use super::{ExportTarget, TargetNumbers, TargetSizes, map};
use crate::export::maps::ExportMap;
use crate::io::formats::PNG;

pub(super) static WORLDPAINTER: ExportTarget = ExportTarget {
    id: "worldpainter",
    name: "WorldPainter",
    help: "16-bit heights in tiles of 128 blocks, a mask for each ground type.",
    sizes: TargetSizes::Multiple(128),
    products: |_| vec![map(ExportMap::Heights, &PNG), map(ExportMap::Weights, &PNG)],
    prepare: |_| (),
    read_me,
};

/// Number of blocks of a Minecraft world above its lowest block.
const BLOCKS: f32 = 384.0;

fn read_me(numbers: &TargetNumbers) -> String {
    let TargetNumbers { samples, low, high, scene, cell_metres, .. } = *numbers;
    let blocks = ((high - low) / cell_metres).min(BLOCKS);
    let sea = scene.settings.sea_level;
    let per_block = (high - low) / blocks.max(1.0);
    let water = ((sea - low) / per_block).max(0.0);
    format!(
        "File, Import, Height Map.\n\
         \x20 Image file       {}\n\
         \x20 Scale            100 %: {samples} x {samples} blocks, {cell_metres} m each\n\
         \x20 From image       lowest 0, highest 65535\n\
         \x20 To Minecraft     lowest -64, highest {}\n\
         \x20 Water level      {}\n\
         True proportions need {} blocks of height; a world has {BLOCKS}.\n\
         Masks, for Import, Mask as layer or terrain: {}\n",
        numbers.files("heights"),
        (blocks - 64.0) as i32,
        (water - 64.0) as i32,
        ((high - low) / cell_metres) as i32,
        numbers.files("weight"),
    )
}
