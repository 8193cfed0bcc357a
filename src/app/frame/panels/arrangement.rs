//! The layout of the panels: rows, columns and tabs around the view, and their sizes in points.

use std::collections::{HashMap, HashSet};

use bevy_egui::egui::{Id, Rect, Vec2, vec2};
use egui_tiles::{Container, ContainerKind, LinearDir, SimplificationOptions, Tile, TileId, Tiles, Tree};

use super::{DockEdge, DockedPanel, PanelShown};
use talweg::preferences::PanelLayout;

/// The name of the 3D view in the stored layout, where all other names are panels.
const VIEW: &str = "view";
/// Minimum size of the view in points.
const MIN_VIEW_SIZE: Vec2 = vec2(200.0, 120.0);
/// Gap between two panels, in points.
pub(super) const GAP: f32 = 1.0;
/// Height of the tab bar, in points.
pub(super) const TAB_BAR: f32 = 24.0;
/// Largest part of a column that a panel takes to show its whole content.
const CONTENT_SHARE: f32 = 0.5;
/// Size of a part in the stored layout if the user has not chosen any.
const NOT_CHOSEN: f32 = 0.0;

/// The content of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DockPane {
    View,
    /// A panel, by its index among the registered panels.
    Panel(usize),
}

/// The layout of all panels and of the view.
pub(super) struct PanelTiles {
    pub tree: Tree<DockPane>,
    /// Sizes in points that the user chose for panels in a row or column. A panel has its chosen size if there is
    /// enough room.
    chosen: HashMap<TileId, f32>,
    /// Sizes in points that the last call of [`fit`](Self::fit) gave to the parts of rows and columns.
    fitted: HashMap<TileId, f32>,
}

impl PanelTiles {
    /// Restores the stored layout. Panels that the stored layout does not contain get their default positions.
    pub fn new(panels: &[DockedPanel], kept: Option<&PanelLayout>) -> Self {
        let (mut tiles, mut chosen) = (Tiles::default(), HashMap::new());
        let root = kept.filter(|layout| layout.panels().contains(&VIEW));
        let root = match root.and_then(|layout| insert(&mut tiles, &mut chosen, panels, layout)) {
            Some(root) => root,
            None => tiles.insert_pane(DockPane::View),
        };
        let mut arrangement = Self { tree: Tree::new(Id::new("panels"), root, tiles), chosen, fitted: HashMap::new() };
        let mut order: Vec<usize> = (0..panels.len()).collect();
        // insert panels at the bottom in reverse order, because each further panel is placed directly below the view
        let place = |panel: &DockedPanel| if panel.edge == DockEdge::Bottom { -panel.place } else { panel.place };
        order.sort_by_key(|index| place(&panels[*index]));
        for index in order {
            if arrangement.find(DockPane::Panel(index)).is_none() {
                arrangement.dock(index, panels[index].edge);
            }
        }
        arrangement.free_view();
        arrangement
    }

    /// The tile that contains a panel or the view.
    pub fn find(&self, pane: DockPane) -> Option<TileId> {
        self.tree.tiles.iter().find_map(|(id, tile)| (*tile == Tile::Pane(pane)).then_some(*id))
    }

