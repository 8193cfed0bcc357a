//! Ground materials of the terrain: the materials of pieces, blended by the weights that blend their heights.
//!
//! A piece with a material has the fraction 1 of it. A piece without a material has the fraction 0 of each. Fractions m
//! of a node:
//! - blend, warp, level of detail and copies that blend: m = Σ α m / Σ α;
//! - replace and add: m = m_A + w (m_B - s_B m_A). Here w is the fraction of B in the height and s_B = Σ m_B. Where B
//!   sets no material, the one below remains: a piece without a material takes that of the ground under it;
//! - copies that cover each other: the same with w = α_B / (α_B + (1 - α_B) α_A).
//!
//! At the edge of a terrain its fractions fade with the surface, as s(α/½). The remainder to 1 is the palette's ground.
//! Source: Génevaux et al. 2014, §5.1 to 5.4 (weights); fig. 20 (several materials). Materials of pieces are Talweg's
//! own extension.

use super::{MaterialLayer, PieceMaterial};
use crate::compiled_program::{NodeSelection, Operator, Program};
use crate::geometry::plane::{Point, higher, lower, smooth};
use crate::operators::copies::Overlap;
use crate::operators::replace::{Extent, Replacement};
use crate::sample::{Detail, GroundSample, THRESHOLD};

/// Fractions of the materials of [`PieceMaterial::LAID`], then of [`PieceMaterial::Ground`], from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaterialFractions([f64; PieceMaterial::LAID.len() + 1]);

impl MaterialFractions {
    /// The fraction 1 of one material; all fractions are 0 for [`PieceMaterial::Unset`].
    pub fn whole(material: PieceMaterial) -> Self {
        let mut shares = Self::default();
        let place = match PieceMaterial::LAID.iter().position(|laid| *laid == material) {
            Some(place) => place,
            None if material == PieceMaterial::Ground => PieceMaterial::LAID.len(),
            None => return shares,
        };
        shares.0[place] = 1.0;
        shares
    }

    /// Fractions of [`PieceMaterial::LAID`]; their sum is at most 1.
    pub fn laid(&self) -> [f64; PieceMaterial::LAID.len()] {
        std::array::from_fn(|k| self.0[k])
    }

    /// Fraction of the ground that has a material set.
    pub fn said(&self) -> f64 {
        self.0.iter().sum()
    }

    /// These materials covered by `above`, whose fraction of the height is `w`.
    #[must_use]
    pub fn covered_by(&self, above: &Self, w: f64) -> Self {
        let left = higher(1.0 - w * above.said(), 0.0);
        Self(std::array::from_fn(|k| self.0[k] * left + w * above.0[k]))
    }

    fn times(&self, by: f64) -> Self {
        Self(self.0.map(|share| share * by))
    }
}

/// Weighted sum of the materials in a blend.
#[derive(Default)]
struct MaterialBlend {
    shares: MaterialFractions,
    weight: f64,
}

impl MaterialBlend {
    fn add(&mut self, shares: &MaterialFractions, weight: f64) {
        if weight > 0.0 {
            self.weight += weight;
            self.shares.0.iter_mut().zip(shares.0).for_each(|(sum, share)| *sum += weight * share);
        }
    }

    fn blended(&self) -> MaterialFractions {
        if self.weight > 0.0 { self.shares.times(1.0 / self.weight) } else { MaterialFractions::default() }
    }
}

impl Program {
    /// Materials of the terrain at `p`, in metres. `selection` must hold every piece that has weight there.
    pub fn material_fractions_in(&self, selection: &NodeSelection, p: Point, detail: &Detail) -> MaterialFractions {
        match self.roots[MaterialLayer::Terrain as usize] {
            Some(root) if self.nodes[root as usize].has_material && self.nodes[root as usize].area.contains(p) => {
                let weight = self.ask::<false>(selection, root, p, detail).weight;
                self.shares_of(selection, root, p, detail).times(smooth(weight / THRESHOLD).0)
            }
            _ => MaterialFractions::default(),
        }
    }

    /// Whether a piece of the terrain has a material.
    pub fn has_materials(&self) -> bool {
        self.roots[MaterialLayer::Terrain as usize].is_some_and(|root| self.nodes[root as usize].has_material)
    }

