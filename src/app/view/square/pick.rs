//! Intersection of rays and terrain. The search goes from front to back through the pyramid of [`GridBounds`], and is
//! exact within each cell.

use glam::{Vec2, Vec3};

use super::bounds::{GridBounds, TILE_CELLS};
use crate::view::scale::{SIDE_WORLD, WorldScale};
use talweg::field::Terrain;

/// The terrain data that picking reads.
#[derive(Clone, Copy)]
pub struct GridPicker<'a> {
    pub terrain: &'a Terrain,
    pub scale: &'a WorldScale,
    pub bounds: &'a GridBounds,
}

/// A ray for picking. Its x and z count cells from the north-west corner; its y and its parameter are in world units.
#[derive(Clone, Copy)]
struct PickRay {
    origin: Vec3,
    step: Vec3,
}

impl PickRay {
    fn point_at(&self, t: f32) -> Vec3 {
        self.origin + self.step * t
    }

    /// The part of the parameter interval `from..to` in which the ray is inside the box between `low` and `high`, if
    /// any.
    fn clip(&self, low: Vec3, high: Vec3, from: f32, to: f32) -> Option<(f32, f32)> {
        let (mut from, mut to) = (from, to);
        for axis in 0..3 {
            let (origin, step) = (self.origin[axis], self.step[axis]);
            if step.abs() < 1e-12 {
                if origin < low[axis] || origin > high[axis] {
                    return None;
                }
                continue;
            }
            let (a, b) = ((low[axis] - origin) / step, (high[axis] - origin) / step);
            from = from.max(a.min(b));
            to = to.min(a.max(b));
        }
        (from <= to).then_some((from, to))
    }
}

