//! Procedural shapes of plants and stones: triangle meshes, one metre high, standing on the origin.

use crate::appearance_files::ScatterKind;
use crate::field::Stream;
use crate::field::vector::cross;

/// Number of levels of detail of every shape, finest first.
pub const SHAPE_DETAILS: usize = 3;

/// A vertex of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeVertex {
    /// East, up, south; up is 0 at the ground and 1 at the top.
    pub position: [f32; 3],
    /// Unit normal. Normals of leaves point out of the crown, whatever the orientation of the leaf.
    pub normal: [f32; 3],
    /// Colour of the vertex in linear light.
    pub colour: [f32; 3],
    /// Position on a leaf or twig: from 0 to 1 along the leaf, and from -1 to 1 across it. The first value is negative
    /// on other surfaces.
    pub leaf: [f32; 2],
    /// Fraction of the light that reaches the vertex through the leaves, 0 to 1.
    pub open: f32,
}

/// A shape as a triangle mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScatterShape {
    /// Vertices of the mesh.
    pub vertices: Vec<ShapeVertex>,
    /// Three indices for each triangle.
    pub indices: Vec<u16>,
}

type ShapePoint = [f32; 3];

fn add(a: ShapePoint, b: ShapePoint) -> ShapePoint {
    std::array::from_fn(|k| a[k] + b[k])
}

fn times(a: ShapePoint, s: f32) -> ShapePoint {
    a.map(|x| x * s)
}

fn unit(a: ShapePoint) -> ShapePoint {
    let length = a.iter().map(|x| x * x).sum::<f32>().sqrt();
    times(a, 1.0 / length.max(1e-9))
}

fn heading(angle: f32) -> ShapePoint {
    [libm::cosf(angle), 0.0, libm::sinf(angle)]
}

/// Marks a vertex that is not on a leaf.
const NO_LEAF: [f32; 2] = [-1.0, 0.0];
const TURN: f32 = std::f32::consts::TAU;
const BARK: ShapePoint = [0.060, 0.045, 0.032];
const NEEDLES: ShapePoint = [0.024, 0.052, 0.024];
const LEAVES: ShapePoint = [0.042, 0.085, 0.022];
const FRONDS: ShapePoint = [0.060, 0.110, 0.030];
const BUSH: ShapePoint = [0.050, 0.078, 0.030];
const BLADES: ShapePoint = [0.085, 0.125, 0.040];
const STONE: ShapePoint = [0.190, 0.180, 0.168];

impl ScatterShape {
    /// The shape of a kind at a level of detail from 0, the finest, to [`SHAPE_DETAILS`] - 1.
    pub fn new(kind: ScatterKind, detail: usize) -> Self {
        let mut shape = Self::default();
        let random = Stream::new(kind as u32, 0x5a9e);
        match kind {
            ScatterKind::Conifer => shape.conifer(detail, random),
            ScatterKind::Broadleaf => {
                shape.stem([0.0; 3], [0.0, 0.45, 0.0], 0.034, [6, 4, 3][detail]);
                let crown = [([0.0, 0.66, 0.0], 0.33), ([0.17, 0.52, 0.06], 0.22), ([-0.14, 0.55, 0.13], 0.23)];
                let more = [([-0.04, 0.50, -0.18], 0.22), ([0.06, 0.80, -0.03], 0.20), ([0.1, 0.62, 0.16], 0.2)];
                let leaves = [(210, 0.085), (64, 0.15), (0, 0.0)][detail];
                shape.crown(&[crown, more].concat(), leaves, LEAVES, random);
            }
            ScatterKind::Palm => shape.palm(detail, random),
            ScatterKind::Shrub => {
                let crown = [([0.0, 0.52, 0.0], 0.46), ([0.34, 0.36, 0.1], 0.34), ([-0.28, 0.40, 0.2], 0.36)];
                let leaves = [(110, 0.16), (42, 0.26), (0, 0.0)][detail];
                shape.crown(&[crown, [([-0.06, 0.34, -0.34], 0.33); 3]].concat()[..4], leaves, BUSH, random);
            }
            ScatterKind::Grass => shape.tuft([11, 5, 2][detail], random),
            ScatterKind::Boulder => shape.boulder([2, 1, 0][detail], random),
        }
        shape
    }

