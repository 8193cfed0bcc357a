"""Packages for Linux: .deb, .rpm, an archive, and an AppImage."""

import gzip
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import textwrap

from release import (
    DATE, DESCRIPTION, DIST, EPOCH, ID, LICENSE, ROOT, SOURCES, SUMMARY, TEXTS, THIRD_PARTY, VERSION, fail, filled, icon,
    output_of, put, require_tools, runs_here, set_times, third_party_licences, write,
)

# The oldest C library that the program runs with: that of Debian 11.
GLIBC = "2.31"
# They link for an older C library than that of this computer.
LINKER = ["cargo-zigbuild==0.24.1", "ziglang==0.15.2"]
TOOLS = ["rsvg-convert", "zstd", "dpkg-deb", "rpmbuild", "objdump"]
ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}


def built(folder, options, environment):
    """Builds the program for the C library GLIBC, and checks that it needs no later one."""
    tools = folder / "tools/linker"
    if not (tools / "bin/cargo-zigbuild").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--root-user-action", "ignore", "--target", tools, *LINKER], check=True)
    triple = f"{platform.machine()}-unknown-linux-gnu"
    environment["PATH"] = f"{tools}/bin{os.pathsep}{environment['PATH']}"
    environment["PYTHONPATH"] = str(tools)
    command = ["cargo", "zigbuild", "--target", f"{triple}.{GLIBC}", *options]
    subprocess.run(command, check=True, cwd=ROOT, env=environment)
    program = folder / triple / "release/talweg"
    needed = needed_glibc(program)
    if in_order(needed) > in_order(GLIBC):
        fail(f"{program} needs version {needed} of the C library, but it was linked for {GLIBC}")
    return program


def in_order(version):
    return [int(part) for part in version.split(".")]


def needed_glibc(program):
    """The oldest version of the C library that has all functions that the program calls."""
    require_tools("objdump")
    return max(re.findall(r"GLIBC_([0-9.]+)", output_of("objdump", "-T", program)), key=in_order)


def lay_out(program, root):
    """Puts all files of the package below the folder root/usr."""
    share = root / "usr/share"
    put(program, root / "usr/bin/talweg", 0o755)
    put(SOURCES / f"{ID}.desktop", share / f"applications/{ID}.desktop")
    put(SOURCES / f"{ID}.mime.xml", share / f"mime/packages/{ID}.xml")
    put(SOURCES / "talweg.thumbnailer", share / "thumbnailers/talweg.thumbnailer")
    values = {"VERSION": VERSION, "DATE": DATE, "LICENSE": LICENSE}
    write(share / f"metainfo/{ID}.metainfo.xml", filled(f"{ID}.metainfo.xml", values))
    put(SOURCES / "talweg.svg", share / f"icons/hicolor/scalable/apps/{ID}.svg")
    for size in [16, 24, 32, 48, 64, 128, 256, 512]:
        write(share / f"icons/hicolor/{size}x{size}/apps/{ID}.png", icon(size))
    manual = share / "man/man1"
    manual.mkdir(parents=True)
    output_of(program, "man", manual)
    for page in list(manual.iterdir()):
        write(page.with_name(f"{page.name}.gz"), gzip.compress(page.read_bytes(), mtime=0))
        page.unlink()
    for shell, place in [
        ("bash", "bash-completion/completions/talweg"),
        ("fish", "fish/vendor_completions.d/talweg.fish"),
        ("zsh", "zsh/vendor-completions/_talweg"),
    ]:
        write(share / place, output_of(program, "completions", shell))
    documents = share / "doc/talweg"
    for name in TEXTS:
        put(ROOT / name, documents / name)
    write(documents / THIRD_PARTY, third_party_licences())
    write(documents / "changelog.gz", gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0))
    mit = "".join(f" {line or '.'}\n" for line in (ROOT / "LICENSE-MIT").read_text().splitlines())
    write(
        documents / "copyright",
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Talweg\n"
        f"Comment: {THIRD_PARTY} lists the packages inside the program and their licences.\n\n"
        f"Files: *\nCopyright: the Talweg developers\nLicense: {LICENSE.replace(' OR ', ' or ')}\n{mit}",
    )
    set_times(root)


def archive(root, machine):
    """The archive works from any folder: bin and share lie beside each other."""
    name = f"talweg-{VERSION}-linux-{machine}"
    to = DIST / f"{name}.tar.zst"
    tar = ["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{EPOCH}"]
    tar += ["--transform", f"s|^usr|{name}|", "-C", root, "-cf", "-", "usr"]
    packer = subprocess.Popen(tar, stdout=subprocess.PIPE)
    subprocess.run(["zstd", "-q", "-f", "-19", "-T0", "-o", to], stdin=packer.stdout, check=True)
    if packer.wait() != 0:
        fail("tar could not pack the archive")
    return to


