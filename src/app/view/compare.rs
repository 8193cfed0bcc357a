//! Comparison of two terrains, A and B, from one camera: which part of the view shows which terrain, and the camera
//! lens of each part.

use bevy::math::{Mat4, Rect, Vec2, Vec3, vec2};

use super::lens::{Lens, ViewProjection};

/// One of the two compared terrains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareSide {
    /// The terrain of the edited scene.
    A,
    /// The terrain that A is compared with.
    B,
}

impl CompareSide {
    pub const BOTH: [Self; 2] = [Self::A, Self::B];
}

/// How two terrains share the view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CompareLayout {
    /// One terrain fills the whole view.
    #[default]
    One,
    /// One image with a divider at this fraction of the view's width. The first terrain is left of the divider, the
    /// second right of it.
    Split(f32),
    /// Two images side by side, each half as wide as the view.
    Halves,
}

/// A part of the view that shows one terrain. `from` and `to` are the left and right edges of this part, as fractions
/// of the view's width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pane {
    pub side: CompareSide,
    pub from: f32,
    pub to: f32,
    /// Whether the pane is a complete image. Otherwise the pane is a crop of an image that is as wide as the view.
    pub is_own_image: bool,
}

impl Pane {
    pub const ALONE: Self = Self { side: CompareSide::A, from: 0.0, to: 1.0, is_own_image: true };

    /// Rectangle of the pane, in the coordinates of `view`.
    pub fn rect(&self, view: Rect) -> Rect {
        let at = |share: f32| view.min.x + share * view.width();
        Rect { min: vec2(at(self.from), view.min.y), max: vec2(at(self.to), view.max.y) }
    }

    /// Rectangle of the complete image, in the coordinates of `view`. The pane shows all or part of this image.
    pub fn image_rect(&self, view: Rect) -> Rect {
        if self.is_own_image { self.rect(view) } else { view }
    }

    /// Matrix from the clip space of a camera for the whole view (of this size) to the clip space of this pane's image.
    pub fn clip_from_view_clip(&self, view: Vec2) -> Mat4 {
        if !self.is_own_image || self.to - self.from == 1.0 {
            return Mat4::IDENTITY;
        }
        let more = half_view_scale(view);
        Mat4::from_scale(vec2(2.0 / more, 1.0 / more).extend(1.0))
    }

    /// Matrix from the clip space of the image to the clip space of the pane. Points outside the pane are clipped.
    pub fn crop(&self) -> Mat4 {
        if self.is_own_image {
            return Mat4::IDENTITY;
        }
        // map x in clip space from [2 from - 1, 2 to - 1] to [-1, 1]
        let width = (self.to - self.from).max(1e-6);
        let middle = self.from + self.to - 1.0;
        Mat4::from_scale(Vec3::new(1.0 / width, 1.0, 1.0)) * Mat4::from_translation(Vec3::new(-middle, 0.0, 0.0))
    }
}

/// Expected aspect ratio (width over height) of a terrain in its image.
const FRAMED_ASPECT: f32 = 1.45;

/// Vertical extent that a half view shows, relative to the vertical extent of the whole view. The factor is chosen so
/// that the half view still contains the centre of the whole view.
fn half_view_scale(view: Vec2) -> f32 {
    (2.0 * FRAMED_ASPECT * view.y / view.x).clamp(1.0, 2.0)
}

impl CompareLayout {
    /// The panes from left to right. An entry is `None` if the layout does not show this pane.
    pub fn panes(self, swapped: bool) -> [Option<Pane>; 2] {
        let (first, second) = if swapped { (CompareSide::B, CompareSide::A) } else { (CompareSide::A, CompareSide::B) };
        let pair = |at: f32, whole| {
            let left = Pane { side: first, from: 0.0, to: at, is_own_image: whole };
            let right = Pane { side: second, from: at, to: 1.0, is_own_image: whole };
            [left, right].map(|pane| (pane.to > pane.from).then_some(pane))
        };
        match self {
            Self::One => [Some(Pane { side: first, ..Pane::ALONE }), None],
            Self::Split(at) => pair(at.clamp(0.0, 1.0), false),
            Self::Halves => pair(0.5, true),
        }
    }