    /// Number of triangles, which is the cost of drawing.
    pub fn triangles(&self) -> usize {
        self.indices.len() / 3
    }

    fn vertex(&mut self, position: ShapePoint, normal: ShapePoint, colour: ShapePoint, open: f32) -> u16 {
        self.vertices.push(ShapeVertex { position, normal: unit(normal), colour, leaf: NO_LEAF, open });
        (self.vertices.len() - 1) as u16
    }

    fn triangle(&mut self, corners: [u16; 3]) {
        self.indices.extend(corners);
    }

    /// Adds a tapering stem between two positions; `radius` is its radius at the lower end.
    fn stem(&mut self, from: ShapePoint, to: ShapePoint, radius: f32, sides: usize) {
        let first = self.vertices.len() as u16;
        for (centre, radius, open) in [(from, radius, 0.55), (to, 0.55 * radius, 0.45)] {
            for k in 0..sides {
                let out = heading(TURN * k as f32 / sides as f32);
                self.vertex(add(centre, times(out, radius)), out, BARK, open);
            }
        }
        let sides = sides as u16;
        for k in 0..sides {
            let [a, b] = [first + k, first + (k + 1) % sides];
            self.triangle([a, a + sides, b]);
            self.triangle([b, a + sides, b + sides]);
        }
    }

