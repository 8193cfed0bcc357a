//! The commands of the brush and of its stamp image.

use std::path::PathBuf;

use egui_phosphor::regular as icon;

use super::state::StrokeEdit;
use crate::frame::commands::{Action, Info, keys};
use talweg::brush::{BrushTool, MirrorAxis};

/// Commands that start and stop painting and change the brush.
#[derive(Clone, Debug, PartialEq)]
pub enum BrushAction {
    /// Starts or stops painting.
    Paint,
    Smaller,
    Larger,
    /// Paints the mask of the selected layer.
    PaintMask,
    DeleteStroke,
    Edit(StrokeEdit),
    Tool(BrushTool),
}

impl BrushAction {
    /// All brush commands.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Paint, Self::Smaller, Self::Larger, Self::PaintMask, Self::DeleteStroke];
        all.extend(StrokeEdit::ALL.map(Self::Edit));
        all.extend(BrushTool::ALL.iter().map(|&tool| Self::Tool(tool)));
        all
    }
}

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
                "Starts or stops painting on the selected layer. While painting, Alt-drag orbits the view.",
                icon::PAINT_BRUSH,
                keys![NONE + T],
            ),
            Self::Smaller => {
                Info::new("Smaller brush", "Reduces the radius of the brush.", icon::CIRCLE, keys![NONE + OpenBracket])
            }
            Self::Larger => Info::new(
                "Larger brush",
                "Increases the radius of the brush.",
                icon::CIRCLE,
                keys![NONE + CloseBracket],
            ),
            Self::PaintMask => Info::new(
                "Paint mask",
                "Limits the selected layer to the area that you paint.",
                icon::PAINT_BRUSH_BROAD,
                keys![SHIFT + T],
            ),
            Self::DeleteStroke => {
                Info::new("Delete stroke", "Deletes the selected stroke.", icon::TRASH, keys![NONE + Delete])
            }
            Self::Edit(edit) => stroke_edit_info(*edit),
            Self::Tool(tool) => Info::new(format!("{} brush", tool.label()), tool.help(), tool_icon(*tool), &[]),
        }
    }
}

fn stroke_edit_info(edit: StrokeEdit) -> Info {
    let (label, tooltip, sign) = match edit {
        StrokeEdit::Duplicate => {
            ("Duplicate stroke", "Adds a copy of the selected stroke, which is applied after it.", icon::COPY)
        }
        StrokeEdit::Mirror(MirrorAxis::WestEast) => (
            "Mirror stroke west to east",
            "Mirrors the selected stroke at the line from north to south through the middle of the terrain.",
            icon::FLIP_HORIZONTAL,
        ),
        StrokeEdit::Mirror(MirrorAxis::NorthSouth) => (
            "Mirror stroke north to south",
            "Mirrors the selected stroke at the line from west to east through the middle of the terrain.",
            icon::FLIP_VERTICAL,
        ),
        StrokeEdit::Offset { is_right: false } => (
            "Offset stroke to the left",
            "Moves the selected stroke sideways by the radius of its brush, to the left of its drawing direction.",
            icon::ARROW_LINE_LEFT,
        ),
        StrokeEdit::Offset { is_right: true } => (
            "Offset stroke to the right",
            "Moves the selected stroke sideways by the radius of its brush, to the right of its drawing direction.",
            icon::ARROW_LINE_RIGHT,
        ),
    };
    Info::new(label, tooltip, sign, &[])
}

/// Commands that choose the stamp image of a brush.
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
        Info::new("Choose a stamp…", "Loads a stamp image from a file.", icon::IMAGE, &[])
    }
}
