//! Gullies on the ground of pieces: erosion evaluated point by point, inside the construction tree.
//!
//! Formula: f = f_A + G(p, g) and α = α_A, with the [gully function](super::gully_law) G. A is the blend of the pieces.
//! g is the slope of A's surface. It is measured by central differences between points half a gully size to each side,
//! as in §3 of the paper. A is sampled without noise octaves shorter than half the size, so that gullies follow the
//! large forms and not small bumps. This slope is measured on A, blended only with the level base of the construction.
//! Gully octaves fade with the sample spacing and with the level of detail κ, as noise octaves do.
//! Gradient: exact, by dual numbers through G and the four sample points of the central differences.
//! Lipschitz: λ ≤ λ_A + λ_G with |∇g| ≤ |(λ_E + λ_W, λ_S + λ_N)| / size, where λ_E, λ_W, λ_S and λ_N are the Lipschitz
//! bounds of A around the four points to the east, west, south and north.
//! Source: the gully filter of the layer stack, evaluated point by point. The paper leaves erosion inside the
//! construction tree to future work (paper 004, §9: procedural methods on construction trees in place of grids).

use super::gully_law::{Dual, GOLDEN_ANGLE, GullyFunction, GullyLattice, GullyOctave};
use crate::compiled_program::{Builder, NodeFrame, NodeOperator, NodeView, Operator, PieceSite, ProgramNode};
use crate::geometry::plane::{Area, Capsule, Interval, Point, add, higher, sub};
use crate::gpu_buffer::{Encoder, op, rounded_outward};
use crate::materials::shares::MaterialFractions;
use crate::piece::{OperatorGroup, PieceForm, piece_form};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample, OctaveFade};

talweg_ground::params! {
    /// Cuts branching gullies into the slopes of its features, at any size. No water is simulated, so no sediment is
    /// eroded or deposited.
    GullySettings "Gullies" in "Operator", from "Johansen 2026; Clay John 2018; Génevaux et al. 2014, §9", also "erosion ravines erode valleys rills branching ridges" {
        /// Width of the largest gullies, measured from crest to crest.
        size: f32 ["m"] = 500.0, 1.0..=1_000_000.0, slider 50.0..=4000.0;
        /// Number of gully sizes; each size is half as wide as the previous one.
        octaves: u32 = 4, 1..=12;
        /// Depth of the largest gullies on steep ground.
        depth: f32 ["m"] = 60.0, 0.0..=100_000.0, slider 0.0..=500.0;
        /// Depth of each gully size relative to the next larger one: low values give smooth slopes, high values ragged
        /// slopes.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8;
        /// Strength with which finer gullies turn towards larger gullies; at 0 all gullies run straight down the slope.
        branching: f32 = 0.7, 0.0..=10.0, slider 0.0..=3.0;
        /// Fraction by which gullies fade out on crests and at the bottoms of larger gullies; at 0 they do not fade
        /// there.
        crest_fade: f32 ["share"] = 0.7, 0.0..=1.0;
        /// Slope up to which there are no gullies.
        slope_from: f32 ["°"] = 3.0, 0.0..=85.0, slider 0.0..=30.0;
        /// Slope from which gullies have their full depth.
        slope_to: f32 ["°"] = 20.0, 0.0..=85.0, slider 5.0..=60.0;
        /// Seed of the random gully positions.
        seed: u32 = 1, 0..=1_000_000, slider 0..=100;
    }
}

/// Half the distance over which the slope is measured, as a multiple of the gully size.
const BASE: f64 = 0.5;
/// Sample spacing of the ground whose slope is measured, as a multiple of the gully size. This spacing removes noise
/// octaves with wavelengths shorter than half the gully size. The largest gullies still keep their full depth wherever
/// they are visible.
const SMOOTHING: f64 = 0.25;
/// Minimum difference between the two slopes between which gullies fade in, as tangents.
const LEAST_FADE: f64 = 0.02;

/// Gullies prepared for evaluation.
#[derive(Clone, Debug)]
pub struct PreparedGullies {
    /// The gully function on the plane, in metres.
    pub law: GullyFunction,
    /// Half the distance over which the slope is measured, in metres.
    pub base: f64,
    /// Sample spacing of the ground whose slope is measured, in metres.
    pub spacing: f64,
}

impl GullySettings {
    /// Prepares the gullies, with random values from `seed`.
    pub fn prepare(&self, seed: u32) -> PreparedGullies {
        let tangent = |degrees: f32| libm::tan(f64::from(degrees) * (std::f64::consts::PI / 180.0));
        let (size, from) = (f64::from(self.size), tangent(self.slope_from));
        let seed = seed ^ self.seed.wrapping_mul(0x85eb_ca77);
        let mut depth = f64::from(self.depth);
        let octave = |k: u32| {
            let angle = GOLDEN_ANGLE * f64::from(k + 1);
            let octave = GullyOctave {
                cell: size / f64::from(1u32 << k),
                around: None,
                depth,
                turn: [libm::cos(angle), libm::sin(angle)],
                is_solid: false,
                lattice: GullyLattice::Hash(seed.wrapping_add(0x9e37_79b9u32.wrapping_mul(k + 1))),
            };
            depth *= f64::from(self.persistence);
            octave
        };
        PreparedGullies {
            law: GullyFunction {
                octaves: (0..self.octaves).map(octave).collect(),
                branching: f64::from(self.branching),
                crest_fade: f64::from(self.crest_fade),
                fade: [from, higher(tangent(self.slope_to), from + LEAST_FADE)],
            },
            base: BASE * size,
            spacing: SMOOTHING * size,
        }
    }
}

