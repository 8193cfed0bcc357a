//! Compiles the pieces of a tree to the nodes of a program.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::repeated::ProgramCopy;
use super::{NodeCopies, NodeFrame, Operator, PreparedPrimitive, ProgramNode};
use crate::check::{DEEPEST, MOST_PIECES};
use crate::geometry::hierarchy::Hierarchy;
use crate::geometry::plane::Area;
use crate::materials::PieceMaterial;
use crate::operators::deposit::Deposit;
use crate::operators::placement::Placement;
use crate::operators::replace::{Extent, Replacement};
use crate::operators::warp::Bend;
use crate::piece::{Piece, PieceKind, Tree};
use crate::primitives::image_sampler::ImageSampler;

/// Builds a program.
pub(super) struct Builder<'a> {
    pub tree: &'a Tree,
    pub nodes: Vec<ProgramNode>,
    pub problems: Vec<String>,
    /// Primitives already prepared, by the hash of their inputs.
    pub known: BTreeMap<u64, Arc<PreparedPrimitive>>,
    pub count: usize,
    /// Number of nodes with children so far.
    pub slots: u32,
    /// Number of instances around the piece that is being added.
    pub repeats: usize,
    /// Hashes of the pieces that instances repeat, by their memory address.
    pub hashes: BTreeMap<usize, u64>,
}

/// The path to a piece, formatted only when a message needs it.
struct PieceLocation<'a> {
    around: Option<&'a PieceLocation<'a>>,
    piece: &'a Piece,
    index: usize,
}

impl std::fmt::Display for PieceLocation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.around {
            Some(around) => write!(f, "{around}")?,
            None => f.write_str("Construction")?,
        }
        write!(f, " / {}", self.piece.label(self.index))
    }
}

