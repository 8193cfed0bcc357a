//! A layer with random parameter values near the current values.

use super::param_ref::SliderScale;
use crate::field::Stream;
use crate::param::{ParamKind, Value};
use crate::scene::Layer;

/// Maximum change of a number, as a fraction of its slider's range.
const REACH: f64 = 0.25;
/// Names of parameters that stay unchanged, because they affect the running time rather than the look.
const KEPT: [&str; 1] = ["iterations"];

/// The layer with another seed and with changed numbers. Each number of the node changes by up to a quarter of its
/// slider's range (for a logarithmic slider, a quarter of the decades) and is clamped to the range. Choices, switches,
/// files and iterations stay the same, because changing them would change the character of the layer. The same number
/// `draw` always returns the same layer.
pub fn randomised(layer: &Layer, draw: u32) -> Layer {
    let stream = Stream::new(layer.seed, draw);
    let mut made = layer.clone();
    let about = layer.node.about();
    for (index, spec) in about.params.iter().enumerate().filter(|(_, spec)| !KEPT.contains(&spec.name)) {
        let (slider, number) = match (&spec.kind, layer.node.params().get(index)) {
            (ParamKind::Float { slider, .. }, Value::Float(v)) => {
                ((f64::from(slider.0), f64::from(slider.1)), f64::from(v))
            }
            (ParamKind::Int { slider, .. }, Value::Int(v)) => ((slider.0 as f64, slider.1 as f64), v as f64),
            _ => continue,
        };
        let scale = SliderScale::new(slider);
        let place = scale.fraction(number) + REACH * f64::from(stream.signed(index as i32, 0));
        let number = scale.value(place.clamp(0.0, 1.0));
        let value = match spec.kind {
            ParamKind::Int { .. } => Value::Int(number.round() as i64),
            _ => Value::Float(number as f32),
        };
        // a value within the slider is within the hard range, so this cannot fail
        let _ = made.node.params_mut().set(index, &spec.clamp(&value));
    }
    made.seed = stream.bits(-1, 0) as u32;
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::Node;

    #[test]
    fn numbers_move_a_little_and_all_else_stays() {
        let (mut moved, mut floats) = (0, 0);
        for node in Node::catalogue() {
            let layer = Layer::new(node, 4);
            let made = randomised(&layer, 9);
            assert_eq!(made, randomised(&layer, 9));
            for (index, spec) in layer.node.about().params.iter().enumerate() {
                let (before, after) = (layer.node.params().get(index), made.node.params().get(index));
                match (&spec.kind, &before, &after) {
                    (ParamKind::Float { slider, hard, .. }, Value::Float(a), Value::Float(b)) => {
                        let scale = SliderScale::new((f64::from(slider.0), f64::from(slider.1)));
                        let places = [*a, *b].map(|v| scale.fraction(f64::from(v)).clamp(0.0, 1.0));
                        assert!((places[1] - places[0]).abs() <= REACH + 0.01, "{} {a} {b}", spec.name);
                        assert!((hard.0..=hard.1).contains(b), "{} {b}", spec.name);
                        moved += usize::from(a != b);
                        floats += 1;
                    }
                    (ParamKind::Int { .. }, ..) if spec.name != "iterations" => {}
                    _ => assert_eq!(before, after, "{}: {}", layer.node.about().name, spec.name),
                }
            }
        }
        // a value at an end of its slider does not move if the random change is beyond this end
        assert!(4 * moved >= 3 * floats, "{moved} of {floats}");
        let layer = Layer::new(Node::named("Perlin").unwrap(), 4);
        assert!(randomised(&layer, 1) != randomised(&layer, 2) && randomised(&layer, 1).seed != 4);
    }
}
