//! Loads the image files of ground materials in the background. Each set is read once, and again after a file changed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use talweg::appearance::materials::image_texture::ImageTexture;
use talweg::appearance_files::{MOST_TEXTURE_SETS, MaterialRules, TextureSet};

/// Number of texels along the side of every texture.
pub const IMAGE_SIDE: usize = 1024;

/// The state of a texture set.
#[derive(Clone)]
enum SetState {
    Loading,
    Ready(Arc<ImageTexture>),
    /// The reason why the images cannot be used.
    Failed(String),
}

struct LoadedSet {
    set: TextureSet,
    state: SetState,
}

/// The sets that were used last, the most recently used at the end.
static SETS: Mutex<Vec<LoadedSet>> = Mutex::new(Vec::new());

/// Number of sets that are kept: those of the two sides of a comparison, and as many again for undo.
const MOST_KEPT: usize = 4 * MOST_TEXTURE_SETS;

/// The texture of a set; `None` while it loads, and if it cannot be used. The first request starts to load it. With
/// `wait`, the call returns when the images are read.
fn texture_of(set: &TextureSet, wait: bool) -> SetState {
    let known = known_state(set, |loaded| loaded.state.clone());
    if let Some(state) = known.filter(|state| !wait || !matches!(state, SetState::Loading)) {
        return state;
    }
    remember(LoadedSet { set: set.clone(), state: SetState::Loading });
    let wanted = set.clone();
    let read = move || {
        let state = match ImageTexture::read(&wanted, IMAGE_SIDE) {
            Ok(texture) => SetState::Ready(Arc::new(texture)),
            Err(error) => SetState::Failed(error.to_string()),
        };
        remember(LoadedSet { set: wanted, state: state.clone() });
        state
    };
    if wait {
        return read();
    }
    // use a separate thread, so that the images do not delay the evaluation of the terrain
    match std::thread::Builder::new().name("talweg-images".into()).spawn(read) {
        Ok(_) => SetState::Loading,
        Err(error) => SetState::Failed(format!("no thread can be started to read the textures: {error}")),
    }
}

fn known_state<T>(set: &TextureSet, read: impl FnOnce(&LoadedSet) -> T) -> Option<T> {
    let mut sets = SETS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = sets.iter().position(|loaded| loaded.set == *set)?;
    let loaded = sets.remove(at);
    let found = read(&loaded);
    sets.push(loaded);
    Some(found)
}

fn remember(loaded: LoadedSet) {
    let mut sets = SETS.lock().unwrap_or_else(PoisonError::into_inner);
    sets.retain(|other| other.set != loaded.set);
    sets.push(loaded);
    let surplus = sets.len().saturating_sub(MOST_KEPT);
    sets.drain(..surplus);
}

/// Forgets the sets that use one of these files, so that the next frame reads them again.
pub fn forget_files(changed: &[PathBuf]) {
    let uses = |set: &TextureSet| set.files.iter().flatten().any(|file| changed.iter().any(|c| c == Path::new(file)));
    SETS.lock().unwrap_or_else(PoisonError::into_inner).retain(|loaded| !uses(&loaded.set));
}

/// The reason why the images of a set cannot be used, if it is known.
pub fn texture_error(set: &TextureSet) -> Option<String> {
    let error = |loaded: &LoadedSet| match &loaded.state {
        SetState::Failed(reason) => Some(reason.clone()),
        SetState::Loading | SetState::Ready(_) => None,
    };
    known_state(set, error).flatten()
}

/// Reads all texture sets of `rules`, unless they are read already.
///
/// # Errors
/// The reason why a set cannot be used.
pub fn read_textures(rules: &MaterialRules) -> Result<(), String> {
    let read =
        |set: &&TextureSet| if let SetState::Failed(reason) = texture_of(set, true) { Some(reason) } else { None };
    rules.texture_sets().iter().find_map(read).map_or(Ok(()), Err)
}

/// The mean colour of a set in sRGB, once the images are read.
pub fn swatch_of(set: &TextureSet) -> Option<[u8; 3]> {
    let colour = |loaded: &LoadedSet| match &loaded.state {
        SetState::Ready(texture) => Some(texture.swatch()),
        SetState::Loading | SetState::Failed(_) => None,
    };
    known_state(set, colour).flatten()
}

/// The textures of the sets of a rule list.
#[derive(Clone, Default)]
pub struct RuleTextures {
    /// The sets in the order of [`MaterialRules::texture_sets`]; `None` for a set that is not ready.
    pub sets: Vec<(TextureSet, Option<Arc<ImageTexture>>)>,
    /// Whether a set is still loading.
    pub is_loading: bool,
}

impl RuleTextures {
    /// The textures of `rules` as far as they are read. With `wait`, the call reads all of them.
    pub fn of_rules(rules: &MaterialRules, wait: bool) -> Self {
        let mut made = Self::default();
        for set in rules.texture_sets() {
            let state = texture_of(set, wait);
            made.is_loading |= matches!(state, SetState::Loading);
            let texture = if let SetState::Ready(texture) = state { Some(texture) } else { None };
            made.sets.push((set.clone(), texture));
        }
        made
    }

    /// Whether both hold the same textures.
    pub fn has_same(&self, other: &Self) -> bool {
        let same = |(a, b): (&Option<Arc<ImageTexture>>, &Option<Arc<ImageTexture>>)| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        let textures = |of: &Self| of.sets.iter().map(|(_, texture)| texture.clone()).collect::<Vec<_>>();
        let (mine, others) = (textures(self), textures(other));
        mine.len() == others.len() && mine.iter().zip(&others).all(same)
    }

    /// The index and the texture of a set that is ready.
    pub fn ready(&self, set: &TextureSet) -> Option<(usize, &ImageTexture)> {
        let at = self.sets.iter().position(|(other, _)| other == set)?;
        Some((at, self.sets[at].1.as_deref()?))
    }

    /// Whether any texture is ready.
    pub fn is_any_ready(&self) -> bool {
        self.sets.iter().any(|(_, texture)| texture.is_some())
    }
}
