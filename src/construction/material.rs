//! What a construction lays out, each by a tree of its own.

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
