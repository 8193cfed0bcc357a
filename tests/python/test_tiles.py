"""Builds in tiles: plans in Python, on a Dask cluster, as jobs of Slurm and of Open Job Description."""

import getpass
import itertools
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import talweg

SIZE, TILE = 200, 64
# layers computed by position, with surveys of the whole terrain, and in batches of iterations
SCENE = """(
    version: 1,
    settings: (resolution: 200, size_metres: 4000.0, relief_metres: 800.0),
    layers: [
        (name: "Hills", node: Perlin(frequency: 9.0)),
        (name: "Range", node: Normalise()),
        (name: "Fill", node: FillDepressions()),
        (name: "Scree", node: Thermal(iterations: 30)),
        (name: "Flow", node: FlowAccumulation(courses: Steepest)),
    ],
)"""


@pytest.fixture(scope="module")
def scene():
    return talweg.parse(SCENE)


@pytest.fixture(scope="module")
def whole(scene):
    return scene.evaluate(size=SIZE).hash


@pytest.fixture
def plan(scene, tmp_path):
    return talweg.plan(scene, tmp_path / "world", size=SIZE, tile=TILE)


def test_tasks_run_once_in_any_order(plan, whole):
    assert plan.samples == SIZE and len(plan.stages) > 10
    with pytest.raises(talweg.TalwegError, match="run stage 0 first"):
        plan.run_tile(1, 0)
    for number, stage in enumerate(plan.stages):
        assert all(before < number for before in stage["reads"]) and stage["memory_bytes"] > 0
        for tile in reversed(range(stage["tasks"])):
            reads, writes = plan.files_read(number, tile), plan.files_written(number, tile)
            assert all((Path(plan.path) / file).is_file() for file in reads)
            assert not any((Path(plan.path) / file).exists() for file in writes)
            assert plan.run_tile(number, tile, threads=1)
            assert all((Path(plan.path) / file).is_file() for file in writes)
    assert not plan.run_tile(0, 0)
    assert talweg.open_plan(plan.path).merge() == whole
    with pytest.raises(talweg.TalwegError, match="not empty"):
        talweg.plan(talweg.parse(SCENE), plan.path)
    with pytest.raises(talweg.TalwegError, match="no task 99 of stage 0"):
        plan.run_tile(0, 99)