impl GridPicker<'_> {
    /// Distance along the ray (in lengths of `direction_world`) to its first hit on the upper side of the surface. A
    /// ray that enters the terrain block through a side wall hits nothing.
    pub fn pick(&self, origin_world: Vec3, direction_world: Vec3) -> Option<f32> {
        let cells = Vec3::new(self.scale.cell_world, 1.0, self.scale.cell_world);
        let corner = Vec3::new(0.5 * SIDE_WORLD, 0.0, 0.5 * SIDE_WORLD);
        let ray = PickRay { origin: (origin_world + corner) / cells, step: direction_world / cells };
        let last = (self.scale.samples - 1) as f32;
        let reach = Vec3::new(last, f32::MAX, last);
        let (enter, leave) = ray.clip(Vec3::new(0.0, -f32::MAX, 0.0), reach, 0.0, f32::MAX)?;
        if ray.point_at(enter).y < self.height(ray.point_at(enter)) - 1e-3 * SIDE_WORLD * f32::EPSILON.sqrt() {
            return None;
        }
        let hit = self.node(&ray, self.bounds.top(), 0, 0, enter, leave).map(|(t, _)| t);
        hit.filter(|&t| self.has_ground(ray.point_at(t)))
    }

    /// The point in world space where the ray first hits the surface.
    pub fn pick_point(&self, origin_world: Vec3, direction_world: Vec3) -> Option<Vec3> {
        self.pick(origin_world, direction_world).map(|t| origin_world + direction_world * t)
    }

    /// Whether the sample nearest to a position has data. Void samples have no data.
    fn has_ground(&self, at: Vec3) -> bool {
        let n = self.scale.samples;
        let [column, row] = [at.x, at.z].map(|place| (place.round().max(0.0) as usize).min(n - 1));
        self.terrain.has_ground(row * n + column)
    }

    fn height(&self, at: Vec3) -> f32 {
        let last = (self.scale.samples - 1) as f32;
        self.terrain.height_at(at.x / last, at.z / last) * self.scale.relief_world
    }

    /// First hit of the ray in tile (row, column) of `level`, and the parameter at which the ray leaves the tile.
    fn node(&self, ray: &PickRay, level: usize, row: usize, column: usize, from: f32, to: f32) -> Option<(f32, f32)> {
        let (low, high) = self.bounds.range(level, row, column)?;
        let (low, high) = (low * self.scale.relief_world, high * self.scale.relief_world);
        let margin = 1e-5 * (1.0 + low.abs().max(high.abs()));
        let cells = (TILE_CELLS << level) as f32;
        let corner = Vec2::new(column as f32, row as f32) * cells;
        let floor = Vec3::new(corner.x, low - margin, corner.y);
        let ceiling = Vec3::new(corner.x + cells, high + margin, corner.y + cells);
        let (from, to) = ray.clip(floor, ceiling, from, to)?;
        if level == 0 {
            return self.cells(ray, from, to).map(|t| (t, to));
        }
        let mut children = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| {
            let (row, column) = (2 * row + i, 2 * column + j);
            let corner = Vec2::new(column as f32, row as f32) * cells * 0.5;
            let low = Vec3::new(corner.x, f32::MIN, corner.y);
            let high = Vec3::new(corner.x + cells * 0.5, f32::MAX, corner.y + cells * 0.5);
            (ray.clip(low, high, from, to).map_or(f32::MAX, |(enter, _)| enter), row, column)
        });
        children.sort_by(|a, b| a.0.total_cmp(&b.0));
        let entered = children.iter().filter(|child| child.0 < f32::MAX);
        entered.into_iter().find_map(|&(_, row, column)| self.node(ray, level - 1, row, column, from, to))
    }

    /// First hit of the ray between two parameters. The search proceeds cell by cell.
    fn cells(&self, ray: &PickRay, from: f32, to: f32) -> Option<f32> {
        let last = self.scale.samples as i32 - 2;
        let start = ray.point_at(from);
        let toward = Vec2::new(ray.step.x, ray.step.z);
        let nudge = toward.normalize_or_zero() * 1e-4;
        let mut column = ((start.x + nudge.x).floor() as i32).clamp(0, last);
        let mut row = ((start.z + nudge.y).floor() as i32).clamp(0, last);
        let mut t = from;
        loop {
            let next = |cell: i32, origin: f32, step: f32| match step {
                s if s > 1e-12 => ((cell + 1) as f32 - origin) / s,
                s if s < -1e-12 => (cell as f32 - origin) / s,
                _ => f32::MAX,
            };
            let (east, south) = (next(column, ray.origin.x, ray.step.x), next(row, ray.origin.z, ray.step.z));
            let leave = east.min(south).min(to);
            if let Some(hit) = self.cell(ray, row as usize, column as usize, t, leave.max(t)) {
                return Some(hit);
            }
            if leave >= to {
                return None;
            }
            if east <= south {
                column += ray.step.x.signum() as i32
            } else {
                row += ray.step.z.signum() as i32
            }
            if !(0..=last).contains(&column) || !(0..=last).contains(&row) {
                return None;
            }
            t = t.max(leave);
        }
    }

    /// First parameter in `from..=to` at which the ray is not above the bilinear surface of the cell.
    fn cell(&self, ray: &PickRay, row: usize, column: usize, from: f32, to: f32) -> Option<f32> {
        let n = self.scale.samples;
        let at = |i: usize, j: usize| self.terrain.height[(row + i) * n + column + j] * self.scale.relief_world;
        let (a, b, c) = (at(0, 0), at(0, 1) - at(0, 0), at(1, 0) - at(0, 0));
        let e = at(1, 1) - at(0, 1) - at(1, 0) + at(0, 0);
        let start = ray.point_at(from);
        let (u, v) = (start.x - column as f32, start.z - row as f32);
        let (du, dv) = (ray.step.x, ray.step.z);
        // at the parameter `from` + s, the ray's height above the surface is square s² + linear s + above
        let above = start.y - (a + b * u + c * v + e * u * v);
        let linear = ray.step.y - (b * du + c * dv + e * (u * dv + v * du));
        let square = -e * du * dv;
        if above <= 0.0 {
            return Some(from);
        }
        let root = smallest_positive_root(square, linear, above)?;
        (from + root <= to).then_some(from + root)
    }
}

