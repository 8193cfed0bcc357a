//! Compiles the pieces of a construction tree to the nodes of a program.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{NodeFrame, Operator, ProgramNode};
use crate::check::{DEEPEST, MOST_PIECES};
use crate::geometry::hierarchy::Hierarchy;
use crate::geometry::plane::Area;
use crate::operators::blend::BlendOperator;
use crate::piece::{Piece, Tree};
use crate::primitives::image_sampler::ImageSampler;
use crate::primitives::leaf::{Leaf, PreparedPrimitive};
use talweg_ground::param::ImageFile;

/// State of the compilation of a construction tree to a program.
pub(crate) struct Builder<'a> {
    pub tree: &'a Tree,
    pub nodes: Vec<ProgramNode>,
    pub problems: Vec<String>,
    /// Primitives already prepared, by the hash of their inputs.
    prepared: BTreeMap<u64, Arc<PreparedPrimitive>>,
    count: usize,
    /// Number of nodes with children so far.
    pub slots: u32,
    /// Number of instances that contain the piece that is being added.
    repeats: usize,
    /// Hashes of the pieces that instances repeat, by their memory address.
    hashes: BTreeMap<usize, u64>,
}

/// A piece that is being added to a program, with the pieces that contain it and its coordinate frame.
pub(crate) struct PieceSite<'a> {
    around: Option<&'a PieceSite<'a>>,
    piece: &'a Piece,
    index: usize,
    /// Number of operators and instances that contain the piece.
    depth: usize,
    pub frame: NodeFrame,
}

/// Writes the path from the root to the piece, for messages.
impl Display for PieceSite<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.around {
            Some(around) => write!(f, "{around}")?,
            None => f.write_str("Construction")?,
        }
        write!(f, " / {}", self.piece.label(self.index))
    }
}

/// Hashes text while the text is being formatted, without storing it.
struct TextHasher(Xxh3);

impl std::fmt::Write for TextHasher {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

impl<'a> Builder<'a> {
    /// Starts a builder. `known` holds primitives already prepared, by the hash of their inputs.
    pub fn new(tree: &'a Tree, known: BTreeMap<u64, Arc<PreparedPrimitive>>) -> Self {
        let (nodes, problems, hashes) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { tree, nodes, problems, prepared: known, count: 0, slots: 0, repeats: 0, hashes }
    }

    /// Adds a root piece and all pieces inside this root. Returns the index of the root's node; `None` if no piece is
    /// visible.
    pub fn root(&mut self, piece: &Piece, frame: NodeFrame) -> Option<u32> {
        self.piece(&PieceSite { around: None, piece, index: 0, depth: 0, frame })
    }

    /// Adds the path of a piece, and the reason why the piece cannot be used, to the list of problems.
    pub fn problem(&mut self, site: &PieceSite, problem: impl Display) {
        self.problems.push(format!("{site}: {problem}"));
    }

    /// Adds `count` to the number of pieces. Returns `None` and reports a problem if the number exceeds the maximum.
    pub fn has_room_for(&mut self, count: usize, site: &PieceSite, with: &str) -> Option<()> {
        self.count += count;
        if self.count > MOST_PIECES {
            self.problem(site, format!("{with} the construction has more than {MOST_PIECES} features"));
            return None;
        }
        Some(())
    }

    fn piece(&mut self, site: &PieceSite) -> Option<u32> {
        if site.piece.hidden {
            return None;
        }
        if site.depth > 2 * DEEPEST {
            self.count += 1;
            self.problem(site, "operators are nested too deeply, or a definition contains itself");
            return None;
        }
        self.has_room_for(1, site, "with its instances")?;
        let site = PieceSite { frame: site.frame.with_material(site.piece.material), ..*site };
        site.piece.kind.as_form().compile(&site, self)
    }

