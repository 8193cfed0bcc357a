//! Commands of brushes.

use std::path::PathBuf;

use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Info, keys};
use talweg::brush::BrushTool;

/// What can be done with a brush.
#[derive(Clone, Debug, PartialEq)]
pub enum BrushAction {
    /// Takes the brush up, or puts it away.
    Paint,
    Smaller,
    Larger,
    /// Paints the mask of the selected layer.
    PaintMask,
    DeleteStroke,
    Tool(BrushTool),
}

impl BrushAction {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Paint, Self::Smaller, Self::Larger, Self::PaintMask, Self::DeleteStroke];
        all.extend(BrushTool::ALL.iter().map(|&tool| Self::Tool(tool)));
        all
    }
}

/// The picture of a tool.
pub fn tool_icon(tool: BrushTool) -> &'static str {
    match tool {
        BrushTool::Raise => icon::CARET_DOUBLE_UP,
        BrushTool::Lower => icon::CARET_DOUBLE_DOWN,
        BrushTool::Smooth => icon::WAVE_SINE,
        BrushTool::Flatten => icon::EQUALS,
        BrushTool::Slope => icon::TREND_UP,
        BrushTool::Noise => icon::DOTS_NINE,
        BrushTool::Stamp => icon::STAMP,
        BrushTool::Smear => icon::HAND_SWIPE_RIGHT,
        BrushTool::Erode => icon::DROP,
    }
}

impl Action for BrushAction {
    fn section(&self) -> &'static str {
        "Brush"
    }

    fn info(&self) -> Info {
        match self {
            Self::Paint => Info::new(
                "Brush",
                "Takes up the brush for the selected layer, or puts it away. While it is up, Alt turns the view.",
                icon::PAINT_BRUSH,
                keys![NONE + T],
            ),
            Self::Smaller => {
                Info::new("Smaller brush", "Makes the brush narrower.", icon::CIRCLE, keys![NONE + OpenBracket])
            }
            Self::Larger => {
                Info::new("Larger brush", "Makes the brush wider.", icon::CIRCLE, keys![NONE + CloseBracket])
            }
            Self::PaintMask => Info::new(
                "Paint mask",
                "Lets the selected layer act only where you paint.",
                icon::PAINT_BRUSH_BROAD,
                keys![SHIFT + T],
            ),
            Self::DeleteStroke => {
                Info::new("Delete stroke", "Takes the selected stroke out.", icon::TRASH, keys![NONE + Delete])
            }
            Self::Tool(tool) => Info::new(format!("{} brush", tool.label()), tool.help(), tool_icon(*tool), &[]),
        }
    }
}

/// A picture for the stamp of a brush.
#[derive(Clone, Debug, PartialEq)]
pub enum StampAction {
    Choose,
    Take(PathBuf),
}

impl Action for StampAction {
    fn section(&self) -> &'static str {
        "Brush"
    }

    fn info(&self) -> Info {
        Info::new("Choose a stamp…", "Reads the picture of a stamp from a file.", icon::IMAGE, &[])
    }
}