/// Smallest s > 0 with square s² + linear s + constant = 0. The constant is positive.
fn smallest_positive_root(square: f32, linear: f32, constant: f32) -> Option<f32> {
    let discriminant = linear * linear - 4.0 * square * constant;
    if discriminant < 0.0 {
        return None;
    }
    // this form of the solution avoids cancellation
    let q = -0.5 * (linear + linear.signum() * discriminant.sqrt());
    let roots = [q / square, constant / q];
    roots.into_iter().filter(|r| r.is_finite() && *r > 0.0).min_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::Edges;
    use talweg::scene::Settings;

    /// Reference solution: fine steps along the ray, then bisection.
    fn march(ground: &GridPicker, origin: Vec3, direction: Vec3) -> Option<f32> {
        let above = |t: f32| {
            let p = origin + direction * t;
            ground.scale.is_inside(p).then(|| p.y - ground.scale.ground_world(ground.terrain, p))
        };
        let mut previous: Option<f32> = None;
        for k in 0..60_000 {
            let t = k as f32 * 0.05;
            let Some(height) = above(t) else {
                if previous.is_some() {
                    return None;
                }
                continue;
            };
            if height <= 0.0 {
                let (mut low, mut high) = (previous?, t);
                for _ in 0..30 {
                    let middle = 0.5 * (low + high);
                    if above(middle).is_some_and(|h| h > 0.0) { low = middle } else { high = middle }
                }
                return Some(high);
            }
            previous = Some(t);
        }
        None
    }

    #[test]
    fn picking_agrees_with_marching_in_small_steps() {
        let mut hits = 0;
        for samples in [2, 17, 100] {
            let terrain = Terrain::from_fn(samples, Edges::Open, |u, v| {
                0.5 + 0.3 * (u * 19.0).sin() * (v * 23.0).cos() + 0.1 * (u * 61.0 + v * 47.0).sin()
            });
            let settings = Settings { size_metres: 4000.0, relief_metres: 1000.0, ..Settings::default() };
            let (scale, bounds) = (WorldScale::new(&terrain, &settings), GridBounds::new(&terrain));
            let ground = GridPicker { terrain: &terrain, scale: &scale, bounds: &bounds };
            let draw = talweg::field::Stream::new(5, samples as u32);
            for k in 0..60 {
                let r = |axis| draw.signed(k, axis);
                let origin = Vec3::new(900.0 * r(0), 300.0 + 250.0 * r(1), 900.0 * r(2));
                let target = Vec3::new(480.0 * r(3), 120.0, 480.0 * r(4));
                let direction = (target - origin).normalize();
                let (found, expected) = (ground.pick(origin, direction), march(&ground, origin, direction));
                match (found, expected) {
                    (None, None) => {}
                    (Some(f), Some(e)) => {
                        hits += 1;
                        assert!((f - e).abs() < 0.06, "{samples} samples, ray {k}: the hit is at {f}, expected at {e}");
                    }
                    // fixed steps can skip a ridge that the ray only grazes
                    (Some(f), None) => {
                        let p = origin + direction * f;
                        assert!((p.y - scale.ground_world(&terrain, p)).abs() < 0.05, "{samples} {k}: {f}");
                    }
                    (None, Some(e)) => panic!("{samples} samples, ray {k}: no hit, but the terrain is at {e}"),
                }
            }
        }
        assert!(hits > 60, "{hits}");
    }

    #[test]
    fn rays_from_straight_above_and_from_below_are_picked() {
        let terrain = Terrain::from_fn(9, Edges::Open, |u, _| u);
        let (scale, bounds) = (WorldScale::new(&terrain, &Settings::default()), GridBounds::new(&terrain));
        let ground = GridPicker { terrain: &terrain, scale: &scale, bounds: &bounds };
        let hit = ground.pick_point(Vec3::new(0.0, 900.0, 3.0), Vec3::NEG_Y).unwrap();
        assert!((hit.y - 0.5 * scale.relief_world).abs() < 1e-2, "{hit}");
        assert_eq!(ground.pick(Vec3::new(0.0, -900.0, 3.0), Vec3::Y), None);
        assert_eq!(ground.pick(Vec3::new(900.0, 10.0, 3.0), Vec3::NEG_X), None, "the ray enters through a side wall");
    }
}
