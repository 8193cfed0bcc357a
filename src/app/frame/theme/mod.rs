//! The look of the panels: neutral greys with a water blue as the only accent colour, in a dark or a light theme.

mod colours;

use std::sync::Arc;

use bevy_egui::egui;
use egui::{
    Color32, CornerRadius, FontData, FontFamily, FontId, FontTweak, Margin, Shadow, Stroke, TextStyle, Vec2, Visuals,
    vec2,
};

pub use self::colours::{colour, ink};
use talweg::preferences::{InterfacePreferences, ThemeChoice};

/// Height of a row of the layer stack and of a parameter, in points.
pub const ROW: f32 = 26.0;

/// Side length of a button that shows only an icon, in points.
pub const ICON_BUTTON: f32 = 26.0;

/// Inter 4.1, Regular, from the npm package `inter-ui` 4.1.1. egui's own typeface has only a light weight, which is
/// hard to read on a light background. fontTools has removed the glyphs in the private use area, which would appear in
/// place of the icons, and given all digits the same width (the feature `tnum`), so that numbers stay in place.
const TYPEFACE: &[u8] = include_bytes!("../../assets/fonts/Inter-Regular.ttf");
/// Size of the typeface compared with that of egui, whose letters are lower and narrower.
const TYPEFACE_SCALE: f32 = 0.95;

/// Adds Talweg's fonts to `ctx`, and disables egui's own zoom. The size of panels and view depends on the scale of the
/// window instead.
pub fn prepare(ctx: &egui::Context) {
    let mut fonts = egui::FontDefinitions::default();
    egui_phosphor::add_to_fonts(&mut fonts, egui_phosphor::Variant::Regular);
    let tweak = FontTweak { scale: TYPEFACE_SCALE, ..FontTweak::default() };
    fonts.font_data.insert("Inter".into(), Arc::new(FontData::from_static(TYPEFACE).tweak(tweak)));
    if let Some(family) = fonts.families.get_mut(&FontFamily::Proportional) {
        family.insert(0, "Inter".into());
        // the typeface lacks some mathematical operators, so add a fallback font
        family.push("Hack".into());
    }
    ctx.set_fonts(fonts);
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
}

/// Applies the preferred theme to this thread. Restyles `ctx` if the theme has changed.
pub fn follow(ctx: &egui::Context, preferred: &InterfacePreferences) {
    colours::set_current(preferred.theme);
    let (now, id) = ((preferred.theme, preferred.reduced_motion), egui::Id::new("theme in force"));
    if ctx.data(|data| data.get_temp(id)) != Some(now) {
        ctx.data_mut(|data| data.insert_temp(id, now));
        apply(ctx, preferred);
    }
}

/// Sets the colours, spacing and animations of `ctx` to the user's preferences.
fn apply(ctx: &egui::Context, preferred: &InterfacePreferences) {
    ctx.set_theme(match preferred.theme {
        ThemeChoice::Dark => egui::Theme::Dark,
        ThemeChoice::Light => egui::Theme::Light,
    });
    ctx.all_styles_mut(|style| {
        style.visuals = visuals(preferred.theme);
        let font = |size| FontId::new(size, FontFamily::Proportional);
        style.text_styles = [
            (TextStyle::Heading, font(16.0)),
            (TextStyle::Body, font(13.0)),
            (TextStyle::Button, font(13.0)),
            (TextStyle::Small, font(11.5)),
            (TextStyle::Monospace, FontId::new(12.0, FontFamily::Monospace)),
        ]
        .into();
        style.drag_value_text_style = TextStyle::Button;
        style.animation_time = if preferred.reduced_motion { 0.0 } else { 0.08 };
        style.scroll_animation = if preferred.reduced_motion {
            egui::style::ScrollAnimation::none()
        } else {
            egui::style::ScrollAnimation::default()
        };
        style.explanation_tooltips = false;
        style.interaction.selectable_labels = false;
        style.interaction.tooltip_delay = 0.4;
        style.compact_menu_style = false;
        let spacing = &mut style.spacing;
        spacing.item_spacing = vec2(6.0, 5.0);
        spacing.button_padding = vec2(8.0, 3.0);
        spacing.interact_size = vec2(36.0, 22.0);
        spacing.menu_margin = Margin::same(6);
        spacing.window_margin = Margin::same(12);
        spacing.slider_rail_height = 5.0;
        spacing.icon_width = 16.0;
        spacing.combo_height = 320.0;
        spacing.tooltip_width = 320.0;
        spacing.scroll.floating = true;
    });
}

