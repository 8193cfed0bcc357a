//! Ground materials of the terrain: the materials of pieces, blended by the weights that blend their heights.
//!
//! A piece with a material has the fraction 1 of this material. A piece without a material has the fraction 0 of every
//! material. The fractions m of a node follow from the weights α of its pieces:
//! - blend, warp, level of detail and copies that blend: m = Σ αᵢ mᵢ / Σ αᵢ, summed over the pieces i;
//! - replace and add, with the ground A and the new piece B: m = m_A + w (m_B - s_B m_A). Here w is the fraction of B
//!   in the height and s_B = Σ m_B. Where B sets no material, the material of A remains: a piece without a material
//!   shows the material of the ground under it;
//! - copies that cover each other: the same equation with w = α_B / (α_B + (1 - α_B) α_A).
//!
//! At the edge of a terrain, where α falls below ½, the fractions fade like the surface height, by the smoothstep
//! s(α/½) = 3(2α)² - 2(2α)³. If the fractions add up to less than 1, the rest is the palette's ground.
//! Source: Génevaux et al. 2014, §5.1 to 5.4 (weights); fig. 20 (several materials). Materials of pieces are Talweg's
//! own extension.

use super::{MaterialLayer, PieceMaterial};
use crate::compiled_program::{NodeSelection, NodeView, Program};
use crate::geometry::plane::{Point, higher, smooth};
use crate::sample::{Detail, THRESHOLD};

/// Fractions of the materials of [`PieceMaterial::COVERING`], then of [`PieceMaterial::Ground`], from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaterialFractions([f64; PieceMaterial::COVERING.len() + 1]);

impl MaterialFractions {
    /// A fraction of 1 for one material and of 0 for all others. All fractions are 0 for [`PieceMaterial::Unset`].
    pub fn whole(material: PieceMaterial) -> Self {
        let mut shares = Self::default();
        let place = match PieceMaterial::COVERING.iter().position(|laid| *laid == material) {
            Some(place) => place,
            None if material == PieceMaterial::Ground => PieceMaterial::COVERING.len(),
            None => return shares,
        };
        shares.0[place] = 1.0;
        shares
    }

    /// Fractions of [`PieceMaterial::COVERING`]; their sum is at most 1.
    pub fn cover_fractions(&self) -> [f64; PieceMaterial::COVERING.len()] {
        std::array::from_fn(|k| self.0[k])
    }

    /// Fraction of the ground that has a material set.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Returns the blend of these materials with the materials `above`, which cover them; `w` is the fraction of the
    /// height that the covering piece contributes.
    #[must_use]
    pub fn covered_by(&self, above: &Self, w: f64) -> Self {
        let left = higher(1.0 - w * above.total(), 0.0);
        Self(std::array::from_fn(|k| self.0[k] * left + w * above.0[k]))
    }

    /// Whether the materials `above` hide the ground's own materials, if the covering piece contributes the fraction
    /// `w` of the height.
    fn is_hidden(above: &Self, w: f64) -> bool {
        w * above.total() >= 1.0
    }

    fn times(&self, by: f64) -> Self {
        Self(self.0.map(|share| share * by))
    }
}

/// The materials of the ground of a node, under the materials of the pieces that cover it. The ground's own materials
/// are computed only if no piece hides them.
pub(crate) struct CoveredGround<'a> {
    view: NodeView<'a>,
    at: (Point, &'a Detail),
    shares: Option<MaterialFractions>,
}

impl<'a> CoveredGround<'a> {
    /// The ground without a piece on it.
    pub fn new(view: NodeView<'a>, p: Point, detail: &'a Detail) -> Self {
        Self { view, at: (p, detail), shares: None }
    }

    /// Covers the ground with the materials of a child, which contributes the fraction `w` of the height.
    pub fn cover(&mut self, child: u32, w: f64) {
        let above = self.view.child_view(child).materials(self.at.0, self.at.1);
        let below = if MaterialFractions::is_hidden(&above, w) { MaterialFractions::default() } else { self.shares() };
        self.shares = Some(below.covered_by(&above, w));
    }

    /// The materials with all pieces so far.
    pub fn shares(&self) -> MaterialFractions {
        self.shares.unwrap_or_else(|| self.view.ground_materials(self.at.0, self.at.1))
    }
}

/// Weighted sum of the materials in a blend.
#[derive(Default)]
pub(crate) struct MaterialBlend {
    shares: MaterialFractions,
    weight: f64,
}

impl MaterialBlend {
    /// Adds the material fractions `shares` with the weight `weight`.
    pub fn add(&mut self, shares: &MaterialFractions, weight: f64) {
        if weight > 0.0 {
            self.weight += weight;
            self.shares.0.iter_mut().zip(shares.0).for_each(|(sum, share)| *sum += weight * share);
        }
    }

    /// Adds the materials of a child, with the child's weight multiplied by `share`.
    pub fn add_child(&mut self, view: NodeView, (child, share): (u32, f64), p: Point, detail: &Detail) {
        let weight = view.child_weight(child, p, detail) * share;
        if weight > 0.0 {
            self.add(&view.child_view(child).materials(p, detail), weight);
        }
    }

    /// The weighted mean of the material fractions added so far.
    pub fn blended(&self) -> MaterialFractions {
        if self.weight > 0.0 { self.shares.times(1.0 / self.weight) } else { MaterialFractions::default() }
    }
}

impl Program {
    /// Materials of the terrain at `p`, in metres. `selection` must hold every piece that has weight there.
    pub fn material_fractions_in(&self, selection: &NodeSelection, p: Point, detail: &Detail) -> MaterialFractions {
        match self.roots[MaterialLayer::Terrain as usize] {
            Some(root) if self.nodes[root as usize].has_material && self.nodes[root as usize].area.contains(p) => {
                let view = self.view(selection, root);
                let weight = view.node.operator.weight(view, p, detail);
                view.materials(p, detail).times(smooth(weight / THRESHOLD).0)
            }
            _ => MaterialFractions::default(),
        }
    }

    /// Whether any piece of the terrain has a material.
    pub fn has_materials(&self) -> bool {
        self.roots[MaterialLayer::Terrain as usize].is_some_and(|root| self.nodes[root as usize].has_material)
    }
}