/// Hashes text while it is being formatted.
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
        Self { tree, nodes, problems, known, count: 0, slots: 0, repeats: 0, hashes }
    }

    /// Adds `piece` and all that it holds; `None` if none of it is visible.
    pub fn add(&mut self, piece: &Piece, frame: NodeFrame) -> Option<u32> {
        self.add_as(piece, &PieceLocation { around: None, piece, index: 0 }, frame, 0)
    }

    fn add_as(&mut self, piece: &Piece, at: &PieceLocation, frame: NodeFrame, depth: usize) -> Option<u32> {
        if piece.hidden {
            return None;
        }
        let frame = frame.made_of(piece.material);
        self.count += 1;
        if depth > 2 * DEEPEST {
            self.problems.push(format!("{at}: operators are nested too deeply, or a definition contains itself"));
            return None;
        }
        if self.count > MOST_PIECES {
            self.problems
                .push(format!("{at}: with its instances the construction has more than {MOST_PIECES} features"));
            return None;
        }
        let operator = match &piece.form {
            PieceKind::Disc(_)
            | PieceKind::Curve(_)
            | PieceKind::Contour(_)
            | PieceKind::Image(_)
            | PieceKind::Ribbon(_) => {
                return self.add_leaf(piece, at, frame);
            }
            PieceKind::Instance(instance) => {
                let Some(definition) = self.tree.definition(&instance.definition) else {
                    self.problems.push(format!("{at}: there is no definition '{}'", instance.definition));
                    return None;
                };
                let inner = placed(&frame, &instance.settings)?;
                let way = PieceLocation { around: Some(at), piece: &definition.piece, index: 0 };
                self.repeats += 1;
                let made = self.add_as(&definition.piece, &way, inner, depth + 1);
                self.repeats -= 1;
                return made;
            }
            PieceKind::Place(group) => {
                let inner = placed(&frame, &group.settings)?;
                return self.add_group(Operator::Blend, piece, at, inner, depth);
            }
            PieceKind::Blend(_) => Operator::Blend,
            PieceKind::Replace(group) => Operator::Replace(group.settings.prepare(&frame)),
            PieceKind::Add(group) => Operator::Add(group.settings.prepare(&frame)),
            PieceKind::Warp(group) => {
                if let Some(file) = piece.image_file()
                    && let Err(error) = talweg_ground::io::raster(&file.0)
                {
                    self.problems.push(format!("{at}: {error}"));
                }
                if group.settings.bend == Bend::Curve && group.points.len() < 2 {
                    self.problems.push(format!("{at}: a warp along a curve needs at least two points"));
                }
                let inner = frame.heights_alone();
                let operator = Operator::Warp { warp: group.prepare(frame.seed), frame };
                return self.add_group(operator, piece, at, inner, depth);
            }
            PieceKind::Gullies(group) => {
                let child = self.add_group(Operator::Blend, piece, at, frame.heights_alone(), depth)?;
                let gullies = Box::new(group.settings.prepare(frame.seed));
                return Some(self.put_around(child, Operator::Gullies { gullies, frame }));
            }
            PieceKind::Detail(group) => Operator::Detail(group.settings.clone()),
            PieceKind::Array(_) | PieceKind::Scatter(_) => return self.add_copies(piece, at, frame, depth),
        };
        self.add_group(operator, piece, at, frame, depth)
    }

    fn add_group(
        &mut self,
        operator: Operator,
        piece: &Piece,
        at: &PieceLocation,
        frame: NodeFrame,
        depth: usize,
    ) -> Option<u32> {
        let mut children = Vec::with_capacity(piece.children().len());
        for (k, inner) in piece.children().iter().enumerate() {
            // an added height is relative, so the frame must not lift it again
            let is_laid = matches!(operator, Operator::Add(_)) && !children.is_empty();
            let frame = if is_laid { frame.unlifted() } else { frame };
            let way = PieceLocation { around: Some(at), piece: inner, index: k };
            children.extend(self.add_as(inner, &way, frame, depth + 1));
        }
        if children.is_empty() {
            return None;
        }
        let is_warp = matches!(operator, Operator::Warp { .. });
        if let [only] = children.as_slice()
            && !is_warp
        {
            return Some(*only);
        }
        let area_of = |child: &u32| self.nodes[*child as usize].area;
        let all = children.iter().map(area_of).fold(Area::EMPTY, Area::union);
        let area = match &operator {
            Operator::Replace(Replacement { extent: Extent::Below, .. })
            | Operator::Add(Deposit { extent: Extent::Below, .. }) => area_of(&children[0]),
            _ => all,
        };
        let key = xxh3_64(format!("{operator:?}").as_bytes());
        let hierarchy = match operator {
            // the first child of a replace counts everywhere: its bounding box is never tested
            Operator::Blend | Operator::Warp { .. } | Operator::Replace(_) => {
                Hierarchy::new(&children.iter().map(area_of).collect::<Vec<_>>())
            }
            _ => Hierarchy::default(),
        };
        let slot = self.slots;
        self.slots += 1;
        let has_material = self.has_material(&children);
        let mut node = ProgramNode { operator, area, key, children, hierarchy, slot, has_material };
        node.area = node.outward(area);
        self.nodes.push(node);
        Some(self.nodes.len() as u32 - 1)
    }

    /// Adds an operator around one child.
    fn put_around(&mut self, child: u32, operator: Operator) -> u32 {
        let ProgramNode { area, has_material, .. } = self.nodes[child as usize];
        let key = xxh3_64(format!("{operator:?}").as_bytes());
        let slot = self.slots;
        self.slots += 1;
        let (children, hierarchy) = (vec![child], Hierarchy::default());
        let mut node = ProgramNode { operator, area, key, children, hierarchy, slot, has_material };
        node.area = node.outward(area);
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Adds the pieces of an array or a scatter once for each variant in use, and their copies.
    fn add_copies(&mut self, piece: &Piece, at: &PieceLocation, frame: NodeFrame, depth: usize) -> Option<u32> {
        let (copies, overlap) = match piece.copies(frame.seed)? {
            Ok(made) => made,
            Err(problem) => {
                self.problems.push(format!("{at}: {problem}"));
                return None;
            }
        };
        self.count += copies.len();
        if self.count > MOST_PIECES {
            self.problems.push(format!("{at}: with its copies the construction has more than {MOST_PIECES} features"));
            return None;
        }
        let mut variants = BTreeMap::new();
        let (mut placed, mut children) = (Vec::with_capacity(copies.len()), Vec::new());
        let mut key = Xxh3::new();
        for copy in &copies {
            let child = *variants.entry(copy.variant).or_insert_with(|| {
                let inner = NodeFrame::new(varied(frame.seed, copy.variant)).made_of(frame.material);
                let child = self.add_group(Operator::Blend, piece, at, inner, depth)?;
                children.push(child);
                Some(children.len() as u32 - 1)
            });
            let frame = frame.placed(&copy.map, (copy.rise, copy.lift), frame.seed);
            let (Some(child), Some(frame)) = (child, frame) else { continue };
            let own = self.nodes[children[child as usize] as usize].area;
            let area = frame.inward.inverse().area(&own);
            frame.bits().iter().for_each(|bits| key.update(&bits.to_le_bytes()));
            key.update(&child.to_le_bytes());
            placed.push(ProgramCopy { frame, area, child });
        }
        if placed.is_empty() {
            return None;
        }
        let areas: Vec<Area> = placed.iter().map(|copy| copy.area).collect();
        key.update(format!("{overlap:?}").as_bytes());
        let slot = self.slots;
        self.slots += 1;
        let has_material = self.has_material(&children);
        self.nodes.push(ProgramNode {
            has_material,
            area: areas.iter().copied().fold(Area::EMPTY, Area::union),
            hierarchy: Hierarchy::new(&areas),
            operator: Operator::Repeat(NodeCopies { copies: placed, overlap }),
            key: key.digest(),
            children,
            slot,
        });
        Some(self.nodes.len() as u32 - 1)
    }

    fn has_material(&self, children: &[u32]) -> bool {
        children.iter().any(|child| self.nodes[*child as usize].has_material)
    }

    /// Hash of a primitive's parameters.
    fn hash_of(&mut self, piece: &Piece) -> u64 {
        let address = std::ptr::from_ref(piece) as usize;
        if let Some(known) = self.hashes.get(&address) {
            return *known;
        }
        let mut hasher = TextHasher(Xxh3::new());
        let _ = write!(hasher, "{:?}", piece.form);
        let hash = hasher.0.digest();
        if self.repeats > 0 {
            self.hashes.insert(address, hash);
        }
        hash
    }

    fn add_leaf(&mut self, piece: &Piece, at: &PieceLocation, frame: NodeFrame) -> Option<u32> {
        let mut made_of = self.hash_of(piece);
        let image_file = match piece.image_file() {
            None => None,
            Some(file) if file.0.is_empty() => return None,
            Some(file) => match talweg_ground::io::raster(&file.0) {
                Ok(raster) => {
                    made_of = xxh3_64(format!("{made_of:x} {:x}", raster.hash).as_bytes());
                    Some(raster)
                }
                Err(error) => {
                    self.problems.push(format!("{at}: {error}"));
                    return None;
                }
            },
        };
        let weights = match piece.weight_file().map(|file| talweg_ground::io::raster(&file.0)) {
            None => None,
            Some(Ok(raster)) => {
                made_of = xxh3_64(format!("{made_of:x} {:x}", raster.hash).as_bytes());
                Some(ImageSampler::new(raster))
            }
            Some(Err(error)) => {
                self.problems.push(format!("{at}: {error}"));
                return None;
            }
        };
        // the seed is the only part of the frame that changes a prepared primitive
        let made_of = made_of ^ u64::from(frame.seed);
        let leaf = match (self.known.get(&made_of), &piece.form, image_file) {
            (Some(leaf), ..) => leaf.clone(),
            (None, form, image_file) => Arc::new(match (form, image_file.map(ImageSampler::new)) {
                (PieceKind::Disc(disc), _) => PreparedPrimitive::Disc(disc.prepare(frame.seed)),
                (PieceKind::Curve(curve), _) if !curve.points.is_empty() => {
                    PreparedPrimitive::Curve(Box::new(curve.prepare()))
                }
                (PieceKind::Contour(contour), _) => {
                    match contour.outline() {
                        Err(error) => {
                            self.problems.push(format!("{at}: {error}; until then its points are sorted by direction"))
                        }
                        Ok(None) if !contour.goes_around() => self.problems.push(format!(
                            "{at}: its points do not go once around its centre, so its line differs from the one drawn; \
                             set its outline to Smooth or Straight"
                        )),
                        Ok(_) => {}
                    }
                    PreparedPrimitive::Contour(Box::new(contour.prepare()))
                }
                (PieceKind::Ribbon(ribbon), Some(image_file)) if !ribbon.points.is_empty() => {
                    PreparedPrimitive::Ribbon(Box::new(ribbon.prepare(image_file)))
                }
                (PieceKind::Image(image), Some(image_file)) => match image.prepare(image_file, weights) {
                    Some(image) => PreparedPrimitive::Image(Box::new(image)),
                    None => {
                        self.problems
                            .push(format!("{at}: the corners must form a convex quadrangle, in order around it"));
                        return None;
                    }
                },
                _ => return None,
            }),
        };
        self.known.insert(made_of, leaf.clone());
        let area = frame.inward.inverse().area(&leaf.area());
        let mut key = Xxh3::new();
        key.update(&made_of.to_le_bytes());
        frame.bits().iter().for_each(|bits| key.update(&bits.to_le_bytes()));
        let has_material = frame.material != PieceMaterial::Unset;
        if has_material {
            key.update(&[frame.material as u8]);
        }
        let key = key.digest();
        let operator = Operator::Leaf { leaf, made_of, frame };
        self.nodes.push(ProgramNode {
            has_material,
            operator,
            area,
            key,
            children: Vec::new(),
            hierarchy: Hierarchy::default(),
            slot: 0,
        });
        Some(self.nodes.len() as u32 - 1)
    }
}

/// The frame inside a placement; `None` if its scale is almost 0 (or far too large).
fn placed(frame: &NodeFrame, placement: &Placement) -> Option<NodeFrame> {
    frame.placed(&placement.map(), placement.heights(), varied(frame.seed, placement.variation))
}

/// The seed of a variation: other random values, the same parameters.
fn varied(seed: u32, variation: u32) -> u32 {
    seed.wrapping_add(variation.wrapping_mul(0x9e37_79b1))
}
