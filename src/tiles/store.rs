//! The tiles of a build as files.
//!
//! A tile is one file, written whole or not at all. The file starts with the tile's place in the plan, its rows and
//! columns, and the list of its fields. Heights, data maps and the state of an unfinished process follow row by row as
//! little-endian floats. The file ends with the hash of all preceding bytes (XXH3-128). A part of a tile can be read
//! without the rest.
//!
//! A drainage summary is a file with the same guarantees: its place in the plan, the number of its 64-bit words, the
//! words, and the hash of all preceding bytes.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::TileError;
use super::plan::{StageProduct, TilePlan};
use crate::field::{Grid, MapKind, Region, Terrain};
use crate::io::write_atomically;

const MAGIC: [u8; 8] = *b"TalwegT2";
/// Bytes of the file before the list of map kinds.
const HEAD: usize = 8 + 16 + 8 + 8 + 4 + 4;
const HASH: usize = 16;
/// Maximum number of state fields of an unfinished process.
const MOST_STATES: usize = 64;
const WORDS_MAGIC: [u8; 8] = *b"TalwegW1";
/// Bytes of the file before the 64-bit words.
const WORDS_HEAD: usize = 8 + 16 + 8;
/// Number of 64-bit words read or written at once.
const WORDS_AT_ONCE: usize = 1 << 14;

/// The folder of a plan with its tiles.
#[derive(Clone, Debug)]
pub struct TileStore {
    folder: PathBuf,
}

/// The head of a tile's file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TileHead {
    key: u128,
    rows: usize,
    columns: usize,
    kinds: Vec<MapKind>,
    /// Number of state fields of an unfinished process, which follow the maps.
    states: usize,
}

impl TileHead {
    fn bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(self.key.to_le_bytes());
        out.extend((self.rows as u64).to_le_bytes());
        out.extend((self.columns as u64).to_le_bytes());
        out.extend((self.kinds.len() as u32).to_le_bytes());
        out.extend((self.states as u32).to_le_bytes());
        out.extend(self.kinds.iter().map(|&kind| kind as u8));
        out
    }

    fn len(&self) -> u64 {
        (HEAD + self.kinds.len()) as u64
    }

    /// Length of the file in bytes.
    fn file_len(&self) -> u64 {
        self.len() + 4 * (self.rows * self.columns * self.fields()) as u64 + HASH as u64
    }

    fn fields(&self) -> usize {
        1 + self.kinds.len() + self.states
    }

    /// Reads the head; `None` for a file that is not a tile or is incomplete.
    fn read(file: &mut File) -> std::io::Result<Option<Self>> {
        let length = file.metadata()?.len();
        let mut head = [0; HEAD];
        match file.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let number = |first: usize| u64::from_le_bytes(std::array::from_fn(|k| head[first + k]));
        let [count, states] =
            [40, 44].map(|first| u32::from_le_bytes(std::array::from_fn(|k| head[first + k])) as usize);
        if head[..8] != MAGIC || count > MapKind::COUNT || states > MOST_STATES {
            return Ok(None);
        }
        let mut numbers = vec![0; count];
        file.read_exact(&mut numbers)?;
        let kinds: Option<Vec<_>> = numbers.iter().map(|&kind| MapKind::ALL.get(kind as usize).copied()).collect();
        let made = kinds.map(|kinds| Self {
            key: u128::from_le_bytes(std::array::from_fn(|k| head[8 + k])),
            rows: number(24) as usize,
            columns: number(32) as usize,
            kinds,
            states,
        });
        Ok(made.filter(|head| head.rows < 1 << 24 && head.columns < 1 << 24 && head.file_len() == length))
    }
}

impl TileStore {
    /// The store in the folder of a plan.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder of the plan.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Path of the file of a tile, given by the tile's row and column.
    pub fn path(&self, product: StageProduct, [row, column]: [usize; 2]) -> PathBuf {
        let folder = self.folder.join(format!("stage-{:03}", product.stage()));
        match product {
            StageProduct::Ground(_) => folder.join(format!("ground-{row}-{column}.tile")),
            StageProduct::Change(_, layer) => folder.join(format!("change-{layer}-{row}-{column}.tile")),
            StageProduct::Survey(_) => folder.join(format!("water-{row}-{column}.words")),
            StageProduct::Field(_) => folder.join(format!("field-{row}-{column}.tile")),
            StageProduct::Kept(_) => folder.join(format!("kept-{row}-{column}.words")),
        }
    }

