//! Legends: the meaning of an overlay's colours, in real units.

use super::ramp::Ramp;

/// A colour bar with its name and ticks. A legend without ticks is only a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    pub title: String,
    pub unit: String,
    pub ramp: &'static Ramp,
    pub ticks: Vec<Tick>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Position of the tick on the bar, from 0 to 1.
    pub at: f32,
    pub text: String,
}

impl std::fmt::Display for Legend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.title)?;
        if let [first, .., last] = self.ticks.as_slice() {
            let space = if self.unit.is_empty() || self.unit == "°" { "" } else { " " };
            write!(f, ": {} to {}{space}{}", first.text, last.text, self.unit)?;
        }
        Ok(())
    }
}

/// The smallest round number that is not less than `value`; 1 for 0.
pub fn nice(value: f32) -> f32 {
    const STEPS: [f32; 9] = [1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0];
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10f32.powf(value.log10().floor());
    let found = STEPS.into_iter().find(|step| step * power >= value * 0.9999);
    found.unwrap_or(10.0) * power
}

/// `parts` + 1 ticks from `low` to `high`. If `open`, the last tick has the sign ≥, because the last colour also shows
/// values above `high`.
pub fn linear(low: f32, high: f32, parts: usize, open: bool) -> Vec<Tick> {
    let tick = |k: usize| {
        let at = k as f32 / parts as f32;
        let text = number(low + (high - low) * at);
        Tick { at, text: if open && k == parts { format!("≥ {text}") } else { text } }
    };
    (0..=parts).map(tick).collect()
}

/// Ticks from -`most` through 0 to `most`.
pub fn symmetric(most: f32) -> Vec<Tick> {
    let mut ticks = linear(-most, most, 4, true);
    ticks[0].text.insert_str(0, "≤ ");
    ticks
}

/// Ticks from 1 to 10^`powers`, at most six of them.
pub fn decades(powers: i32) -> Vec<Tick> {
    let step = (powers as usize).div_ceil(5).max(1);
    let text = |power: i32| match power {
        0..4 => number(10f32.powi(power)),
        4..6 => format!("{} k", number(10f32.powi(power - 3))),
        6..9 => format!("{} M", number(10f32.powi(power - 6))),
        _ => format!("{} G", number(10f32.powi(power - 9))),
    };
    (0..=powers).step_by(step).map(|power| Tick { at: power as f32 / powers as f32, text: text(power) }).collect()
}

/// The number as text. Its decimals end at the third significant digit, and there are at most six of them.
fn number(value: f32) -> String {
    if value.abs() < 1e-9 {
        return "0".into();
    }
    let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legend_numbers_are_short_and_round() {
        let cases = [(0.0, "0"), (-5.0, "−5"), (0.25, "0.25"), (1200.0, "1200"), (0.003, "0.003"), (37.5, "37.5")];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        for (value, expected) in [(0.0, 1.0), (0.97, 1.0), (1.3, 1.6), (8.4, 10.0), (730.0, 800.0), (0.021, 0.03)] {
            assert!((nice(value) - expected).abs() < 1e-4 * expected, "{value}: {}", nice(value));
        }
    }

    #[test]
    fn ticks_run_from_end_to_end() {
        for powers in 1..=12 {
            let ticks = decades(powers);
            assert!((2..=6).contains(&ticks.len()), "{powers}: {}", ticks.len());
            assert_eq!((ticks[0].at, ticks[0].text.as_str()), (0.0, "1"));
        }
        assert_eq!(decades(5).last().unwrap().text, "100 k");
        assert_eq!(symmetric(8.0)[0].text, "≤ −8");
        assert_eq!(linear(0.0, 2.0, 4, true)[4].text, "≥ 2");
    }
}