    /// Docks a panel at an edge. At the left edge, the panel is placed below the other panels. At the right edge, it is
    /// placed outside them. At the bottom edge, it is placed directly below the view.
    pub fn dock(&mut self, panel: usize, edge: DockEdge) {
        let pane = DockPane::Panel(panel);
        let tile = self.find(pane).unwrap_or_else(|| self.tree.tiles.insert_pane(pane));
        if let Some(parent) = self.tree.tiles.parent_of(tile) {
            self.container(parent, |container| container.remove_child(tile));
            self.tree.simplify(&SimplificationOptions::default());
        }
        match edge {
            DockEdge::Bottom => {
                let Some(view) = self.find(DockPane::View) else { return };
                let column = self.line_around(view, LinearDir::Vertical);
                self.container(column, |container| {
                    if let Container::Linear(column) = container {
                        let below = column.children.iter().position(|child| *child == view).map_or(0, |at| at + 1);
                        column.children.insert(below, tile);
                    }
                });
            }
            DockEdge::Left | DockEdge::Right => {
                let Some(root) = self.tree.root() else { return };
                let row = match self.tree.tiles.get_container(root) {
                    Some(Container::Linear(linear)) if linear.dir == LinearDir::Horizontal => root,
                    _ => self.line_around(root, LinearDir::Horizontal),
                };
                let first = self.children(row).first().copied();
                match first.filter(|first| edge == DockEdge::Left && !self.holds_view(*first)) {
                    Some(first) => {
                        let column = match self.tree.tiles.get_container(first) {
                            Some(Container::Linear(linear)) if linear.dir == LinearDir::Vertical => first,
                            _ => self.line_around(first, LinearDir::Vertical),
                        };
                        self.container(column, |column| column.add_child(tile));
                    }
                    None => self.container(row, |container| {
                        if let Container::Linear(row) = container {
                            let at = if edge == DockEdge::Left { 0 } else { row.children.len() };
                            row.children.insert(at, tile);
                        }
                    }),
                }
            }
        }
    }

    /// Makes sure that the view is never hidden behind a tab.
    pub fn free_view(&mut self) {
        let tabs: Vec<TileId> = self.tree.tiles.tile_ids().filter(|id| self.is_tabs(*id)).collect();
        for id in tabs {
            if self.holds_view(id) {
                self.container(id, |container| container.set_kind(ContainerKind::Vertical));
            }
        }
    }

    /// All tiles that are tabs of a tab container.
    pub fn tabs(&self) -> HashSet<TileId> {
        let tabs = self.tree.tiles.tile_ids().filter(|id| self.is_tabs(*id));
        tabs.flat_map(|id| self.children(id)).collect()
    }

    /// Stores the current sizes in a row or column as the user's choice, after the user has moved a border in it.
    pub fn choose_sizes(&mut self) {
        for (_, tile) in self.tree.tiles.iter() {
            if let Tile::Container(Container::Linear(linear)) = tile {
                let visible = linear.children.iter().filter(|child| self.tree.tiles.is_visible_in_layout(**child));
                let sizes: Vec<(TileId, f32)> = visible.map(|child| (*child, linear.shares[*child])).collect();
                let is_moved = |(child, size): &(TileId, f32)| self.fitted.get(child).is_none_or(|fit| fit != size);
                if sizes.iter().any(is_moved) {
                    self.chosen.extend(sizes);
                }
            }
        }
    }

    /// The layout in the form in which the preferences store it.
    pub fn layout(&self, panels: &[DockedPanel]) -> Option<PanelLayout> {
        self.tree.root().and_then(|root| self.layout_of(root, panels))
    }

    fn layout_of(&self, tile: TileId, panels: &[DockedPanel]) -> Option<PanelLayout> {
        match self.tree.tiles.get(tile)? {
            Tile::Pane(DockPane::View) => Some(PanelLayout::Panel(VIEW.into())),
            Tile::Pane(DockPane::Panel(index)) => Some(PanelLayout::Panel(panels[*index].name.into())),
            Tile::Container(Container::Linear(linear)) => {
                let size = |child: &TileId| self.chosen.get(child).map_or(NOT_CHOSEN, |chosen| chosen.round());
                let part = |child: &TileId| Some((self.layout_of(*child, panels)?, size(child)));
                let parts = linear.children.iter().filter_map(part).collect();
                Some(match linear.dir {
                    LinearDir::Horizontal => PanelLayout::Row(parts),
                    LinearDir::Vertical => PanelLayout::Column(parts),
                })
            }
            Tile::Container(container) => {
                let Container::Tabs(tabs) = container else { return None };
                let open = tabs.children.iter().position(|child| tabs.active == Some(*child)).unwrap_or(0);
                let tabs = tabs.children.iter().filter_map(|child| self.layout_of(*child, panels)).collect();
                Some(PanelLayout::Tabs { tabs, open })
            }
        }
    }