impl PreparedGullies {
    /// Whether any gullies are visible at this level of detail.
    pub fn are_shown(&self, detail: &Detail) -> bool {
        self.octave_factor(detail, 0, self.law.octaves[0].cell) > 0.0
    }

    fn octave_factor(&self, detail: &Detail, octave: usize, wavelength: f64) -> f64 {
        detail.octave_factor(&OctaveFade::of_octave(octave, self.law.octaves.len()), wavelength)
    }

    /// Level of detail of the ground whose slope is measured.
    pub fn smooth_detail(&self, detail: &Detail) -> Detail {
        Detail { spacing: higher(detail.spacing, self.spacing), ..*detail }
    }

    /// The four points from whose heights the slope at the given point is measured: to its east, west, south and north.
    pub fn places_around(&self, [x, y]: Point) -> [Point; 4] {
        let e = self.base;
        [[x + e, y], [x - e, y], [x, y + e], [x, y - e]]
    }

    /// The slope at a point, computed from the heights at the four points around it. `rise` is the height scale of the
    /// frame. The result is the slope of the ground before this scale is applied.
    pub fn slope(&self, [east, west, south, north]: [f64; 4], rise: f64) -> Point {
        let per = 0.5 / self.base / rise;
        [(east - west) * per, (south - north) * per]
    }

    /// Height that the gullies add at `p`, in metres; negative in gullies.
    pub fn raised(&self, p: Point, slope: Point, detail: &Detail) -> f64 {
        let share = |octave, wavelength| self.octave_factor(detail, octave, wavelength);
        self.law.sample([p[0], p[1], 0.0], [0.0, 0.0, 1.0], [slope[0], slope[1], 0.0], share).0
    }

    /// The added height with its gradient; `turns` holds the gradients of the two slope components.
    pub fn raised_with_gradient(&self, p: Point, slope: Point, turns: [Point; 2], detail: &Detail) -> Dual {
        let share = |octave, wavelength| self.octave_factor(detail, octave, wavelength);
        let constant = |value| Dual { value, gradient: [0.0; 2] };
        let place = [Dual { value: p[0], gradient: [1.0, 0.0] }, Dual { value: p[1], gradient: [0.0, 1.0] }];
        let [x, y] = [0, 1].map(|k: usize| Dual { value: slope[k], gradient: turns[k] });
        let zero = constant(0.0);
        self.law.sample([place[0], place[1], zero], [zero, zero, constant(1.0)], [x, y, zero], share).0
    }

    /// Range of the height that the gullies add over a disc, and the Lipschitz bound of this height. `slope` is the
    /// slope at the disc's centre. `change` is the upper bound of the slope's change per metre.
    pub fn bounds(&self, disc: (Point, f64), slope: Point, change: f64, detail: &Detail) -> (Interval, f64) {
        self.law.bounds(disc, slope, change, |octave, wavelength| self.octave_factor(detail, octave, wavelength))
    }
}

impl PieceForm for OperatorGroup<GullySettings> {
    piece_form!("gullies", settings, children);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        let child = builder.blend(site, site.frame.without_map())?;
        let gullies = Box::new(self.settings.prepare(site.frame.seed));
        Some(builder.node(Operator::Gullies(GullyNode { gullies, frame: site.frame }), vec![child]))
    }
}

/// The prepared gullies operator, which has one child.
#[derive(Debug)]
pub(crate) struct GullyNode {
    pub gullies: Box<PreparedGullies>,
    pub frame: NodeFrame,
}

impl GullyNode {
    fn are_shown(&self, detail: &Detail) -> bool {
        self.frame.height_scale != 0.0 && self.gullies.are_shown(detail)
    }
}

