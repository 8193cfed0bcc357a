//! What a construction lays out, each by a tree of its own, and what the ground of a piece is made of.

pub mod shares;

/// The trees of a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaterialLayer {
    /// The ground.
    Terrain,
    /// Water that lies on it.
    Water,
    /// Sand that lies on it.
    Sand,
    /// Snow that lies on it.
    Snow,
    /// What grows on it.
    Vegetation,
}

impl MaterialLayer {
    /// All of them, the ground first.
    pub const ALL: [Self; 5] = [Self::Terrain, Self::Water, Self::Sand, Self::Snow, Self::Vegetation];
    /// Those that lie on the ground and raise it.
    pub const LYING: [Self; 2] = [Self::Sand, Self::Snow];
}

talweg_ground::choices! {
    /// What the ground of a piece is made of.
    PieceMaterial {
        Unset "As it is": "The material of the operator around it; without one that of the ground below it.",
        Ground "Ground": "What the scene's palette says by height and slope.",
        Rock "Rock": "Solid rock.",
        Grass "Grass": "Meadow.",
        Sand "Sand": "Sand.",
        Snow "Snow": "Snow.",
        Road "Road": "The surface of a road.",
        Bare "Bare": "Earth on which nothing grows.",
    }
}

#[expect(clippy::derivable_impls, reason = "what choices derive is in their macro, alike for all")]
impl Default for PieceMaterial {
    fn default() -> Self {
        Self::Unset
    }
}

impl PieceMaterial {
    /// Those that differ from the palette's ground, in the order of
    /// [`MaterialShares::laid`](crate::materials::shares::MaterialShares::laid).
    pub const LAID: [Self; 6] = [Self::Rock, Self::Grass, Self::Sand, Self::Snow, Self::Road, Self::Bare];
}
