//! Cache of the most recent compiled programs, one per revision of a construction tree. Programs are shared by
//! evaluation, picking and drawing.
//!
//! A program depends only on its construction tree and seed, so it does not matter which caller compiles it. A new
//! program reuses the prepared primitives of the most recent program.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::{Program, Tree};

/// Maximum number of cached programs. A program also leaves the cache when its construction tree is dropped.
const MOST: usize = 6;

struct Compiled {
    tree: Weak<Tree>,
    seed: u32,
    program: Arc<OnceLock<Arc<Program>>>,
}

/// Cached programs, the most recently used first.
static COMPILED: Mutex<Vec<Compiled>> = Mutex::new(Vec::new());

impl Program {
    /// Returns the program of a construction tree, which is compiled once even if several threads request it at the
    /// same time. An edited construction tree is a new tree with a program of its own.
    pub fn shared(tree: &Arc<Tree>, seed: u32) -> Arc<Self> {
        let (program, before) = {
            let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
            compiled.retain(|known| known.tree.strong_count() > 0);
            let is_it = |known: &Compiled| known.seed == seed && Weak::as_ptr(&known.tree) == Arc::as_ptr(tree);
            let known = match compiled.iter().position(is_it) {
                Some(k) => compiled.remove(k),
                None => Compiled { tree: Arc::downgrade(tree), seed, program: Arc::default() },
            };
            let program = known.program.clone();
            let before = compiled.iter().find_map(|other| other.program.get().cloned());
            compiled.insert(0, known);
            compiled.truncate(MOST);
            (program, before)
        };
        program.get_or_init(|| Arc::new(Self::reusing(tree, seed, before.as_deref()))).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Detail, presets};

    #[test]
    fn a_tree_is_compiled_once_and_equals_a_fresh_compilation() {
        let tree = presets::volcano();
        let programs = std::thread::scope(|scope| {
            let ask = || scope.spawn(|| Program::shared(&tree, 5));
            [ask(), ask(), ask()].map(|thread| thread.join().unwrap())
        });
        assert!(programs.iter().all(|program| Arc::ptr_eq(program, &programs[0])));
        let edited = Arc::new(Tree::clone(&tree));
        let other = Program::shared(&edited, 5);
        assert!(!Arc::ptr_eq(&other, &programs[0]));
        let (alone, point) = (Program::new(&tree, 5), [1234.5, 987.6]);
        for program in [&programs[0], &other] {
            let height = program.height(point, &Detail::FULL);
            assert_eq!(height.to_bits(), alone.height(point, &Detail::FULL).to_bits());
        }
    }
}
