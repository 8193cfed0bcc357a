"""The Python package (pyproject.toml): a wheel for each system, and its sources."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from release import DIST, EPOCH, ROOT, fail, machine_here, output_of, require_tools

# Wheels for Linux run with version 2.17 of the C library, the oldest one that Rust supports.
MANYLINUX = "manylinux2014"
MATURIN = re.search("^maturin==.*", (ROOT / "tools/wheel.txt").read_text(), re.M)[0]
TOOLS = [MATURIN, "ziglang==0.15.2", "auditwheel==6.8.2"]
# Debian's compiler for other systems, which compiles the standard library too.
FOREIGN_CARGO, FOREIGN_RUSTC = "/usr/bin/cargo", "/usr/bin/rustc"
STANDARD_LIBRARY = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml"


def triple_here():
    system = {"linux": "unknown-linux-gnu", "darwin": "apple-darwin", "win32": "pc-windows-msvc"}[sys.platform]
    return f"{machine_here()}-{system}"


def rustup_has(triple):
    if not shutil.which("rustup"):
        return False
    targets = subprocess.run(["rustup", "target", "list", "--installed"], text=True, stdout=subprocess.PIPE)
    return triple in targets.stdout.split()


def audit(wheel, environment):
    """Checks that the wheel runs with every C library that its name promises."""
    said = output_of(sys.executable, "-m", "auditwheel", "show", wheel, env=environment)
    if "manylinux_2_17" not in said:
        fail(f"auditwheel refuses {wheel.name} as {MANYLINUX}:\n{said}")


def check_sources(sources, environment):
    """Checks that cargo finds every package and file that the sources need to be compiled."""
    with tempfile.TemporaryDirectory() as work, tarfile.open(sources) as packed:
        packed.extractall(work, filter="data")
        folder = next(pathlib.Path(work).iterdir())
        command = ["cargo", "metadata", "--format-version", "1"]
        subprocess.run(command, check=True, cwd=folder / "src/python", env=environment, stdout=subprocess.DEVNULL)


def built(folder, triple, environment):
    """Builds the wheel for a system, and the sources if it is the Linux system of this computer."""
    tools = folder / "tools/wheels"
    listed = tools / "installed.txt"
    if not listed.exists() or listed.read_text() != " ".join(TOOLS):
        shutil.rmtree(tools, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--root-user-action", "ignore", "--target", tools, *TOOLS], check=True)
        listed.write_text(" ".join(TOOLS))
    environment |= {"PYTHONPATH": str(tools), "SOURCE_DATE_EPOCH": str(EPOCH)}
    environment["PATH"] = f"{tools / 'bin'}{os.pathsep}{environment['PATH']}"
    options = ["--release", "--locked", "--target", triple]
    if "-linux-" in triple:
        options += ["--zig", "--compatibility", MANYLINUX]
    if triple != triple_here() and not rustup_has(triple):
        require_tools(FOREIGN_CARGO, FOREIGN_RUSTC, STANDARD_LIBRARY)
        if triple.endswith("-windows-gnu"):
            require_tools("x86_64-w64-mingw32-gcc")
            environment["CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER"] = "x86_64-w64-mingw32-gcc"
        environment |= {"CARGO": FOREIGN_CARGO, "RUSTC": FOREIGN_RUSTC, "RUSTC_BOOTSTRAP": "1"}
        # In the folder of the usual compiler, each compiler would compile everything again.
        environment["CARGO_TARGET_DIR"] = str(folder / "platforms")
        options += ["-Z", "build-std=std,panic_unwind"]
    with tempfile.TemporaryDirectory() as made:
        if triple == triple_here() and "-linux-" in triple:
            subprocess.run(["maturin", "sdist", "--out", made], check=True, cwd=ROOT, env=environment)
            check_sources(next(pathlib.Path(made).glob("*.tar.gz")), environment)
        subprocess.run(["maturin", "build", *options, "--out", made], check=True, cwd=ROOT, env=environment)
        for wheel in pathlib.Path(made).glob("*manylinux*.whl"):
            audit(wheel, environment)
        files = sorted(pathlib.Path(made).iterdir())
        return [pathlib.Path(shutil.move(path, DIST / path.name)) for path in files]
