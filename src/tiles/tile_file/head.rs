//! The head of a tile's file.

use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use super::{BLOCK, BLOCK_WORDS, HASH, TileFault};
use crate::field::MapKind;
use crate::tiles::StageProduct;

const MAGIC: [u8; 8] = *b"TalwegT3";
/// First bytes of the tile files of any version: files of fields, and files of words, which have a format of their own.
const ANY_VERSION: [&[u8]; 2] = [b"TalwegT", b"TalwegW"];
/// Bytes of the head before the list of data maps.
pub(super) const FIXED: usize = 8 + 2 * HASH + 5 * 4 + 4 * 4 + 8 + 4 + HASH;
/// Bytes of an entry in the list of tiles that the task read.
const READ_TILE: usize = 5 * 4 + HASH;
/// Maximum number of state fields of an unfinished process.
const MOST_STATES: u32 = 64;
/// Maximum samples per side and maximum number of words, so that no length overflows.
const MOST_SAMPLES: u32 = 1 << 24;
const MOST_WORDS: u64 = 1 << 40;

/// A tile of a plan: a product of a stage, and the row and column of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TileId {
    /// The product that the tile belongs to.
    pub product: StageProduct,
    /// Row and column of the tile.
    pub place: [usize; 2],
}

impl fmt::Display for TileId {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let Self { product, place: [row, column] } = self;
        write!(out, "tile {row}-{column} of the {product}")
    }
}

impl TileId {
    fn write(&self, out: &mut Vec<u8>) {
        let (kind, stage, layer) = match self.product {
            StageProduct::Ground(stage) => (0, stage, 0),
            StageProduct::Change(stage, layer) => (1, stage, layer),
            StageProduct::Survey(stage) => (2, stage, 0),
            StageProduct::Field(stage) => (3, stage, 0),
            StageProduct::Kept(stage) => (4, stage, 0),
        };
        for number in [kind, stage, layer, self.place[0], self.place[1]] {
            out.extend((number as u32).to_le_bytes());
        }
    }

    fn read(bytes: &mut HeadReader) -> Option<Self> {
        let [kind, stage, layer, row, column] = [(); 5].map(|()| bytes.number() as usize);
        let product = match kind {
            0 => StageProduct::Ground(stage),
            1 => StageProduct::Change(stage, layer),
            2 => StageProduct::Survey(stage),
            3 => StageProduct::Field(stage),
            4 => StageProduct::Kept(stage),
            _ => return None,
        };
        Some(Self { product, place: [row, column] })
    }
}

/// A tile of a certain plan of a certain scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileName {
    pub scene: u128,
    pub plan: u128,
    pub tile: TileId,
}

/// The data of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TileContent {
    /// Heights, data maps of these kinds, and state fields of an unfinished process.
    Fields { rows: usize, columns: usize, kinds: Vec<MapKind>, states: usize },
    /// 64-bit words of a survey.
    Words(usize),
}

impl TileContent {
    /// Number of fields.
    pub fn fields(&self) -> usize {
        match self {
            Self::Fields { kinds, states, .. } => 1 + kinds.len() + states,
            Self::Words(_) => 0,
        }
    }

    /// Bytes of all blocks.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Fields { rows, columns, .. } => 4 * (*rows as u64) * (*columns as u64) * self.fields() as u64,
            Self::Words(count) => 8 * *count as u64,
        }
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        match self {
            Self::Fields { rows, columns, .. } => rows.div_ceil(BLOCK) * columns.div_ceil(BLOCK) * self.fields(),
            Self::Words(count) => count.div_ceil(BLOCK_WORDS),
        }
    }
}

/// A tile that a task read, with the hash that it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadTile {
    pub tile: TileId,
    pub hash: u128,
}

/// The tiles that a task read. Only the first file of a task lists them; its other files have the hash of the list,
/// because a task for all tiles would otherwise write the list once per tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileInputs {
    pub hash: u128,
    pub tiles: Vec<ReadTile>,
}

impl TileInputs {
    pub fn new(tiles: Vec<ReadTile>) -> Self {
        Self { hash: xxh3_128(&list_bytes(&tiles)), tiles }
    }

    /// The same inputs as a hash alone.
    pub fn hash_only(&self) -> Self {
        Self { hash: self.hash, tiles: Vec::new() }
    }
}

fn list_bytes(tiles: &[ReadTile]) -> Vec<u8> {
    let mut out = Vec::with_capacity(READ_TILE * tiles.len());
    for read in tiles {
        read.tile.write(&mut out);
        out.extend(read.hash.to_le_bytes());
    }
    out
}

