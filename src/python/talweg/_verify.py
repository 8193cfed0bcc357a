"""Checks that this computer computes the same terrain as all others."""

from __future__ import annotations

from ._core import HASHED_SAMPLES, examples, load, published_hashes


def verify_examples(threads: int = 0) -> bool:
    """Evaluates every built-in scene and compares the hash of its terrain with the published one.

    Prints one line for each scene, the same as `talweg verify --examples`. Returns whether all hashes are equal; a hash
    that differs is a defect of Talweg. `threads` is the number of threads (0: one for each processor).
    """
    published, all_equal = published_hashes(), True
    for name in examples():
        terrain = load(name).evaluate(size=HASHED_SAMPLES, threads=threads)
        is_equal = terrain.hash == published.get(name)
        all_equal &= is_equal
        expected = "" if is_equal or name not in published else f", published {published[name]}"
        print(f"{'ok' if is_equal else 'differs':7} {name} {terrain.hash}{expected}", flush=True)
    return all_equal
