//! Layout of the window's panels.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Maximum nesting depth of rows and columns.
const MOST_DEPTH: usize = 12;
/// Allowed range for the width or height of a panel, in points. 0 is the default size, or the size of the content.
const SIZES: std::ops::RangeInclusive<f32> = 0.0..=10_000.0;

/// A layout of panels side by side, stacked, or as tabs. Each panel is identified by its name; the 3D view is a panel
/// too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PanelLayout {
    /// One panel.
    Panel(String),
    /// Layouts from left to right, each with its width in points.
    Row(Vec<(PanelLayout, f32)>),
    /// Layouts from top to bottom, each with its height in points.
    Column(Vec<(PanelLayout, f32)>),
    /// Several tabs, one of which is open.
    Tabs {
        /// The tabs, from left to right.
        tabs: Vec<PanelLayout>,
        /// Index of the open tab.
        open: usize,
    },
}

impl PanelLayout {
    /// The names of all panels, in layout order.
    pub fn panels(&self) -> Vec<&str> {
        match self {
            Self::Panel(name) => vec![name],
            Self::Row(parts) | Self::Column(parts) => parts.iter().flat_map(|(part, _)| part.panels()).collect(),
            Self::Tabs { tabs, .. } => tabs.iter().flat_map(Self::panels).collect(),
        }
    }

    /// The layout with each panel at most once, valid sizes and limited nesting; `None` if no panel is left.
    pub(super) fn sanitised(self) -> Option<Self> {
        self.without_repeats(&mut BTreeSet::new(), 0)
    }

    fn without_repeats(self, seen: &mut BTreeSet<String>, depth: usize) -> Option<Self> {
        if depth > MOST_DEPTH {
            return None;
        }
        let mut sized = |parts: Vec<(Self, f32)>| -> Option<Vec<(Self, f32)>> {
            let kept = parts.into_iter().filter_map(|(part, size)| {
                let size = if size.is_finite() { size.clamp(*SIZES.start(), *SIZES.end()) } else { 0.0 };
                part.without_repeats(seen, depth + 1).map(|part| (part, size))
            });
            let kept: Vec<_> = kept.collect();
            (!kept.is_empty()).then_some(kept)
        };
        match self {
            Self::Panel(name) => seen.insert(name.clone()).then_some(Self::Panel(name)),
            Self::Row(parts) => sized(parts).map(Self::Row),
            Self::Column(parts) => sized(parts).map(Self::Column),
            Self::Tabs { tabs, open } => {
                let tabs: Vec<_> = tabs.into_iter().filter_map(|tab| tab.without_repeats(seen, depth + 1)).collect();
                (!tabs.is_empty()).then(|| Self::Tabs { open: open.min(tabs.len() - 1), tabs })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(name: &str) -> PanelLayout {
        PanelLayout::Panel(name.into())
    }

    #[test]
    fn any_layout_is_moved_into_range() {
        let text = r#"Row([(Column([(Panel("layers"), -3.0), (Panel("parameters"), 1e30)]), NaN),
            (Panel("layers"), 10.0), (Tabs(tabs: [Panel("map"), Panel("map")], open: 9), 300.0), (Row([]), 5.0)])"#;
        let layout: PanelLayout = ron::from_str(text).unwrap();
        let expected = PanelLayout::Row(vec![
            (PanelLayout::Column(vec![(panel("layers"), 0.0), (panel("parameters"), 10_000.0)]), 0.0),
            (PanelLayout::Tabs { tabs: vec![panel("map")], open: 0 }, 300.0),
        ]);
        let kept = layout.sanitised().unwrap();
        assert_eq!(kept, expected);
        assert_eq!(kept.panels(), ["layers", "parameters", "map"]);
    }

    #[test]
    fn endlessly_nested_panels_are_left_out() {
        let deep = (0..30).fold(panel("map"), |inner, _| PanelLayout::Row(vec![(inner, 100.0)]));
        assert_eq!(deep.sanitised(), None);
    }
}
