//! Validation of construction trees. Numbers are clamped to their ranges. Faults that cannot be repaired are reported
//! as errors, with their location.

use super::operators::detail::DetailSettings;
use super::piece::{Piece, PieceKind, Tree};
use super::primitives::contour::{Contour, OutlineFit};
use super::primitives::curve::CurvePoint;
use super::primitives::image::Image;
use talweg_ground::param::{Clamped, Params};

/// Maximum number of points of a curve or contour.
pub const MOST_POINTS: usize = 512;
/// Maximum number of pieces of a construction tree. The maximum also holds for a compiled program, where the pieces of
/// a definition count once per instance. More pieces would not fit the memory of most computers.
pub const MOST_PIECES: usize = 1_000_000;
/// Maximum nesting depth of operators when a construction tree is edited, written or read. This depth is four times
/// that of any construction made by hand so far, and recursion this deep fits the stack of any thread.
pub const DEEPEST: usize = 32;

/// Smallest range of levels of detail over which the operator changes from one piece to the other.
const LEAST_TRANSITION: f32 = 0.01;

/// Error of an invalid construction tree: the reason and the location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}")]
pub struct TreeError {
    /// Path to the faulty piece, for example `Construction / blend 'hills' / disc 3`.
    pub at: String,
    /// Description of the fault, with the allowed maximum or the repair where there is one.
    pub what: String,
}

impl Tree {
    /// Returns the construction tree with every number clamped to its hard range, and a list of the values that
    /// changed.
    pub fn sanitised(&self) -> (Self, Vec<Clamped>) {
        let mut tree = self.clone();
        let mut moved = Vec::new();
        mend(&mut tree.frame, "Construction", &mut moved);
        for (name, root) in tree.roots_mut() {
            let at = if name.is_empty() { "Construction".to_string() } else { format!("Construction / {name}") };
            sanitise(root, &format!("{at} / {}", root.label(0)), &mut moved);
        }
        (tree, moved)
    }

    /// Checks that pieces are nested at most [`DEEPEST`] levels deep. The levels inside a definition do not count for
    /// the instances that repeat the definition.
    ///
    /// # Errors
    /// Returns the path of the root piece that holds pieces nested too deeply.
    pub(super) fn check_depth(&self) -> Result<(), TreeError> {
        for (name, root) in self.roots() {
            // visit one level after the other: recursion into a construction tree of unchecked depth could overflow the
            // stack
            let mut level = vec![root];
            for _ in 0..=DEEPEST {
                level = level.into_iter().flat_map(Piece::children).collect();
            }
            if !level.is_empty() {
                let at = if name.is_empty() { "Construction".to_string() } else { format!("Construction / {name}") };
                return Err(too_deep(at));
            }
        }
        Ok(())
    }

    /// Checks that every instance refers to an existing definition, and that no definition contains itself.
    ///
    /// # Errors
    /// Returns the path to the first faulty piece.
    pub fn check(&self) -> Result<(), TreeError> {
        let fail = |at: &str, what: String| Err(TreeError { at: at.into(), what });
        self.check_depth()?;
        if self.count() > MOST_PIECES {
            return fail(
                "Construction",
                format!("the construction has {} features; the maximum is {MOST_PIECES}", self.count()),
            );
        }
        for (k, definition) in self.definitions.iter().enumerate() {
            if definition.name.is_empty() {
                return fail(&format!("Construction / definition {}", k + 1), "the definition has no name".into());
            }
            if self.definitions[..k].iter().any(|other| other.name == definition.name) {
                return fail(
                    &format!("Construction / definition '{}'", definition.name),
                    "two definitions have this name".into(),
                );
            }
        }
        for (name, root) in self.roots() {
            let at = if name.is_empty() { "Construction".to_string() } else { format!("Construction / {name}") };
            let mut open: Vec<&str> =
                name.strip_prefix("definition '").and_then(|n| n.strip_suffix('\'')).into_iter().collect();
            let mut done = Vec::new();
            self.follow(root, &format!("{at} / {}", root.label(0)), &mut open, &mut done, 0)?;
        }
        Ok(())
    }