    /// Camera lens of each image in a view of `size` logical pixels.
    pub fn lens(self, size: Vec2, projection: ViewProjection) -> Lens {
        let (size, fov_y) = (size.max(Vec2::ONE), projection.field_of_view());
        match self {
            Self::One | Self::Split(_) => Lens { fov_y, size },
            Self::Halves => {
                let up = half_view_scale(size) * (0.5 * fov_y).tan();
                Lens { fov_y: 2.0 * up.atan(), size: size * vec2(0.5, 1.0) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: Rect = Rect { min: vec2(100.0, 40.0), max: vec2(900.0, 540.0) };

    #[test]
    fn the_parts_cover_the_view_once() {
        for layout in [
            CompareLayout::One,
            CompareLayout::Split(0.3),
            CompareLayout::Split(0.0),
            CompareLayout::Split(7.0),
            CompareLayout::Halves,
        ] {
            for swapped in [false, true] {
                let panes: Vec<Pane> = layout.panes(swapped).into_iter().flatten().collect();
                assert_eq!((panes[0].from, panes.last().unwrap().to), (0.0, 1.0), "{layout:?}");
                assert!(panes.windows(2).all(|pair| pair[0].to == pair[1].from && pair[0].side != pair[1].side));
            }
        }
        let sides = |swapped| CompareLayout::Halves.panes(swapped).map(|pane| pane.unwrap().side);
        assert_eq!((sides(false), sides(true)), ([CompareSide::A, CompareSide::B], [CompareSide::B, CompareSide::A]));
        assert_eq!(CompareLayout::One.panes(true)[0].unwrap().side, CompareSide::B);
    }

    #[test]
    fn halves_show_the_middle_of_the_whole_view() {
        let across = |lens: &Lens| (0.5 * lens.fov_y).tan() * lens.aspect();
        let pane = CompareLayout::Halves.panes(false)[1].unwrap();
        assert_eq!(pane.image_rect(VIEW), Rect { min: vec2(500.0, 40.0), max: VIEW.max });
        for size in [vec2(700.0, 500.0), vec2(950.0, 430.0), vec2(1900.0, 500.0)] {
            let [whole, half] = [CompareLayout::One, CompareLayout::Halves]
                .map(|layout| layout.lens(size, ViewProjection::Perspective));
            let least =
                (0.5 * ViewProjection::Perspective.field_of_view()).tan() * (size.x / size.y).min(FRAMED_ASPECT);
            assert!(across(&half) >= least - 1e-5 && across(&half) <= across(&whole) + 1e-5, "{size}");
            // the camera for the whole view must have the same projection as the lens of the image
            let clip = pane.clip_from_view_clip(size);
            let up = (0.5 * whole.fov_y).tan() / (0.5 * half.fov_y).tan();
            assert!((clip.y_axis.y - up).abs() < 1e-5, "{size}");
            assert!((clip.x_axis.x - across(&whole) / across(&half)).abs() < 1e-5, "{size}");
        }
    }

    #[test]
    fn a_part_shows_the_view_between_its_edges() {
        for at in [0.25, 0.5, 0.9] {
            let [left, right] = CompareLayout::Split(at).panes(false).map(Option::unwrap);
            let edge = Vec3::new(2.0 * at - 1.0, 0.3, 0.1);
            assert!((left.crop().project_point3(edge).x - 1.0).abs() < 1e-5);
            assert!((right.crop().project_point3(edge).x + 1.0).abs() < 1e-5);
            assert!((left.crop().project_point3(Vec3::NEG_X).x + 1.0).abs() < 1e-5);
            assert!((right.crop().project_point3(Vec3::X).x - 1.0).abs() < 1e-5);
            assert_eq!(left.image_rect(VIEW), VIEW);
            assert_eq!(left.rect(VIEW).max.x, right.rect(VIEW).min.x);
        }
    }
}
