//! Unreal Engine, Landscape: at a Z scale of 100, a step of a 16-bit file is 1/128 m and the number 32,768 is the
//! landscape's own height. The sizes are those that Unreal's technical guide recommends.

use super::{ExportTarget, TargetNumbers, TargetSizes, map};
use crate::export::maps::ExportMap;
use crate::io::formats::PNG;

/// Steps of a 16-bit file in a metre at a Z scale of 100 (`LANDSCAPE_INV_ZSCALE` of the engine).
const STEPS_PER_METRE: f64 = 128.0;
/// The number that is at the height of the landscape itself (`MidValue` of the engine).
const MIDDLE: f64 = 32_768.0;
const LARGEST: f64 = 65_535.0;

/// Z scale and height of the landscape in centimetres, for a file whose numbers 0 and 65,535 are `low` and `high`
/// metres.
fn scale_and_height(low: f32, high: f32) -> (f32, f32) {
    let range = f64::from(high) - f64::from(low);
    let scale = range * STEPS_PER_METRE / LARGEST * 100.0;
    let height = (f64::from(low) + range * MIDDLE / LARGEST) * 100.0;
    (scale as f32, height as f32)
}

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
    let (z_scale, z) = scale_and_height(low, high);
    let xy_scale = cell_metres * 100.0;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_shows_every_number_at_its_height() {
        for (low, high) in [(-127.25_f32, 2290.5_f32), (0.0, 0.5), (3000.0, 8848.0)] {
            let (scale, height) = scale_and_height(low, high);
            let step = f64::from(high - low) / LARGEST;
            for number in [0.0, 1.0, 32_767.0, 32_768.0, 65_535.0] {
                let shown = (number - MIDDLE) / STEPS_PER_METRE * f64::from(scale) / 100.0 + f64::from(height) / 100.0;
                let meant = f64::from(low) + number * step;
                assert!((shown - meant).abs() < 0.1 * step.max(1e-3), "{number}: {shown} instead of {meant}");
            }
        }
        // The height range from a reported issue: 2,417.829 m.
        assert!((scale_and_height(0.0, 2417.829).0 - 472.2395).abs() < 1e-3);
    }
}