def test_a_task_reads_only_the_files_that_it_names(scene, plan, whole, tmp_path):
    """Each task runs in a folder of its own with its files, as on machines without a shared folder."""
    store = Path(plan.path)
    for number, stage in enumerate(plan.stages):
        for tile in range(stage["tasks"]):
            own = tmp_path / f"own-{number}-{tile}"
            for file in ["plan.ron", "scene.ron", *plan.files_read(number, tile)]:
                (own / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(store / file, own / file)
            assert talweg.open_plan(own).run_tile(number, tile, threads=1)
            for file in plan.files_written(number, tile):
                (store / file).parent.mkdir(exist_ok=True)
                shutil.copy(own / file, store / file)
            shutil.rmtree(own)
    assert plan.merge() == whole


def killed_on_the_way(client, plan, monkeypatch):
    """Kills a worker when the first tasks of the second stage are submitted."""
    killed = []
    gone_through = client.map

    def map_and_kill(work, tiles, **how):
        futures = gone_through(work, tiles, **how)
        if how["stage"] == 1 and not killed:
            worker = client.cluster.workers[0]
            killed.append(worker.pid)
            os.kill(worker.pid, 9)
        return futures

    monkeypatch.setattr(client, "map", map_and_kill)
    return killed


def test_a_dask_cluster_builds_despite_a_killed_worker(cluster, plan, whole, monkeypatch):
    killed = killed_on_the_way(cluster, plan, monkeypatch)
    assert talweg.dask.build(plan, cluster) == whole
    assert len(killed) == 1
    # all tasks are done: nothing is computed, and the folder is a valid plan
    before = {file: file.stat().st_mtime_ns for file in Path(plan.path).rglob("*.tile")}
    assert talweg.dask.build(plan.path, cluster) == whole
    assert before == {file: file.stat().st_mtime_ns for file in Path(plan.path).rglob("*.tile")}


def test_machines_without_a_shared_folder_share_a_store(cluster, plan, whole, tmp_path):
    store = tmp_path / "bucket"
    assert talweg.dask.build(plan, cluster, store=f"file://{store}") == whole
    assert (store / "stage-000/ground-0-0.tile").is_file()
    # existing tiles are fetched from the store, damaged ones are made again
    (store / "stage-000/ground-1-1.tile").write_bytes(b"half")
    shutil.rmtree(Path(plan.path) / f"stage-{len(plan.stages) - 1:03}")
    assert talweg.dask.build(plan, cluster, store=f"file://{store}") == whole
    assert (store / "stage-000/ground-1-1.tile").stat().st_size > 1000


def test_unread_tiles_are_removed(cluster, plan, whole, tmp_path):
    folder = Path(plan.path)
    last = f"stage-{len(plan.stages) - 1:03}"
    assert talweg.dask.build(plan, cluster, prune=True) == whole
    assert [path.name for path in sorted(folder.glob("stage-*"))] == [last]
    assert plan.disk_bytes["pruned"] < plan.disk_bytes["kept"]
    # removed tiles are not made again, unless a tile of the result is missing
    assert plan.open_stages() == []
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*.tile")}
    assert talweg.dask.build(plan, cluster, prune=True) == whole
    assert before == {file: file.stat().st_mtime_ns for file in folder.rglob("*.tile")}
    next(folder.glob(f"{last}/*")).unlink()
    assert len(plan.open_stages()) == len(plan.stages)
    assert talweg.dask.build(plan, cluster, prune=True) == whole
    store = tmp_path / "bucket"
    for _ in range(2):
        assert talweg.dask.build(plan, cluster, store=f"file://{store}", prune=True) == whole
        left = {file.parent.name for file in store.rglob("*") if file.is_file()}
        assert left == {"bucket", last}


def test_check_reports_the_state_of_every_tile(plan):
    assert {tile["state"] for tile in plan.check()} == {"missing"}
    for task in range(plan.stages[0]["tasks"]):
        plan.run_tile(0, task)
    first = [tile for tile in plan.check() if tile["stage"] == 0]
    assert {tile["state"] for tile in first} == {"complete"}
    damaged = first[0]
    path = Path(damaged["path"])
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    bad = [tile for tile in plan.check() if tile["state"] == "bad"]
    assert [tile["tile"] for tile in bad] == [damaged["tile"]] and bad[0]["fault"]
    assert plan.run_tile(0, bad[0]["task"])
    assert [tile["state"] for tile in plan.check() if tile["path"] == path] == ["complete"]


def test_a_data_map_is_merged_by_its_name(plan, scene, tmp_path):
    for number, stage in enumerate(plan.stages):
        for tile in range(stage["tasks"]):
            plan.run_tile(number, tile)
    terrain = scene.evaluate(size=SIZE)
    for name in ["slope", "flow"]:
        plan.merge(tmp_path / "ours.r32", what=name)
        terrain.export(tmp_path / "theirs.r32", what=name)
        assert (tmp_path / "ours.r32").read_bytes() == (tmp_path / "theirs.r32").read_bytes()
    plan.merge(tmp_path / "ours.png", what="colours")
    terrain.export(tmp_path / "theirs.png", what="colours")
    assert (tmp_path / "ours.png").read_bytes() == (tmp_path / "theirs.png").read_bytes()
    with pytest.raises(talweg.UsageError, match="what: there is no map `occlusion` that can be made of tiles"):
        plan.merge(what="occlusion")


def test_a_cluster_without_enough_memory_is_refused_at_once(cluster, scene, tmp_path):
    wide = talweg.plan(scene, tmp_path / "wide", size=16_384, tile=16_384)
    with pytest.raises(talweg.TalwegError, match="a task of stage 0 takes .* MiB.*plan smaller tiles"):
        talweg.dask.build(wide, cluster)
    assert not list(Path(wide.path).glob("stage-*"))


def planned_by(binary, scene, folder: Path, *launchers: str) -> Path:
    file = folder / "file.ron"
    scene.save(file)
    size = ["--size", str(SIZE), "--tile", str(TILE)]
    subprocess.run([binary, "plan", file, *size, "-o", folder / "world", "--quiet", *launchers], check=True)
    return folder / "world"


# A stand-in for Slurm. It accepts only the options that the script gives. When all jobs that an array depends on have
# succeeded, it runs the tasks of the array from last to first.
SBATCH = """
import json, os, subprocess, sys
from pathlib import Path

state = Path(os.environ["SLURM_STATE"])
given = dict(argument.partition("=")[::2] for argument in sys.argv[1:-2])
assert sys.argv[-2] == "--wrap", sys.argv
known = {"--parsable", "--requeue", "--kill-on-invalid-dep", "--dependency", "--array", "--mem", "--output", "--job-name", "--partition"}
assert set(given) <= known, given
assert given["--partition"] == "long" and given["--mem"].endswith("M") and int(given["--mem"][:-1]) > 0
first, last = map(int, given["--array"].split("-"))
jobs = json.loads(state.read_text()) if state.exists() else []
after = given.get("--dependency", "").split(":")
assert after[0] in ("", "afterok")
assert all(jobs[int(job) - 100]["ok"] for job in after[1:])
ok = True
for task in range(last, first - 1, -1):
    variables = os.environ | {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_CPUS_PER_TASK": "1"}
    done = subprocess.run(["sh", "-c", sys.argv[-1]], env=variables, stdout=subprocess.DEVNULL)
    ok = ok and done.returncode == 0
jobs.append({"ok": ok, "after": after[1:], "tasks": last - first + 1})
state.write_text(json.dumps(jobs))
print(f"{99 + len(jobs)};cluster")
"""


def test_slurm_gets_an_array_for_each_stage(binary, scene, whole, tmp_path):
    world = planned_by(binary, scene, tmp_path, "--slurm")
    script = world / "slurm.sh"
    subprocess.run(["bash", "-n", script], check=True)
    tools = tmp_path / "bin"
    tools.mkdir()
    sbatch = tools / "sbatch"
    sbatch.write_text(f"#!{sys.executable}\n{SBATCH}")
    sbatch.chmod(sbatch.stat().st_mode | stat.S_IXUSR)
    state = tmp_path / "jobs.json"
    variables = os.environ | {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "SLURM_STATE": str(state),
        "TALWEG": str(binary),
    }
    line = ["bash", script, "--partition=long"]
    said = subprocess.run(line, env=variables, capture_output=True, text=True, check=True, cwd=tmp_path)
    plan = talweg.open_plan(world)
    jobs = json.loads(state.read_text())
    assert [job["tasks"] for job in jobs] == [stage["tasks"] for stage in plan.stages]
    assert [[int(job) - 100 for job in job["after"]] for job in jobs] == [stage["reads"] for stage in plan.stages]
    assert said.stdout.startswith(f"submitted {len(jobs)} stages of")
    assert plan.merge() == whole


SLURM = ["munged", "slurmctld", "slurmd", "sbatch", "squeue"]
#: A Slurm cluster needs no rights but the user's own: keys, sockets and states are in one folder.
SLURM_CONF = """ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=4000
PartitionName=long Nodes=ALL Default=YES State=UP
"""


@pytest.fixture
def slurm(tmp_path_factory):
    """The environment variables of a Slurm cluster with this machine as its only node."""
    places = {tool: shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin") for tool in SLURM}
    missing = [tool for tool, place in places.items() if place is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} missing (Debian: munge slurmctld slurmd slurm-client); tools/setup --test")
    folder = tmp_path_factory.mktemp("slurm")
    # munge requires that only the owner can write to the folders on the way
    folder.chmod(0o755)
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    sockets = [socket.socket() for _ in range(2)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    told = {"host": socket.gethostname(), "user": getpass.getuser(), "folder": folder, "ports": ports, "cpus": os.cpu_count()}
    conf = folder / "slurm.conf"
    conf.write_text(SLURM_CONF.format(**told))
    variables = os.environ | {"SLURM_CONF": str(conf)}
    munge = [f"--{part}-file={folder}/munge.{part}" for part in ("pid", "log", "seed")]
    lines = [
        [places["munged"], "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket", *munge],
        [places["slurmctld"], "-D", "-i"],
        [places["slurmd"], "-D"],
    ]
    daemons = []
    try:
        for line in lines:
            with (folder / "said.log").open("a") as said:
                daemons.append(subprocess.Popen(line, env=variables, stdout=said, stderr=said))
            while not (folder / "munge.socket").exists() and daemons[0].poll() is None:
                time.sleep(0.05)
        for _ in range(600):
            idle = subprocess.run(
                ["sinfo", "-h", "-o", "%t"], env=variables, capture_output=True, text=True, check=False
            )
            if idle.stdout.strip() == "idle" or any(daemon.poll() is not None for daemon in daemons):
                break
            time.sleep(0.1)
        said = "\n".join(log.read_text(errors="replace")[-2000:] for log in folder.glob("*.log"))
        assert idle.stdout.strip() == "idle", said
        yield variables
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait()


def test_slurm_runs_the_build(slurm, binary, scene, whole, tmp_path):
    world = planned_by(binary, scene, tmp_path, "--slurm")
    variables = slurm | {"TALWEG": str(binary)}
    subprocess.run(["bash", world / "slurm.sh", "--partition=long"], env=variables, check=True, stdout=subprocess.DEVNULL)
    while subprocess.run(["squeue", "-h"], env=variables, capture_output=True, text=True, check=True).stdout.strip():
        time.sleep(0.1)
    outputs = list((world / "slurm").glob("stage-*.out"))
    plan = talweg.open_plan(world)
    assert len(outputs) == sum(stage["tasks"] for stage in plan.stages)
    assert all(output.read_text().rstrip().endswith(": done") for output in outputs)
    assert plan.merge() == whole


def test_stages_above_the_slurm_limit_become_several_arrays(binary, tmp_path):
    line = [binary, "plan", "alpine-range", "--size", "65537", "--tile", "1024", "-o", tmp_path / "world", "--slurm", "--quiet"]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    script = (tmp_path / "world/slurm.sh").read_text()
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    stages = talweg.open_plan(tmp_path / "world").stages
    last = len(stages) - 1
    lines = [line.split()[1:4] for line in script.splitlines() if line.startswith(f"stage_{last}+=")]
    firsts = [int(first) for _, first, _ in lines]
    assert firsts == list(range(0, stages[last]["tasks"], 1000)) and len(firsts) > 4
    assert sum(int(tasks) for *_, tasks in lines) == stages[last]["tasks"]


def test_open_job_description_runs_the_build(binary, scene, whole, tmp_path):
    world = planned_by(binary, scene, tmp_path, "--openjd")
    template = world / "openjd.json"
    openjd = [Path(sys.executable).parent / "openjd"]
    checked = subprocess.run([*openjd, "check", template], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    values = {"PlanFolder": world, "Talweg": binary}
    given = itertools.chain.from_iterable(("-p", f"{name}={value}") for name, value in values.items())
    done = subprocess.run([*openjd, "run", template, *given], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    plan = talweg.open_plan(world)
    steps = json.loads(template.read_text())["steps"]
    before = [[int(one["dependsOn"].split("-")[1]) for one in step.get("dependencies", [])] for step in steps]
    assert before == [stage["reads"] for stage in plan.stages]
    assert plan.merge() == whole