impl NodeOperator for GullyNode {
    fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample {
        let Self { gullies, frame } = self;
        let (p, detail) = (frame.inward.apply(p), frame.detail(detail));
        let own = view.ground::<G>(p, &detail);
        let pulled = |own: GroundSample| {
            let pull = |g: Point| if G && !frame.is_plain { frame.inward.pull_back(g) } else { g };
            GroundSample { slope: pull(own.slope), weight_gradient: pull(own.weight_gradient), ..own }
        };
        if own.weight <= 0.0 || !self.are_shown(&detail) {
            return pulled(own);
        }
        let smooth = gullies.smooth_detail(&detail);
        let around = gullies.places_around(p).map(|q| view.ground::<G>(q, &smooth).surface(view.base()));
        let slope = gullies.slope(around.map(|(height, _)| height), frame.height_scale);
        if !G {
            let height = own.height + frame.height_scale * gullies.raised(p, slope, &detail);
            return pulled(GroundSample { height, ..own });
        }
        // gradients of the two slope components
        let [east, south] =
            [0, 1].map(|axis| gullies.slope(around.map(|(_, gradient)| gradient[axis]), frame.height_scale));
        let turns = [[east[0], south[0]], [east[1], south[1]]];
        let raised = gullies.raised_with_gradient(p, slope, turns, &detail);
        let height = own.height + frame.height_scale * raised.value;
        pulled(GroundSample { height, slope: add(own.slope, raised.gradient.map(|g| frame.height_scale * g)), ..own })
    }

    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let Self { gullies, frame } = self;
        let (inner, detail) = (frame.inward.map_capsule(capsule), frame.detail(detail));
        let own = view.ground_bound(&inner, &detail);
        let (height, slope, laid) = if own.is_nothing() || !self.are_shown(&detail) {
            (own.height, own.slope, own.weighted_slope)
        } else {
            let (smooth, middle) = (gullies.smooth_detail(&detail), inner.middle());
            let around = gullies.places_around(middle);
            let heights = around.map(|q| view.ground::<false>(q, &smooth).surface(view.base()).0);
            let [east, west, south, north] = around.map(|q| {
                let by = sub(q, middle);
                let there = Capsule { from: add(inner.from, by), to: add(inner.to, by), pad: inner.pad };
                view.ground_bound(&there, &smooth).surface(view.base()).1
            });
            let per = 0.5 / gullies.base / frame.height_scale.abs();
            let change = per * ((east + west) * (east + west) + (south + north) * (south + north)).sqrt();
            let disc = (middle, inner.radius());
            let (range, steepest) = gullies.bounds(disc, gullies.slope(heights, frame.height_scale), change, &detail);
            let steepest = steepest * frame.height_scale.abs() * (1.0 + 1e-9);
            (
                own.height.plus(range.times(frame.height_scale)).widened_for_rounding(),
                own.slope + steepest,
                own.weighted_slope + own.weight.high * steepest,
            )
        };
        let by = frame.stretching;
        GroundBounds {
            height,
            slope: slope * by,
            weight_gradient: own.weight_gradient * by,
            weighted_slope: laid * by,
            ..own
        }
    }

    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let Self { gullies, frame } = self;
        let (n, detail) = (row.len(), frame.detail(detail));
        let (xs, ys) = frame.row_inward(row);
        let child = view.child_view(view.children()[0]);
        child.row(PointRow { xs: &xs[..n], ys: &ys[..n] }, &detail, out);
        if out.span(n).is_none() || !self.are_shown(&detail) {
            return;
        }
        let smooth = gullies.smooth_detail(&detail);
        let mut heights = [[0.0; 4]; LANES];
        for side in 0..4 {
            let (mut east, mut south) = ([0.0; LANES], [0.0; LANES]);
            for k in 0..n {
                [east[k], south[k]] = gullies.places_around([xs[k], ys[k]])[side];
            }
            let mut lanes = RowSamples::NOTHING;
            child.row(PointRow { xs: &east[..n], ys: &south[..n] }, &smooth, &mut lanes);
            for (k, heights) in heights.iter_mut().enumerate().take(n) {
                let sample = if lanes.weight[k] > 0.0 { lanes.sample(k) } else { GroundSample::default() };
                heights[side] = sample.surface(view.base()).0;
            }
        }
        for k in (0..n).filter(|&k| out.weight[k] > 0.0).collect::<Vec<_>>() {
            let slope = gullies.slope(heights[k], frame.height_scale);
            out.height[k] += frame.height_scale * gullies.raised([xs[k], ys[k]], slope, &detail);
        }
    }

    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions {
        view.child_view(view.node.children[0]).materials(self.frame.inward.apply(p), &self.frame.detail(detail))
    }

    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) {
        let frame = around.composed(&self.frame);
        let GullyFunction { octaves, branching, crest_fade, fade } = &self.gullies.law;
        let start = out.open(op::GULLIES, node, around);
        out.code.map(&frame.inward);
        out.code.reals([frame.stretching, frame.height_scale, *branching, *crest_fade]);
        out.code.reals([self.gullies.spacing, self.gullies.base, fade[0], fade[1]]);
        out.code.reals([around.height_scale * out.program.ground + around.lift]);
        out.code.list(octaves, |out, octave| {
            let GullyLattice::Hash(seed) = octave.lattice else {
                unreachable!("settings on a plane make hashed lattices")
            };
            let [cosine, sine] = octave.turn;
            out.reals([octave.cell, octave.depth, cosine, sine]);
            out.word(seed);
        });
        let (child, inner) = (node.children[0], around.without_map());
        let area = rounded_outward(&inner.area_outward(&out.program.nodes[child as usize].area));
        out.ground(Some(area), |out| out.step(child, &inner));
        out.give(start);
    }

    fn sight(&self) -> f64 {
        self.gullies.base
    }

    fn inward(&self, area: Area) -> Area {
        if self.frame.is_plain { area } else { self.frame.inward.area(&area) }
    }

    fn outward(&self, area: Area) -> Area {
        self.frame.area_outward(&area)
    }

    fn is_mapped(&self) -> bool {
        !self.frame.is_plain
    }
}
