#!/usr/bin/env python3
"""A small server that speaks the protocol of docs/server.md, for the tests of the live links. It needs no packages.

    tools/live_link/fake_server.py --port 8417 --token secret --server-json /tmp/server.json

It publishes the first of its surfaces. Each `GET /test/next` publishes the next one, and `GET /test/restart` behaves as
a restart of Talweg: revisions begin at 1 again. With --pages FOLDER it also serves the files of FOLDER at /pages/, so
that the tests can run Godot in a browser.
"""

import argparse
import array
import http.server
import json
import math
import os
import struct
import threading
import urllib.parse
import zlib


def png(samples, colour):
    """A PNG file of `samples` × `samples` pixels; `colour(row, column)` returns three bytes."""
    rows = b"".join(
        b"\0" + b"".join(bytes(colour(row, column)) for column in range(samples)) for row in range(samples)
    )

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", samples, samples, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Surface:
    """A plane that rises to the east and, less, to the north, with one peak north of the centre and west of it."""

    is_planet = False

    def __init__(self, name, samples, size=8000.0, peak=1000.0, corner=(255, 0, 0)):
        self.name, self.samples, self.size, self.sea, self.peak = name, samples, size, 50.0, peak
        self.corner = corner
        last = samples - 1
        # Row and column of the peak, as fractions of the side.
        self.peak_at = (last // 4, last * 3 // 8)
        self.heights = array.array("f", (self._height(i // samples, i % samples) for i in range(samples * samples)))

    def _height(self, row, column):
        last = self.samples - 1
        plane = 100.0 * column / last + 30.0 * (last - row) / last
        away = math.hypot(row - self.peak_at[0], column - self.peak_at[1]) / last
        return plane + self.peak * max(0.0, 1.0 - away / 0.2)

    def _colour(self, row, column):
        """Corners: north-west `corner`, north-east green, south-west blue, south-east white."""
        north, west = row * 2 < self.samples, column * 2 < self.samples
        return (self.corner if west else (0, 255, 0)) if north else ((0, 0, 255) if west else (255, 255, 255))

    def range(self):
        return min(self.heights), max(self.heights)

    def file(self, name):
        if name == "heights.r32":
            numbers = array.array("f", self.heights)
            if struct.pack("=H", 1) != struct.pack("<H", 1):
                numbers.byteswap()
            return numbers.tobytes()
        if name == "colours.png":
            return png(self.samples, self._colour)
        return None


class Planet:
    """A planet of 8 triangles with a lower ball of water, as Talweg writes it: y up, vertex colours, two nodes."""

    is_planet = True

    def __init__(self, name, radius=6.0e6):
        self.name, self.samples, self.size, self.sea, self.radius = name, 9, math.pi / 2 * radius, 0.0, radius

    def range(self):
        return -10.0, 1000.0

    def file(self, name):
        return self._glb() if name == "mesh.glb" else None

    def _glb(self):
        corners = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
        triangles = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
        data, views, accessors, meshes = b"", [], [], []

        def accessor(values, code, component, shape, count, stride, **more):
            nonlocal data
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(values)})
            if stride:
                views[-1]["byteStride"] = stride
            data += values + bytes(-len(values) % 4)
            view = {"bufferView": len(views) - 1, "componentType": component, "type": shape, "count": count}
            accessors.append({**view, **more})
            return len(accessors) - 1

        for kind, radius in (("ground", self.radius + 1000.0), ("water", self.radius)):
            floats = [x * radius for corner in corners for x in corner]
            normals = [float(x) for corner in corners for x in corner]
            # The north pole is red, every other vertex is green.
            colours = [n for (_, y, _) in corners for n in ((65535, 0, 0, 65535) if y > 0 else (0, 65535, 0, 65535))]
            low, high = [-radius] * 3, [radius] * 3
            attributes = {
                "POSITION": accessor(struct.pack("<18f", *floats), "f", 5126, "VEC3", 6, 12, min=low, max=high),
                "NORMAL": accessor(struct.pack("<18f", *normals), "f", 5126, "VEC3", 6, 12),
                "COLOR_0": accessor(struct.pack("<24H", *colours), "H", 5123, "VEC4", 6, 8, normalized=True),
            }
            numbers = [k for triangle in triangles for k in triangle]
            indices = accessor(struct.pack("<24I", *numbers), "I", 5125, "SCALAR", 24, 0)
            meshes.append({"name": kind, "primitives": [{"attributes": attributes, "indices": indices}]})
        root = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"name": mesh["name"], "mesh": k} for k, mesh in enumerate(meshes)],
            "meshes": meshes,
            "accessors": accessors,
            "bufferViews": views,
            "buffers": [{"byteLength": len(data)}],
        }
        text = json.dumps(root).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(data))
        return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data