fn visuals(theme: ThemeChoice) -> Visuals {
    let (mut visuals, shade) = match theme {
        ThemeChoice::Dark => (Visuals::dark(), Color32::from_black_alpha(110)),
        ThemeChoice::Light => (Visuals::light(), Color32::from_black_alpha(50)),
    };
    let rounding = CornerRadius::same(4);
    visuals.panel_fill = colour::panel();
    visuals.window_fill = colour::raised();
    visuals.window_stroke = Stroke::new(1.0, colour::line());
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.window_shadow = Shadow { offset: [0, 8], blur: 24, spread: 0, color: shade };
    visuals.popup_shadow = Shadow { offset: [0, 4], blur: 14, spread: 0, color: shade };
    visuals.extreme_bg_color = colour::deep();
    visuals.faint_bg_color = colour::faint();
    visuals.code_bg_color = colour::deep();
    visuals.weak_text_color = Some(colour::text_weak());
    visuals.hyperlink_color = colour::accent();
    visuals.warn_fg_color = colour::warning();
    visuals.error_fg_color = colour::error();
    visuals.selection.bg_fill = colour::accent_deep();
    visuals.selection.stroke = Stroke::new(1.0, colour::text_strong());
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = egui::style::HandleShape::Circle;
    let states = [
        (&mut visuals.widgets.noninteractive, colour::panel(), colour::line(), colour::text()),
        (&mut visuals.widgets.inactive, colour::control(), Color32::TRANSPARENT, colour::text()),
        (&mut visuals.widgets.hovered, colour::control_hovered(), Color32::TRANSPARENT, colour::text_strong()),
        (&mut visuals.widgets.active, colour::accent_deep(), colour::accent(), colour::text_strong()),
        (&mut visuals.widgets.open, colour::control(), colour::line(), colour::text_strong()),
    ];
    for (widget, fill, line, text) in states {
        widget.bg_fill = fill;
        widget.weak_bg_fill = fill;
        widget.bg_stroke = if line == Color32::TRANSPARENT { Stroke::NONE } else { Stroke::new(1.0, line) };
        widget.fg_stroke = Stroke::new(1.0, text);
        widget.corner_radius = rounding;
        widget.expansion = 0.0;
    }
    visuals
}

/// A button that shows only an icon. Screen readers and tests read `label`.
pub fn icon_button(ui: &mut egui::Ui, enabled: bool, icon: &str, label: &str) -> egui::Response {
    icon_toggle(ui, enabled, false, icon, label)
}

/// An icon button that can be switched on and off.
pub fn icon_toggle(ui: &mut egui::Ui, enabled: bool, on: bool, icon: &str, label: &str) -> egui::Response {
    sized_icon_toggle(ui, ICON_BUTTON, (enabled, on), icon, label)
}

/// An icon button of another size, in points; `state` holds whether it can be clicked and whether it is switched on.
pub fn sized_icon_toggle(
    ui: &mut egui::Ui,
    size: f32,
    (enabled, on): (bool, bool),
    icon: &str,
    label: &str,
) -> egui::Response {
    let text = egui::RichText::new(icon).size(size - 10.0);
    let button = egui::Button::new(text).selected(on).min_size(Vec2::splat(size));
    let response = ui.scope(|ui| {
        ui.spacing_mut().button_padding = Vec2::ZERO;
        ui.add_enabled(enabled, button.frame_when_inactive(on))
    });
    let response = response.inner;
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, enabled, label));
    response
}

/// Paints one line of text into `rect`, shortened with an ellipsis if it does not fit. Screen readers get the text from
/// the widget below it.
pub fn paint_text(ui: &egui::Ui, rect: egui::Rect, text: &str, color: Color32, italics: bool) {
    let font_id = TextStyle::Body.resolve(ui.style());
    let format = egui::TextFormat { font_id, color, italics, ..Default::default() };
    let mut job = egui::text::LayoutJob::single_section(text.to_string(), format);
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width());
    let galley = ui.painter().layout_job(job);
    let at = egui::pos2(rect.left(), rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, color);
}

/// Adds a slider without a number field. It is `width` points wide, and its handle fits the height of a row.
pub fn slider(ui: &mut egui::Ui, enabled: bool, width: f32, slider: egui::Slider) -> egui::Response {
    let added = ui.scope(|ui| {
        ui.spacing_mut().slider_width = width;
        ui.spacing_mut().interact_size.y = 14.0;
        ui.visuals_mut().selection.bg_fill = colour::accent_middle();
        ui.add_enabled(enabled, slider.show_value(false))
    });
    added.inner
}

#[cfg(test)]
mod tests {
    use egui_phosphor::regular as icon;

    use super::*;

    /// Inter comes before the icon font, so it must have no glyphs of its own for the icons. egui has a glyph if the
    /// glyph comes from another font than the sign for missing glyphs, which is in Inter here.
    #[test]
    fn the_typeface_has_no_glyphs_for_icons() {
        let mut fonts = egui::FontDefinitions::empty();
        fonts.font_data.insert("Inter".into(), Arc::new(FontData::from_static(TYPEFACE)));
        let icons = egui_phosphor::Variant::Regular.font_bytes();
        fonts.font_data.insert("icons".into(), Arc::new(FontData::from_static(icons)));
        for family in [FontFamily::Proportional, FontFamily::Monospace] {
            fonts.families.insert(family, vec!["Inter".into(), "icons".into()]);
        }
        let ctx = egui::Context::default();
        ctx.set_fonts(fonts);
        let _ = ctx.run_ui(egui::RawInput::default(), |_| {});
        for icon in [icon::EYE, icon::DICE_FIVE, icon::FOLDER, icon::FLAG, icon::GEAR_SIX, icon::ISLAND, icon::STAR] {
            assert!(ctx.fonts_mut(|fonts| fonts.has_glyphs(&FontId::proportional(14.0), icon)), "{icon:?}");
        }
    }
}