    /// Checks `piece` and follows its instances into their definitions. `open` holds the definitions that contain the
    /// piece, `done` holds definitions already found valid.
    fn follow<'a>(
        &'a self,
        piece: &'a Piece,
        at: &str,
        open: &mut Vec<&'a str>,
        done: &mut Vec<&'a str>,
        depth: usize,
    ) -> Result<(), TreeError> {
        let fail = |what: String| Err(TreeError { at: at.into(), what });
        if depth > DEEPEST {
            return Err(too_deep(at.split(" / ").take(2).collect::<Vec<_>>().join(" / ")));
        }
        if let PieceKind::Image(image) = &piece.kind
            && !image.is_convex()
        {
            return fail("the corners must form a convex quadrangle, in order around the quadrangle".into());
        }
        if let PieceKind::Detail(group) = &piece.kind
            && let DetailSettings { from, to } = group.settings
            && from >= to
        {
            return fail(format!("the level of detail `from` ({from}) must be lower than `to` ({to})"));
        }
        if let PieceKind::Disc(disc) = &piece.kind
            && let Some([from, to]) = disc.fade_intervals().find(|[from, to]| from >= to)
        {
            return fail(format!("`fade_from` ({from}) must be lower than `fade_to` ({to}) at the same place"));
        }
        if let PieceKind::Contour(contour) = &piece.kind
            && contour.settings.outline != OutlineFit::Drawn
            && let Err(error) = contour.outline()
        {
            return fail(error.to_string());
        }
        if let PieceKind::Instance(instance) = &piece.kind {
            let Some(definition) = self.definition(&instance.definition) else {
                return fail(format!("there is no definition '{}'", instance.definition));
            };
            if open.contains(&definition.name.as_str()) {
                let way: Vec<&str> = open.iter().copied().chain([definition.name.as_str()]).collect();
                return fail(format!("the definition would contain itself: {}", way.join(" → ")));
            }
            if !done.contains(&definition.name.as_str()) {
                open.push(&definition.name);
                self.follow(
                    &definition.piece,
                    &format!("{at} / {}", definition.piece.label(0)),
                    open,
                    done,
                    depth + 1,
                )?;
                open.pop();
                done.push(&definition.name);
            }
        }
        for (k, inner) in piece.children().iter().enumerate() {
            self.follow(inner, &format!("{at} / {}", inner.label(k)), open, done, depth + 1)?;
        }
        Ok(())
    }
}

fn too_deep(at: String) -> TreeError {
    TreeError { at, what: format!("features can be nested at most {DEEPEST} deep; move some out of their groups") }
}

fn mend(group: &mut dyn Params, at: &str, moved: &mut Vec<Clamped>) {
    let clamped = group.sanitise();
    moved.extend(clamped.into_iter().map(|c| Clamped { param: format!("{at}: {}", c.param).into(), ..c }));
}

fn sanitise(piece: &mut Piece, at: &str, moved: &mut Vec<Clamped>) {
    mend(piece.params_mut(), at, moved);
    if let Some(points) = piece.kind.as_form_mut().points_mut() {
        sanitise_points(points, at, moved);
    }
    match &mut piece.kind {
        PieceKind::Detail(group) if group.settings.from >= group.settings.to => {
            // a file with an empty transition could not be read again
            let DetailSettings { from, to } = &mut group.settings;
            *from = from.min(1.0 - LEAST_TRANSITION).noting(*from, &format!("{at}: from"), moved);
            *to = (*from + LEAST_TRANSITION).noting(*to, &format!("{at}: to"), moved);
        }
        PieceKind::Disc(disc) => {
            for (from, to) in disc.fade_from.0.iter_mut().zip(&mut disc.fade_to.0).filter(|(from, to)| from >= to) {
                *from = from.min(1.0 - LEAST_TRANSITION).noting(*from, &format!("{at}: fade_from"), moved);
                *to = (*from + LEAST_TRANSITION).noting(*to, &format!("{at}: fade_to"), moved);
            }
        }
        PieceKind::Contour(contour) => sanitise_contour(contour, at, moved),
        PieceKind::Image(image) => {
            let was_convex = image.is_convex();
            for (k, corner) in image.corners.iter_mut().enumerate() {
                *corner = (limited(corner.0, 1.0e6), limited(corner.1, 1.0e6)).noting(
                    *corner,
                    &format!("{at}: corner {}", k + 1),
                    moved,
                );
            }
            // clamping can put all corners of an image on one line if the corners are far outside the allowed range
            if was_convex && !image.is_convex() {
                image.corners = Image::default().corners.noting(image.corners, &format!("{at}: corners"), moved);
            }
        }
        _ => {}
    }
    for (k, inner) in piece.children_mut().into_iter().flatten().enumerate() {
        let at = format!("{at} / {}", inner.label(k));
        sanitise(inner, &at, moved);
    }
}