    /// The hash of a tile's file if the file is complete and belongs to this plan; `None` otherwise. Reads the whole
    /// file.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn hash(&self, plan: &TilePlan, product: StageProduct, place: [usize; 2]) -> Result<Option<u128>, TileError> {
        if let StageProduct::Survey(_) | StageProduct::Kept(_) = product {
            return Ok(self.checked_words(plan, product, place)?.map(|(_, hash)| hash));
        }
        let path = self.path(product, place);
        let failed = |source| TileError::Read { path: path.clone(), source };
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(failed)?,
        };
        let Some(head) = TileHead::read(&mut file).map_err(failed)?.filter(|head| is_of(head, plan, product, place))
        else {
            return Ok(None);
        };
        let mut hasher = Xxh3::new();
        hasher.update(&head.bytes());
        let mut left = head.file_len() - head.len() - HASH as u64;
        let mut buffer = vec![0; 1 << 20];
        while left > 0 {
            let count = buffer.len().min(left as usize);
            file.read_exact(&mut buffer[..count]).map_err(failed)?;
            hasher.update(&buffer[..count]);
            left -= count as u64;
        }
        let mut said = [0; HASH];
        file.read_exact(&mut said).map_err(failed)?;
        let found = hasher.digest128();
        Ok((u128::from_le_bytes(said) == found).then_some(found))
    }

    /// The 64-bit words and the hash of a file, if the file is complete and belongs to this plan.
    fn checked_words(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        place: [usize; 2],
    ) -> Result<Option<(Vec<u64>, u128)>, TileError> {
        let path = self.path(product, place);
        let failed = |source| TileError::Read { path: path.clone(), source };
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(failed)?,
        };
        let bytes = file.metadata().map_err(failed)?.len();
        let Some(bytes) = bytes.checked_sub((WORDS_HEAD + HASH) as u64) else { return Ok(None) };
        let mut head = [0; WORDS_HEAD];
        file.read_exact(&mut head).map_err(failed)?;
        let count = (bytes / 8) as usize;
        if !bytes.is_multiple_of(8) || head != words_head(plan, product, place, count) {
            return Ok(None);
        }
        let mut hasher = Xxh3::new();
        hasher.update(&head);
        let mut words = Vec::with_capacity(count);
        let mut buffer = vec![0; WORDS_AT_ONCE * 8];
        while words.len() < count {
            let some = &mut buffer[..8 * (count - words.len()).min(WORDS_AT_ONCE)];
            file.read_exact(some).map_err(failed)?;
            hasher.update(some);
            words.extend(some.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        }
        let mut said = [0; HASH];
        file.read_exact(&mut said).map_err(failed)?;
        let found = hasher.digest128();
        Ok((u128::from_le_bytes(said) == found).then_some((words, found)))
    }

    /// The survey data of a tile as 64-bit words: the tile's summary, or the answer for the tile.
    ///
    /// # Errors
    /// If the file does not exist yet, or cannot be read.
    pub fn words(&self, plan: &TilePlan, product: StageProduct, place: [usize; 2]) -> Result<Vec<u64>, TileError> {
        let missing = || TileError::Missing { product, place, path: self.path(product, place) };
        self.checked_words(plan, product, place)?.map(|(words, _)| words).ok_or_else(missing)
    }

    /// Writes the survey data of a tile, given as 64-bit words; returns the hash of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_words(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        place: [usize; 2],
        words: &[u64],
    ) -> Result<u128, TileError> {
        let path = self.path(product, place);
        self.make_folder(&path)?;
        let head = words_head(plan, product, place, words.len());
        let mut hasher = Xxh3::new();
        hasher.update(&head);
        write_atomically(&path, |file| {
            file.write_all(&head)?;
            let mut bytes: Vec<[u8; 8]> = Vec::with_capacity(WORDS_AT_ONCE);
            for words in words.chunks(WORDS_AT_ONCE) {
                bytes.clear();
                bytes.extend(words.iter().map(|word| word.to_le_bytes()));
                hasher.update(bytes.as_flattened());
                file.write_all(bytes.as_flattened())?;
            }
            file.write_all(&hasher.digest128().to_le_bytes())
        })?;
        Ok(hasher.digest128())
    }

    /// Creates the folder that contains the file `path`.
    fn make_folder(&self, path: &Path) -> Result<(), TileError> {
        let folder = path.parent().unwrap_or(&self.folder);
        std::fs::create_dir_all(folder).map_err(|source| TileError::Folder { path: folder.into(), source })
    }

    /// Writes the samples of a tile, which are inside the window of `terrain`; returns the hash of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        place: [usize; 2],
        terrain: &Terrain,
    ) -> Result<u128, TileError> {
        let region = plan.region(product.stage(), place);
        let kinds = terrain.maps().map(|(kind, _)| kind).collect();
        let fields =
            std::iter::once(&terrain.height).chain(terrain.maps().map(|(_, map)| &**map)).chain(&terrain.process_state);
        let fields: Vec<&[f32]> = fields.map(Vec::as_slice).collect();
        let [first_row, first_column] = terrain.grid.first();
        let columns = region.columns.start - first_column..region.columns.end - first_column;
        let row = |field: usize, row: usize| &terrain.grid.row(fields[field], row - first_row)[columns.clone()];
        self.write_rows(plan, product, place, (kinds, terrain.process_state.len()), row)
    }

    /// Writes a field of a tile, row by row; returns the hash of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_field(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        place: [usize; 2],
        field: &[f32],
    ) -> Result<u128, TileError> {
        let Region { rows, columns } = plan.region(product.stage(), place);
        let row = |_: usize, row: usize| &field[(row - rows.start) * columns.len()..][..columns.len()];
        self.write_rows(plan, product, place, (Vec::new(), 0), row)
    }

    /// Writes a tile. `row` returns the samples of a field in a row of the whole terrain. Field 0 is the heights; the
    /// maps of `kinds` and the `states` of an unfinished process follow.
    fn write_rows<'a>(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        place: [usize; 2],
        (kinds, states): (Vec<MapKind>, usize),
        row: impl Fn(usize, usize) -> &'a [f32],
    ) -> Result<u128, TileError> {
        let region = plan.region(product.stage(), place);
        let (rows, columns) = (region.rows.len(), region.columns.len());
        let head = TileHead { key: plan.stage_key(product.stage()), rows, columns, kinds, states };
        let fields = head.fields();
        let path = self.path(product, place);
        self.make_folder(&path)?;
        let mut hasher = Xxh3::new();
        write_atomically(&path, |file| {
            let bytes = head.bytes();
            hasher.update(&bytes);
            file.write_all(&bytes)?;
            let mut line: Vec<[u8; 4]> = Vec::with_capacity(columns);
            for (field, number) in (0..fields).flat_map(|field| region.rows.clone().map(move |row| (field, row))) {
                line.clear();
                line.extend(row(field, number).iter().map(|value| value.to_le_bytes()));
                hasher.update(line.as_flattened());
                file.write_all(line.as_flattened())?;
            }
            file.write_all(&hasher.digest128().to_le_bytes())
        })?;
        Ok(hasher.digest128())
    }

    /// The product of a stage on the window `grid` of the product's whole grid.
    ///
    /// # Errors
    /// If a tile does not exist yet, or cannot be read.
    pub fn window(&self, plan: &TilePlan, product: StageProduct, grid: Grid) -> Result<Terrain, TileError> {
        Ok(terrain_of_fields(grid, self.fields(plan, product, &window_region(grid))?))
    }

    /// As [`window`](Self::window), with only the heights and some of the data maps.
    ///
    /// # Errors
    /// If a tile does not exist yet, or cannot be read.
    pub fn window_of_maps(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        grid: Grid,
        maps: &[MapKind],
    ) -> Result<Terrain, TileError> {
        let is_read = |field: usize, kinds: &[MapKind]| match field.checked_sub(1) {
            None => true,
            Some(number) => kinds.get(number).is_some_and(|kind| maps.contains(kind)),
        };
        Ok(terrain_of_fields(grid, self.some_fields(plan, product, &window_region(grid), &is_read)?))
    }

    /// Reads samples of a stage's product row by row. Returns the kinds of its data maps, then the fields: the heights,
    /// the data maps, and the state of an unfinished process.
    ///
    /// # Errors
    /// If a tile does not exist yet, or cannot be read.
    pub fn fields(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        wanted: &Region,
    ) -> Result<(Vec<MapKind>, Vec<Vec<f32>>), TileError> {
        self.some_fields(plan, product, wanted, &|_, _| true)
    }

    /// Reads the first field of some samples of a stage's product, row by row: the heights, or the product's only
    /// field.
    ///
    /// # Errors
    /// If a tile does not exist yet, or cannot be read.
    pub fn heights(&self, plan: &TilePlan, product: StageProduct, wanted: &Region) -> Result<Vec<f32>, TileError> {
        let (_, fields) = self.some_fields(plan, product, wanted, &|field, _| field == 0)?;
        Ok(fields.into_iter().next().unwrap_or_default())
    }

    /// As [`fields`](Self::fields), but reads only the fields that the closure selects by index and map kinds; the
    /// others are empty.
    ///
    /// # Errors
    /// If a tile does not exist yet, or cannot be read.
    pub fn some_fields(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        wanted: &Region,
        is_read: &dyn Fn(usize, &[MapKind]) -> bool,
    ) -> Result<(Vec<MapKind>, Vec<Vec<f32>>), TileError> {
        let mut kinds: Option<(Vec<MapKind>, usize)> = None;
        let mut fields: Vec<Vec<f32>> = Vec::new();
        let tiles = plan.tiles(product.stage());
        for place in (0..tiles * tiles).map(|k| [k / tiles, k % tiles]) {
            let own = plan.region(product.stage(), place);
            let rows = own.rows.start.max(wanted.rows.start)..own.rows.end.min(wanted.rows.end);
            let columns = own.columns.start.max(wanted.columns.start)..own.columns.end.min(wanted.columns.end);
            if rows.is_empty() || columns.is_empty() {
                continue;
            }
            let path = self.path(product, place);
            let missing = || TileError::Missing { product, place, path: path.clone() };
            let failed = |source: std::io::Error| match source.kind() {
                ErrorKind::NotFound => missing(),
                _ => TileError::Read { path: path.clone(), source },
            };
            let mut file = File::open(&path).map_err(failed)?;
            let head = TileHead::read(&mut file).map_err(failed)?.filter(|head| is_of(head, plan, product, place));
            let head = head.ok_or_else(missing)?;
            match &kinds {
                None => {
                    let numbers = 0..head.fields();
                    let len = |k: usize| if is_read(k, &head.kinds) { wanted.len() } else { 0 };
                    fields = numbers.map(|k| vec![0.0; len(k)]).collect();
                    kinds = Some((head.kinds.clone(), head.states));
                }
                Some((kinds, states)) if (kinds, *states) != (&head.kinds, head.states) => {
                    return Err(TileError::OtherMaps { path });
                }
                Some(_) => {}
            }
            let mut line = vec![0; 4 * columns.len()];
            for (number, field) in fields.iter_mut().enumerate().filter(|(_, field)| !field.is_empty()) {
                for row in rows.clone() {
                    let sample = (number * head.rows + row - own.rows.start) * head.columns;
                    let sample = sample + columns.start - own.columns.start;
                    file.seek(SeekFrom::Start(head.len() + 4 * sample as u64)).map_err(failed)?;
                    file.read_exact(&mut line).map_err(failed)?;
                    let first = (row - wanted.rows.start) * wanted.columns.len() + columns.start - wanted.columns.start;
                    for (value, bytes) in field[first..].iter_mut().zip(line.as_chunks::<4>().0) {
                        *value = f32::from_le_bytes(*bytes);
                    }
                }
            }
        }
        Ok((kinds.unwrap_or_default().0, fields))
    }
}

