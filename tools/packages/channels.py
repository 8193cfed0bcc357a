"""The files by which package managers find a release: winget, Scoop, Homebrew and Flathub. They contain the address
and the SHA-256 sum of each package."""

import json

from release import (
    DATE, DESCRIPTION, DIST, ID, LICENSE, SUMMARY, VERSION, fail, filled, sha256, write,
)

# Every package of a release. A release without one of them is refused.
PACKAGES = {
    "LINUX_X86_64": f"talweg-{VERSION}-linux-x86_64.tar.zst",
    "LINUX_AARCH64": f"talweg-{VERSION}-linux-aarch64.tar.zst",
    "APPIMAGE_X86_64": f"talweg-{VERSION}-linux-x86_64.AppImage",
    "APPIMAGE_AARCH64": f"talweg-{VERSION}-linux-aarch64.AppImage",
    "DEB_AMD64": f"talweg_{VERSION}_amd64.deb",
    "DEB_ARM64": f"talweg_{VERSION}_arm64.deb",
    "RPM_X86_64": f"talweg-{VERSION}-1.x86_64.rpm",
    "RPM_AARCH64": f"talweg-{VERSION}-1.aarch64.rpm",
    "WINDOWS": f"talweg-{VERSION}-windows-x86_64.zip",
    "WINDOWS_SETUP": f"talweg-{VERSION}-windows-x86_64-setup.exe",
    "MACOS_AARCH64": f"talweg-{VERSION}-macos-aarch64.zip",
    "MACOS_X86_64": f"talweg-{VERSION}-macos-x86_64.zip",
}
# Python packages: their names contain the versions of Python and of the system.
WHEELS = ["manylinux*_x86_64", "manylinux*_aarch64", "win_amd64", "macosx*_arm64", "macosx*_x86_64"]


def missing_packages():
    missing = [name for name in PACKAGES.values() if not (DIST / name).is_file()]
    missing += [f"a wheel for {system}" for system in WHEELS if not any(DIST.glob(f"talweg-{VERSION}-*-{system}.whl"))]
    sources = f"talweg-{VERSION}.tar.gz"
    return missing + [sources] * (not (DIST / sources).is_file())


def scoop(values):
    url = values["URL"]
    return json.dumps({
        "version": VERSION,
        "description": SUMMARY,
        "homepage": values["HOMEPAGE"],
        "license": LICENSE.replace(" OR ", "|"),
        "architecture": {"64bit": {
            "url": f"{url}/{PACKAGES['WINDOWS']}",
            "hash": values["SHA256_WINDOWS"],
            "extract_dir": PACKAGES["WINDOWS"].removesuffix(".zip"),
        }},
        "bin": "talweg.exe",
        "shortcuts": [["talweg.exe", "Talweg", "", "talweg.ico"]],
    }, indent=4) + "\n"


def make(url):
    """Writes the files into dist/channels, for packages that `url` offers."""
    if missing := missing_packages():
        fail("dist/ lacks these packages of the release:\n  " + "\n  ".join(missing))
    # the page of the project on GitHub, whose releases lie below it
    values = {
        "URL": url, "HOMEPAGE": url.split("/releases/")[0], "VERSION": VERSION, "DATE": DATE, "LICENSE": LICENSE,
        "SUMMARY": SUMMARY, "DESCRIPTION": DESCRIPTION,
    }
    for key, name in PACKAGES.items():
        values[f"FILE_{key}"] = name
        values[f"SHA256_{key}"] = sha256(DIST / name)
    folder = DIST / "channels"
    for name in ["Talweg.Talweg.yaml", "Talweg.Talweg.installer.yaml", "Talweg.Talweg.locale.en-US.yaml"]:
        write(folder / "winget" / name, filled(f"winget/{name}", values))
    write(folder / "scoop/talweg.json", scoop(values))
    write(folder / "homebrew/talweg.rb", filled("talweg.rb", values))
    write(folder / f"flathub/{ID}.yml", filled(f"{ID}.yml", values))
    return sorted(path for path in folder.rglob("*") if path.is_file())
