#!/usr/bin/env python3
"""Draws the scenes of all figures of the papers into one contact sheet, grouped by work. Below each image are the
name of its scene, as on the page "Paper reproductions" of the start window, and a sentence from docs/documents.md.

    tools/paper_figures.py PROGRAM OUT.png [--relief] [SCENE ...]

PROGRAM is the compiled talweg. Pictures show the 3D view from the scene's own camera; --relief draws them from above,
without a graphics driver. Needs Pillow (tools/setup --test puts it into target/tools/outside)."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

from PIL import Image, ImageDraw, ImageFont

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 5
# Size of a picture in pixels; the caption is below the picture, and the title of the paper above all its pictures.
SIZE = (480, 300)
TEXT = 66
TITLE = 56
MARGIN = 8


def works():
    """Scene name prefix, title and authors of each work, in order."""
    text = (ROOT / "src/scene/works.rs").read_text()
    field = lambda name: r'%s: "((?:[^"\\]|\\(?s:.))*)"' % name
    found = re.findall(r"SourceWork \{\s*" + field("prefix") + r",\s*" + field("authors") + r",\s*" + field("title"), text)
    return [(prefix, title, re.sub(r"\\\s+", "", authors)) for prefix, authors, title in found]


def sentences():
    """The sentence about each scene."""
    rows = re.findall(r"^\| `(paper-[^`]*)` \| ([^|]*) \|$", (ROOT / "docs/documents.md").read_text(), re.M)
    return dict(rows)


def caption(scene):
    return re.search(r'name: "([^"]*)"', (ROOT / f"saves/{scene}.ron").read_text()).group(1)


def picture(program, scene, relief, out):
    width, height = map(str, SIZE)
    command = [program, "render" if relief else "shot", scene, "-o", out, "--force", "--width", width, "--height", height]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return Image.open(out).convert("RGB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("scenes", nargs="*")
    parser.add_argument("--relief", action="store_true")
    options = parser.parse_intermixed_args()
    scenes = options.scenes or sorted(path.stem for path in (ROOT / "saves").glob("paper-*.ron"))
    groups = [(title, authors, [scene for scene in scenes if scene.startswith(prefix)]) for prefix, title, authors in works()]
    groups = [group for group in groups if group[2]]
    left_out = set(scenes) - {scene for _, _, of in groups for scene in of}
    if left_out:
        sys.exit(f"these scenes belong to no work in src/scene/works.rs: {', '.join(sorted(left_out))}")
    said = sentences()
    silent = [scene for scene in scenes if scene not in said]
    if silent:
        sys.exit(f"docs/documents.md has no sentence about {', '.join(silent)}")
    cell = (SIZE[0] + MARGIN, SIZE[1] + TEXT + MARGIN)
    high = sum(TITLE + cell[1] * -(-len(of) // COLUMNS) for _, _, of in groups)
    sheet = Image.new("RGB", (cell[0] * COLUMNS + MARGIN, high + MARGIN), "white")
    pen = ImageDraw.Draw(sheet)
    large, small, plain = (ImageFont.load_default(size) for size in (22, 13, 15))
    top = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, authors, of in groups:
            pen.text((MARGIN, top + MARGIN), title, fill="black", font=large)
            pen.text((MARGIN, top + MARGIN + 26), authors, fill="#555555", font=small)
            top += TITLE
            for k, scene in enumerate(of):
                at = (MARGIN + k % COLUMNS * cell[0], top + k // COLUMNS * cell[1])
                sheet.paste(picture(options.program, scene, options.relief, f"{folder}/picture.png"), at)
                pen.text((at[0], at[1] + SIZE[1] + 2), caption(scene), fill="black", font=plain)
                lines = textwrap.fill(said[scene], 70)
                pen.multiline_text((at[0], at[1] + SIZE[1] + 22), lines, fill="#333333", font=small, spacing=2)
                print(scene, flush=True)
            top += cell[1] * -(-len(of) // COLUMNS)
    sheet.save(options.out)


main()