    /// Fits the layout into `rect`: panels keep their sizes, and the view gets the rest.
    pub fn fit(&mut self, rect: Rect, panels: &[DockedPanel], shown: &[PanelShown]) {
        self.tree.simplify(&SimplificationOptions::default());
        if let Some(root) = self.tree.root() {
            self.fit_tile(root, rect.size(), &PanelSizes { panels, shown });
        }
    }

    fn fit_tile(&mut self, tile: TileId, size: Vec2, sizes: &PanelSizes) {
        let Some(container) = self.tree.tiles.get_container(tile) else { return };
        let Container::Linear(linear) = container else {
            for child in self.children(tile) {
                self.fit_tile(child, size - vec2(0.0, TAB_BAR), sizes);
            }
            return;
        };
        let axis = usize::from(linear.dir == LinearDir::Vertical);
        let visible: Vec<TileId> =
            self.children(tile).into_iter().filter(|id| self.tree.is_visible_in_layout(*id)).collect();
        let room = size[axis] - GAP * visible.len().saturating_sub(1) as f32;
        let parts: Vec<SizedPart> = visible
            .iter()
            .map(|child| {
                let fixed = self.fixed(*child, axis, sizes);
                let chosen = self.chosen.get(child).copied();
                let content = self.content(*child, axis, sizes).filter(|_| chosen.is_none());
                let content = content.map(|content| content.min(CONTENT_SHARE * room));
                let wanted = fixed.or(chosen).or(content);
                SizedPart {
                    wanted: wanted.unwrap_or_else(|| self.size(*child, axis, sizes, |about| about.size)),
                    least: fixed.unwrap_or_else(|| self.size(*child, axis, sizes, |about| about.least)),
                    is_fixed: fixed.is_some(),
                    is_content: content.is_some(),
                    takes_rest: self.holds_view(*child),
                }
            })
            .collect();
        let lengths = share_out(&parts, room);
        self.fitted.extend(visible.iter().copied().zip(lengths.iter().copied()));
        self.container(tile, |container| {
            if let Container::Linear(linear) = container {
                visible.iter().zip(&lengths).for_each(|(child, length)| linear.shares.set_share(*child, *length));
            }
        });
        for (child, length) in visible.into_iter().zip(lengths) {
            let mut size = size;
            size[axis] = length;
            self.fit_tile(child, size, sizes);
        }
    }

    /// The height, in points, of a tile that holds a panel exactly as high as its content; `None` for other tiles.
    fn fixed(&self, tile: TileId, axis: usize, sizes: &PanelSizes) -> Option<f32> {
        match (self.tree.tiles.get_pane(&tile)?, axis) {
            (DockPane::Panel(index), 1) => sizes.shown.get(*index).and_then(|shown| shown.height()),
            _ => None,
        }
    }

    /// The height, in points, at which the panel in a tile shows its whole content. `None` if it is not known.
    fn content(&self, tile: TileId, axis: usize, sizes: &PanelSizes) -> Option<f32> {
        match (self.tree.tiles.get_pane(&tile)?, axis) {
            (DockPane::Panel(index), 1) => sizes.shown.get(*index)?.content_height(&sizes.panels[*index]),
            _ => None,
        }
    }

    /// Total size along `axis`, in points, of the visible panels in a tile.
    fn size(&self, tile: TileId, axis: usize, sizes: &PanelSizes, of: fn(&DockedPanel) -> [f32; 2]) -> f32 {
        match self.tree.tiles.get(tile) {
            Some(Tile::Pane(DockPane::View)) => MIN_VIEW_SIZE[axis],
            Some(Tile::Pane(DockPane::Panel(index))) => {
                self.fixed(tile, axis, sizes).unwrap_or_else(|| of(&sizes.panels[*index])[axis])
            }
            Some(Tile::Container(container)) => {
                let along =
                    matches!((container.kind(), axis), (ContainerKind::Horizontal, 0) | (ContainerKind::Vertical, 1));
                let children = container.children().filter(|child| self.tree.is_visible_in_layout(**child));
                let children = children.map(|child| self.size(*child, axis, sizes, of));
                if along { children.sum() } else { children.fold(0.0, f32::max) }
            }
            None => 0.0,
        }
    }

