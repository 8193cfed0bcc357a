//! The panel of the biome editor: the ground types with their optima and tolerances, and the composition of the terrain
//! at a clicked point.

use std::sync::Arc;

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Align, Color32, DragValue, Label, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::biomes::BiomesAction;
use crate::features::biomes::axis;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::status::StatusInfo;
use crate::frame::theme::{ROW, colour, icon_button, paint_text};
use crate::frame::units::{self, ShownUnit};
use talweg::appearance::{BiomeModel, Biomes, SiteConditions};
use talweg::appearance_files::{
    BIOME_PREFIX, BiomeTable, GroundType, HeightLevel, LEAST_TOLERANCE, MAX_TYPES, Niche, biome_names,
};
use talweg::scene::{Gesture, Scene};

/// State of the panel of the biome editor.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct BiomesState {
    pub open: bool,
    /// Index of the ground type whose curves can be dragged.
    pub selected: usize,
    /// The clicked point: distances from the west and from the north edge as fractions of the side length, from 0 to 1.
    /// On a planet, they are fractions of a map of all longitudes and latitudes.
    pub place: Option<[f32; 2]>,
}

/// Composition of the terrain at the clicked point.
#[derive(Clone, Debug, PartialEq)]
pub struct Composition {
    pub place: SiteConditions,
    /// Fraction of each ground type at the point, in the order of the biome table.
    pub weights: Vec<f32>,
}

/// The composition that the panel shows, if a point was clicked.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct GroundInfo(pub Option<Composition>);

/// The built-in biome table that a scene gets when the user first colours it by biomes.
const FIRST: &str = "earth";

/// Number of visible rows of the list of ground types.
const SEEN_ROWS: f32 = 7.0;

/// Shows the panel; returns the command of a clicked button.
pub fn show(
    ui: &mut Ui,
    state: &mut BiomesState,
    document: &mut Document,
    info: &StatusInfo,
    ground: Option<&Composition>,
) -> Option<Command> {
    let mut command = head(ui);
    let Some(biomes) = Biomes::for_scene(document.scene()) else {
        ui.add_space(8.0);
        ui.label(
            "The scene is coloured by height. A biome table colours it by temperature, moisture, height and slope.",
        );
        ui.add_space(6.0);
        if ui.button(format!("{}  Colour by biomes", icon::TREE)).clicked() {
            choose(document, FIRST);
        }
        return command;
    };
    command = table_row(ui, document, &biomes.table).or(command);
    state.selected = state.selected.min(biomes.table.types.len() - 1);
    egui::ScrollArea::vertical().id_salt("biomes").auto_shrink(false).show(ui, |ui| {
        ui.set_max_width(ui.available_width() - 8.0); // leave room for the scroll bar
        list(ui, state, document, &biomes.table, ground);
        buttons(ui, state, document, &biomes.table);
        here(ui, ground);
        ui.separator();
        let index = state.selected;
        if let Some(kind) = biomes.table.types.get(index) {
            ui.push_id(("type", index), |ui| one(ui, document, &biomes, index, kind, info, ground));
        }
    });
    command
}

fn head(ui: &mut Ui) -> Option<Command> {
    let mut command = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new("Biomes").strong().size(15.0));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Command::from(BiomesAction::Toggle);
            if icon_button(ui, true, icon::X, "Close the biomes").on_hover_text(close.tooltip(ui.ctx())).clicked() {
                command = Some(close);
            }
        });
    });
    command
}

/// Colours the scene with a built-in table and uses the climate of that table.
pub fn choose(document: &mut Document, name: &str) {
    document.edit("Change biome table", None, |scene| {
        scene.palette = format!("{BIOME_PREFIX}{name}");
        (scene.own_palette, scene.biomes, scene.climate) = (None, None, None);
    });
}

