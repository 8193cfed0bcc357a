//! The feed of finished terrains: the latest one, and the programs that wait for the next one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use talweg::export::maps::ExportMap;
use talweg::field::Terrain;
use talweg::scene::Scene;
use tokio::sync::watch;

/// A terrain whose evaluation has finished, with its scene.
#[derive(Debug)]
pub struct FinishedTerrain {
    /// Number of this terrain in the feed, from 1.
    pub revision: u64,
    /// The scene from which the terrain was evaluated.
    pub scene: Scene,
    /// Heights and data maps.
    pub terrain: Arc<Terrain>,
    hash: OnceLock<u128>,
}

impl FinishedTerrain {
    /// The terrain with the number `revision`.
    pub fn new(revision: u64, scene: Scene, terrain: Arc<Terrain>) -> Self {
        Self { revision, scene, terrain, hash: OnceLock::new() }
    }

    /// Content hash of the terrain with 32 hexadecimal digits, the same on every computer.
    pub fn hash_text(&self) -> String {
        format!("{:032x}", self.hash.get_or_init(|| self.terrain.hash()))
    }

    /// The description of the terrain in answers: name, size, heights in metres, and the names of its maps.
    pub fn description(&self) -> Value {
        let settings = &self.scene.settings;
        let relief = settings.relief_metres;
        let (low, high) = self.terrain.range();
        let maps: Vec<String> = ExportMap::of_scene(&self.scene).iter().map(ExportMap::to_string).collect();
        json!({
            "program": "talweg",
            "program_version": env!("CARGO_PKG_VERSION"),
            "revision": self.revision,
            "hash": self.hash_text(),
            "name": self.scene.name,
            "samples": self.terrain.samples(),
            "size_metres": self.scene.side_metres(),
            "relief_metres": relief,
            "sea_metres": settings.sea_level,
            "lowest_metres": low * relief,
            "highest_metres": high * relief,
            "is_planet": self.scene.is_planet(),
            "maps": maps,
        })
    }
}

/// Passes finished terrains to the programs that follow. Clones share one feed.
#[derive(Clone, Debug)]
pub struct TerrainFeed {
    latest: Arc<watch::Sender<Option<Arc<FinishedTerrain>>>>,
    followers: Arc<AtomicUsize>,
}

impl Default for TerrainFeed {
    fn default() -> Self {
        Self { latest: Arc::new(watch::Sender::new(None)), followers: Arc::default() }
    }
}

impl TerrainFeed {
    /// Passes on a terrain. A terrain that is already the latest one is not passed on again.
    pub fn publish(&self, scene: &Scene, terrain: &Arc<Terrain>) {
        self.latest.send_if_modified(|latest| {
            let is_known = |known: &Arc<FinishedTerrain>| Arc::ptr_eq(&known.terrain, terrain) && known.scene == *scene;
            if latest.as_ref().is_some_and(is_known) {
                return false;
            }
            let revision = latest.as_ref().map_or(1, |known| known.revision + 1);
            *latest = Some(Arc::new(FinishedTerrain::new(revision, scene.clone(), Arc::clone(terrain))));
            true
        });
    }

    /// The latest terrain.
    pub fn latest(&self) -> Option<Arc<FinishedTerrain>> {
        self.latest.borrow().clone()
    }

    /// Number of programs that wait for the next terrain at this moment.
    pub fn followers(&self) -> usize {
        self.followers.load(Ordering::Relaxed)
    }

    /// Waits for a terrain with a higher number than `revision`.
    pub(crate) async fn next(&self, revision: u64) -> Option<Arc<FinishedTerrain>> {
        let _waiting = WaitingFollower::new(&self.followers);
        let mut receiver = self.latest.subscribe();
        let is_newer = |known: &Option<Arc<FinishedTerrain>>| known.as_ref().is_some_and(|k| k.revision > revision);
        receiver.wait_for(is_newer).await.ok()?.clone()
    }
}

/// Counts a waiting program as long as it exists.
struct WaitingFollower<'a>(&'a AtomicUsize);

impl<'a> WaitingFollower<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for WaitingFollower<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
