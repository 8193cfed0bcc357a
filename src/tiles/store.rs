//! The tiles of a build as files, each written whole or not at all, and verified by each read.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::TileError;
use super::plan::{StageProduct, TilePlan};
use super::tile_file::{
    OpenTile, ReadFailure, ReadTile, TileContent, TileFault, TileHead, TileId, TileInputs, TileName, write_samples,
    write_words,
};
use crate::field::{Grid, MapKind, Region, Terrain};

/// The folder of a plan with its tiles.
#[derive(Clone, Debug)]
pub struct TileStore {
    folder: PathBuf,
    scene: u128,
    plan: u128,
    /// For a task: the tiles that it may read, and the first file that it writes.
    task: Option<Arc<TaskFiles>>,
}

/// The files of a task.
#[derive(Debug)]
struct TaskFiles {
    inputs: TileInputs,
    /// The tile whose file lists the inputs.
    first: TileId,
}

impl TileStore {
    /// The store of a plan in a folder.
    pub fn new(folder: impl Into<PathBuf>, plan: &TilePlan) -> Self {
        Self { folder: folder.into(), scene: plan.scene_bits(), plan: plan.key(), task: None }
    }

    /// The folder of the plan.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The store for a task. It reads only `tiles`, in their present state, and the file of the tile `first` lists
    /// them.
    ///
    /// # Errors
    /// If a tile does not exist yet, is bad or cannot be read.
    pub(super) fn of_task(&self, tiles: Vec<TileId>, first: TileId) -> Result<Self, TileError> {
        let read = |tile| Ok(ReadTile { tile, hash: self.open(tile)?.hash });
        let mut inputs = tiles.into_iter().map(read).collect::<Result<Vec<_>, TileError>>()?;
        inputs.sort_unstable();
        inputs.dedup();
        Ok(Self { task: Some(Arc::new(TaskFiles { inputs: TileInputs::new(inputs), first })), ..self.clone() })
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

    fn path_of(&self, tile: TileId) -> PathBuf {
        self.path(tile.product, tile.place)
    }

    fn name(&self, tile: TileId) -> TileName {
        TileName { scene: self.scene, plan: self.plan, tile }
    }

    /// The error for a tile whose file cannot be used.
    pub(super) fn failed(&self, tile: TileId, failure: ReadFailure) -> TileError {
        let path = self.path_of(tile);
        match failure {
            ReadFailure::Fault(TileFault::Missing) => TileError::Missing { tile, path },
            ReadFailure::Fault(fault) => TileError::BadTile { tile, path, fault },
            ReadFailure::System(source) => TileError::Read { path, source },
        }
    }

    /// Opens a tile and checks that its head names this tile of this plan. For a task, also checks that the tile has
    /// not changed since the task started.
    pub(super) fn open(&self, tile: TileId) -> Result<OpenTile, TileError> {
        let failed = |fault: TileFault| self.failed(tile, fault.into());
        let open = OpenTile::open(&self.path_of(tile), &self.name(tile)).map_err(|error| self.failed(tile, error))?;
        if let Some(task) = &self.task {
            let inputs = &task.inputs.tiles;
            match inputs.binary_search_by_key(&tile, |read| read.tile) {
                Err(_) => return Err(failed(TileFault::Unplanned)),
                Ok(index) if inputs[index].hash != open.hash => return Err(failed(TileFault::Replaced)),
                Ok(_) => {}
            }
        }
        Ok(open)
    }

    /// As [`open`](Self::open), for a tile of fields; also checks that the tile has the samples that the plan says.
    pub(super) fn open_fields(&self, plan: &TilePlan, tile: TileId) -> Result<OpenTile, TileError> {
        let open = self.open(tile)?;
        let region = plan.region(tile.product.stage(), tile.place);
        match open.head.content {
            TileContent::Fields { rows, columns, .. }
                if (rows, columns) == (region.rows.len(), region.columns.len()) =>
            {
                Ok(open)
            }
            _ => Err(self.failed(tile, TileFault::OtherShape.into())),
        }
    }

    /// The survey data of a tile as 64-bit words: the tile's summary, or the answer for the tile.
    ///
    /// # Errors
    /// If the file does not exist yet, is not this tile, is damaged, or cannot be read.
    pub fn words(&self, product: StageProduct, place: [usize; 2]) -> Result<Vec<u64>, TileError> {
        let tile = TileId { product, place };
        self.open(tile)?.read_words().map_err(|error| self.failed(tile, error))
    }

    /// Writes the survey data of a tile, given as 64-bit words.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_words(&self, product: StageProduct, place: [usize; 2], words: &[u64]) -> Result<(), TileError> {
        let tile = TileId { product, place };
        let path = self.path_of(tile);
        self.make_folder(&path)?;
        Ok(write_words(&path, &self.head(tile, TileContent::Words(words.len())), words)?)
    }

    /// The head of a tile that is written now.
    fn head(&self, tile: TileId, content: TileContent) -> TileHead {
        let inputs = self.task.as_ref().map_or_else(
            || TileInputs::new(Vec::new()),
            |task| if task.first == tile { task.inputs.clone() } else { task.inputs.hash_only() },
        );
        TileHead { name: self.name(tile), content, inputs }
    }

    /// Creates the folder that contains the file `path`.
    fn make_folder(&self, path: &Path) -> Result<(), TileError> {
        let folder = path.parent().unwrap_or(&self.folder);
        std::fs::create_dir_all(folder).map_err(|source| TileError::Folder { path: folder.into(), source })
    }