fn table_row(ui: &mut Ui, document: &mut Document, table: &Arc<BiomeTable>) -> Option<Command> {
    let mut command = None;
    let is_edited = document.scene().biomes.is_some();
    ui.horizontal(|ui| {
        let text = if is_edited { format!("{} (edited)", table.label) } else { table.label.clone() };
        let width = ui.available_width() - 3.0 * (26.0 + ui.spacing().item_spacing.x);
        let combo = egui::ComboBox::from_id_salt("biome table").width(width).truncate().selected_text(text);
        let combo = combo.show_ui(ui, |ui| {
            for name in biome_names() {
                let Some(shipped) = BiomeTable::named(&name) else { continue };
                let is_present = !is_edited && table.name == name;
                if ui.selectable_label(is_present, &shipped.label).clicked() && !is_present {
                    choose(document, &name);
                }
            }
        });
        combo.response.on_hover_text("Biome table. Choosing another one also resets the climate.");
        let reset = icon_button(ui, is_edited, icon::ARROW_COUNTER_CLOCKWISE, "Reset biomes");
        if reset.on_hover_text("Restores the built-in table. Undo restores your edits.").clicked() {
            document.edit("Reset biomes", None, |scene| scene.biomes = None);
        }
        let buttons = [
            (icon::FOLDER_OPEN, Command::from(BiomesAction::Open)),
            (icon::FLOPPY_DISK, Command::from(BiomesAction::Save)),
        ];
        for (symbol, asked) in buttons {
            let label = asked.info().label;
            if icon_button(ui, true, symbol, &label).on_hover_text(asked.tooltip(ui.ctx())).clicked() {
                command = Some(asked);
            }
        }
    });
    command
}

/// Changes the scene's table with `act`. A table that equals the built-in table is not stored in the scene.
fn change(document: &mut Document, label: &str, gesture: Option<Gesture>, act: impl FnOnce(&mut BiomeTable)) {
    document.edit(label, gesture, |scene: &mut Scene| {
        let Some(mut table) = scene.biome_table() else { return };
        act(Arc::make_mut(&mut table));
        let is_shipped = BiomeTable::named(&table.name).is_some_and(|shipped| *shipped == table);
        scene.biomes = (!is_shipped).then_some(table);
    });
}

fn list(
    ui: &mut Ui,
    state: &mut BiomesState,
    document: &mut Document,
    table: &BiomeTable,
    ground: Option<&Composition>,
) {
    let ground = ground.filter(|ground| ground.weights.len() == table.types.len());
    let height = (SEEN_ROWS * (ROW - 2.0)).min((table.types.len() as f32) * (ROW - 2.0));
    egui::ScrollArea::vertical().id_salt("types").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (k, kind) in table.types.iter().enumerate() {
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW - 2.0), Sense::click());
            let on = state.selected == k;
            response.widget_info(|| {
                egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, on, format!("Type {}", kind.name))
            });
            if on {
                ui.painter().rect(rect, 4.0, colour::accent_deep(), Stroke::NONE, StrokeKind::Inside);
            } else if response.hovered() {
                ui.painter().rect_filled(rect, 4.0, colour::raised());
            }
            let mut rgb = kind.colour;
            let swatch = Rect::from_center_size(pos2(rect.left() + 19.0, rect.center().y), vec2(30.0, 16.0));
            let picked = ui.scope_builder(egui::UiBuilder::new().max_rect(swatch), |ui| {
                ui.spacing_mut().interact_size = swatch.size();
                ui.push_id(("colour", k), |ui| ui.color_edit_button_srgb(&mut rgb)).inner
            });
            let picked = picked.inner.on_hover_text("Colour of this ground type.");
            if picked.changed() {
                change(document, "Change colour of type", Some(Gesture(picked.id.value())), |table| {
                    table.types[k].colour = rgb;
                });
            }
            let tint = if on { colour::text_strong() } else { colour::text() };
            let name =
                Rect::from_min_max(pos2(rect.left() + 42.0, rect.top()), pos2(rect.right() - 62.0, rect.bottom()));
            paint_text(ui, name, &kind.name, tint, false);
            if let Some(ground) = ground {
                paint_fraction(ui, rect, ground.weights[k], kind.colour);
            }
            if response.clicked() {
                state.selected = k;
            }
        }
    });
}

/// Paints a bar with the fraction of a ground type at the clicked point.
fn paint_fraction(ui: &Ui, row: Rect, weight: f32, [r, g, b]: [u8; 3]) {
    if weight < 0.005 {
        return;
    }
    let room = Rect::from_min_max(
        pos2(row.right() - 58.0, row.center().y + 6.0),
        pos2(row.right() - 4.0, row.center().y + 9.0),
    );
    ui.painter().rect_filled(room, 1.0, colour::deep());
    let bar = room.with_max_x(egui::lerp(room.x_range(), weight));
    ui.painter().rect_filled(bar, 1.0, Color32::from_rgb(r, g, b));
    let at = pos2(row.right() - 4.0, row.center().y - 2.0);
    let font = egui::TextStyle::Small.resolve(ui.style());
    ui.painter().text(at, egui::Align2::RIGHT_CENTER, format!("{:.0} %", weight * 100.0), font, colour::text_weak());
}

