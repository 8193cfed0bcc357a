//! The flat map of a globe: its visible part, and how the mouse changes this part. Longitudes wrap around, latitudes do
//! not.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DVec3, Vec2};

use talweg::field::globe::from_angles;

/// Centre and scale of the visible part of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapPose {
    /// Longitude of the centre, in radians.
    pub longitude: f64,
    pub latitude: f64,
    pub radians_per_pixel: f64,
}

impl Default for MapPose {
    fn default() -> Self {
        Self { longitude: 0.0, latitude: 0.0, radians_per_pixel: TAU / 1280.0 }
    }
}

/// Scale at the greatest zoom of the map, in radians per pixel.
const FINEST: f64 = 2e-7;

impl MapPose {
    /// The pose that shows the whole map in an image of `size` pixels.
    pub fn framing(size: Vec2) -> Self {
        let size = size.as_dvec2();
        Self { radians_per_pixel: (TAU / size.x).max(PI / size.y) * 1.02, ..Self::default() }
    }

    /// Longitude and latitude under the cursor. The latitude may be beyond the poles.
    pub fn angles(&self, size: Vec2, cursor: Vec2) -> (f64, f64) {
        let from_middle = (cursor - 0.5 * size).as_dvec2() * self.radians_per_pixel;
        (self.longitude + from_middle.x, self.latitude - from_middle.y)
    }

    /// Direction of the place under the cursor.
    pub fn direction(&self, size: Vec2, cursor: Vec2) -> Option<DVec3> {
        let (longitude, latitude) = self.angles(size, cursor);
        (latitude.abs() <= FRAC_PI_2).then(|| from_angles(latitude, longitude).into())
    }

    /// Position of a place in the image. The map repeats the place eastwards and westwards; the result is the nearest
    /// repetition.
    pub fn project(&self, size: Vec2, direction: DVec3) -> Vec2 {
        let aside = (direction.y.atan2(direction.x) - self.longitude + PI).rem_euclid(TAU) - PI;
        let up = direction.z.clamp(-1.0, 1.0).asin() - self.latitude;
        0.5 * size + (Vec2::new(aside as f32, -up as f32) / self.radians_per_pixel as f32)
    }

    /// The pose after panning so that the place at `from` moves to `to`.
    #[must_use]
    pub fn drag(&self, size: Vec2, from: Vec2, to: Vec2) -> Self {
        let way = (to - from).as_dvec2() * self.radians_per_pixel;
        Self { longitude: self.longitude - way.x, latitude: self.latitude + way.y, ..*self }.confined(size)
    }

    /// The pose after zooming. The place under the cursor keeps its position in the image.
    #[must_use]
    pub fn zoom(&self, size: Vec2, cursor: Vec2, factor: f64) -> Self {
        let (longitude, latitude) = self.angles(size, cursor);
        let whole = Self::framing(size).radians_per_pixel;
        let radians_per_pixel = (self.radians_per_pixel * factor).clamp(FINEST, whole);
        let share = radians_per_pixel / self.radians_per_pixel;
        Self {
            longitude: longitude + (self.longitude - longitude) * share,
            latitude: latitude + (self.latitude - latitude) * share,
            radians_per_pixel,
        }
        .confined(size)
    }

    /// The pose limited so that, if possible, no edge of the image is beyond a pole.
    #[must_use]
    pub fn confined(&self, size: Vec2) -> Self {
        let room = (FRAC_PI_2 - 0.5 * f64::from(size.y) * self.radians_per_pixel).max(0.0);
        Self {
            longitude: (self.longitude + PI).rem_euclid(TAU) - PI,
            latitude: self.latitude.clamp(-room, room),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Vec2 = Vec2::new(1000.0, 500.0);

    #[test]
    fn picking_finds_drawn_places_also_across_the_map_edge() {
        let map = MapPose { longitude: 3.0, latitude: 0.2, radians_per_pixel: 0.004 };
        for cursor in [Vec2::new(500.0, 250.0), Vec2::new(900.0, 100.0), Vec2::new(20.0, 400.0)] {
            let direction = map.direction(SIZE, cursor).unwrap();
            assert!(map.project(SIZE, direction).distance(cursor) < 1e-2);
        }
    }

    #[test]
    fn zooming_and_dragging_keep_the_point_under_the_cursor() {
        let mut map = MapPose::framing(SIZE);
        let cursor = Vec2::new(700.0, 180.0);
        let place = map.direction(SIZE, cursor).unwrap();
        for _ in 0..10 {
            map = map.zoom(SIZE, cursor, 0.8);
            assert!(map.project(SIZE, place).distance(cursor) < 0.1);
        }
        map = map.drag(SIZE, cursor, cursor + Vec2::new(33.0, -20.0));
        assert!(map.project(SIZE, place).distance(cursor + Vec2::new(33.0, -20.0)) < 0.1);
        assert_eq!(map.zoom(SIZE, cursor, 1e9).radians_per_pixel, MapPose::framing(SIZE).radians_per_pixel);
    }
}
