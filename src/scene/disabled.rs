//! Values of layers that have no effect.

use super::{Layer, Scene};
use crate::param::disabled_reason;

/// A parameter of a layer that has a value of its own, but no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisabledValue {
    /// Index of the layer.
    pub layer: usize,
    /// Name of the parameter in files.
    pub parameter: &'static str,
    /// The reason, as a message for the user.
    pub reason: String,
}

impl Scene {
    /// The parameters of the layers' nodes that differ from their defaults but have no effect, because another
    /// parameter disables them.
    pub fn disabled_values(&self) -> Vec<DisabledValue> {
        let all = self.layers.iter().enumerate();
        all.flat_map(|(layer, of)| {
            of.disabled_values().map(move |(parameter, reason)| DisabledValue { layer, parameter, reason })
        })
        .collect()
    }
}

impl Layer {
    fn disabled_values(&self) -> impl Iterator<Item = (&'static str, String)> {
        let mut node = self.node.clone();
        let params = self.node.about().params.iter().enumerate();
        params.filter_map(move |(index, spec)| {
            let is_set = node.params().get(index) != spec.default;
            let reason = is_set.then(|| disabled_reason(node.params_mut(), index)).flatten();
            reason.map(|reason| (spec.name, reason))
        })
    }
}
