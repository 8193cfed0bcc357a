//! The newest compiled programs, one for each revision of a tree: evaluation, picking and drawing share them.
//!
//! A program depends on its tree and seed alone, so that who compiles it first makes no difference. What the newest
//! program has as well is not made ready again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::{Program, Tree};

/// Programs that are remembered, as long as their trees live.
const MOST: usize = 6;

struct Compiled {
    tree: Weak<Tree>,
    seed: u32,
    program: Arc<OnceLock<Arc<Program>>>,
}

/// The newest first.
static COMPILED: Mutex<Vec<Compiled>> = Mutex::new(Vec::new());

impl Program {
    /// The program of a tree, compiled once however many ask for it at a time. A tree that was edited is another one.
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
    fn a_tree_is_compiled_once_and_its_program_is_that_of_a_tree_alone() {
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