/// The head of a tile's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileHead {
    pub name: TileName,
    pub content: TileContent,
    pub inputs: TileInputs,
}

impl TileHead {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let (rows, columns, kinds, states, words) = match &self.content {
            TileContent::Fields { rows, columns, kinds, states } => (*rows, *columns, &kinds[..], *states, 0),
            TileContent::Words(words) => (0, 0, &[][..], 0, *words),
        };
        let mut out = MAGIC.to_vec();
        out.extend(self.name.scene.to_le_bytes());
        out.extend(self.name.plan.to_le_bytes());
        self.name.tile.write(&mut out);
        for number in [rows, columns, kinds.len(), states] {
            out.extend((number as u32).to_le_bytes());
        }
        out.extend((words as u64).to_le_bytes());
        out.extend((self.inputs.tiles.len() as u32).to_le_bytes());
        out.extend(self.inputs.hash.to_le_bytes());
        out.extend(kinds.iter().map(|&kind| kind as u8));
        out.extend(list_bytes(&self.inputs.tiles));
        out
    }

    /// Length of a whole head in bytes, known from its first [`FIXED`] bytes, and the length of its file.
    pub(super) fn lengths(fixed: &[u8; FIXED], file: u64) -> Result<(usize, u64), TileFault> {
        if fixed[..8] != MAGIC {
            let is_tile = ANY_VERSION.iter().any(|magic| fixed.starts_with(magic));
            return Err(if is_tile { TileFault::OtherFormat } else { TileFault::NotATile });
        }
        let mut bytes = HeadReader(&fixed[8 + 2 * HASH + 5 * 4..]);
        let [rows, columns, kinds, states] = [(); 4].map(|()| bytes.number());
        let (words, inputs) = (bytes.long(), bytes.number());
        let is_sound = rows.max(columns) <= MOST_SAMPLES && kinds as usize <= MapKind::COUNT && states <= MOST_STATES;
        if !is_sound || words > MOST_WORDS {
            return Err(TileFault::Head);
        }
        let content = match words {
            0 if rows > 0 => TileContent::Fields {
                rows: rows as usize,
                columns: columns as usize,
                kinds: vec![MapKind::ALL[0]; kinds as usize],
                states: states as usize,
            },
            _ => TileContent::Words(words as usize),
        };
        let head = FIXED as u64 + u64::from(kinds) + READ_TILE as u64 * u64::from(inputs);
        let wanted = head + content.bytes() + (HASH * (content.blocks() + 1)) as u64;
        match wanted == file {
            true => Ok((head as usize, wanted)),
            false => Err(TileFault::Length { bytes: file, wanted }),
        }
    }

    /// Reads a head whose lengths were checked and whose hash fits.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut bytes = HeadReader(bytes.get(8..)?);
        let (scene, plan) = (bytes.hash(), bytes.hash());
        let tile = TileId::read(&mut bytes)?;
        let [rows, columns, kinds, states] = [(); 4].map(|()| bytes.number() as usize);
        let (words, inputs, hash) = (bytes.long() as usize, bytes.number(), bytes.hash());
        let kind = |kind: &u8| MapKind::ALL.get(usize::from(*kind)).copied();
        let kinds: Vec<MapKind> = bytes.take(kinds).iter().map(kind).collect::<Option<_>>()?;
        let content = match words {
            0 if rows > 0 => TileContent::Fields { rows, columns, kinds, states },
            _ => TileContent::Words(words),
        };
        let input = |_| Some(ReadTile { tile: TileId::read(&mut bytes)?, hash: bytes.hash() });
        let tiles = (0..inputs).map(input).collect::<Option<Vec<_>>>()?;
        Some(Self { name: TileName { scene, plan, tile }, content, inputs: TileInputs { hash, tiles } })
    }

    /// Checks that this is the head of the tile that was asked for.
    pub(super) fn check_name(&self, asked: &TileName) -> Result<(), TileFault> {
        match self.name {
            TileName { scene, .. } if scene != asked.scene => Err(TileFault::OtherScene),
            TileName { plan, .. } if plan != asked.plan => Err(TileFault::OtherPlan),
            TileName { tile, .. } if tile != asked.tile => Err(TileFault::OtherTile(tile)),
            _ => Ok(()),
        }
    }
}

/// Bytes that are read from the front; numbers beyond the end are zero.
struct HeadReader<'a>(&'a [u8]);

impl<'a> HeadReader<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().unwrap_or([0; N])
    }

    fn number(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn long(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    fn hash(&mut self) -> u128 {
        u128::from_le_bytes(self.array())
    }
}