fn buttons(ui: &mut Ui, state: &mut BiomesState, document: &mut Document, table: &BiomeTable) {
    let (count, at) = (table.types.len(), state.selected);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let ask = |ui: &mut Ui, enabled, symbol, label: &str, tip: &str| {
            icon_button(ui, enabled, symbol, label).on_hover_text(tip).clicked()
        };
        let room = count < MAX_TYPES;
        if ask(ui, room, icon::PLUS, "Add type", "Adds a type for mild temperatures above sea level.") {
            let name = unused(table, "New type");
            change(document, "Add type", None, |table| table.types.insert(at + 1, fresh(&name)));
            state.selected = at + 1;
        }
        if ask(ui, room, icon::COPY, "Duplicate type", "Adds a copy below the type.") {
            let copy = GroundType { name: unused(table, &table.types[at].name), ..table.types[at].clone() };
            change(document, "Duplicate type", None, |table| table.types.insert(at + 1, copy));
            state.selected = at + 1;
        }
        if ask(ui, count > 1, icon::TRASH, "Delete type", "Deletes the type.") {
            change(document, "Delete type", None, |table| {
                table.types.remove(at);
            });
            state.selected = at.min(count - 2);
        }
        if ask(ui, at > 0, icon::ARROW_UP, "Move type up", "Changes only the order of the list.") {
            change(document, "Move type", None, |table| table.types.swap(at, at - 1));
            state.selected = at - 1;
        }
        if ask(ui, at + 1 < count, icon::ARROW_DOWN, "Move type down", "Changes only the order of the list.") {
            change(document, "Move type", None, |table| table.types.swap(at, at + 1));
            state.selected = at + 1;
        }
    });
}

fn fresh(name: &str) -> GroundType {
    GroundType {
        above: Some(HeightLevel::Sea(1.0)),
        temperature: Some(Niche { optimum: 12.0, tolerance: 3.0 }),
        slope: Some(Niche { optimum: 5.0, tolerance: 12.0 }),
        moisture: Some(Niche { optimum: 0.45, tolerance: 0.1 }),
        ..GroundType::new(name, [176, 88, 150])
    }
}

fn unused(table: &BiomeTable, name: &str) -> String {
    let is_free = |name: &String| table.types.iter().all(|kind| kind.name != *name);
    let numbered = (2..).map(|k| format!("{name} {k}"));
    std::iter::once(name.to_string()).chain(numbered).find(is_free).unwrap_or_default()
}

/// Shows the climate and slope of the clicked point.
fn here(ui: &mut Ui, ground: Option<&Composition>) {
    let text = match ground {
        None => "Click the terrain to see its composition.".to_string(),
        Some(Composition { place, .. }) => {
            format!("{:.1} °C, slope {:.0}°, moisture {:.2}", place.celsius, place.slope, place.moisture)
        }
    };
    ui.add(Label::new(RichText::new(text).small().color(colour::text_weak())).truncate());
}

