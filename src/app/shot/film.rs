//! Films of the 3D view: a turntable around the terrain, or a flight through the camera bookmarks.

use std::f32::consts::TAU;
use std::time::Duration;

use glam::Vec3;

use super::{
    OffscreenRenderer, ShotError, ShotOptions, ShotSubject, ShotView, averaged, guarded, supersampled_options,
};
use crate::view::{CompareLayout, Pose, RenderQuality, SquareTerrain, ViewProjection};
use talweg::appearance::RgbImage;
use talweg::field::Control;
use talweg::io::SaveTarget;
use talweg::timelapse::{FilmFormat, check_target};

/// Inclination of the turntable camera, in radians.
const TILT: f32 = -0.45;
/// Heading of the first turntable frame, in radians. The command for the perspective view uses the same heading.
const FIRST_YAW: f32 = 0.56;

/// The path of the camera.
#[derive(Clone, Debug, PartialEq)]
pub enum CameraPath {
    /// One turn around the terrain at constant height. A repeated film continues from the last frame to the first
    /// without a jump.
    Turntable,
    /// A smooth flight through these poses at nearly constant speed.
    Through(Vec<Pose>),
}

/// The settings of a film.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewFilm {
    pub path: CameraPath,
    /// Number of frames, at least 2.
    pub frames: u32,
    /// Frame rate of a GIF.
    pub frames_a_second: u32,
    /// Size and view mode of the frames. The camera path replaces the viewpoint of these options.
    pub picture: ShotOptions,
}

impl ViewFilm {
    /// Draws all frames and writes the film as [`FilmFormat::write`] does. Calls `progress` with the finished fraction.
    /// Returns the number of frames.
    ///
    /// # Errors
    /// If a frame cannot be drawn, the film cannot be written, there are too few bookmarks for a flight, or `control`
    /// cancels. An unfinished film is deleted.
    pub fn shoot(
        &self,
        subject: &ShotSubject,
        to: &SaveTarget,
        control: &Control,
        progress: impl Fn(f32),
    ) -> Result<usize, ShotError> {
        check_target(to)?;
        guarded(|| self.draw(subject, to, control, progress))?
    }

    fn draw(
        &self,
        subject: &ShotSubject,
        to: &SaveTarget,
        control: &Control,
        progress: impl Fn(f32),
    ) -> Result<usize, ShotError> {
        let options = supersampled_options(&self.picture)?;
        let count = self.frames.max(2) as usize;
        let poses = match subject {
            ShotSubject::Terrain(terrain, ..) => Some(self.poses(terrain, count)?),
            ShotSubject::Planet(..) if self.path != CameraPath::Turntable => return Err(ShotError::NoBookmarks),
            ShotSubject::Planet(..) => None,
        };
        let mut renderer = OffscreenRenderer::new(&options, RenderQuality::Still)?;
        let format = FilmFormat {
            width: self.picture.width,
            height: self.picture.height,
            frames_a_second: self.frames_a_second,
            last_stands: match self.path {
                CameraPath::Turntable => Duration::ZERO,
                CameraPath::Through(_) => Duration::from_secs(2),
            },
        };
        format.write(to, count, |k| -> Result<RgbImage, ShotError> {
            progress(k as f32 / count as f32);
            control.check().map_err(|stopped| ShotError::Film(stopped.into()))?;
            let image = match (&poses, subject) {
                (Some(poses), _) => renderer.draw_from(subject, ShotView::Pose(poses[k])),
                (None, ShotSubject::Planet(terrain, view, camera)) => {
                    let turned = camera.turned_round(f64::from(TAU) * k as f64 / count as f64);
                    renderer.draw_image(&ShotSubject::Planet(terrain.clone(), view.clone(), Box::new(turned)))
                }
                (None, _) => renderer.draw_image(subject),
            };
            Ok(averaged(&image?, options.width as usize, self.picture.supersampling as usize))
        })?;
        progress(1.0);
        Ok(count)
    }