    /// Adds the piece of a definition at the position of an instance.
    pub fn instance(&mut self, piece: &Piece, site: &PieceSite, frame: NodeFrame) -> Option<u32> {
        self.repeats += 1;
        let node = self.piece(&PieceSite { around: Some(site), piece, index: 0, depth: site.depth + 1, frame });
        self.repeats -= 1;
        node
    }

    /// Adds the pieces that an operator holds: the first visible piece in the frame `first`, later pieces in the frame
    /// `later`.
    pub fn children(&mut self, site: &PieceSite, first: NodeFrame, later: NodeFrame) -> Vec<u32> {
        let mut children = Vec::with_capacity(site.piece.children().len());
        for (index, piece) in site.piece.children().iter().enumerate() {
            let frame = if children.is_empty() { first } else { later };
            children.extend(self.piece(&PieceSite { around: Some(site), piece, index, depth: site.depth + 1, frame }));
        }
        children
    }

    /// Adds an operator that combines `children`. A single child needs no operator and is returned unchanged.
    pub fn group(&mut self, operator: Operator, children: Vec<u32>) -> Option<u32> {
        match children.as_slice() {
            [] => None,
            [only] => Some(*only),
            _ => Some(self.node(operator, children)),
        }
    }

    /// Adds the blend of the pieces that an operator holds.
    pub fn blend(&mut self, site: &PieceSite, frame: NodeFrame) -> Option<u32> {
        let children = self.children(site, frame, frame);
        self.group(Operator::Blend(BlendOperator), children)
    }

    /// Adds a node to the program and returns its index.
    pub fn node(&mut self, operator: Operator, children: Vec<u32>) -> u32 {
        let areas: Vec<Area> = children.iter().map(|child| self.nodes[*child as usize].area).collect();
        let slot = self.slots;
        self.slots += u32::from(!children.is_empty());
        self.nodes.push(ProgramNode {
            area: operator.outward(operator.area(&areas)),
            key: operator.key(),
            hierarchy: Hierarchy::new(&operator.searched(&areas)),
            slot,
            has_material: operator.has_material()
                || children.iter().any(|child| self.nodes[*child as usize].has_material),
            operator,
            children,
        });
        self.nodes.len() as u32 - 1
    }

    /// Adds a primitive that reads the images `files`. `prepare` is called only if no equal primitive was prepared
    /// before.
    pub fn leaf(
        &mut self,
        site: &PieceSite,
        files: &[&ImageFile],
        prepare: impl FnOnce(&mut Self, Vec<ImageSampler>) -> Option<PreparedPrimitive>,
    ) -> Option<u32> {
        let mut made_of = self.hash_of(site.piece);
        let mut rasters = Vec::with_capacity(files.len());
        for file in files {
            match talweg_ground::io::raster(&file.0) {
                Ok(raster) => {
                    made_of = xxh3_64(format!("{made_of:x} {:x}", raster.hash).as_bytes());
                    rasters.push(raster);
                }
                Err(error) => {
                    self.problem(site, error);
                    return None;
                }
            }
        }
        // the seed is the only part of the frame that changes a prepared primitive
        let made_of = made_of ^ u64::from(site.frame.seed);
        let primitive = match self.prepared.get(&made_of) {
            Some(known) => known.clone(),
            None => Arc::new(prepare(self, rasters.into_iter().map(ImageSampler::new).collect())?),
        };
        self.prepared.insert(made_of, primitive.clone());
        Some(self.node(Operator::Leaf(Leaf { primitive, made_of, frame: site.frame }), Vec::new()))
    }

    /// Hash of a primitive's parameters.
    fn hash_of(&mut self, piece: &Piece) -> u64 {
        let address = std::ptr::from_ref(piece) as usize;
        if let Some(known) = self.hashes.get(&address) {
            return *known;
        }
        let mut hasher = TextHasher(Xxh3::new());
        let _ = write!(hasher, "{:?}", piece.kind);
        let hash = hasher.0.digest();
        if self.repeats > 0 {
            self.hashes.insert(address, hash);
        }
        hash
    }
}
