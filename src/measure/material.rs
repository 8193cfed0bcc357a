//! Mass balances: the volumes of material that processes moved, in cubic metres.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::field::Grid;
use crate::nodes::MassBalance;
use crate::scene::Scene;

/// The mass balance of a process, with the layer that contains the process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayerMaterial {
    /// Name of the layer.
    pub layer: String,
    /// Position of the layer in the list of layers, counted from 1.
    pub place: usize,
    /// The terms of the balance in cubic metres; see [`material_cubic_metres`].
    pub cubic_metres: BTreeMap<&'static str, f64>,
}

/// The mass balances of all processes that ran in an evaluation of `scene`, in cubic metres. `balances` holds the layer
/// index and the balance of each process.
pub fn layer_material(scene: &Scene, grid: Grid, balances: &[(usize, MassBalance)]) -> Vec<LayerMaterial> {
    let of_layer = |(index, balance): &(usize, MassBalance)| LayerMaterial {
        layer: scene.layers[*index].name.clone(),
        place: index + 1,
        cubic_metres: material_cubic_metres(scene, grid, balance).into_iter().collect(),
    };
    balances.iter().map(of_layer).collect()
}

/// Names and values of the terms of a mass balance, in cubic metres. `residual` is 0 except for rounding errors:
/// `eroded - deposited - carried - lost + resampled_carried`. The volume of the ground changes by
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