    fn poses(&self, terrain: &SquareTerrain, count: usize) -> Result<Vec<Pose>, ShotError> {
        match &self.path {
            CameraPath::Turntable => {
                let size = glam::Vec2::new(self.picture.width as f32, self.picture.height as f32);
                let lens = CompareLayout::One.lens(size, ViewProjection::Perspective);
                let bounds = terrain.scale.bounds_world();
                let middle = 0.5 * (bounds.0 + bounds.1);
                let framed = |k: usize| {
                    let yaw = (FIRST_YAW + TAU * k as f32 / count as f32).rem_euclid(TAU);
                    Pose::framing(bounds.0, bounds.1, yaw, TILT, &lens)
                };
                // at every heading use the greatest of the framing distances, so that the distance stays constant
                let distance = (0..count).map(|k| framed(k).eye_world.distance(middle)).fold(0.0, f32::max);
                Ok((0..count)
                    .map(|k| {
                        let pose = framed(k);
                        Pose { eye_world: middle - pose.forward() * distance, ..pose }
                    })
                    .collect())
            }
            CameraPath::Through(stops) if stops.len() < 2 => Err(ShotError::NoBookmarks),
            CameraPath::Through(stops) => {
                let along = spline(stops, count);
                Ok(along.into_iter().map(|pose| above_ground(pose, terrain)).collect())
            }
        }
    }
}

/// Raises a pose above the terrain, because a spline between two poses may pass through the terrain.
fn above_ground(pose: Pose, terrain: &SquareTerrain) -> Pose {
    if !terrain.has_drawn_ground(pose.eye_world) {
        return pose;
    }
    let least = terrain.floor_world(pose.eye_world) + 2.0 / terrain.scale.metres_per_world;
    Pose { eye_world: pose.eye_world.with_y(pose.eye_world.y.max(least)), ..pose }
}

