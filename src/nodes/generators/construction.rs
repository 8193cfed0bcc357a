//! Construction: the node that holds a construction tree.
//!
//! Law: h = surface(p) / relief with position p and relief in the construction tree's own frame, see
//! [`construction`](talweg_construction). The water map is the height of the water surface above the terrain. Sand and
//! snow are maps of their thickness and raise the terrain. For each ground material there is a map of the fraction of
//! the ground that the material covers. With `cut_out` the weight α of the construction is written as the map of
//! existing ground: there is terrain where α ≥ ½, as in Génevaux et al. 2014.
//! Scheme: tiles are computed in parallel, each with only the pieces that touch it. Octaves that the grid cannot
//! resolve fade out, so a preview is close to the result, but not an exact subsample.
//! Boundary: a wrapping terrain repeats its first row and column. Pieces at an edge do not continue on the opposite
//! side, so height differences form a cliff there (the filter `Seamless` removes the cliff).
//! Squares only: pieces are placed in a plane; on a planet, construct a patch.

use std::sync::{Arc, LazyLock};

use crate::{Context, Generator, NodeMemory, Traits};
use talweg_construction::compiled_program::fill::FillOptions;
use talweg_construction::primitives::contour::OutlineFit;
use talweg_construction::primitives::curve::Cross;
use talweg_construction::{MaterialLayer, PieceKind, PieceMaterial, Program, Tree, presets};
use talweg_ground::field::{Cancelled, Edges, MapKind, Region, Stream, Terrain};

talweg_ground::params! {
    /// Terrain built by hand from features: mountains, rivers, roads, craters and lakes, each placed, shaped and
    /// combined individually.
    Construction "Construction" in "Shapes", from "Génevaux et al. 2014, Modélisation de terrains par primitives", also "tree primitives sculpt pieces river road crater lake place feature layout" {
        /// The features, and the operators that combine them.
        tree: Arc<Tree> = presets::volcano();
        /// Amount of detail on the features: 0 shows only their plain shapes, 1 all detail.
        detail: f32 ["share"] = 1.0, 0.0..=1.0;
        /// Cuts out the terrain around the features. Without it the surroundings are level terrain.
        cut_out: bool = false;
        presets {
            Volcano "Volcano": "An island with a volcano that has gullies on its flanks and a side crater." { tree = presets::volcano() }
            Valley "Valley with river": "A river in a green valley between two mountain ranges." { tree = presets::valley() }
            Oasis "Oasis": "A desert lake, with dunes between rocks." { tree = presets::oasis() }
            Moon "Moon": "Overlapping craters on rolling terrain." { tree = presets::moon() }
        }
    }
}

/// Materials that cover the terrain with a thickness, and their data maps.
const LAID: [(MaterialLayer, MapKind); 4] = [
    (MaterialLayer::Water, MapKind::Water),
    (MaterialLayer::Sand, MapKind::Sand),
    (MaterialLayer::Snow, MapKind::Snow),
    (MaterialLayer::Vegetation, MapKind::Vegetation),
];

/// Number of maps that a construction can write.
const KINDS: usize = LAID.len() + 1 + MapKind::COVER_FRACTIONS.len();

/// A table of all possible sets of written maps. Bit k of the index selects entry k of [`LAID`], the next bit the map
/// of existing ground, and the remaining bits the material fractions.
static SETS: LazyLock<Vec<Vec<MapKind>>> = LazyLock::new(|| {
    let kinds = || LAID.iter().map(|laid| laid.1).chain([MapKind::Ground]).chain(MapKind::COVER_FRACTIONS).enumerate();
    let set = |set: usize| kinds().filter(|(k, _)| set >> k & 1 == 1).map(|(_, kind)| kind).collect();
    (0..1 << KINDS).map(set).collect()
});

impl Construction {
    fn lays(&self, material: MaterialLayer) -> bool {
        self.tree.root(material).is_some_and(|piece| !piece.hidden)
    }

