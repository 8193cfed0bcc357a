//! The material layers of a construction, each with a construction tree of its own, and the materials of pieces.

pub mod shares;

/// The material layers of a construction. Each has a construction tree of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaterialLayer {
    /// Elevation of the ground.
    Terrain,
    /// Lakes, rivers and sea: heights of the water surface.
    Water,
    /// Thickness of sand on the ground.
    Sand,
    /// Thickness of snow on the ground.
    Snow,
    /// Density of plants on the ground.
    Vegetation,
}

impl MaterialLayer {
    /// All material layers, the ground first.
    pub const ALL: [Self; 5] = [Self::Terrain, Self::Water, Self::Sand, Self::Snow, Self::Vegetation];
    /// The material layers that cover the ground and raise its surface.
    pub const RAISING: [Self; 2] = [Self::Sand, Self::Snow];
}

talweg_ground::choices! {
    /// Material of the ground that a piece forms.
    PieceMaterial {
        Unset "Inherit": "The material of the operator that contains the feature, or of the ground below if this operator has none.",
        Ground "Ground": "The colour of the scene's palette at this height and slope.",
        Rock "Rock": "Solid rock.",
        Grass "Grass": "Ground covered with grass.",
        Sand "Sand": "Ground covered with sand.",
        Snow "Snow": "Ground covered with snow.",
        Road "Road": "The surface of a road.",
        Bare "Bare": "Bare earth without plants.",
    }
}

#[expect(clippy::derivable_impls, reason = "the `choices` macro has the derives, the same for all")]
impl Default for PieceMaterial {
    fn default() -> Self {
        Self::Unset
    }
}

impl PieceMaterial {
    /// The materials other than the palette's ground, in the order of
    /// [`MaterialFractions::cover_fractions`](crate::materials::shares::MaterialFractions::cover_fractions).
    pub const COVERING: [Self; 6] = [Self::Rock, Self::Grass, Self::Sand, Self::Snow, Self::Road, Self::Bare];
}
