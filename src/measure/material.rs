//! The material that processes moved, in cubic metres.

use serde::Serialize;
use std::collections::BTreeMap;

use crate::field::Grid;
use crate::nodes::MassBalance;
use crate::scene::Scene;

/// The mass balance of the process in a layer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayerMaterial {
    /// Name of the layer.
    pub layer: String,
    /// Place of the layer in the scene, counted from 1.
    pub place: usize,
    /// The parts of the balance in cubic metres: see [`material_cubic_metres`].
    pub cubic_metres: BTreeMap<&'static str, f64>,
}

/// The mass balances of the processes of a scene that ran in an evaluation. `balances` holds the index of the layer of
/// each process.
pub fn layer_material(scene: &Scene, grid: Grid, balances: &[(usize, MassBalance)]) -> Vec<LayerMaterial> {
    let of_layer = |(index, balance): &(usize, MassBalance)| LayerMaterial {
        layer: scene.layers[*index].name.clone(),
        place: index + 1,
        cubic_metres: material_cubic_metres(scene, grid, balance).into_iter().collect(),
    };
    balances.iter().map(of_layer).collect()
}

/// Names and values of the parts of a mass balance, in cubic metres. `residual` is 0 up to rounding:
/// `eroded - deposited - carried - lost + resampled_carried`. The change of the volume of the ground is
/// `added + deposited - eroded + resampled`.
pub fn material_cubic_metres(scene: &Scene, grid: Grid, balance: &MassBalance) -> [(&'static str, f64); 8] {
    let unit = cell_area(grid, scene.side_metres()) * f64::from(scene.settings.relief_metres);
    let MassBalance { eroded, deposited, carried, lost, added, resampled, resampled_carried } = *balance;
    [
        ("eroded", eroded),
        ("deposited", deposited),
        ("carried", carried),
        ("lost", lost),
        ("added", added),
        ("resampled", resampled),
        ("resampled_carried", resampled_carried),
        ("residual", balance.residual()),
    ]
    .map(|(name, sum)| (name, sum * unit))
}

/// Mean area of a cell, in m².
fn cell_area(grid: Grid, side_metres: f32) -> f64 {
    let side = f64::from(side_metres);
    if grid.is_globe() {
        let radius = side * std::f64::consts::FRAC_2_PI;
        return 4.0 * std::f64::consts::PI * radius * radius / grid.distinct_len() as f64;
    }
    let cell = side / (grid.samples - 1) as f64;
    cell * cell
}
