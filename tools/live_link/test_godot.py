#!/usr/bin/env python3
"""Runs test_godot.gd in Godot 4 against fake_server.py.

    tools/live_link/test_godot.py --godot /usr/bin/godot4
    tools/live_link/test_godot.py --web FOLDER            # in headless Chromium, with a web export template of Godot

FOLDER has the files index.js and index.wasm of a web export of any project. With --url and --token, the server is a
running Talweg; this needs --godot, because Talweg refuses pages in a browser.
"""

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

import fake_server

PROJECT = """config_version=5

[application]

config/name="Live link test"
run/main_scene="res://test.tscn"

[physics]

3d/physics_engine="{physics}"

[rendering]

renderer/rendering_method="gl_compatibility"
"""

SCENE = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://test_godot.gd" id="1"]

[node name="Test" type="Node"]
script = ExtResource("1")
"""

PAGE = """<!doctype html><canvas id="canvas" width="64" height="64"></canvas><script src="index.js"></script><script>
const print = text => console.log("GODOT " + text);
new Engine({ executable: "index", mainPack: "project.pck", canvas: document.getElementById("canvas"), args: ARGS,
  canvasResizePolicy: 0, onPrint: print, onPrintError: print, onExit: code => print("exit " + code) }).startGame()
  .catch(error => print("exit " + error));
</script>"""


def write_project(folder, physics):
    """Writes a project with the add-on and the test."""
    shutil.copytree(FOLDER / "godot" / "addons", folder / "addons")
    shutil.copy(FOLDER / "test_godot.gd", folder)
    (folder / "test.tscn").write_text(SCENE)
    (folder / "project.godot").write_text(PROJECT.format(physics=physics))


def pack(folder):
    """The files of a project as a pack of format 2, which Godot 4.0 and later read."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [f"res://{path.relative_to(folder).as_posix()}".encode() for path in files]
    names = [name + bytes(-len(name) % 4) for name in names]
    start = 100 + sum(4 + len(name) + 36 for name in names)
    head = struct.pack("<4sIIIIIQ", b"GDPC", 2, 4, 2, 0, 0, 0) + bytes(64) + struct.pack("<I", len(files))
    body = b""
    for path, name in zip(files, names):
        data = path.read_bytes()
        head += struct.pack("<I", len(name)) + name + struct.pack("<QQ", start + len(body), len(data))
        head += hashlib.md5(data).digest() + struct.pack("<I", 0)
        body += data
    assert len(head) == start
    return head + body


def run(command, seconds):
    """Runs the command until the test has printed its result; returns whether all checks passed."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    result = None
    for line in process.stdout:
        # Chromium prints a line of the page with its source: "GODOT text", source: …
        found = re.search(r'"GODOT (.*)", source: ', line)
        text = found.group(1) if found else line.rstrip()
        if found or "CONSOLE" in line or command[0] != "chromium":
            print(text, flush=True)
        if result is None:
            result = re.search(r"^\d+ passed, (\d+) failed$", text)
        if result or text.startswith("exit "):
            break
    process.kill()
    process.wait()
    timer.cancel()
    return bool(result) and result.group(1) == "0"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--godot", help="the program Godot 4")
    way.add_argument("--web", type=pathlib.Path, help="folder of a web export template")
    parser.add_argument("--physics", default="DEFAULT", help="physics engine, such as 'Jolt Physics'")
    parser.add_argument("--url", help="address of a running Talweg")
    parser.add_argument("--token", help="token of a running Talweg")
    parser.add_argument("--seconds", type=float, default=240.0, help="end after this time")
    args = parser.parse_args()
    if bool(args.url) != bool(args.token) or args.url and args.web:
        parser.error("give --url and --token together, and with --godot")
    with tempfile.TemporaryDirectory() as temporary:
        project, pages = pathlib.Path(temporary, "project"), pathlib.Path(temporary, "pages")
        project.mkdir()
        pages.mkdir()
        write_project(project, args.physics)
        fake = None if args.url else fake_server.FakeTalweg("secret", 0, fake_server.standard_surfaces(), pages)
        arguments = ["--", f"--url={args.url or fake.url}", f"--token={args.token or fake.token}"]
        arguments += ["--talweg"] * bool(args.url)
        if args.godot:
            command = [args.godot, "--headless", "--path", project, *arguments]
        else:
            for name in ("index.js", "index.wasm", "index.audio.worklet.js", "index.audio.position.worklet.js"):
                shutil.copy(args.web / name, pages)
            (pages / "project.pck").write_bytes(pack(project))
            options = json.dumps(arguments)
            (pages / "test.html").write_text(PAGE.replace("ARGS", options))
            command = ["chromium", "--headless=new", "--no-sandbox", "--enable-logging=stderr", "--log-level=0"]
            command += ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--mute-audio"]
            command += [f"--user-data-dir={temporary}/profile", f"{fake.url}/pages/test.html"]
        is_right = run([str(part) for part in command], args.seconds)
        if fake:
            fake.close()
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