    fn holds_view(&self, tile: TileId) -> bool {
        match self.tree.tiles.get(tile) {
            Some(Tile::Pane(pane)) => *pane == DockPane::View,
            Some(Tile::Container(container)) => container.children().any(|child| self.holds_view(*child)),
            None => false,
        }
    }

    fn is_tabs(&self, tile: TileId) -> bool {
        self.tree.tiles.get_container(tile).is_some_and(|container| container.kind() == ContainerKind::Tabs)
    }

    fn children(&self, tile: TileId) -> Vec<TileId> {
        self.tree.tiles.get_container(tile).map(Container::children_vec).unwrap_or_default()
    }

    /// Returns the row or column that contains a tile. Creates it if it does not exist.
    fn line_around(&mut self, tile: TileId, dir: LinearDir) -> TileId {
        let parent = self.tree.tiles.parent_of(tile);
        if let Some(parent) = parent
            && let Some(Container::Linear(linear)) = self.tree.tiles.get_container(parent)
            && linear.dir == dir
        {
            return parent;
        }
        let line = self.tree.tiles.insert_container(Container::new_linear(dir, vec![tile]));
        match parent {
            Some(parent) => {
                let place = self.container(parent, |container| container.replace_child(tile, line));
                debug_assert!(place.is_some(), "the parent has it");
            }
            None => self.tree.root = Some(line),
        }
        line
    }

    fn container<R: Default>(&mut self, tile: TileId, change: impl FnOnce(&mut Container) -> R) -> R {
        match self.tree.tiles.get_mut(tile) {
            Some(Tile::Container(container)) => change(container),
            _ => R::default(),
        }
    }
}

/// The panels, and which of them are shown.
struct PanelSizes<'a> {
    panels: &'a [DockedPanel],
    shown: &'a [PanelShown],
}

/// One part of a row or column, with its size in points.
struct SizedPart {
    wanted: f32,
    least: f32,
    is_fixed: bool,
    /// Whether the wanted size shows the whole content, so that more room would stay empty.
    is_content: bool,
    takes_rest: bool,
}

/// Distributes the length `room`, in points, to the parts. Each part gets its wanted size, and the flexible part gets
/// the remainder. Without a flexible part, all parts grow equally that are neither fixed nor show their whole content.
/// No part gets less than its minimum if there is enough room.
fn share_out(parts: &[SizedPart], room: f32) -> Vec<f32> {
    let mut lengths: Vec<f32> = parts.iter().map(|part| part.wanted.max(part.least)).collect();
    let rest = parts.iter().position(|part| part.takes_rest);
    if let Some(rest) = rest {
        lengths[rest] = 0.0;
        lengths[rest] = (room - lengths.iter().sum::<f32>()).max(parts[rest].least);
    }
    let over = lengths.iter().sum::<f32>() - room;
    let slack = |length: f32, part: &SizedPart| if over > 0.0 { length - part.least } else { length };
    let can_grow = |part: &SizedPart| !part.is_fixed && !part.is_content;
    let any_grows = parts.iter().any(can_grow);
    let is_loose = |part: &SizedPart| match over > 0.0 {
        true => !part.is_fixed,
        false => rest.is_none() && if any_grows { can_grow(part) } else { !part.is_fixed },
    };
    let loose = lengths.iter().zip(parts).filter(|(_, part)| is_loose(part));
    let total: f32 = loose.map(|(length, part)| slack(*length, part)).sum();
    if total > 0.0 {
        let taken = (over / total).min(1.0);
        for (length, part) in lengths.iter_mut().zip(parts).filter(|(_, part)| is_loose(part)) {
            *length -= slack(*length, part) * taken;
        }
    }
    let sum: f32 = lengths.iter().sum();
    if sum > room {
        lengths.iter_mut().for_each(|length| *length *= room.max(0.0) / sum);
    }
    lengths
}

