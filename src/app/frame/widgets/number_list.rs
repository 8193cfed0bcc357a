//! The field of a list of numbers.

use bevy_egui::egui;
use egui::{Id, Key, Response, TextEdit, Ui};
use talweg::param::{ParamSpec, Value};

use crate::frame::units;
use crate::frame::widgets::row::title;
use crate::frame::widgets::sought;

/// Draws the field of a list of numbers, with spaces between the numbers. The list changes when the user presses Enter
/// or leaves the field. Returns the new list, or the message why the typed text was rejected.
pub fn field(ui: &mut Ui, spec: &ParamSpec, value: &Value) -> (Response, Option<Result<Value, String>>) {
    let id = ui.id().with("typed numbers");
    let shown = units::param_text(spec, value);
    let mut typed = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| shown.clone());
    let edit = TextEdit::singleline(&mut typed).desired_width(f32::INFINITY).hint_text("90 40 15 …");
    let response = ui.add(edit);
    sought::offer_focus(&response);
    if !response.lost_focus() {
        keep(ui, id, response.has_focus().then_some(typed));
        return (response, None);
    }
    keep(ui, id, None);
    let is_cancelled = ui.input(|input| input.key_pressed(Key::Escape));
    let read = (!is_cancelled && typed.trim() != shown).then(|| read(spec, &typed));
    (response, read.filter(|read| read.as_ref() != Ok(value)))
}

fn keep(ui: &Ui, id: Id, typed: Option<String>) {
    ui.data_mut(|data| match typed {
        Some(typed) => _ = data.insert_temp(id, typed),
        None => data.remove::<String>(id),
    });
}

/// Parses typed numbers, which are in the shown unit.
fn read(spec: &ParamSpec, text: &str) -> Result<Value, String> {
    let unit = units::of_param(spec);
    let kept = |word: &str| unit.read(word).map(|shown| spec.number_from_shown(unit.kept(shown)) as f32);
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers: Option<Vec<f32>> = words.iter().map(|word| kept(word)).collect();
    let Some(numbers) = numbers else {
        let wrong = words.iter().find(|word| kept(word).is_none()).copied().unwrap_or_default();
        return Err(format!("“{wrong}” is not a number. {} was not changed.", title(spec)));
    };
    let value = Value::Numbers(numbers);
    if spec.clamp(&value) == value {
        return Ok(value);
    }
    Err(format!("{} takes {}{}. It was not changed.", title(spec), units::range_text(spec), unit.suffix()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::construction::primitives::disc::Disc;
    use talweg::param::Params;

    #[test]
    fn typed_numbers_are_read_or_the_wrong_one_is_named() {
        let about = Disc::default().about();
        let spec = &about.params[about.find("octave_sizes").expect("a parameter of the disc")];
        assert_eq!(read(spec, " 900 450,5  0.2km "), Ok(Value::Numbers(vec![900.0, 450.5, 200.0])));
        assert_eq!(read(spec, ""), Ok(Value::Numbers(Vec::new())));
        assert!(read(spec, "900 x 3").is_err_and(|why| why.contains("“x” is not a number")));
        assert!(read(spec, "900 -3").is_err_and(|why| why.contains("each from 1 to")));
        assert!(read(spec, &"5 ".repeat(33)).is_err_and(|why| why.contains("at most 32 numbers")));
    }
}