    /// Materials of a node at a point where it has weight.
    fn shares_of(&self, selection: &NodeSelection, id: u32, p: Point, detail: &Detail) -> MaterialFractions {
        let node = &self.nodes[id as usize];
        if !node.has_material {
            return MaterialFractions::default();
        }
        let ask = |child: u32, p: Point, detail: &Detail| {
            let is_there = self.nodes[child as usize].area.contains(p);
            if is_there { self.ask::<false>(selection, child, p, detail) } else { GroundSample::default() }
        };
        let children = selection.children(node);
        let blended = |p: Point, detail: &Detail| {
            let mut sum = MaterialBlend::default();
            for &child in children {
                let weight = ask(child, p, detail).weight;
                if weight > 0.0 {
                    sum.add(&self.shares_of(selection, child, p, detail), weight);
                }
            }
            sum.blended()
        };
        match &node.operator {
            Operator::Leaf { frame, .. } => MaterialFractions::whole(frame.material),
            Operator::Blend => blended(p, detail),
            Operator::Warp { warp, frame } => {
                blended(warp.displace::<false>(frame.inward.apply(p)).0, &frame.detail(detail))
            }
            Operator::Detail(settings) => {
                let (mut sum, share) = (MaterialBlend::default(), settings.share(detail.level));
                for &child in children {
                    let weight = ask(child, p, detail).weight * node.child_fraction(child, share);
                    if weight > 0.0 {
                        sum.add(&self.shares_of(selection, child, p, detail), weight);
                    }
                }
                sum.blended()
            }
            Operator::Replace(Replacement { extent, window }) => {
                let Some((&first, above)) = children.split_first() else { return MaterialFractions::default() };
                let below = ask(first, p, detail);
                let mut ground = below.weight;
                let mut shares = if ground > 0.0 {
                    self.shares_of(selection, first, p, detail)
                } else {
                    MaterialFractions::default()
                };
                let surface = |q: Point| ask(first, q, detail).surface(self.ground);
                let mut acting = None;
                for &child in above {
                    let weight = lower(ask(child, p, detail).weight, 1.0);
                    if weight <= 0.0 {
                        continue;
                    }
                    let weight = weight * *acting.get_or_insert_with(|| window.share::<false>(p, surface).0);
                    if weight <= 0.0 {
                        continue;
                    }
                    let mut w = weight;
                    if *extent == Extent::Both {
                        let left = (1.0 - weight) * lower(ground / THRESHOLD, 1.0);
                        w = weight / (left + weight);
                        ground = (1.0 - weight) * ground + weight * weight;
                    }
                    shares = shares.covered_by(&self.shares_of(selection, child, p, detail), w);
                }
                shares
            }
            Operator::Add(deposit) => {
                let Some((&first, above)) = children.split_first() else { return MaterialFractions::default() };
                let surface = |q: Point| ask(first, q, detail).surface(self.ground);
                let below = ask(first, p, detail);
                let mut shares = if below.weight > 0.0 {
                    self.shares_of(selection, first, p, detail)
                } else {
                    MaterialFractions::default()
                };
                let mut laid = None;
                for &child in above {
                    let weight = lower(ask(child, p, detail).weight, 1.0);
                    if weight > 0.0 && self.nodes[child as usize].has_material {
                        let share = *laid.get_or_insert_with(|| deposit.window.share::<false>(p, surface).0);
                        shares = shares.covered_by(&self.shares_of(selection, child, p, detail), weight * share);
                    }
                }
                shares
            }
            Operator::Gullies { frame, .. } => {
                let (q, detail) = (frame.inward.apply(p), frame.detail(detail));
                self.shares_of(selection, children[0], q, &detail)
            }
            Operator::Repeat(repeated) => {
                let (mut sum, mut room) = (MaterialBlend::default(), Vec::new());
                let (mut shares, mut ground) = (MaterialFractions::default(), 0.0);
                for &k in self.copies_in(selection, node, |area| area.contains(p), &mut room) {
                    let copy = &repeated.copies[k as usize];
                    if !copy.area.contains(p) {
                        continue;
                    }
                    let (child, q) = (node.children[copy.child as usize], copy.frame.inward.apply(p));
                    let detail = copy.frame.detail(detail);
                    let weight = ask(child, q, &detail).weight;
                    if weight <= 0.0 {
                        continue;
                    }
                    let own = self.shares_of(selection, child, q, &detail);
                    match repeated.overlap {
                        Overlap::Blend => sum.add(&own, weight),
                        Overlap::Replace => {
                            let weight = lower(weight, 1.0);
                            let all = weight + (1.0 - weight) * ground;
                            (shares, ground) = (shares.covered_by(&own, weight / all), all);
                        }
                    }
                }
                if repeated.overlap == Overlap::Blend { sum.blended() } else { shares }
            }
        }
    }
}
