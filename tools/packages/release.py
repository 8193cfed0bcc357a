"""Facts and functions that the packages of all systems share: the version, the program, archives, pictures, sums."""

import gzip
import hashlib
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tools" / "packages"
DIST = ROOT / "dist"
ID = "org.talweg.Talweg"
SUMMARY = "Real-time 3D terrain editor"
DESCRIPTION = (
    "Talweg makes terrain from a stack of generators, filters and erosion. Erosion plays on a timeline that can be "
    "stepped, scrubbed and branched. The same program renders and exports without a window."
)
# The texts that every package contains, from the root of the repository.
TEXTS = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]
# The licences of the Rust packages inside the program, which tools/licences writes: in the repository, and in packages.
PACKED_LICENCES = ROOT / "src/cli/third-party-licences.txt.gz"
THIRD_PARTY = "THIRD-PARTY-LICENCES.txt"

# Command or file that a package needs, and the package of Debian and Ubuntu that contains it.
TOOLS = {
    "/usr/bin/cargo": "cargo-web",
    "/usr/bin/rustc": "rustc-web",
    "/usr/lib/rustlib/src/rust/library/std/Cargo.toml": "rust-web-src",
    "arch-test": "arch-test",
    "dpkg-deb": "dpkg",
    "makensis": "nsis",
    "mksquashfs": "squashfs-tools",
    "mmdebstrap": "mmdebstrap",
    "objdump": "binutils",
    "qemu-aarch64-static": "qemu-user-static",
    "qemu-x86_64-static": "qemu-user-static",
    "rpmbuild": "rpm",
    "rsvg-convert": "librsvg2-bin",
    "update-binfmts": "binfmt-support",
    "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64",
    "zstd": "zstd",
}


def fail(reason):
    sys.exit(f"talweg: {reason}")


def manifest_value(name):
    """A value of [workspace.package] in Cargo.toml."""
    section = (ROOT / "Cargo.toml").read_text().split("[workspace.package]\n")[1].split("\n[")[0]
    return re.search(rf'^{name} = "(.*)"', section, re.M)[1]


VERSION = manifest_value("version")
LICENSE = manifest_value("license")


def output_of(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


# Seconds of the commit: the time of every packed file.
EPOCH = int(output_of("git", "log", "-1", "--format=%ct", cwd=ROOT))
DATE = time.strftime("%Y-%m-%d", time.gmtime(EPOCH))


def require_tools(*names):
    """Stops unless the commands and files are there. On Debian and Ubuntu, root installs them."""
    missing = [TOOLS[name] for name in names if not shutil.which(name) and not os.path.exists(name)]
    if not missing:
        return
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"talweg: installing {' '.join(missing)}", flush=True)
        apt = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *missing]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        if subprocess.run(apt, stdout=subprocess.DEVNULL, env=environment).returncode == 0:
            return
    fail(f"install these packages (names on Debian), then run this again: {' '.join(missing)}")


def kind_of(program):
    """The system and the processor that a program is compiled for, from its header."""
    header = program.read_bytes()[:4096]
    if header[:4] == b"\x7fELF":
        machine = struct.unpack_from("<H", header, 18)[0]
        return "linux", {62: "x86_64", 183: "aarch64"}.get(machine)
    if header[:2] == b"MZ":
        at = struct.unpack_from("<I", header, 60)[0]
        machine = struct.unpack_from("<H", header, at + 4)[0] if header[at : at + 4] == b"PE\0\0" else None
        return "windows", {0x8664: "x86_64", 0xAA64: "aarch64"}.get(machine)
    if header[:4] == b"\xcf\xfa\xed\xfe":
        machine = struct.unpack_from("<I", header, 4)[0]
        return "macos", {0x01000007: "x86_64", 0x0100000C: "aarch64"}.get(machine)
    if header[:4] == b"\xca\xfe\xba\xbe":
        return "macos", "universal"
    return None, None


def machine_here():
    """The processor of this computer, by the name that compilers use."""
    return {"AMD64": "x86_64", "arm64": "aarch64", "ARM64": "aarch64"}.get(platform.machine(), platform.machine())


def runs_here(system, machine):
    """Whether this computer can run programs of this kind."""
    here = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(platform.system())
    return here == system and machine in (machine_here(), "universal")


def third_party_licences():
    return gzip.decompress(PACKED_LICENCES.read_bytes())


def put(source, to, mode=0o644):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)
    to.chmod(mode)


def write(to, content, mode=0o644):
    """Writes text or bytes into a file and makes its folder. Lines end with a newline character on every system."""
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content.encode() if isinstance(content, str) else content)
    to.chmod(mode)


def filled(name, values):
    """The text of a file of this folder, with a value in place of each @NAME@."""
    text = (SOURCES / name).read_text()
    return re.sub(r"@([A-Z0-9_]+)@", lambda found: str(values[found[1]]), text)


def set_times(folder):
    """Gives all files below a folder the time of the commit."""
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)


def zip_folder(folder, to):
    """Packs a folder with its name. Equal files give equal bytes."""
    when = time.gmtime(EPOCH)[:6]
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix: the archive keeps which files are programs
            entry.external_attr = (0o100755 if path.stat().st_mode & 0o111 else 0o100644) << 16
            archive.writestr(entry, path.read_bytes())


def icon(pixels):
    """The icon as PNG."""
    size = str(pixels)
    command = ["rsvg-convert", "-w", size, "-h", size, SOURCES / "talweg.svg"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