class FakeTalweg:
    """A running server. `publish` is thread-safe; `close` ends all connections, as the end of the program does."""

    def __init__(self, token, port=0, surfaces=(), pages=None):
        self.token, self.pages, self.surfaces = token, pages, list(surfaces)
        self.revision, self.surface = 0, None
        self.changed = threading.Condition()
        self.requests = []
        self.conflicts = 0  # number of file requests that are answered with 409, as if a newer terrain were finished
        self.sockets = set()
        fake = self

        class Handler(_Handler):
            talweg = fake

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.next()

    def publish(self, surface):
        with self.changed:
            self.surface, self.revision = surface, self.revision + 1
            self.changed.notify_all()

    def next(self):
        """Publishes the next of the given surfaces; returns whether there was one."""
        if not self.surfaces:
            return False
        self.publish(self.surfaces.pop(0))
        return True

    def restart(self):
        with self.changed:
            self.revision = 1
        self.hang_up()

    def hang_up(self):
        for connection in list(self.sockets):
            try:
                connection.shutdown(2)
            except OSError:
                pass  # The program at the other end has already closed the connection.

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.hang_up()

    def write_address(self, path):
        """Writes server.json in one step, as Talweg does."""
        address = {"program": "talweg", "program_version": "0.1.0", "process": os.getpid()}
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            json.dump({**address, "url": self.url, "token": self.token}, file)
        os.replace(f"{path}.new", path)

    def description(self):
        low, high = self.surface.range()
        return {
            "program": "talweg",
            "program_version": "0.1.0",
            "revision": self.revision,
            "hash": f"{self.revision:032x}",
            "name": self.surface.name,
            "samples": self.surface.samples,
            "size_metres": self.surface.size,
            "relief_metres": 2000.0,
            "sea_metres": self.surface.sea,
            "lowest_metres": low,
            "highest_metres": high,
            "is_planet": self.surface.is_planet,
            "maps": ["heights", "colours"],
        }


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    talweg = None

    def setup(self):
        super().setup()
        self.talweg.sockets.add(self.connection)

    def finish(self):
        self.talweg.sockets.discard(self.connection)
        super().finish()

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        if status != 204:
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, reason):
        self.answer(status, json.dumps({"error": reason}).encode())

    def do_GET(self):
        try:
            self.route()
        except (BrokenPipeError, ConnectionError):
            self.close_connection = True  # The program at the other end hung up.

    def route(self):
        talweg = self.talweg
        talweg.requests = talweg.requests[-99:] + [self.path]
        address = urllib.parse.urlsplit(self.path)
        if address.path.startswith("/pages/"):
            return self.page(address.path)
        if self.headers.get("host") not in (f"127.0.0.1:{talweg.port}", f"localhost:{talweg.port}"):
            return self.refuse(403, "the server answers only to 127.0.0.1 and localhost with its port")
        if "origin" in self.headers:
            return self.refuse(403, "the server does not answer to pages in a browser")
        if self.headers.get("authorization") != f"Bearer {talweg.token}":
            return self.refuse(401, "send the header `Authorization: Bearer TOKEN` with the server's token")
        query = {name: values[-1] for name, values in urllib.parse.parse_qs(address.query).items()}
        if address.path == "/v1/terrain":
            return self.terrain(query)
        if address.path.startswith("/v1/files/"):
            return self.file(urllib.parse.unquote(address.path.removeprefix("/v1/files/")), query)
        if address.path == "/test/next":
            return self.answer(200, json.dumps(talweg.next()).encode())
        if address.path == "/test/restart":
            self.answer(200, b"true")
            return talweg.restart()
        return self.refuse(404, "there are /v1/terrain, /v1/files/NAME and /mcp")

    def terrain(self, query):
        talweg = self.talweg
        try:
            after, wait = int(query.pop("after", 0)), float(query.pop("wait", 0))
        except ValueError as error:
            return self.refuse(400, str(error))
        if query or after < 0:
            return self.refuse(400, f"unknown or negative: {query}")
        if not 0 <= wait <= 30:
            return self.refuse(400, "wait: give 0 to 30 seconds")
        with talweg.changed:
            talweg.changed.wait_for(lambda: talweg.revision > after, wait)
            if talweg.revision <= after:
                return self.answer(204)
            description = talweg.description()
        return self.answer(200, json.dumps(description).encode())

    def file(self, name, query):
        talweg = self.talweg
        with talweg.changed:
            revision, surface = talweg.revision, talweg.surface
            forced = talweg.conflicts > 0
            talweg.conflicts -= forced
        if surface is None:
            return self.refuse(404, "no terrain is finished yet")
        if forced or int(query.get("revision", 0)) not in (0, revision):
            return self.refuse(409, "a newer terrain is finished; ask for /v1/terrain again")
        body = surface.file(name)
        if body is None:
            return self.refuse(400, f"{name}: there is no such file")
        kind = "image/png" if name.endswith(".png") else "application/octet-stream"
        return self.answer(200, body, kind, talweg_revision=str(revision), talweg_hash=f"{revision:032x}")

    def page(self, path):
        folder = self.talweg.pages
        file = folder and os.path.realpath(os.path.join(folder, path.removeprefix("/pages/")))
        if not file or not file.startswith(os.path.realpath(folder) + os.sep) or not os.path.isfile(file):
            return self.refuse(404, "there is no such page")
        kinds = {".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm"}
        kind = kinds.get(os.path.splitext(file)[1], "application/octet-stream")
        with open(file, "rb") as opened:
            return self.answer(200, opened.read(), kind)


def standard_surfaces():
    """Two revisions with the same number of samples, a finer one, one whose side no step divides, and a planet."""
    return [
        Surface("First", 65),
        Surface("Second", 65, peak=1500.0, corner=(255, 255, 0)),
        Surface("Finer", 129),
        Surface("Uneven", 60),
        Planet("Ball"),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8417)
    parser.add_argument("--token", default="secret")
    parser.add_argument("--server-json", help="write the address and token to this file")
    parser.add_argument("--pages", help="also serve the files of this folder at /pages/")
    parser.add_argument("--seconds", type=float, help="end after this time")
    args = parser.parse_args()
    fake = FakeTalweg(args.token, args.port, standard_surfaces(), args.pages)
    if args.server_json:
        fake.write_address(args.server_json)
    print(fake.url, flush=True)
    try:
        threading.Event().wait(args.seconds)
    except KeyboardInterrupt:
        pass
    fake.close()


if __name__ == "__main__":
    main()