/// Shows the settings of the selected ground type.
fn one(
    ui: &mut Ui,
    document: &mut Document,
    biomes: &Biomes,
    index: usize,
    kind: &GroundType,
    info: &StatusInfo,
    ground: Option<&Composition>,
) {
    let mut name = kind.name.clone();
    let field = egui::TextEdit::singleline(&mut name).desired_width(f32::INFINITY).char_limit(40);
    let field = ui.add(field.margin(vec2(6.0, 3.0)));
    field.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Name of the type"));
    if field.changed() && !name.trim().is_empty() {
        let gesture = Some(Gesture(field.id.value()));
        change(document, "Rename type", gesture, |table| table.types[index].name = name);
    }
    limits(ui, document, index, kind);
    let scene = document.scene();
    let units = biomes.units(&scene.settings);
    let law = BiomeModel::new(&biomes.table, &units);
    let relief = scene.settings.relief_metres;
    let metres = info.range_metres.unwrap_or((scene.settings.sea_level - 0.5 * relief, relief));
    let climate = &biomes.climate;
    let (cold, warm) = (climate.pole_temperature, climate.equator_temperature);
    let bells = || biomes.table.types.iter().filter_map(|kind| kind.temperature);
    let coldest = bells().map(|bell| bell.optimum - 2.5 * bell.tolerance).fold(cold.min(warm), f32::min);
    let here = ground.map_or(0.0, |ground| ground.place.celsius);
    let ground = ground.map(|ground| ground.place);
    let held = ground.unwrap_or_else(|| home(kind, units.sea));
    let types = &biomes.table.types;
    let bell = |bell: Niche| [bell.optimum, bell.tolerance];
    let axes = [
        Dimension {
            label: "Temperature",
            unit: "°C",
            range: [coldest.min(here) - 6.0, cold.max(warm).max(20.0).max(here) + 8.0],
            bells: types.iter().map(|kind| kind.temperature.map(bell)).collect(),
            at: |place| &mut place.celsius,
            first: [12.0, 4.0],
            set: |kind, bell, _| kind.temperature = bell.map(plain),
        },
        Dimension {
            label: "Moisture",
            unit: "",
            range: [0.0, 1.0],
            bells: types.iter().map(|kind| kind.moisture.map(bell)).collect(),
            at: |place| &mut place.moisture,
            first: [0.45, 0.1],
            set: |kind, bell, _| kind.moisture = bell.map(plain),
        },
        Dimension {
            label: "Height",
            unit: if units.in_metres() { "m" } else { "" },
            range: [units.height(metres.0), units.height(metres.1.max(metres.0 + 1.0))],
            bells: types.iter().map(|k| k.height.map(|b| [b.optimum.height(units.sea), b.tolerance])).collect(),
            at: |place| &mut place.height,
            first: [units.height(0.5 * (metres.0 + metres.1)), 0.2 * (units.height(metres.1) - units.height(metres.0))],
            set: |kind, bell, sea| {
                let before = kind.height.map_or(HeightLevel::AboveSea(0.0), |bell| bell.optimum);
                kind.height = bell.map(|[optimum, tolerance]| Niche { optimum: before.moved(optimum, sea), tolerance });
            },
        },
        Dimension {
            label: "Slope",
            unit: if units.in_degrees() { "°" } else { "" },
            range: [0.0, if units.in_degrees() { 70.0 } else { 20.0 }],
            bells: types.iter().map(|kind| kind.slope.map(bell)).collect(),
            at: |place| &mut place.slope,
            first: [5.0, 12.0],
            set: |kind, bell, _| kind.slope = bell.map(plain),
        },
    ];
    for dimension in &axes {
        let rgb = types.iter().map(|kind| kind.colour);
        let curves: Vec<axis::ToleranceCurve> =
            rgb.zip(&dimension.bells).map(|(rgb, bell)| axis::ToleranceCurve { rgb, bell: *bell }).collect();
        let wins = |value: f32| {
            let mut place = held;
            *(dimension.at)(&mut place) = value;
            law.colour(&place).map(|c| (c + 0.5) as u8)
        };
        let mut mark = ground;
        let mark = mark.as_mut().map(|place| *(dimension.at)(place));
        ui.push_id(dimension.label, |ui| dimension.show(ui, document, index, &curves, &wins, mark, units.sea));
    }
}

/// One of the four conditions that a ground type depends on, as an axis of the table.
struct Dimension {
    label: &'static str,
    /// Unit in which the value is stored. Numbers are shown and typed in the preferred unit.
    unit: &'static str,
    range: [f32; 2],
    bells: Vec<Option<[f32; 2]>>,
    at: fn(&mut SiteConditions) -> &mut f32,
    /// Optimum and tolerance that the type gets when the user switches the condition on.
    first: [f32; 2],
    set: fn(&mut GroundType, Option<[f32; 2]>, f32),
}

fn plain([optimum, tolerance]: [f32; 2]) -> Niche {
    Niche { optimum, tolerance }
}

