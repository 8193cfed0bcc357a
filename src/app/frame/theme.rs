//! How the panels look: one dark theme, calm greys with the blue of water as the only accent.

use bevy_egui::egui;
use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Shadow, Stroke, TextStyle, Vec2, Visuals, vec2};

/// Colours of the theme.
pub mod colour {
    use super::Color32;

    /// Behind everything: menu, status bar, fields.
    pub const DEEP: Color32 = Color32::from_rgb(20, 22, 25);
    /// Panels.
    pub const PANEL: Color32 = Color32::from_rgb(29, 31, 35);
    /// Windows and menus over the panels.
    pub const RAISED: Color32 = Color32::from_rgb(38, 41, 46);
    /// Buttons and rails.
    pub const CONTROL: Color32 = Color32::from_rgb(51, 55, 62);
    pub const CONTROL_HOVERED: Color32 = Color32::from_rgb(64, 69, 78);
    pub const LINE: Color32 = Color32::from_rgb(54, 58, 65);
    pub const TEXT: Color32 = Color32::from_rgb(206, 210, 216);
    pub const TEXT_STRONG: Color32 = Color32::from_rgb(240, 243, 247);
    pub const TEXT_WEAK: Color32 = Color32::from_rgb(146, 152, 162);
    pub const ACCENT: Color32 = Color32::from_rgb(86, 170, 214);
    /// Rows and buttons that are selected.
    pub const ACCENT_DEEP: Color32 = Color32::from_rgb(37, 78, 102);
    /// The part of a rail that is filled.
    pub const ACCENT_MIDDLE: Color32 = Color32::from_rgb(58, 118, 152);
    pub const WARNING: Color32 = Color32::from_rgb(230, 178, 84);
    pub const ERROR: Color32 = Color32::from_rgb(238, 116, 106);
}

/// Colours of plots, which people who confuse red and green can tell apart (Okabe & Ito 2008).
pub mod ink {
    use super::Color32;

    pub const BLUE: Color32 = Color32::from_rgb(86, 180, 233);
    pub const ORANGE: Color32 = Color32::from_rgb(230, 159, 0);
    pub const GREEN: Color32 = Color32::from_rgb(0, 158, 115);
    pub const ROSE: Color32 = Color32::from_rgb(204, 121, 167);
    pub const YELLOW: Color32 = Color32::from_rgb(240, 228, 66);
    pub const VERMILION: Color32 = Color32::from_rgb(213, 94, 0);
}

/// Height of a row of the stack and of a parameter.
pub const ROW: f32 = 26.0;

/// Side of a button that is only an icon.
pub const ICON_BUTTON: f32 = 26.0;

/// Gives `ctx` our fonts, colours and spacing.
pub fn apply(ctx: &egui::Context) {
    let mut fonts = egui::FontDefinitions::default();
    egui_phosphor::add_to_fonts(&mut fonts, egui_phosphor::Variant::Regular);
    ctx.set_fonts(fonts);
    ctx.set_theme(egui::Theme::Dark);
    ctx.all_styles_mut(|style| {
        style.visuals = visuals();
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
        style.animation_time = 0.08;
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

fn visuals() -> Visuals {
    let mut visuals = Visuals::dark();
    let rounding = CornerRadius::same(4);
    visuals.panel_fill = colour::PANEL;
    visuals.window_fill = colour::RAISED;
    visuals.window_stroke = Stroke::new(1.0, colour::LINE);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.window_shadow = Shadow { offset: [0, 8], blur: 24, spread: 0, color: Color32::from_black_alpha(110) };
    visuals.popup_shadow = Shadow { offset: [0, 4], blur: 14, spread: 0, color: Color32::from_black_alpha(110) };
    visuals.extreme_bg_color = colour::DEEP;
    visuals.faint_bg_color = Color32::from_rgb(33, 36, 40);
    visuals.code_bg_color = colour::DEEP;
    visuals.weak_text_color = Some(colour::TEXT_WEAK);
    visuals.hyperlink_color = colour::ACCENT;
    visuals.warn_fg_color = colour::WARNING;
    visuals.error_fg_color = colour::ERROR;
    visuals.selection.bg_fill = colour::ACCENT_DEEP;
    visuals.selection.stroke = Stroke::new(1.0, colour::TEXT_STRONG);
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = egui::style::HandleShape::Circle;
    let states = [
        (&mut visuals.widgets.noninteractive, colour::PANEL, colour::LINE, colour::TEXT),
        (&mut visuals.widgets.inactive, colour::CONTROL, Color32::TRANSPARENT, colour::TEXT),
        (&mut visuals.widgets.hovered, colour::CONTROL_HOVERED, Color32::TRANSPARENT, colour::TEXT_STRONG),
        (&mut visuals.widgets.active, colour::ACCENT_DEEP, colour::ACCENT, colour::TEXT_STRONG),
        (&mut visuals.widgets.open, colour::CONTROL, colour::LINE, colour::TEXT_STRONG),
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

/// A button that is only an icon; `label` is what screen readers and tests read.
pub fn icon_button(ui: &mut egui::Ui, enabled: bool, icon: &str, label: &str) -> egui::Response {
    icon_toggle(ui, enabled, false, icon, label)
}

/// An icon button that can be on.
pub fn icon_toggle(ui: &mut egui::Ui, enabled: bool, on: bool, icon: &str, label: &str) -> egui::Response {
    let button =
        egui::Button::new(egui::RichText::new(icon).size(16.0)).selected(on).min_size(Vec2::splat(ICON_BUTTON));
    let response = ui.scope(|ui| {
        ui.spacing_mut().button_padding = Vec2::ZERO;
        ui.add_enabled(enabled, button.frame_when_inactive(on))
    });
    let response = response.inner;
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, enabled, label));
    response
}

/// Paints one line of text into `rect`, cut with an ellipsis where it does not fit. It says nothing to screen readers:
/// the widget it stands on does.
pub fn paint_text(ui: &egui::Ui, rect: egui::Rect, text: &str, color: Color32, italics: bool) {
    let font_id = TextStyle::Body.resolve(ui.style());
    let format = egui::TextFormat { font_id, color, italics, ..Default::default() };
    let mut job = egui::text::LayoutJob::single_section(text.to_string(), format);
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width());
    let galley = ui.painter().layout_job(job);
    let at = egui::pos2(rect.left(), rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, color);
}

/// Adds a slider without a number, `width` wide, with a handle that fits a row.
pub fn slider(ui: &mut egui::Ui, enabled: bool, width: f32, slider: egui::Slider) -> egui::Response {
    let added = ui.scope(|ui| {
        ui.spacing_mut().slider_width = width;
        ui.spacing_mut().interact_size.y = 14.0;
        ui.visuals_mut().selection.bg_fill = colour::ACCENT_MIDDLE;
        ui.add_enabled(enabled, slider.show_value(false))
    });
    added.inner
}
