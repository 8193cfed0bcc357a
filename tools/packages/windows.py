"""Packages for Windows: an archive and an installer."""

import os
import struct
import subprocess

from release import (
    DIST, EPOCH, ROOT, SOURCES, SUMMARY, TEXTS, THIRD_PARTY, VERSION, icon, put, require_tools, set_times,
    third_party_licences, write, zip_folder,
)


def ico(sizes):
    """An icon file of Windows: a table of pictures, then the pictures as PNG."""
    pictures = [icon(size) for size in sizes]
    at = 6 + 16 * len(sizes)
    table = struct.pack("<HHH", 0, 1, len(sizes))
    for size, picture in zip(sizes, pictures):
        # a side of 256 pixels is stored as 0
        table += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    return table + b"".join(pictures)


def pack(program, machine, work):
    require_tools("rsvg-convert", "makensis")
    name = f"talweg-{VERSION}-windows-{machine}"
    folder = work / name
    put(program, folder / "talweg.exe", 0o755)
    write(folder / "talweg.ico", ico([16, 24, 32, 48, 64, 128, 256]))
    for text in TEXTS:
        # Windows opens files by the endings of their names
        put(ROOT / text, folder / (text if "." in text else f"{text}.txt"))
    write(folder / THIRD_PARTY, third_party_licences())
    set_times(folder)
    zipped = DIST / f"{name}.zip"
    zip_folder(folder, zipped)
    setup = DIST / f"{name}-setup.exe"
    values = {"VERSION": VERSION, "SUMMARY": SUMMARY, "FILES": folder, "OUT": setup}
    defines = [f"-D{key}={value}" for key, value in values.items()]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
    command = ["makensis", "-V2", "-INPUTCHARSET", "UTF8", *defines, SOURCES / "talweg.nsi"]
    subprocess.run(command, check=True, env=environment)
    return [zipped, setup]