    /// Adds a leaf or a twig: two triangles with four vertices around the leaf's centre, bent along the centreline.
    fn leaf(
        &mut self,
        [root, left, tip, right]: [ShapePoint; 4],
        normal: ShapePoint,
        colour: ShapePoint,
        open: [f32; 2],
    ) {
        let corners = [(root, open[0]), (left, open[1]), (tip, open[1]), (right, open[1])];
        let [a, b, c, d] = corners.map(|(at, open)| self.vertex(at, normal, colour, open));
        for (corner, leaf) in [(a, [0.0, 0.0]), (b, [0.5, -1.0]), (c, [1.0, 0.0]), (d, [0.5, 1.0])] {
            self.vertices[usize::from(corner)].leaf = leaf;
        }
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    fn conifer(&mut self, detail: usize, random: Stream) {
        let radius = |height: f32| 0.02 + 0.20 * libm::powf(1.0 - height, 0.85);
        self.stem([0.0; 3], [0.0, if detail == 2 { 0.2 } else { 0.9 }, 0.0], 0.022, [5, 4, 3][detail]);
        if detail == 2 {
            // The conifer has three cones on top of each other.
            for (low, high) in [(0.10, 0.55), (0.34, 0.78), (0.60, 1.0)] {
                let top = self.vertex([0.0, high, 0.0], [0.0, 1.0, 0.0], NEEDLES, 1.0);
                let ring: Vec<u16> = (0..6)
                    .map(|k| {
                        let out = heading(TURN * k as f32 / 6.0);
                        let at = add(times(out, 0.92 * radius(low)), [0.0, low, 0.0]);
                        self.vertex(at, add(out, [0.0, 0.5, 0.0]), NEEDLES, 0.55 + 0.3 * low)
                    })
                    .collect();
                (0..6).for_each(|k| self.triangle([top, ring[k], ring[(k + 1) % 6]]));
            }
            return;
        }
        let (whorls, branches) = [(26, 9), (11, 7)][detail];
        for whorl in 0..whorls {
            let height = 0.11 + 0.86 * (whorl as f32 + 0.5) / whorls as f32;
            for branch in 0..branches {
                let number = |k: i32| random.unit(whorl * 64 + branch, k);
                let angle = TURN * (branch as f32 + 0.37 * whorl as f32 + 0.5 * number(0)) / branches as f32;
                let out = heading(angle);
                let side = [-out[2], 0.0, out[0]];
                let reach = radius(height) * (0.75 + 0.4 * number(1));
                let droop = reach * (0.25 + 0.35 * number(2)) * (1.2 - height);
                let root = [0.0, height + 0.018, 0.0];
                let tip = add(times(out, reach), [0.0, height - droop, 0.0]);
                let middle = add(times(out, 0.62 * reach), [0.0, height - 0.30 * droop, 0.0]);
                let width = reach * [0.21, 0.36][detail];
                let [left, right] =
                    [width, -width].map(|w| add(middle, add(times(side, w), [0.0, -0.25 * w.abs(), 0.0])));
                let tint = times(NEEDLES, 0.8 + 0.5 * number(3));
                let normal =
                    add(add(times(out, 0.8), times(side, 0.5 * number(4) - 0.25)), [0.0, 0.55 + 0.7 * number(5), 0.0]);
                self.leaf([root, left, tip, right], normal, tint, [0.22, 0.7 + 0.3 * height]);
            }
        }
        let top = [0.0, 1.0, 0.0];
        for k in 0..3 {
            let out = heading(TURN * k as f32 / 3.0);
            let foot = add(times(out, 0.018), [0.0, 0.92, 0.0]);
            let next = add(times(heading(TURN * (k + 1) as f32 / 3.0), 0.018), [0.0, 0.92, 0.0]);
            let corners = [foot, next, top].map(|at| self.vertex(at, add(out, [0.0, 0.6, 0.0]), NEEDLES, 1.0));
            self.triangle(corners);
        }
    }

    /// Adds `count` leaves on the surfaces of balls, as a crown. If `count` is 0, adds the first three balls
    /// themselves.
    fn crown(&mut self, balls: &[(ShapePoint, f32)], (count, size): (i32, f32), colour: ShapePoint, random: Stream) {
        let lowest = balls.iter().map(|(at, r)| at[1] - r).fold(f32::INFINITY, f32::min);
        let highest = balls.iter().map(|(at, r)| at[1] + r).fold(0.0, f32::max);
        let open = |height: f32| 0.35 + 0.65 * ((height - lowest) / (highest - lowest)).clamp(0.0, 1.0);
        if count == 0 {
            for (centre, radius) in balls.iter().take(3) {
                let first = self.vertices.len() as u16;
                let corners = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
                for out in corners.into_iter().chain([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]) {
                    let at = add(*centre, times(out, *radius));
                    self.vertex(at, add(out, [0.0, 0.3, 0.0]), colour, open(at[1]));
                }
                for k in 0..4 {
                    let next = (k + 1) % 4;
                    self.triangle([first + 4, first + next, first + k]);
                    self.triangle([first + 5, first + k, first + next]);
                }
            }
            return;
        }
        let total: f32 = balls.iter().map(|(_, r)| r * r).sum();
        let mut number = 0;
        for (ball, (centre, radius)) in balls.iter().enumerate() {
            for _ in 0..(count as f32 * radius * radius / total) as i32 {
                number += 1;
                let draw = |k: i32| random.unit(number, k);
                let up = 1.0 - 1.85 * draw(0);
                let level = (1.0 - up * up).max(0.0).sqrt();
                let out = add(times(heading(TURN * draw(1)), level), [0.0, up, 0.0]);
                let at = add(*centre, times(out, radius * (0.82 + 0.25 * draw(2))));
                // A leaf inside another ball is invisible and is skipped.
                let is_hidden = |(other, (place, r)): (usize, &(ShapePoint, f32))| {
                    let d: f32 = (0..3).map(|k| (at[k] - place[k]) * (at[k] - place[k])).sum();
                    other != ball && d < 0.5625 * r * r
                };
                if balls.iter().enumerate().any(is_hidden) {
                    continue;
                }
                let lean = [draw(3) - 0.5, draw(4) - 0.5, draw(5) - 0.5];
                let facing = unit(add(out, times(lean, 1.3)));
                let along = unit(cross(facing, [0.3, 0.2, 0.9]));
                let across = cross(facing, along);
                let size = size * (0.7 + 0.6 * draw(6));
                let [a, b] = [times(along, size), times(across, 0.72 * size)];
                let corners = [add(at, times(a, -1.0)), add(at, b), add(at, a), add(at, times(b, -1.0))];
                let tint = times(colour, 0.78 + 0.5 * draw(7));
                self.leaf(corners, add(out, [0.0, 0.35, 0.0]), tint, [open(at[1]), open(at[1])]);
            }
        }
    }

    fn palm(&mut self, detail: usize, random: Stream) {
        let top = [0.05, 0.86, 0.02];
        self.stem([0.0; 3], [0.03, 0.45, 0.0], 0.024, [6, 4, 3][detail]);
        self.stem([0.03, 0.45, 0.0], top, 0.017, [6, 4, 3][detail]);
        let (fronds, parts) = [(15, 4), (10, 3), (5, 1)][detail];
        for frond in 0..fronds {
            let number = |k: i32| random.unit(frond, k);
            let out = heading(TURN * (frond as f32 + 0.6 * number(0)) / fronds as f32);
            let side = [-out[2], 0.0, out[0]];
            let rise = 0.05 + 0.16 * number(1);
            let at = |t: f32| {
                let droop = rise * 4.0 * t * (1.0 - t) - (0.16 + 0.1 * number(2)) * t * t;
                add(top, add(times(out, 0.36 * t), [0.0, droop, 0.0]))
            };
            for part in 0..parts {
                let [t, next] = [part, part + 1].map(|k| k as f32 / parts as f32);
                let width = |t: f32| 0.075 * (t * (1.0 - t)).max(0.02).sqrt() * 2.0;
                for sign in [1.0, -1.0] {
                    let edge = |t: f32| add(at(t), add(times(side, sign * width(t)), [0.0, -0.5 * width(t), 0.0]));
                    let normal = add(times(side, sign * 0.5), [0.0, 1.0, 0.0]);
                    let open = [0.5 + 0.4 * t, 0.9];
                    self.leaf([at(t), edge(t), edge(next), at(next)], normal, FRONDS, open);
                }
            }
        }
    }

    fn tuft(&mut self, blades: i32, random: Stream) {
        let wide = 0.8 / (blades as f32).sqrt();
        for blade in 0..blades {
            let number = |k: i32| random.unit(blade, k);
            let out = heading(TURN * (blade as f32 + number(0)) / blades as f32);
            let side = times([-out[2], 0.0, out[0]], 0.10 * wide);
            let foot = times(out, 0.16 * number(1));
            let tall = 0.55 + 0.45 * number(2);
            let lean = 0.12 + 0.5 * number(3);
            let middle = add(foot, add(times(out, 0.3 * lean * tall), [0.0, 0.6 * tall, 0.0]));
            let tip = add(foot, add(times(out, lean * tall), [0.0, tall, 0.0]));
            let paint = times(BLADES, 0.75 + 0.5 * number(4));
            let normal = add(times(out, 0.25), [0.0, 1.0, 0.0]);
            let [a, b] = [side, times(side, -1.0)].map(|s| self.vertex(add(foot, s), normal, paint, 0.35));
            let [c, d] = [side, times(side, -1.0)].map(|s| self.vertex(add(middle, times(s, 0.7)), normal, paint, 0.8));
            let e = self.vertex(tip, normal, paint, 1.0);
            self.triangle([a, b, c]);
            self.triangle([c, b, d]);
            self.triangle([c, d, e]);
        }
    }

    /// Adds a boulder: a triangulated ball that is cut by random planes and has hard edges.
    fn boulder(&mut self, halvings: u32, random: Stream) {
        let golden = 0.5 * (1.0 + 5.0f32.sqrt());
        let mut faces: Vec<[ShapePoint; 3]> = Vec::new();
        let corner = |k: usize| {
            let sign = |bit: usize| if k & bit == 0 { 1.0 } else { -1.0 };
            let p = [0.0, sign(1), sign(2) * golden];
            [p, [p[2], p[0], p[1]], [p[1], p[2], p[0]]][k / 4]
        };
        for (a, b, c) in (0..12).flat_map(|a| (a + 1..12).flat_map(move |b| (b + 1..12).map(move |c| (a, b, c)))) {
            let [a, b, c] = [a, b, c].map(corner);
            let apart = |p: ShapePoint, q: ShapePoint| (0..3).map(|k| (p[k] - q[k]) * (p[k] - q[k])).sum::<f32>() < 4.1;
            if apart(a, b) && apart(b, c) && apart(c, a) {
                let normal = cross(add(b, times(a, -1.0)), add(c, times(a, -1.0)));
                let is_outward = (0..3).map(|k| normal[k] * a[k]).sum::<f32>() > 0.0;
                faces.push(if is_outward { [a, b, c] } else { [a, c, b] }.map(unit));
            }
        }
        for _ in 0..halvings {
            let middle = |a: ShapePoint, b: ShapePoint| unit(add(a, b));
            let four = |[a, b, c]: [ShapePoint; 3]| {
                let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
            };
            faces = faces.into_iter().flat_map(four).collect();
        }
        let planes: Vec<(ShapePoint, f32)> = (0..11)
            .map(|k| {
                let draw = |c: i32| random.unit(k, c) - 0.5;
                (unit([draw(0), draw(1), draw(2)]), 0.62 + 0.3 * random.unit(k, 3))
            })
            .collect();
        let place = |p: ShapePoint| {
            let dented = planes.iter().fold(1.0f32, |r, (normal, at)| {
                let facing: f32 = (0..3).map(|k| p[k] * normal[k]).sum();
                if facing > 1e-3 { r.min(at / facing) } else { r }
            });
            // A third of the boulder is below the ground.
            [0.86 * p[0] * dented, 0.32 + 0.66 * p[1] * dented, 0.72 * p[2] * dented]
        };
        for face in faces {
            let [a, b, c] = face.map(place);
            let normal = cross(add(b, times(a, -1.0)), add(c, times(a, -1.0)));
            let corners = [a, b, c].map(|at| self.vertex(at, normal, STONE, 0.55 + 0.45 * at[1].clamp(0.0, 1.0)));
            self.triangle(corners);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_a_metre_high_and_coarser_ones_cost_less() {
        for kind in ScatterKind::ALL {
            let mut before = usize::MAX;
            for detail in 0..SHAPE_DETAILS {
                let shape = ScatterShape::new(*kind, detail);
                let top = shape.vertices.iter().map(|v| v.position[1]).fold(0.0, f32::max);
                assert!((0.8..1.15).contains(&top), "{kind:?} {detail}: {top}");
                let wide = shape.vertices.iter().flat_map(|v| [v.position[0], v.position[2]]);
                assert!(wide.map(f32::abs).fold(0.0, f32::max) < 1.0, "{kind:?}");
                assert!(shape.indices.iter().all(|k| usize::from(*k) < shape.vertices.len()));
                assert!(shape.vertices.iter().all(|v| {
                    let length: f32 = v.normal.iter().map(|x| x * x).sum();
                    (length - 1.0).abs() < 1e-3 && (0.0..=1.0).contains(&v.open)
                }));
                assert!(shape.triangles() > 0 && shape.triangles() * 3 / 2 < before, "{kind:?} {detail}");
                before = shape.triangles();
            }
            assert!(before <= 40, "{kind:?}: {before} triangles far away");
        }
    }
}