    /// Indices, in [`MapKind::COVER_FRACTIONS`], of the material fractions that the node writes.
    fn written_fractions(&self) -> impl Iterator<Item = usize> {
        (0..MapKind::COVER_FRACTIONS.len()).filter(|k| self.tree.is_made_of(PieceMaterial::COVERING[*k]))
    }

    /// Gives a construction that version `then` of the algorithm saved the settings that this version did not write: up
    /// to version 2, the points of a contour were sorted by direction unless the contour named another outline. Up to
    /// version 3, the grade of roads had no limit. Returns whether the heights are then those of that version.
    pub fn restore_from(&mut self, then: u32) -> bool {
        if then > 3 {
            return then == self.traits().version;
        }
        let mut tree = (*self.tree).clone();
        for (_, root) in tree.roots_mut() {
            root.visit_mut(&mut |piece| match &mut piece.kind {
                PieceKind::Contour(contour)
                    if then <= 2 && contour.settings.outline == OutlineFit::Drawn && !contour.points.is_empty() =>
                {
                    contour.settings.outline = OutlineFit::Direction;
                }
                PieceKind::Curve(curve) if curve.settings.cross == Cross::Road => curve.settings.grade = 0.0,
                _ => {}
            });
        }
        self.tree = Arc::new(tree);
        then == 3
    }

    /// Returns the number that the layer's random stream contributes to the seeds of all pieces.
    pub fn seed(random: Stream) -> u32 {
        random.bits(0, 0) as u32
    }

    /// Returns the compiled construction tree, with the random values of the layer.
    pub fn program(&self, cx: &Context) -> Arc<Program> {
        self.program_of(cx.random)
    }

    /// Returns the compiled construction tree, with the random values of `random`.
    pub fn program_of(&self, random: Stream) -> Arc<Program> {
        Program::shared(&self.tree, Self::seed(random))
    }

    /// Recomputes the samples of a region and leaves the other samples unchanged. The grid must not wrap, and the
    /// terrain must have all maps that the construction writes.
    pub fn regenerate(
        &self,
        program: &Program,
        region: &Region,
        cx: &Context,
        made: &mut Terrain,
    ) -> Result<(), Cancelled> {
        if region.is_empty() {
            return Ok(());
        }
        let n = cx.grid.samples;
        let cells = || region.rows.clone().flat_map(|row| region.columns.clone().map(move |column| row * n + column));
        let fill = |material: MaterialLayer, out: &mut [f32]| {
            let sampling = FillOptions { level: f64::from(self.detail), ..FillOptions::for_material(material) };
            program.fill_region(cx.grid, region, sampling, cx.control, out)
        };
        fill(MaterialLayer::Terrain, &mut made.height)?;
        let mut layer =
            vec![0.0; if LAID.iter().any(|(material, _)| program.has(*material)) { cx.grid.len() } else { 0 }];
        for material in [MaterialLayer::Sand, MaterialLayer::Snow] {
            if program.has(material) {
                fill(material, &mut layer)?;
                cells().for_each(|k| made.height[k] += layer[k]);
            }
        }
        for (material, kind) in LAID.into_iter().filter(|(material, _)| self.lays(*material)) {
            // a material layer that contains only hidden pieces exists, but has no thickness
            if program.has(material) {
                fill(material, &mut layer)?;
            } else {
                cells().for_each(|k| layer[k] = if material == MaterialLayer::Water { f32::NEG_INFINITY } else { 0.0 });
            }
            let Terrain { height, .. } = &*made;
            let depth = |k: usize| match material {
                MaterialLayer::Water if layer[k] > height[k] => layer[k] - height[k],
                MaterialLayer::Water => 0.0,
                _ => layer[k],
            };
            let values: Vec<f32> = cells().map(depth).collect();
            let map = made.map_mut(kind);
            cells().zip(values).for_each(|(k, value)| map[k] = value);
        }
        if self.written_fractions().next().is_some() {
            let found = program.material_shares(cx.grid, region, f64::from(self.detail), cx.control)?;
            for share in self.written_fractions() {
                let map = made.map_mut(MapKind::COVER_FRACTIONS[share]);
                cells().zip(&found).for_each(|(k, shares)| map[k] = shares[share]);
            }
        }
        Ok(())
    }

