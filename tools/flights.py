#!/usr/bin/env python3
"""Flies from 10,000 km down to 1.7 m over planets and around terrains, at several picture sizes, and reports every
picture with holes or with coarser terrain than its size needs.

    tools/flights.py PROGRAM [--pictures 20] [--folder DIR] [SCENE ...]

PROGRAM is the compiled talweg. With --folder, the pictures are kept. The exit status is 1 if a picture lacks anything."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SAVES = pathlib.Path(__file__).resolve().parent.parent / "saves"
SCENES = ["earthlike", "eroded-planet", "paper-003-moon", "paper-003-mars", "alpine-range", "island"]
# Places on a planet: latitude, longitude, heading and tilt in degrees.
PLACES = ["2.0055,52.0045,{},30,-12", "35.26,45,{},120,-30", "90,0,{},0,-60", "-33,-70,{},80,-25"]
# Places on a terrain: metres east and south as fractions of the side, heading and tilt in degrees.
SQUARES = [(0.45, 0.85, 20, -25), (0.1, 0.5, 90, -60)]
SIZES = [(480, 270), (1280, 720), (1920, 1080)]
FROM_METRES, TO_METRES = 1e7, 1.7


def views(scene):
    text = (SAVES / f"{scene}.ron").read_text()
    if "world: Planet" in text:
        return [lambda height, place=place: ["--at", place.format(height)] for place in PLACES]
    side = float((re.search(r"size_metres: ([0-9.]+)", text) or re.match("(8000)", "8000")).group(1))
    return [
        lambda height, at=at: ["--from", f"{at[0] * side:.0f},{at[1] * side:.0f},{height},{at[2]},{at[3]}"]
        for at in SQUARES
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("scenes", nargs="*")
    parser.add_argument("--pictures", type=int, default=20)
    parser.add_argument("--folder")
    options = parser.parse_args()
    lacking = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        for scene in options.scenes or SCENES:
            for number, view in enumerate(views(scene)):
                for width, height in SIZES:
                    for step in range(options.pictures):
                        metres = FROM_METRES * (TO_METRES / FROM_METRES) ** (step / max(options.pictures - 1, 1))
                        out = folder / f"{scene}-{number}-{height}-{step:03}.png"
                        command = [options.program, "shot", scene, "-o", str(out), "--force"]
                        command += ["--width", str(width), "--height", str(height)] + view(f"{metres:.1f}")
                        done = subprocess.run(command, capture_output=True, text=True)
                        lacks = [line for line in done.stderr.splitlines() if line.startswith("warning: The ")]
                        if done.returncode != 0 or lacks:
                            lacking += 1
                            print(" ".join(command), done.stderr, sep="\n", flush=True)
                    print(f"{scene}, place {number}, {width} × {height}: {options.pictures} pictures", flush=True)
    sys.exit(min(lacking, 1))


if __name__ == "__main__":
    main()