def debian(root, program, machine, work):
    """The program opens the libraries of the window and of the graphics card while it runs, so no tool finds them by
    itself. tools/setup checks for the same libraries."""
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[machine]
    files = sorted(path for path in (root / "usr").rglob("*") if path.is_file())
    size = sum(path.stat().st_size for path in files) // 1024
    unwinding = "libgcc-s1, " if "libgcc_s" in output_of("objdump", "-p", program) else ""
    description = textwrap.fill(DESCRIPTION, 79, initial_indent=" ", subsequent_indent=" ")
    package = work / "deb"
    shutil.copytree(root, package, symlinks=True)
    write(
        package / "DEBIAN/control",
        f"Package: talweg\nVersion: {VERSION}\nArchitecture: {architecture}\n"
        f"Maintainer: The Talweg developers <talweg@localhost>\nInstalled-Size: {size}\n"
        f"Depends: libc6 (>= {needed_glibc(program)}), {unwinding}libvulkan1, libx11-xcb1, libxcursor1, libxi6, "
        f"libxrandr2, libxkbcommon-x11-0\nRecommends: mesa-vulkan-drivers\nSection: graphics\nPriority: optional\n"
        f"Description: {SUMMARY[0].lower()}{SUMMARY[1:]}\n{description}\n",
    )
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files]
    write(package / "DEBIAN/md5sums", "".join(sums))
    set_times(package)
    to = DIST / f"talweg_{VERSION}_{architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", package, to]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return to


def rpm(root, machine, work):
    values = {"VERSION": VERSION, "LICENSE": LICENSE, "SUMMARY": SUMMARY, "DESCRIPTION": DESCRIPTION, "ROOT": root}
    write(work / "talweg.spec", filled("talweg.spec", values))
    definitions = [
        f"_topdir {work}/rpm", f"_rpmdir {work}/rpms", "_buildhost talweg", "use_source_date_epoch_as_buildtime 1",
        "clamp_mtime_to_source_date_epoch 1", "__os_install_post %{nil}", "_build_id_links none",
    ]
    options = [word for definition in definitions for word in ("--define", definition)]
    command = ["rpmbuild", "-bb", "--quiet", *options, work / "talweg.spec"]
    done = subprocess.run(command, env=ENVIRONMENT, text=True, stderr=subprocess.PIPE)
    if done.returncode != 0:
        fail(f"rpmbuild failed:\n{done.stderr}")
    to = DIST / f"talweg-{VERSION}-1.{machine}.rpm"
    shutil.copyfile(next((work / "rpms").glob("*/*.rpm")), to)
    return to


def application_folder(root, to):
    """The folder of an AppImage: the same files, with the start, the entry of the menu and the icon at its top."""
    shutil.copytree(root / "usr", to / "usr")
    (to / "AppRun").symlink_to("usr/bin/talweg")
    (to / f"{ID}.desktop").symlink_to(f"usr/share/applications/{ID}.desktop")
    (to / f"{ID}.png").symlink_to(f"usr/share/icons/hicolor/256x256/apps/{ID}.png")
    (to / ".DirIcon").symlink_to(f"{ID}.png")
    set_times(to)


def app_image(root, machine, runtime, work):
    """An AppImage is the runtime, a program that mounts what follows it, and a squashfs of the folder."""
    require_tools("mksquashfs")
    application_folder(root, work / "Talweg.AppDir")
    squashed = work / "talweg.squashfs"
    options = ["-root-owned", "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "19", "-reproducible"]
    # mksquashfs takes all times from SOURCE_DATE_EPOCH
    subprocess.run(["mksquashfs", work / "Talweg.AppDir", squashed, *options], check=True, env=ENVIRONMENT)
    to = DIST / f"talweg-{VERSION}-linux-{machine}.AppImage"
    write(to, runtime.read_bytes() + squashed.read_bytes(), 0o755)
    return to


def pack(program, machine, work, runtime):
    require_tools(*TOOLS)
    if not runs_here("linux", machine):
        fail(f"{program} is for {machine}: pack it on such a computer, because its manual pages come from the program")
    root = work / "root"
    lay_out(program, root)
    packages = [archive(root, machine), debian(root, program, machine, work), rpm(root, machine, work)]
    if runtime:
        packages.append(app_image(root, machine, runtime, work))
    else:
        print("talweg: no AppImage, because --appimage-runtime names no runtime")
    return packages