    fn fill_material(
        &self,
        program: &Program,
        material: MaterialLayer,
        cx: &Context,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        self.fill_with(program, FillOptions::for_material(material), cx, out)
    }

    fn fill_with(
        &self,
        program: &Program,
        sampling: FillOptions,
        cx: &Context,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        let sampling = FillOptions { level: f64::from(self.detail), ..sampling };
        program.fill_region(cx.grid, &Region::whole(cx.grid), sampling, cx.control, out)?;
        if cx.grid.edges == Edges::Wrap {
            let n = cx.grid.samples;
            for row in out.chunks_mut(n) {
                row[n - 1] = row[0];
            }
            out.copy_within(0..n, (n - 1) * n);
        }
        Ok(())
    }
}

impl Generator for Construction {
    fn traits(&self) -> Traits {
        let set = (0..LAID.len()).filter(|&k| self.lays(LAID[k].0)).fold(0, |set, k| set | 1 << k);
        let set = set | usize::from(self.cut_out) << LAID.len();
        Traits {
            // Version 2 keeps the narrow parts of a curve with varying width narrow. Version 3 samples images through
            // their pixels, and measures the true distance from curves. Version 4 limits the grade of roads.
            version: 4,
            writes: &SETS[self.written_fractions().fold(set, |set, k| set | 2 << (LAID.len() + k))],
            previews_exactly: false,
            memory: NodeMemory::constant(1.6),
            ..Traits::GENERATOR
        }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        cx.control.check()?;
        let program = self.program(cx);
        self.fill_material(&program, MaterialLayer::Terrain, cx, out)?;
        let mut layer = Vec::new();
        for material in [MaterialLayer::Sand, MaterialLayer::Snow] {
            if program.has(material) {
                layer.resize(out.len(), 0.0);
                self.fill_material(&program, material, cx, &mut layer)?;
                out.iter_mut().zip(&layer).for_each(|(h, thickness)| *h += thickness);
            }
        }
        Ok(())
    }

    fn generate(&self, cx: &Context, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill(cx, &mut made.height)?;
        let program = self.program(cx);
        for (material, kind) in LAID {
            if !self.lays(material) {
                continue;
            }
            let mut map = vec![0.0; cx.grid.len()];
            self.fill_material(&program, material, cx, &mut map)?;
            if material == MaterialLayer::Water {
                for (depth, h) in map.iter_mut().zip(&made.height) {
                    *depth = if *depth > *h { *depth - h } else { 0.0 };
                }
            }
            made.set_map(kind, Some(Arc::new(map)));
        }
        if self.written_fractions().next().is_some() {
            let whole = Region::whole(cx.grid);
            let found = program.material_shares(cx.grid, &whole, f64::from(self.detail), cx.control)?;
            for share in self.written_fractions() {
                let mut map: Vec<f32> = found.iter().map(|shares| shares[share]).collect();
                cx.grid.close(&mut map);
                made.set_map(MapKind::COVER_FRACTIONS[share], Some(Arc::new(map)));
            }
        }
        if self.cut_out {
            let sampling = FillOptions { weight: true, ..FillOptions::for_material(MaterialLayer::Terrain) };
            self.fill_with(&program, sampling, cx, made.map_mut(MapKind::Ground))?;
        }
        Ok(())
    }
}

/// There must be one map for each material.
const _: () = assert!(PieceMaterial::COVERING.len() == MapKind::COVER_FRACTIONS.len());