    /// Writes the samples of a tile, which are inside the window of `terrain`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        place: [usize; 2],
        terrain: &Terrain,
    ) -> Result<(), TileError> {
        let region = plan.region(product.stage(), place);
        let kinds = terrain.maps().map(|(kind, _)| kind).collect();
        let fields =
            std::iter::once(&terrain.height).chain(terrain.maps().map(|(_, map)| &**map)).chain(&terrain.process_state);
        let fields: Vec<&[f32]> = fields.map(Vec::as_slice).collect();
        let [first_row, first_column] = terrain.grid.first();
        let columns = region.columns.start - first_column..region.columns.end - first_column;
        let above = region.rows.start - first_row;
        let row = |field: usize, row: usize| &terrain.grid.row(fields[field], above + row)[columns.clone()];
        self.write_rows(plan, TileId { product, place }, (kinds, terrain.process_state.len()), row)
    }

    /// Writes a field of a tile, row by row.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_field(
        &self,
        plan: &TilePlan,
        product: StageProduct,
        place: [usize; 2],
        field: &[f32],
    ) -> Result<(), TileError> {
        let columns = plan.region(product.stage(), place).columns.len();
        let row = |_: usize, row: usize| &field[row * columns..][..columns];
        self.write_rows(plan, TileId { product, place }, (Vec::new(), 0), row)
    }

    /// Writes a tile. `row` returns a row of a field, numbered in the tile. Field 0 is the heights; the maps of `kinds`
    /// and the `states` of an unfinished process follow.
    fn write_rows<'a>(
        &self,
        plan: &TilePlan,
        tile: TileId,
        (kinds, states): (Vec<MapKind>, usize),
        row: impl Fn(usize, usize) -> &'a [f32],
    ) -> Result<(), TileError> {
        let region = plan.region(tile.product.stage(), tile.place);
        let content = TileContent::Fields { rows: region.rows.len(), columns: region.columns.len(), kinds, states };
        let path = self.path_of(tile);
        self.make_folder(&path)?;
        Ok(write_samples(&path, &self.head(tile, content), row)?)
    }

    /// The product of a stage on the window `grid` of the product's whole grid.
    ///
    /// # Errors
    /// If a tile does not exist yet, is not the tile that was asked for, is damaged, or cannot be read.
    pub fn window(&self, plan: &TilePlan, product: StageProduct, grid: Grid) -> Result<Terrain, TileError> {
        Ok(terrain_of_fields(grid, self.fields(plan, product, &window_region(grid))?))
    }

    /// As [`window`](Self::window), with only the heights and some of the data maps.
    ///
    /// # Errors
    /// If a tile does not exist yet, is not the tile that was asked for, is damaged, or cannot be read.
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
    /// If a tile does not exist yet, is not the tile that was asked for, is damaged, or cannot be read.
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
    /// If a tile does not exist yet, is not the tile that was asked for, is damaged, or cannot be read.
    pub fn heights(&self, plan: &TilePlan, product: StageProduct, wanted: &Region) -> Result<Vec<f32>, TileError> {
        let (_, fields) = self.some_fields(plan, product, wanted, &|field, _| field == 0)?;
        Ok(fields.into_iter().next().unwrap_or_default())
    }

    /// As [`fields`](Self::fields), but reads only the fields that the closure selects by index and map kinds; the
    /// others are empty.
    ///
    /// # Errors
    /// If a tile does not exist yet, is not the tile that was asked for, is damaged, or cannot be read.
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
            if !own.overlaps(wanted) {
                continue;
            }
            let tile = TileId { product, place };
            let mut file = self.open_fields(plan, tile)?;
            let TileContent::Fields { kinds: of_tile, states: tile_states, .. } = file.head.content.clone() else {
                continue;
            };
            match &kinds {
                None => {
                    let numbers = 0..file.head.content.fields();
                    let len = |k: usize| if is_read(k, &of_tile) { wanted.len() } else { 0 };
                    fields = numbers.map(|k| vec![0.0; len(k)]).collect();
                    kinds = Some((of_tile, tile_states));
                }
                Some((kinds, states)) if (kinds, *states) != (&of_tile, tile_states) => {
                    return Err(TileError::OtherMaps { path: self.path_of(tile) });
                }
                Some(_) => {}
            }
            for (number, field) in fields.iter_mut().enumerate().filter(|(_, field)| !field.is_empty()) {
                let made = copy_samples(&mut file, number, (&own, wanted), field);
                made.map_err(|error| self.failed(tile, error))?;
            }
        }
        Ok((kinds.unwrap_or_default().0, fields))
    }
}

/// Copies samples of a tile's field into a field of the region `wanted`. The copied samples are those in both `wanted`
/// and `own`, the region of the tile.
fn copy_samples(
    file: &mut OpenTile,
    number: usize,
    (own, wanted): (&Region, &Region),
    field: &mut [f32],
) -> Result<(), ReadFailure> {
    let shared = |own: &Range<usize>, wanted: &Range<usize>| {
        own.start.max(wanted.start) - own.start..own.end.min(wanted.end) - own.start
    };
    let part = (shared(&own.rows, &wanted.rows), shared(&own.columns, &wanted.columns));
    file.read_samples(number, part, &mut |row, column, samples| {
        let down = own.rows.start + row - wanted.rows.start;
        let first = down * wanted.columns.len() + own.columns.start + column - wanted.columns.start;
        let samples = samples.iter().map(|bytes| f32::from_le_bytes(*bytes));
        field[first..].iter_mut().zip(samples).for_each(|(value, sample)| *value = sample);
    })
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