/// `count` evenly spaced poses along a centripetal Catmull-Rom spline through the stops (Barry and Goldman 1988).
/// Between two stops, the camera turns in the shorter direction.
fn spline(stops: &[Pose], count: usize) -> Vec<Pose> {
    let mut stops = stops.to_vec();
    for k in 1..stops.len() {
        let turn = stops[k].yaw - stops[k - 1].yaw;
        stops[k].yaw = stops[k - 1].yaw + (turn + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
    }
    const STEPS: usize = 64;
    let last = stops.len() - 1;
    let fine: Vec<Pose> =
        (0..=last * STEPS).map(|k| pose_between(&stops, k / STEPS, (k % STEPS) as f32 / STEPS as f32)).collect();
    // greatest distance from the first stop; a turn counts as a fraction of it, so that a turn on the spot also takes
    // time
    let reach = stops.iter().map(|stop| stop.eye_world.distance(stops[0].eye_world)).fold(1.0, f32::max);
    let way = |a: &Pose, b: &Pose| {
        let turn = (b.yaw - a.yaw).abs() + (b.pitch - a.pitch).abs();
        a.eye_world.distance(b.eye_world) + 0.2 * reach * turn
    };
    let mut passed = vec![0.0_f32];
    for pair in fine.windows(2) {
        passed.push(passed[passed.len() - 1] + way(&pair[0], &pair[1]));
    }
    let whole = passed[passed.len() - 1].max(f32::MIN_POSITIVE);
    (0..count)
        .map(|k| {
            let at = whole * k as f32 / (count - 1) as f32;
            let next = passed.partition_point(|way| *way < at).clamp(1, fine.len() - 1);
            let span = (passed[next] - passed[next - 1]).max(f32::MIN_POSITIVE);
            let t = ((at - passed[next - 1]) / span).clamp(0.0, 1.0);
            let (a, b) = (&fine[next - 1], &fine[next]);
            let mix = |a: f32, b: f32| a + (b - a) * t;
            Pose {
                eye_world: a.eye_world.lerp(b.eye_world, t),
                yaw: mix(a.yaw, b.yaw).rem_euclid(TAU),
                pitch: mix(a.pitch, b.pitch),
            }
        })
        .collect()
}

/// The pose at the fraction `t` of the way from the stop `from` to the next stop.
fn pose_between(stops: &[Pose], from: usize, t: f32) -> Pose {
    let last = stops.len() - 1;
    if from >= last {
        return stops[last];
    }
    let at = |k: usize| (stops[k].eye_world, Vec3::new(stops[k].yaw, stops[k].pitch, 0.0));
    let (b, c) = (at(from), at(from + 1));
    // beyond the first and the last stop, the path continues straight
    let mirrored = |p: (Vec3, Vec3), q: (Vec3, Vec3)| (2.0 * p.0 - q.0, 2.0 * p.1 - q.1);
    let a = if from == 0 { mirrored(b, c) } else { at(from - 1) };
    let d = if from + 2 > last { mirrored(c, b) } else { at(from + 2) };
    let knot = |p: (Vec3, Vec3), q: (Vec3, Vec3)| p.0.distance(q.0).sqrt().max(1e-3);
    let t0 = 0.0;
    let t1 = t0 + knot(a, b);
    let t2 = t1 + knot(b, c);
    let t3 = t2 + knot(c, d);
    let u = t1 + (t2 - t1) * t;
    let mix = |p: (Vec3, Vec3), q: (Vec3, Vec3), from: f32, to: f32| {
        let t = (u - from) / (to - from);
        (p.0.lerp(q.0, t), p.1.lerp(q.1, t))
    };
    let (ab, bc, cd) = (mix(a, b, t0, t1), mix(b, c, t1, t2), mix(c, d, t2, t3));
    let (abc, bcd) = (mix(ab, bc, t0, t2), mix(bc, cd, t1, t3));
    let (eye_world, angles) = mix(abc, bcd, t1, t2);
    Pose { eye_world, yaw: angles.x, pitch: angles.y }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(x: f32, z: f32, yaw: f32) -> Pose {
        Pose { eye_world: Vec3::new(x, 100.0, z), yaw, pitch: -0.3 }
    }

    #[test]
    fn a_flight_has_one_speed_and_takes_the_shortest_turn() {
        let stops = [stop(0.0, 0.0, 6.2), stop(300.0, 40.0, 0.1), stop(320.0, 400.0, 1.4)];
        let poses = spline(&stops, 400);
        let near = |a: &Pose, b: &Pose| a.eye_world.distance(b.eye_world) < 3.0 && (a.pitch - b.pitch).abs() < 0.01;
        assert!(near(&poses[0], &stops[0]) && near(&poses[399], &stops[2]));
        assert!(poses.iter().any(|pose| near(pose, &stops[1])), "the path misses the stop in the middle");
        let turned = |a: f32, b: f32| ((b - a + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU).abs();
        let turn: f32 = poses.windows(2).map(|pair| turned(pair[0].yaw, pair[1].yaw)).sum();
        assert!(turn < 2.2, "from heading 6.2 to 0.1 the camera turns by {turn}, not the shorter way");
        let steps: Vec<f32> = poses.windows(2).map(|pair| pair[0].eye_world.distance(pair[1].eye_world)).collect();
        let (least, most) = steps.iter().fold((f32::MAX, 0.0_f32), |(a, b), s| (a.min(*s), b.max(*s)));
        // the steps differ, because the camera moves more slowly while it turns
        assert!(most < 3.0 * least, "the camera's steps are from {least} to {most} units long");
    }

    #[test]
    fn two_stops_are_a_straight_line() {
        let poses = spline(&[stop(0.0, 0.0, 0.0), stop(100.0, 100.0, 0.0)], 11);
        for (k, pose) in poses.iter().enumerate() {
            assert!(pose.eye_world.distance(Vec3::new(10.0 * k as f32, 100.0, 10.0 * k as f32)) < 0.5, "{pose:?}");
        }
    }
}