fn insert(
    tiles: &mut Tiles<DockPane>,
    chosen: &mut HashMap<TileId, f32>,
    panels: &[DockedPanel],
    layout: &PanelLayout,
) -> Option<TileId> {
    let mut line = |tiles: &mut Tiles<DockPane>, dir, parts: &[(PanelLayout, f32)]| {
        let mut children = Vec::new();
        for (part, size) in parts {
            if let Some(child) = insert(tiles, chosen, panels, part) {
                if *size > NOT_CHOSEN {
                    chosen.insert(child, *size);
                }
                children.push(child);
            }
        }
        (!children.is_empty()).then(|| tiles.insert_container(Container::new_linear(dir, children)))
    };
    match layout {
        PanelLayout::Panel(name) if name == VIEW => Some(tiles.insert_pane(DockPane::View)),
        PanelLayout::Panel(name) => {
            let index = panels.iter().position(|about| about.name == name)?;
            Some(tiles.insert_pane(DockPane::Panel(index)))
        }
        PanelLayout::Row(parts) => line(tiles, LinearDir::Horizontal, parts),
        PanelLayout::Column(parts) => line(tiles, LinearDir::Vertical, parts),
        PanelLayout::Tabs { tabs, open } => {
            let ids: Vec<Option<TileId>> = tabs.iter().map(|tab| insert(tiles, chosen, panels, tab)).collect();
            let opened = ids.get(*open).copied().flatten();
            let mut tabs = egui_tiles::Tabs::new(ids.into_iter().flatten().collect());
            if let Some(opened) = opened {
                tabs.set_active(opened);
            }
            (!tabs.children.is_empty()).then(|| tiles.insert_container(tabs))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANELS: [DockedPanel; 4] = [
        DockedPanel { size: [300.0, 200.0], ..DockedPanel::new("layers", "Layers", DockEdge::Left) },
        DockedPanel { place: 1, size: [300.0, 400.0], ..DockedPanel::new("parameters", "Parameters", DockEdge::Left) },
        DockedPanel { size: [600.0, 150.0], ..DockedPanel::new("charts", "Charts", DockEdge::Bottom) },
        DockedPanel { size: [280.0, 300.0], ..DockedPanel::new("map", "Map", DockEdge::Right) },
    ];
    const SHOWN: [PanelShown; 4] = [PanelShown::Open, PanelShown::Open, PanelShown::Fixed(40.0), PanelShown::Open];

    fn size(arrangement: &mut PanelTiles, window: Vec2, pane: DockPane) -> Vec2 {
        arrangement.fit(Rect::from_min_size(bevy_egui::egui::Pos2::ZERO, window), &PANELS, &SHOWN);
        let mut size = window;
        let mut tile = arrangement.find(pane).unwrap();
        let mut axes = [false; 2];
        while let Some(parent) = arrangement.tree.tiles.parent_of(tile) {
            if let Some(Container::Linear(linear)) = arrangement.tree.tiles.get_container(parent) {
                let axis = usize::from(linear.dir == LinearDir::Vertical);
                if !std::mem::replace(&mut axes[axis], true) {
                    size[axis] = linear.shares[tile];
                }
            }
            tile = parent;
        }
        size
    }

    #[test]
    fn panels_keep_their_size_and_the_view_fills_the_rest() {
        let mut arrangement = PanelTiles::new(&PANELS, None);
        for width in [1280.0, 2560.0, 1024.0] {
            let window = vec2(width, 700.0);
            assert_eq!(
                size(&mut arrangement, window, DockPane::View),
                vec2(width - 300.0 - 280.0 - 2.0 * GAP, 700.0 - 41.0)
            );
            assert_eq!(size(&mut arrangement, window, DockPane::Panel(3)).x, 280.0);
            let layers = size(&mut arrangement, window, DockPane::Panel(0));
            assert_eq!(layers.x, 300.0);
            assert!((layers.y - 699.0 / 3.0).abs() < 0.5, "{layers}");
        }
        // a panel that was shrunk regains its size as soon as there is room
        assert!(size(&mut arrangement, vec2(600.0, 700.0), DockPane::Panel(3)).x < 279.0);
        assert_eq!(size(&mut arrangement, vec2(1280.0, 700.0), DockPane::Panel(3)).x, 280.0);
        // if there is little room, the view keeps its minimum size
        let small = vec2(660.0, 300.0);
        assert!(size(&mut arrangement, small, DockPane::View).x >= MIN_VIEW_SIZE.x - 1e-3);
    }

    #[test]
    fn a_panel_is_as_high_as_its_content_until_it_is_resized() {
        let window = vec2(1280.0, 700.0);
        let rect = Rect::from_min_size(bevy_egui::egui::Pos2::ZERO, window);
        let mut arrangement = PanelTiles::new(&PANELS, None);
        let height = |arrangement: &mut PanelTiles, content: f32| {
            arrangement.fit(rect, &PANELS, &[PanelShown::Content(content), PanelShown::Open]);
            arrangement.fitted[&arrangement.find(DockPane::Panel(0)).unwrap()]
        };
        let around = PANELS[0].margin.sum().y + super::super::HANDLE;
        assert_eq!(height(&mut arrangement, 120.0), 120.0 + around);
        assert_eq!(height(&mut arrangement, 10.0), PANELS[0].least[1]);
        let part = height(&mut arrangement, 2000.0) / window.y;
        assert!((0.4..=0.5).contains(&part), "a long list takes {part} of the column");
        // the border moves: this column keeps its sizes, and all other panels follow their contents
        height(&mut arrangement, 120.0);
        let [layers, parameters] = [0, 1].map(|index| arrangement.find(DockPane::Panel(index)).unwrap());
        let column = arrangement.tree.tiles.parent_of(layers).unwrap();
        arrangement.container(column, |container| {
            if let Container::Linear(linear) = container {
                linear.shares.set_share(layers, 400.0);
                linear.shares.set_share(parameters, window.y - GAP - 400.0);
            }
        });
        arrangement.choose_sizes();
        assert_eq!(height(&mut arrangement, 120.0), 400.0);
        assert_eq!(arrangement.chosen.len(), 2, "no other border was moved");
        let kept = arrangement.layout(&PANELS).unwrap();
        let mut again = PanelTiles::new(&PANELS, Some(&kept));
        assert_eq!(height(&mut again, 120.0), 400.0);
    }

    #[test]
    fn saved_panels_return_and_new_panels_start_at_their_edge() {
        let mut arrangement = PanelTiles::new(&PANELS, None);
        arrangement.dock(0, DockEdge::Right);
        arrangement.dock(3, DockEdge::Bottom);
        size(&mut arrangement, vec2(1280.0, 720.0), DockPane::View);
        let kept = arrangement.layout(&PANELS).unwrap();
        let again = PanelTiles::new(&PANELS, Some(&kept));
        assert_eq!(again.layout(&PANELS), Some(kept.clone()));
        let PanelLayout::Row(parts) = &kept else { panic!("{kept:?}") };
        let names: Vec<_> = parts.iter().map(|(part, _)| part.panels()).collect();
        assert_eq!(names, [vec!["parameters"], vec!["view", "map", "charts"], vec!["layers"]]);
        let old = PanelLayout::Row(vec![
            (PanelLayout::Panel("view".into()), 500.0),
            (PanelLayout::Panel("gone".into()), 200.0),
            (PanelLayout::Panel("map".into()), 333.0),
        ]);
        let mut grown = PanelTiles::new(&PANELS, Some(&old));
        assert!((0..4).all(|index| grown.find(DockPane::Panel(index)).is_some()));
        assert_eq!(size(&mut grown, vec2(1280.0, 720.0), DockPane::Panel(3)).x, 333.0);
        // a layout without the view is invalid
        let lost = PanelTiles::new(&PANELS, Some(&PanelLayout::Panel("map".into())));
        assert_eq!(lost.layout(&PANELS), PanelTiles::new(&PANELS, None).layout(&PANELS));
    }

    #[test]
    fn the_view_is_never_behind_a_tab() {
        let tabs = PanelLayout::Tabs {
            tabs: vec![PanelLayout::Panel("map".into()), PanelLayout::Panel("view".into())],
            open: 0,
        };
        let arrangement = PanelTiles::new(&PANELS, Some(&tabs));
        let view = arrangement.find(DockPane::View).unwrap();
        assert!(!arrangement.tabs().contains(&view));
    }
}
