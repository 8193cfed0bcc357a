#!/usr/bin/env python3
"""Draws scenes of saves/ from 2 m to 30 km above the terrain, and planets from orbit to the surface, into one picture,
to check the 3D view at all distances.

    tools/close_ups.py PROGRAM OUT.png [--light golden-hour] [SCENE ...]

PROGRAM is the compiled talweg. Needs Pillow (tools/setup --test puts it into target/tools/outside)."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw

SAVES = pathlib.Path(__file__).resolve().parent.parent / "saves"
SCENES = ["alpine-range", "desert-dunes", "winter-peaks", "island", "canyon-lands", "glacial-valleys", "volcano", "badlands"]
# Planets, each with a position on land in degrees.
PLANETS = {"earthlike": "2.0055,52.0045", "eroded-planet": "10,-50"}
# Camera positions: metres above the terrain, and tilt in degrees.
TERRAIN_HEIGHTS = [(2, -4), (30, -9), (300, -16), (3_000, -28), (30_000, -55)]
PLANET_HEIGHTS = [(2, -5), (300, -15), (3_000, -25), (30_000, -40), (10_000_000, -90)]
SIZE = (640, 360)


def shot(program, scene, place, light, out):
    command = [program, "shot", scene, "-o", out, "--force", "--width", str(SIZE[0]), "--height", str(SIZE[1])] + place
    if light:
        command += ["--preset", light]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return Image.open(out).convert("RGB")


def places(scene):
    """Name and options of each picture of a scene."""
    text = (SAVES / f"{scene}.ron").read_text()
    if "world: Planet" in text:
        return [(f"{height:,} m", ["--at", f"{PLANETS.get(scene, '0,0')},{height},30,{tilt}"]) for height, tilt in PLANET_HEIGHTS]
    side = float((re.search(r"size_metres: ([0-9.]+)", text) or re.match("(8000)", "8000")).group(1))
    near, far = 0.45 * side, 0.85 * side
    where = lambda height: f"{near:.0f},{far if height > 1000 else near:.0f}"
    return [(f"{height:,} m", ["--from", f"{where(height)},{height},20,{tilt}"]) for height, tilt in TERRAIN_HEIGHTS]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("scenes", nargs="*")
    parser.add_argument("--light")
    options = parser.parse_args()
    scenes = options.scenes or SCENES + list(PLANETS)
    sheet = Image.new("RGB", (SIZE[0] * len(TERRAIN_HEIGHTS), SIZE[1] * len(scenes)))
    pen = ImageDraw.Draw(sheet)
    with tempfile.TemporaryDirectory() as folder:
        for row, scene in enumerate(scenes):
            for column, (name, place) in enumerate(places(scene)):
                light = options.light if place[0] == "--from" else None
                picture = shot(options.program, scene, place, light, f"{folder}/shot.png")
                at = (column * SIZE[0], row * SIZE[1])
                sheet.paste(picture, at)
                pen.text((at[0] + 8, at[1] + 6), f"{scene}  {name}", fill="white", stroke_width=2, stroke_fill="black")
    sheet.save(options.out)


main()
