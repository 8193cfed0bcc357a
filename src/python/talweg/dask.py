"""Builds in tiles, and batches of variants, on a Dask cluster.

>>> import talweg
>>> from dask.distributed import Client
>>> plan = talweg.plan(talweg.load("island"), "world", size=8193)
>>> talweg.dask.build(plan, Client("scheduler:8786"))        # the content hash, the same as without tiles

If a worker is lost, another worker repeats its task. A task that is already finished does nothing. Workers need the
same version of Talweg. Workers must have access to the folder of the plan or, with `store`, to an object store.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core import Plan, Scene, TalwegError, UsageError, open_plan

if TYPE_CHECKING:
    from distributed import Client

# Number of tasks submitted to the scheduler at a time, so that large stages do not fill its memory.
AT_A_TIME = 4096


def build(
    plan: Plan | str | Path,
    client: Client,
    *,
    threads: int = 1,
    retries: int = 2,
    store: str | None = None,
    prune: bool = False,
) -> str:
    """Runs all tasks of `plan`, or of the plan in a folder, and returns the content hash of the terrain.

    `threads` is the number of threads of a task. A failed task is tried `retries` more times; then its exception is
    raised. If a worker has less memory than a task needs, nothing is started.

    `store` is an fsspec URL for the tiles, such as `"s3://bucket/world"`, for machines that share no folder. A task
    reads its inputs from the store and writes its outputs to the store. The folder of the plan is then needed only on
    this machine, and receives the tiles of the result.

    With `prune`, the tiles of a stage are removed, also from the store, as soon as no later stage reads them. No other
    process may then use the folder.
    """
    distributed = _needed("distributed", 'dask.distributed; `pip install "dask[distributed]"`')
    if store is not None:
        _needed("fsspec", "fsspec; `pip install fsspec`")
    plan = plan if isinstance(plan, Plan) else open_plan(plan)
    folder = Path(plan.path).resolve()
    stages = plan.stages
    _check_memory(stages, client)
    if store is not None:
        _put(store, folder, ["plan.ron", "scene.ron"])
    if store is None:
        todo = plan.open_stages()
    else:
        # Each task checks whether it is already done. A removed tile counts as done if the tiles made from it exist.
        todo = _open_stages(plan, _files_of(store)) if prune else list(range(len(stages)))
    for number, stage in enumerate(stages):
        if number not in todo:
            continue
        for first in range(0, stage["tasks"], AT_A_TIME):
            tiles = range(first, min(first + AT_A_TIME, stage["tasks"]))
            work = {"pure": False, "retries": retries, "key": f"talweg-stage-{number}"}
            futures = client.map(_run_tile, tiles, folder=str(folder), stage=number, threads=threads, store=store, **work)
            try:
                for _ in distributed.as_completed(futures, raise_errors=True, with_results=True):
                    pass
            finally:
                client.cancel(futures)
        if prune and store is None:
            plan.prune(number, todo)
        elif prune:
            _prune(plan, store, number, todo)
    if store is not None:
        last = len(stages) - 1
        for tile in range(stages[last]["tasks"]):
            _get(store, folder, plan.files_written(last, tile))
    return plan.merge()


def batch(
    scene: Scene,
    folder: str | Path,
    client: Client,
    *,
    seeds: str | Sequence[int] | None = None,
    vary: Mapping[str, Sequence[Any]] | None = None,
    threads: int = 1,
    retries: int = 2,
    **options: Any,
) -> dict[str, Any]:
    """Makes all variants of `scene` on the workers and returns the report of `scene.batch`, which has the same
    arguments.

    All machines must see the folder. `threads` is the number of threads of a variant. A failed variant is tried
    `retries` more times. Finished variants whose settings are unchanged are kept, so a stopped batch continues. At the
    end this process writes the contact sheet and the table of measures.
    """
    distributed = _needed("distributed", 'dask.distributed; `pip install "dask[distributed]"`')
    folder = Path(folder).resolve()
    count = len(scene.variants(seeds=seeds, vary=vary))
    given = {"scene": scene, "folder": str(folder), "seeds": seeds, "vary": vary, "threads": threads, "options": options}
    futures = client.map(_make_variant, range(1, count + 1), pure=False, retries=retries, key="talweg-batch", **given)
    try:
        for _ in distributed.as_completed(futures, raise_errors=True, with_results=True):
            pass
    finally:
        client.cancel(futures)
    return scene.batch(folder, seeds=seeds, vary=vary, **{**options, "anew": False})


def _make_variant(variant: int, *, scene: Scene, folder: str, options: dict[str, Any], **varied: Any) -> None:
    """Makes one variant, on a worker."""
    scene.batch(folder, variant=variant, **varied, **options)


def _needed(module: str, name: str):
    try:
        return __import__(module)
    except ImportError:
        raise UsageError(f"this needs {name}") from None


def _check_memory(stages: list[dict], client: Client) -> None:
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if not workers:
        raise TalwegError("the cluster has no workers; start some, or wait for them with client.wait_for_workers(1)")
    # A worker with several threads runs one task per thread at the same time.
    room = min((worker["memory_limit"] or 1 << 62) // worker["nthreads"] for worker in workers)
    for number, stage in enumerate(stages):
        if stage["memory_bytes"] > room:
            mib = stage["memory_bytes"] >> 20, room >> 20
            raise TalwegError(
                f"a task of stage {number} takes {mib[0]} MiB, but a worker has only {mib[1]} MiB per thread; give "
                "workers more memory or fewer threads, or plan smaller tiles"
            )


def _run_tile(tile: int, *, folder: str, stage: int, threads: int, store: str | None) -> bool:
    """Runs a task, on a worker."""
    if store is None:
        return open_plan(folder).run_tile(stage, tile, threads=threads)
    own = Path(tempfile.mkdtemp(prefix="talweg-"))
    try:
        _get(store, own, ["plan.ron", "scene.ron"])
        plan = open_plan(own)
        written = plan.files_written(stage, tile)
        # Complete files in the store are recognised by their hash.
        _get(store, own, written, may_lack=True)
        _get(store, own, plan.files_read(stage, tile))
        is_new = plan.run_tile(stage, tile, threads=threads)
        if is_new:
            _put(store, own, written)
        return is_new
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _files_of(store: str) -> set[str]:
    """Names of the files in the store, relative to its root."""
    from fsspec.core import url_to_fs

    system, root = url_to_fs(store)
    system.invalidate_cache()
    return {str(file)[len(root) :].lstrip("/") for file in system.find(root)}


def _tiles_of(plan: Plan, stage: int) -> list[str]:
    return [file for tile in range(plan.stages[stage]["tasks"]) for file in plan.files_written(stage, tile)]


def _open_stages(plan: Plan, is_there: set[str]) -> list[int]:
    """Numbers of the stages with unfinished tasks, according to the files in the store."""
    stages, todo = plan.stages, []
    for number in reversed(range(len(stages))):
        is_read = number == len(stages) - 1 or any(number in stages[later]["reads"] for later in todo)
        if is_read and not is_there.issuperset(_tiles_of(plan, number)):
            todo.append(number)
    return todo


def _prune(plan: Plan, store: str, done: int, todo: list[int]) -> None:
    """Removes the tiles of stages up to `done` that no later stage of `todo` reads."""
    from fsspec.core import url_to_fs

    system, root = url_to_fs(store)
    stages = plan.stages
    read = {number for later in todo if later > done for number in stages[later]["reads"]} | {len(stages) - 1}
    is_there = _files_of(store)
    for number in range(done + 1):
        if number not in read:
            files = [f"{root}/{file}" for file in _tiles_of(plan, number) if file in is_there]
            if files:
                system.rm(files)


def _get(store: str, folder: Path, files: list[str], *, may_lack: bool = False) -> None:
    from fsspec.core import url_to_fs

    system, root = url_to_fs(store)
    for file in files:
        to = folder / file
        if to.exists():
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        try:
            system.get_file(f"{root}/{file}", str(to))
        except FileNotFoundError:
            to.unlink(missing_ok=True)
            if not may_lack:
                raise TalwegError(f"{store}/{file} does not exist; run the task that writes it first") from None


def _put(store: str, folder: Path, files: list[str]) -> None:
    from fsspec.core import url_to_fs

    system, root = url_to_fs(store)
    for file in files:
        to = f"{root}/{file}"
        system.makedirs(to.rpartition("/")[0], exist_ok=True)
        # In object stores, files appear complete. Elsewhere, write to a temporary name and rename the file at the end.
        if "file" in system.protocol:
            with tempfile.NamedTemporaryFile(dir=to.rpartition("/")[0], delete=False) as part:
                pass
            shutil.copyfile(folder / file, part.name)
            system.mv(part.name, to)
        else:
            system.put_file(str(folder / file), to)