fn limited(value: f32, most: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(-most, most) }
}

/// Replaces a value, and records the change in the list of clamped values if the new value differs.
trait Noting: PartialEq + std::fmt::Debug + Sized {
    fn noting(self, was: Self, at: &str, moved: &mut Vec<Clamped>) -> Self {
        if self != was {
            moved.push(Clamped { param: at.to_string().into(), was: format!("{was:?}"), now: format!("{self:?}") });
        }
        self
    }
}
impl<T: PartialEq + std::fmt::Debug> Noting for T {}

fn sanitise_points(points: &mut Vec<CurvePoint>, at: &str, moved: &mut Vec<Clamped>) {
    let count = points.len();
    points.truncate(MOST_POINTS);
    points.len().noting(count, &format!("{at}: number of points"), moved);
    for (k, point) in points.iter_mut().enumerate() {
        let at = format!("{at}: point {}", k + 1);
        point.at = (limited(point.at.0, 1.0e6), limited(point.at.1, 1.0e6)).noting(point.at, &at, moved);
        point.height = limited(point.height, 1.0e5).noting(point.height, &format!("{at}: height"), moved);
        point.width = limited(point.width, 100.0).max(0.01).noting(point.width, &format!("{at}: width"), moved);
        point.depth = limited(point.depth, 100.0).noting(point.depth, &format!("{at}: depth"), moved);
        if let Some(profile) = &mut point.profile {
            *profile = profile.sanitised().noting(profile.clone(), &format!("{at}: profile"), moved);
        }
    }
}

fn sanitise_contour(contour: &mut Contour, at: &str, moved: &mut Vec<Clamped>) {
    for (name, count, least) in [
        ("points", contour.points.len(), contour.points.len().min(MOST_POINTS)),
        ("profiles", contour.profiles.len(), contour.profiles.len().min(MOST_POINTS)),
    ] {
        least.noting(count, &format!("{at}: number of {name}"), moved);
    }
    contour.points.truncate(MOST_POINTS);
    contour.profiles.truncate(MOST_POINTS);
    for (k, point) in contour.points.iter_mut().enumerate() {
        *point =
            (limited(point.0, 1.0e6), limited(point.1, 1.0e6)).noting(*point, &format!("{at}: point {}", k + 1), moved);
    }
    // if the scene were saved with this outline, the file could not be read again
    if contour.settings.outline != OutlineFit::Drawn && contour.outline().is_err() {
        let fit = OutlineFit::Direction.noting(contour.settings.outline, &format!("{at}: outline"), moved);
        contour.settings.outline = fit;
    }
    for (k, ray) in contour.profiles.iter_mut().enumerate() {
        let at = format!("{at}: profile {}", k + 1);
        ray.angle = limited(ray.angle, 360.0).noting(ray.angle, &at, moved);
        let mut tidy = ray.profile.sanitised();
        tidy.0.retain(|p| p.0 >= 0.0);
        ray.profile = tidy.noting(ray.profile.clone(), &at, moved);
    }
}
