//! Squig curves: river courses through a triangulation that is split repeatedly.
//!
//! Law: the square is two triangles that share the diagonal from north-west to south-east, and level l has 2ˡ squares
//! per side. A river course is a list of edges; two consecutive edges are the entry and the exit of a triangle. To
//! split a course, one half of every edge is chosen (at random). In every triangle the course continues over the inner
//! edges between the chosen half of its entry and the chosen half of its exit. It passes through one of the four parts
//! of the triangle, or through three. On average a course has 2.5 times as many edges at each level, so its dimension
//! is log₂ 2.5 ≈ 1.32. An edge of level l is identified by its midpoint, a vertex of level l + 1; a course never
//! returns to an edge.
//! Source: Mandelbrot 1982; Prusinkiewicz & Hammel 1993; Le Martelot 2005, §2.1.

talweg_ground::choices! {
    /// An edge of the terrain.
    TerrainEdge {
        North "North": "The upper edge of the map.",
        East "East": "The right edge of the map.",
        South "South": "The lower edge of the map.",
        West "West": "The left edge of the map.",
    }
}

/// Row and column of a vertex on the lattice of a level.
pub type Vertex = [i32; 2];

fn add(a: Vertex, b: Vertex) -> Vertex {
    [a[0] + b[0], a[1] + b[1]]
}

/// An edge of the triangulation, given by its two ends, the smaller end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge(pub Vertex, pub Vertex);

impl Edge {
    fn new(a: Vertex, b: Vertex) -> Self {
        if a < b { Self(a, b) } else { Self(b, a) }
    }

    /// The edge's midpoint, a vertex of the next level.
    pub fn middle(self) -> Vertex {
        add(self.0, self.1)
    }

    /// Returns one half of the edge: the half at its second end if `second`, otherwise the half at its first end.
    fn half(self, second: bool) -> Self {
        let end = if second { self.1 } else { self.0 };
        Self::new(add(end, end), self.middle())
    }

    fn has(self, end: Vertex) -> bool {
        self.0 == end || self.1 == end
    }

    fn other(self, end: Vertex) -> Vertex {
        if self.0 == end { self.1 } else { self.0 }
    }
}

fn side_edge(side: TerrainEdge) -> Edge {
    match side {
        TerrainEdge::North => Edge([0, 0], [0, 1]),
        TerrainEdge::East => Edge([0, 1], [1, 1]),
        TerrainEdge::South => Edge([1, 0], [1, 1]),
        TerrainEdge::West => Edge([0, 0], [1, 0]),
    }
}

/// Returns the river course of level 0 from one side of the terrain to another. It is a single edge if both sides are
/// the same.
pub fn edges_across(entry: TerrainEdge, exit: TerrainEdge) -> Vec<Edge> {
    let upper = |side| matches!(side, TerrainEdge::North | TerrainEdge::East);
    let (from, to) = (side_edge(entry), side_edge(exit));
    if entry == exit {
        vec![from]
    } else if upper(entry) == upper(exit) {
        vec![from, to]
    } else {
        vec![from, Edge([0, 0], [1, 1]), to]
    }
}

/// Returns the river course of level 1 that leaves the terrain on the side where it entered. It passes through both
/// corners of that side's triangle, in the direction given by `back`.
pub fn turn(side: TerrainEdge, back: bool) -> Vec<Edge> {
    let edge = side_edge(side);
    let apex = if matches!(side, TerrainEdge::North | TerrainEdge::East) { [0, 1] } else { [1, 0] };
    // The triangle's third corner is the end of the diagonal that is not on this side.
    let third = [[0, 0], [1, 1], apex].into_iter().find(|&v| !edge.has(v)).unwrap_or(apex);
    let (a, b) = (edge.0, edge.1);
    let middle = edge.middle();
    let mut centreline =
        vec![edge.half(false), Edge::new(middle, add(a, third)), Edge::new(middle, add(b, third)), edge.half(true)];
    if back {
        centreline.reverse();
    }
    centreline
}

/// Splits a river course once. `choose` receives an edge and its index in the course, and returns whether to take the
/// half at the edge's second end.
pub fn refine(centreline: &[Edge], choose: impl Fn(usize, Edge) -> bool) -> Vec<Edge> {
    let mut fine = Vec::with_capacity(centreline.len() * 3);
    let mut kept = [0, 0];
    for (k, &exit) in centreline.iter().enumerate() {
        let second = choose(k, exit);
        let end = if second { exit.1 } else { exit.0 };
        if k > 0 {
            let entry = centreline[k - 1];
            let apex = if exit.has(entry.0) { entry.0 } else { entry.1 };
            let (b, c) = (entry.other(apex), exit.other(apex));
            let (at_entry, at_exit, opposite) = (add(apex, b), add(apex, c), add(b, c));
            // Add the parts at the apex, in the middle and at the far corner, as far as the course passes through them.
            match (kept == apex, end == apex) {
                (true, true) => {}
                (true, false) => fine.extend([Edge::new(at_entry, at_exit), Edge::new(at_exit, opposite)]),
                (false, true) => fine.extend([Edge::new(at_entry, opposite), Edge::new(at_entry, at_exit)]),
                (false, false) => fine.extend([Edge::new(at_entry, opposite), Edge::new(at_exit, opposite)]),
            }
        }
        fine.push(exit.half(second));
        kept = end;
    }
    fine
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::Stream;

    /// Checks that consecutive edges of a river course are two sides of a triangle of the mesh, and that no edge occurs
    /// twice.
    fn check(centreline: &[Edge]) {
        let mut seen = std::collections::HashSet::new();
        for pair in centreline.windows(2) {
            let apex =
                [pair[0].0, pair[0].1].into_iter().find(|&v| pair[1].has(v)).expect("consecutive edges share a corner");
            let third = Edge::new(pair[0].other(apex), pair[1].other(apex));
            for edge in [pair[0], pair[1], third] {
                let step = [edge.1[0] - edge.0[0], edge.1[1] - edge.0[1]];
                assert!([[0, 1], [1, 0], [1, 1]].contains(&step), "{edge:?} is no edge of the mesh");
            }
        }
        assert!(centreline.iter().all(|e| seen.insert(e.middle())), "the course contains an edge twice");
    }

    #[test]
    fn courses_follow_adjacent_triangles_and_never_self_cross() {
        for entry in TerrainEdge::ALL {
            for exit in TerrainEdge::ALL {
                for seed in 0..20 {
                    let random = Stream::new(seed, 3);
                    let mut centreline = edges_across(*entry, *exit);
                    if entry == exit {
                        centreline = turn(*entry, seed % 2 == 0);
                    }
                    for level in 0..7 {
                        check(&centreline);
                        centreline = refine(&centreline, |_, e| {
                            random.fork(level).bits(e.middle()[1], e.middle()[0]) >> 63 == 1
                        });
                    }
                    check(&centreline);
                    let last = if entry == exit { 1 << 9 } else { 1 << 8 };
                    let on = |side: TerrainEdge, v: Vertex| match side {
                        TerrainEdge::North => v[0] == 0,
                        TerrainEdge::East => v[1] == last,
                        TerrainEdge::South => v[0] == last,
                        TerrainEdge::West => v[1] == 0,
                    };
                    assert!(on(*entry, centreline[0].middle()) && on(*exit, centreline[centreline.len() - 1].middle()));
                }
            }
        }
    }
}