/// The samples that a window covers in its whole grid.
pub(super) fn window_region(window: Grid) -> Region {
    let [top, left] = window.first();
    Region { rows: top..top + window.samples, columns: left..left + window.samples }
}

/// Builds the terrain on `grid` from heights, maps of these `kinds` and states of a process. Fields that were not read
/// are empty.
fn terrain_of_fields(grid: Grid, (kinds, fields): (Vec<MapKind>, Vec<Vec<f32>>)) -> Terrain {
    let mut terrain = Terrain::flat(grid);
    let mut fields = fields.into_iter();
    terrain.height = fields.next().unwrap_or_default();
    for (kind, map) in kinds.into_iter().zip(&mut fields).filter(|(_, map)| !map.is_empty()) {
        terrain.set_map(kind, Some(Arc::new(map)));
    }
    terrain.process_state = fields.filter(|state| !state.is_empty()).collect();
    terrain
}

/// The head of a file with `words` 64-bit words. The head includes the place in the plan, so that no file is mistaken
/// for another file.
fn words_head(plan: &TilePlan, product: StageProduct, [row, column]: [usize; 2], words: usize) -> [u8; WORDS_HEAD] {
    let kind = u128::from(matches!(product, StageProduct::Kept(_))) << 127;
    let key = plan.stage_key(product.stage()) ^ kind ^ (row as u128) << 64 ^ column as u128;
    let mut head = [0; WORDS_HEAD];
    head[..8].copy_from_slice(&WORDS_MAGIC);
    head[8..24].copy_from_slice(&key.to_le_bytes());
    head[24..].copy_from_slice(&(words as u64).to_le_bytes());
    head
}

/// Whether the head belongs to this tile of this plan.
fn is_of(head: &TileHead, plan: &TilePlan, product: StageProduct, place: [usize; 2]) -> bool {
    let region = plan.region(product.stage(), place);
    head.key == plan.stage_key(product.stage())
        && (head.rows, head.columns) == (region.rows.len(), region.columns.len())
}
