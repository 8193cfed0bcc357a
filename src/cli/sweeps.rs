//! Sweeps of a parameter, in the notation of the command line.

use talweg::param::{ParamKind, Value};
use talweg::scene::Scene;
use talweg::variants::{ParamRef, VariantError, VariantSweep};

/// Reads `LAYER.PARAM=A,B,C`: a list of values in the notation of `--set`. Semicolons separate values that contain
/// commas, such as curves.
pub fn listed(scene: &Scene, text: &str) -> Result<VariantSweep, String> {
    let (path, list) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is not of the form LAYER.PARAM=A,B,C, like Peaks.octaves=3,6"))?;
    let param_ref = ParamRef::named(scene, path).map_err(|error| error.to_string())?;
    let separator = if list.contains(';') { ';' } else { ',' };
    let values = list.split(separator).map(|value| param_ref.spec().parse(value)).collect::<Result<_, _>>();
    let sweep = values.map_err(VariantError::from).and_then(|values| VariantSweep::listed(param_ref, values));
    sweep.map_err(|error| error.to_string())
}

/// Reads `LAYER.PARAM` or `LAYER.PARAM=FROM..TO`. The sweep has at most `count` values over the slider's range or the
/// given range.
pub fn swept(scene: &Scene, text: &str, count: usize) -> Result<VariantSweep, VariantError> {
    let (path, range) = text.split_once('=').map_or((text, None), |(path, range)| (path, Some(range)));
    let param_ref = ParamRef::named(scene, path)?;
    let range = range.map(|range| read_range(&param_ref, range)).transpose()?;
    VariantSweep::new(param_ref, range, count)
}

/// Reads `FROM..TO`; both numbers must be within the hard range.
fn read_range(param_ref: &ParamRef, text: &str) -> Result<(f64, f64), VariantError> {
    let spec = param_ref.spec();
    if !matches!(spec.kind, ParamKind::Float { .. } | ParamKind::Int { .. }) {
        return Err(VariantError::NoRange(spec.name));
    }
    let (from, to) = text.split_once("..").ok_or_else(|| VariantError::Form(text.into()))?;
    let number = |text: &str| match spec.parse(text)? {
        Value::Float(v) => Ok(f64::from(v)),
        Value::Int(v) => Ok(v as f64),
        _ => Err(VariantError::NoRange(spec.name)),
    };
    Ok((number(from)?, number(to)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::scene::example;

    #[test]
    fn wrong_values_of_a_sweep_are_explained() {
        let scene = &example("eroded-hills").unwrap().scene;
        let said = |text: &str| swept(scene, text, 4).unwrap_err().to_string();
        assert!(said("1.octaves=3").contains("FROM..TO"));
        assert!(said("1.octaves=0..5").contains("1 to 16"));
        assert!(said("1.fade=1..2").contains("omit FROM..TO"));
        assert_eq!(swept(scene, "1.octaves=2..4", 3).unwrap().values, [2, 3, 4].map(Value::Int));
        assert_eq!(listed(scene, "1.octaves=3,6").unwrap().values, [3, 6].map(Value::Int));
    }
}