impl Dimension {
    #[allow(clippy::too_many_arguments, reason = "the inputs of an axis come from several sources")]
    fn show(
        &self,
        ui: &mut Ui,
        document: &mut Document,
        index: usize,
        curves: &[axis::ToleranceCurve],
        wins: &dyn Fn(f32) -> [u8; 3],
        mark: Option<f32>,
        sea: f32,
    ) {
        let bell = curves[index].bell;
        let mut apply = |bell: Option<[f32; 2]>, gesture: Option<Gesture>, label: &str| {
            // do not round a value that was typed in feet
            let unit = ShownUnit::of_stored(self.unit);
            let range = unit.shown((self.range[1] - self.range[0]).into()) as f32;
            let as_shown = |x: f32| unit.kept(round(unit.shown(x.into()) as f32, range).into()) as f32;
            let rounded = bell.map(|bell| bell.map(as_shown));
            let rounded = rounded.map(|[optimum, tolerance]| [optimum, tolerance.max(LEAST_TOLERANCE)]);
            change(document, label, gesture, |table| (self.set)(&mut table.types[index], rounded, sea));
        };
        ui.horizontal(|ui| {
            let mut on = bell.is_some();
            let tick = ui.checkbox(&mut on, self.label);
            if tick.on_hover_text("Whether this condition affects the type.").changed() {
                apply(on.then_some(self.first), None, "Toggle condition of type");
            }
            let Some([mut optimum, mut tolerance]) = bell else { return };
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let speed = (self.range[1] - self.range[0]) / 400.0;
                let field = DragValue::new(&mut tolerance).speed(speed).range(LEAST_TOLERANCE..=1.0e6).max_decimals(3);
                let field = ui.add(units::field(field, self.unit));
                field.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, format!("{} tolerance", self.label))
                });
                if field
                    .on_hover_text("Tolerance: at this distance from the optimum, the type is about a third as likely.")
                    .changed()
                {
                    let gesture = Gesture(ui.id().with("tolerance").value());
                    apply(Some([optimum, tolerance]), Some(gesture), "Change tolerance");
                }
                ui.label("±");
                let field = DragValue::new(&mut optimum).speed(speed).range(-1.0e6..=1.0e6).max_decimals(3);
                let field = ui.add(units::field(field, self.unit));
                field.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, format!("{} optimum", self.label))
                });
                if field.on_hover_text("Optimum: the value at which the type is most likely.").changed() {
                    let gesture = Gesture(ui.id().with("optimum").value());
                    apply(Some([optimum, tolerance]), Some(gesture), "Change optimum");
                }
            });
        });
        let shown = axis::BiomeAxis {
            label: self.label,
            range: self.range,
            curves,
            selected: index,
            wins,
            mark,
            least_tolerance: ((self.range[1] - self.range[0]) * 2.0e-3).max(LEAST_TOLERANCE),
        };
        if let Some(dragged) = axis::show(ui, &shown) {
            apply(Some(dragged.bell), Some(dragged.gesture), "Change curve of type");
        }
        ui.add_space(3.0);
    }
}

/// Rounds a value to the digits that are significant in a drag over `range`.
fn round(value: f32, range: f32) -> f32 {
    let steps = [0.01, 0.1, 1.0].into_iter().rev();
    let step = steps.into_iter().find(|step| range / step >= 300.0).unwrap_or(0.001);
    let rounded = (value / step).round() * step;
    // round through the decimal text, so that the value is the same as if typed
    format!("{rounded:.3}").parse().unwrap_or(value)
}

/// The conditions at the optimum of a ground type. A condition that does not affect the type gets a moderate value.
fn home(kind: &GroundType, sea: f32) -> SiteConditions {
    let height = match (kind.height, kind.above, kind.below) {
        (Some(bell), _, _) => bell.optimum.height(sea),
        (None, None, Some(below)) => below.height(sea),
        (None, Some(above), _) => above.height(sea) + 1.0,
        (None, None, None) => sea + 1.0,
    };
    SiteConditions {
        celsius: kind.temperature.map_or(12.0, |bell| bell.optimum),
        height,
        slope: kind.slope.map_or(0.0, |bell| bell.optimum),
        moisture: kind.moisture.map_or(0.45, |bell| bell.optimum),
    }
}

/// Shows the hard limits of the selected ground type.
fn limits(ui: &mut Ui, document: &mut Document, index: usize, kind: &GroundType) {
    let known = [
        ("Anywhere", None, None),
        ("Only above sea level", Some(HeightLevel::Sea(1.0)), None),
        ("Only below sea level", None, Some(HeightLevel::Sea(1.0))),
    ];
    let present = known.iter().find(|(_, above, below)| (*above, *below) == (kind.above, kind.below));
    let text = present.map_or("Custom limits", |(text, ..)| text);
    let combo = egui::ComboBox::from_id_salt("limits").width(ui.available_width()).selected_text(text);
    let combo = combo.show_ui(ui, |ui| {
        for (text, above, below) in known {
            if ui.selectable_label((above, below) == (kind.above, kind.below), text).clicked() {
                change(document, "Change limits of type", None, |table| {
                    (table.types[index].above, table.types[index].below) = (above, below);
                });
            }
        }
    });
    combo.response.on_hover_text("Hard limits: outside them this biome never appears.");
}
