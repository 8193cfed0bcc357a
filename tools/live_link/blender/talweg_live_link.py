"""Talweg live link: shows in Blender the terrain that a running Talweg edits.

A background thread asks Talweg's local server for finished terrains, and never touches bpy. A timer on Blender's main
thread writes the newest terrain into the mesh object "Talweg terrain". North is +Y, east is +X, and the middle of the
terrain is the origin of the object.
"""

bl_info = {
    "name": "Talweg live link",
    "author": "Talweg",
    "version": (0, 1, 0),
    "blender": (4, 2, 0),
    "location": "3D View > Sidebar > Talweg",
    "description": "Follows the terrain of a running Talweg on this computer",
    "category": "Import-Export",
}

import collections
import http.client
import json
import math
import os
import pathlib
import socket
import struct
import sys
import textwrap
import threading
import time
import traceback
import urllib.parse
import zlib

import bpy
import numpy as np
from bpy.app.handlers import persistent

TERRAIN, WATER, COLOURS = "Talweg terrain", "Talweg water", "Talweg colours"
WAIT_SECONDS = 10  # longest time for which the server holds a request open
FILE_SECONDS = 600  # longest time for which the server computes a file
RETRY_SECONDS = 2
PLANET_RADIUS = 10.0  # in Blender units
START = "start it in Talweg with Tools ▸ Live link"

# Part of a terrain: positions in metres with z up, topology, texture coordinates and linear colours of the vertices.
Part = collections.namedtuple("Part", "positions topology uvs colours", defaults=(None, None))
# Terrain to show: Talweg's description, the parts TERRAIN and WATER, a PNG file or None, and a remark for the panel.
Frame = collections.namedtuple("Frame", "description parts image note", defaults=(None, ""))


class Problem(Exception):
    """A failure, in words that say what to do."""


def standard_address_file():
    """Path of server.json in Talweg's folder for state, as docs/server.md defines it."""
    home = pathlib.Path.home()
    if own := os.environ.get("TALWEG_STATE"):
        folder = pathlib.Path(own)
    elif sys.platform == "win32":
        folder = pathlib.Path(os.environ.get("LOCALAPPDATA") or home / "AppData/Local") / "talweg/data"
    elif sys.platform == "darwin":
        folder = home / "Library/Application Support/talweg"
    else:
        state = os.environ.get("XDG_STATE_HOME", "")
        folder = (pathlib.Path(state) if os.path.isabs(state) else home / ".local/state") / "talweg"
    return folder / "server.json"


def read_address(path):
    """URL and token of the running server."""
    try:
        address = json.loads(path.read_text(encoding="utf-8"))
        return str(address["url"]), str(address["token"])
    except FileNotFoundError:
        raise Problem(f"Waiting for Talweg: {START}. There is no file {path}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"{path} cannot be read ({error}). Restart the live link in Talweg") from None


class Topology:
    """Faces of a mesh with their edges. In meshes with the same `key`, only the positions of the vertices differ."""

    def __init__(self, key, faces, vertices):
        # Blender takes seconds to find the edges of a large mesh, and its window would not respond.
        ends = np.stack([faces, np.roll(faces, -1, axis=1)]).astype(np.int64)
        codes, corner_edges = np.unique((ends.min(0) * vertices + ends.max(0)).ravel(), return_inverse=True)
        self.edges = np.stack([codes // vertices, codes % vertices], axis=1).astype(np.int32)
        self.corner_edges, self.faces, self.key = corner_edges.astype(np.int32), faces.astype(np.int32), key


def grid_part(description, kept, heights, known):
    """Surface of a square terrain, from the heights of the rows and columns `kept`. Reuses the topology `known`."""
    samples, size, side = description["samples"], description["size_metres"], len(kept)
    key = f"grid {samples} {side}"
    if known is None or known.key != key:
        k = np.arange(side * side).reshape(side, side)
        faces = np.stack([k[1:, :-1], k[1:, 1:], k[:-1, 1:], k[:-1, :-1]], axis=-1).reshape(-1, 4)
        known = Topology(key, faces, side * side)
    east = (kept / (samples - 1) - 0.5) * size
    positions = np.stack([np.tile(east, side), np.repeat(-east, side), heights.ravel()], axis=1)
    # Each vertex takes the colour at the centre of its pixel. The first row of the image is at v = 1.
    u = (kept + 0.5) / samples
    uvs = np.stack([np.tile(u, side), np.repeat(1 - u, side)], axis=1)
    return Part(positions.astype(np.float32), known, uvs.astype(np.float32))


def water_part(size, sea):
    """A square of water, `size` metres wide at the height `sea`."""
    h = size / 2
    corners = np.array([(-h, -h, sea), (h, -h, sea), (h, h, sea), (-h, h, sea)], np.float32)
    return Part(corners, Topology("water", np.arange(4).reshape(1, 4), 4))


def planet_parts(glb):
    """The ground and the water of Talweg's mesh.glb, turned from y up to z up."""
    if glb[:4] != b"glTF":
        raise ValueError("it is not a GLB file")
    start = 20 + struct.unpack_from("<I", glb, 12)[0]
    root, data = json.loads(glb[20:start]), memoryview(glb)[start + 8 :]
    kinds = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}

    def values(accessor):
        accessor = root["accessors"][accessor]
        view, kind = root["bufferViews"][accessor["bufferView"]], np.dtype(kinds[accessor["componentType"]])
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        strides = (view.get("byteStride", kind.itemsize * width), kind.itemsize)
        array = np.ndarray((accessor["count"], width), kind, data, offset, strides)
        return array / np.iinfo(kind).max if accessor.get("normalized") else array

    parts = {}
    for mesh in root["meshes"]:
        attributes, corners = mesh["primitives"][0]["attributes"], values(mesh["primitives"][0]["indices"])
        x, y, z = values(attributes["POSITION"]).T
        colours = values(attributes["COLOR_0"]).astype(np.float32) if "COLOR_0" in attributes else None
        key = f"planet {len(x)} {corners.size} {zlib.crc32(corners.tobytes())}"
        topology = Topology(key, corners.reshape(-1, 3), len(x))
        parts[WATER if mesh["name"] == "water" else TERRAIN] = Part(np.stack([x, -z, y], 1), topology, None, colours)
    if TERRAIN not in parts:
        raise ValueError("it has no ground")
    return parts


class Follower(threading.Thread):
    """Follows Talweg until `stop` is called. Puts at most one frame into `frames`, for the main thread."""

    def __init__(self, address_file, limit, wants_colours):
        super().__init__(name="Talweg live link", daemon=True)
        self.address_file, self.limit, self.wants_colours = address_file, limit, wants_colours
        self.frames = collections.deque(maxlen=1)
        self.state, self.failed = "Waiting for Talweg", False
        self._end, self._topology = threading.Event(), None
        self._token, self._connection, self._socket = "", None, None

    def stop(self):
        """Ends the thread soon, also while it waits for an answer."""
        self._end.set()
        if self._socket:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # The connection has already ended.

    def run(self):
        while not self._end.is_set():
            url = "its address"
            try:
                url, self._token = address = read_address(self.address_file)
                self._follow(url, address)
                continue  # server.json names another server now.
            except Problem as problem:
                words = str(problem)
            except (OSError, http.client.HTTPException):
                words = f"Waiting for Talweg: nobody answers at {url}. If Talweg has ended, {START}"
            except Exception as error:
                traceback.print_exc()
                words = f"The live link failed and tries again: {error}. The system console has the details"
            finally:
                if self._connection:
                    self._connection.close()
            if not self._end.is_set():
                self.state, self.failed = words, not words.startswith("Waiting")
                self._end.wait(RETRY_SECONDS)

    def _follow(self, url, address):
        """Follows one server. Returns when server.json names another one, or after `stop`."""
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise Problem(f"{self.address_file} has no usable address: {url}. Restart the live link in Talweg")
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
        self._connection.connect()
        self._socket, shown = self._connection.sock, 0
        while not self._end.is_set():
            answer = self._get(f"/v1/terrain?after={shown}&wait={WAIT_SECONDS}", WAIT_SECONDS + 10)
            body = answer.read()
            if answer.status == 200:
                description = self._checked(body)
                # The next files are fetched only after the main thread has shown the last ones.
                while self.frames and not self._end.wait(0.05):
                    pass
                if frame := self._frame(description):
                    shown = description["revision"]
                    self.frames.append(frame)
            elif answer.status != 204:
                raise self._problem(answer.status, body)
            elif shown == 0:
                self.state, self.failed = f"Connected to {url}. Waiting for the first terrain", False
            try:
                if read_address(self.address_file) != address:
                    return
            except Problem:
                pass  # This server still answers; the file belonged to another one.

    def _get(self, path, seconds):
        if self._end.is_set() or self._connection.sock is None:
            # With a new connection to a restarted server, the revisions would begin at 1 again.
            raise ConnectionError("the connection has ended")
        self._socket.settimeout(seconds)
        self._connection.request("GET", path, headers={"Authorization": f"Bearer {self._token}"})
        return self._connection.getresponse()

    def _problem(self, status, body):
        if status == 401:
            return Problem(f"Talweg refuses the token in {self.address_file}. Restart the live link in Talweg")
        try:
            reason = json.loads(body)["error"]
        except (ValueError, KeyError, TypeError):
            reason = body[:200].decode(errors="replace")
        return Problem(f"Talweg answers with status {status}: {reason}")

    def _checked(self, body):
        """The description of a terrain, with the kinds of values that this add-on needs."""
        try:
            found = json.loads(body)
            kinds = {"revision": int, "samples": int, "size_metres": float, "sea_metres": float, "name": str}
            found.update({key: kind(found[key]) for key, kind in kinds.items()}, is_planet=bool(found["is_planet"]))
            if found["samples"] < 2 or not 0 < found["size_metres"] < math.inf:
                raise ValueError(f"{found['samples']} samples over {found['size_metres']} m")
            return found
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Problem(f"This add-on does not know this kind of terrain ({error}). Update the add-on") from None

    def _frame(self, description):
        """The terrain; None if Talweg has finished a newer one in the meantime."""
        if description["is_planet"]:
            glb = self._file("mesh.glb", description)
            try:
                return glb and Frame(description, planet_parts(glb))
            except (ValueError, KeyError, TypeError, IndexError, struct.error) as error:
                raise Problem(f"This add-on does not know this mesh.glb ({error}). Update the add-on") from None
        samples = description["samples"]
        step = max(1, math.ceil((samples - 1) / (self.limit - 1)))
        kept = np.append(np.arange(0, samples - 1, step), samples - 1)
        body = self._file("heights.r32", description)
        if body is None:
            return None
        if len(body) != 4 * samples * samples:
            raise Problem(f"heights.r32 has {len(body)} bytes instead of {4 * samples * samples}. Update the add-on")
        heights = np.frombuffer(body, "<f4").reshape(samples, samples)[np.ix_(kept, kept)]
        if not np.isfinite(heights).all():
            raise Problem("Some heights are not numbers. Look for the layer that makes them in Talweg")
        ground = grid_part(description, kept, heights, self._topology)
        self._topology = ground.topology
        note, image = "" if step == 1 else f"shown with {len(kept)} × {len(kept)}", None
        if self.wants_colours:
            try:
                # If a newer terrain exists, this one keeps the last colours, so that long changes stay visible.
                image = self._file("colours.png", description)
            except Problem as problem:
                note = ", ".join(filter(None, [note, f"without colours: {problem}"]))
        water = water_part(description["size_metres"], description["sea_metres"])
        return Frame(description, {TERRAIN: ground, WATER: water}, image, note)

    def _file(self, name, description):
        """The bytes of a file; None if Talweg has finished a newer terrain."""
        answer = self._get(f"/v1/files/{name}?revision={description['revision']}", FILE_SECONDS)
        body = answer.read()
        if answer.status not in (200, 409):
            raise self._problem(answer.status, body)
        return body if answer.status == 200 else None


# All functions below run on Blender's main thread.


class Link:
    """A running live link: its thread, and the frame in the scene."""

    def __init__(self, scene):
        self.scene_name, self.frame, self.follower = scene.name, None, None
        self.is_stale = False  # whether the settings have changed since `frame` was shown
        self.start(scene.talweg_live_link)

    def start(self, settings):
        own = bpy.path.abspath(settings.server_file)
        path = pathlib.Path(own) if own else standard_address_file()
        self.restart_at, self.follower = None, Follower(path, settings.limit, settings.colours)
        self.follower.start()


_link = None
_shown_state = ("Not following", False)


def start(scene):
    global _link
    stop()
    _link = Link(scene)
    bpy.app.timers.register(tick, first_interval=0.1)


def stop(words="Not following"):
    """Stops following. The objects stay in the scene. Returns the thread, which ends soon."""
    global _link, _shown_state
    link, _link, _shown_state = _link, None, (words, False)
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)
    if link is None:
        return None
    link.follower.stop()
    return link.follower


def tick():
    """Shows the newest frame. Blender calls this function ten times a second."""
    global _shown_state
    if _link is None:
        return None
    try:
        state = step(_link)
    except Exception as error:
        traceback.print_exc()
        state = (f"The terrain cannot be shown: {error}. The system console has the details", True)
        _link.follower.state, _link.follower.failed = state
        _link.is_stale = False
    if state != _shown_state:
        _shown_state = state
        for window in bpy.context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()
    return 0.1


def step(link):
    """Shows a waiting frame, and returns the state: words, and whether something failed."""
    scene = bpy.data.scenes.get(link.scene_name) or bpy.context.scene
    settings, follower = scene.talweg_live_link, link.follower
    if link.restart_at and time.monotonic() > link.restart_at:
        follower.stop()
        link.start(settings)
    elif follower.frames or link.is_stale:
        if obstacle := obstacle_to_changes():
            return f"A change waits: {obstacle}", False
        is_new = bool(follower.frames)
        if is_new:
            link.frame = follower.frames.popleft()
        link.is_stale = False
        show(scene, settings, link.frame, is_new)
        description, note = link.frame.description, link.frame.note
        name, samples = description["name"], description["samples"]
        words = f"Following {name}, revision {description['revision']}, {samples} × {samples} samples"
        follower.state, follower.failed = words + (f" ({note})" if note else ""), "without colours" in note
    return link.follower.state, link.follower.failed


def obstacle_to_changes():
    """The reason why the objects cannot be changed at this moment; empty if they can."""
    if bpy.app.is_job_running("RENDER"):
        return "a render is running"
    for found in filter(None, map(bpy.data.objects.get, (TERRAIN, WATER))):
        if found.mode != "OBJECT":
            return f"switch {found.name} to Object Mode"
        if found.type != "MESH" or "talweg" not in found or found.library:
            return f"rename your own object {found.name}, because the live link uses this name"
    return ""


def show(scene, settings, frame, is_new):
    """Writes a frame into the objects."""
    if frame.description["is_planet"]:
        radius = frame.description["size_metres"] * 2 / math.pi  # `size_metres` is a quarter of the circumference.
        scale = PLANET_RADIUS / radius
    else:
        radius, scale = None, 1 / settings.metres_per_unit
    place = lambda positions: stretched(positions, settings.exaggeration, radius) * scale
    terrain = write_object(scene, TERRAIN, frame.parts[TERRAIN], place, None)
    if frame.image and (is_new or "talweg_colours" not in terrain):
        show_colours(terrain, frame.image)
    if settings.water and WATER in frame.parts:
        write_object(scene, WATER, frame.parts[WATER], place, terrain)
    elif found := bpy.data.objects.get(WATER):
        mesh = found.data
        bpy.data.objects.remove(found)
        if not mesh.users:
            bpy.data.meshes.remove(mesh)


def stretched(positions, factor, radius):
    """Positions with exaggerated heights: above zero, or above the radius of a planet."""
    if radius is None:
        return positions * (1, 1, factor)
    distances = np.maximum(np.linalg.norm(positions, axis=1, keepdims=True), 1e-9)
    return positions * (factor + (1 - factor) * radius / distances)


def write_object(scene, name, part, place, parent):
    """Writes a part into the object `name`, in place; makes the object if there is none."""
    found = bpy.data.objects.get(name)
    if found is None:
        found = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        found["talweg"], found.parent = "", parent
    if not found.users_scene:
        scene.collection.objects.link(found)
    kind = "terrain" if part.colours is None else "planet"
    if found["talweg"] != kind:  # Otherwise the materials stay, because the user may have changed them.
        found["talweg"] = kind
        found.data.materials.clear()
        found.data.materials.append(new_material(name, part.colours is not None))
    write_mesh(found.data, part, place(part.positions).astype(np.float32))
    return found


def write_mesh(mesh, part, positions):
    edges, faces, key = part.topology.edges, part.topology.faces, part.topology.key
    is_same = mesh.get("talweg_topology") == key and len(mesh.vertices) == len(positions)
    if not is_same or len(mesh.polygons) != len(faces):
        mesh.clear_geometry()
        mesh.vertices.add(len(positions))
        mesh.edges.add(len(edges))
        mesh.loops.add(faces.size)
        mesh.polygons.add(len(faces))
        # These attributes are the mesh's own arrays. They are set much faster than `mesh.loops` and `mesh.vertices`.
        mesh.attributes[".edge_verts"].data.foreach_set("value", edges.ravel())
        mesh.attributes[".corner_vert"].data.foreach_set("value", faces.ravel())
        mesh.attributes[".corner_edge"].data.foreach_set("value", part.topology.corner_edges)
        mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, faces.shape[1], dtype=np.int32))
        if part.uvs is not None:
            mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", part.uvs[faces.ravel()].ravel())
        mesh.shade_smooth()
        mesh["talweg_topology"] = key
    if part.colours is not None:
        attribute = mesh.color_attributes.get(COLOURS) or mesh.color_attributes.new(COLOURS, "FLOAT_COLOR", "POINT")
        attribute.data.foreach_set("color", part.colours.ravel())
    mesh.attributes["position"].data.foreach_set("vector", positions.ravel())
    mesh.update()


def new_material(name, has_vertex_colours):
    material = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0, 0):
        material.use_nodes = True
    material["talweg_image"] = False
    shader = principled(material)
    shader.inputs["Roughness"].default_value = 0.1 if name == WATER else 0.9
    if has_vertex_colours:
        connect_colour(material, "ShaderNodeVertexColor").layer_name = COLOURS
    elif name == WATER:
        shader.inputs["Base Color"].default_value = (0.02, 0.12, 0.2, 1)
        shader.inputs["Alpha"].default_value = 0.8
        material.surface_render_method, material.diffuse_color = "BLENDED", (0.02, 0.12, 0.2, 0.8)
    return material


def principled(material):
    return next((node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None)


def connect_colour(material, kind):
    """Adds a node of this kind to the material, and connects the node to the base colour."""
    node = material.node_tree.nodes.new(kind)
    node.location = (-300, 300)
    if shader := principled(material):
        material.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return node


def show_colours(terrain, png):
    """Replaces the contents of the image of the terrain. The .blend file contains the image."""
    image = terrain.get("talweg_colours")
    if image is None:
        terrain["talweg_colours"] = image = bpy.data.images.new(COLOURS, 1, 1)
    image.pack(data=png, data_len=len(png))
    image.source = "FILE"
    image.buffers_free()  # `reload` would look for a file on disk.
    image.update_tag()
    material = terrain.data.materials[0] if terrain.data.materials else None
    # Only a new material of this add-on gets the image. Later, the user may change or remove the node.
    if material and material.get("talweg_image") == False:
        node = connect_colour(material, "ShaderNodeTexImage")
        node.image, node.extension, material["talweg_image"] = image, "EXTEND", True


def show_again(_settings, _context):
    if _link and _link.frame:
        _link.is_stale = True


def fetch_again(_settings, _context):
    if _link:
        _link.restart_at = time.monotonic() + 0.5  # The value of a dragged slider changes often.


class TalwegSettings(bpy.types.PropertyGroup):
    server_file: bpy.props.StringProperty(
        name="Server file", subtype="FILE_PATH", update=fetch_again,
        description="Talweg's server.json. Empty: in the standard folder, or in TALWEG_STATE if it is set")
    limit: bpy.props.IntProperty(
        name="Samples at most", default=1025, min=2, soft_min=65, max=8193, update=fetch_again,
        description="Maximum number of vertices per side. Finer terrains keep every n-th sample and the edges")
    metres_per_unit: bpy.props.FloatProperty(
        name="Metres per unit", default=100.0, min=0.001, soft_max=1000.0, update=show_again,
        description="Length of a Blender unit. With 100, terrains of up to 50 km lie within the default clip distance "
        "of the 3D view; 1 is true scale. The radius of a planet is always 10 units")
    exaggeration: bpy.props.FloatProperty(
        name="Vertical exaggeration", default=1.0, min=0.0, soft_max=5.0, update=show_again,
        description="Factor of all heights; 1 is true to scale")
    water: bpy.props.BoolProperty(
        name="Water at sea level", update=show_again, description="Shows the water as the object Talweg water")
    colours: bpy.props.BoolProperty(
        name="Colours", default=True, update=fetch_again,
        description="Fetches the colours as an image with one pixel per sample. Planets always have colours")


class TALWEG_OT_follow(bpy.types.Operator):
    """Show the terrain that Talweg edits, and update it after each change"""

    bl_idname, bl_label = "talweg.follow", "Follow"

    def execute(self, context):
        start(context.scene)
        return {"FINISHED"}


class TALWEG_OT_stop(bpy.types.Operator):
    """Stop following. The terrain stays in the scene"""

    bl_idname, bl_label = "talweg.stop", "Stop"

    def execute(self, _context):
        stop()
        return {"FINISHED"}


class TALWEG_PT_panel(bpy.types.Panel):
    bl_idname, bl_label, bl_category = "TALWEG_PT_panel", "Talweg", "Talweg"
    bl_space_type, bl_region_type = "VIEW_3D", "UI"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        operator, icon = ("talweg.stop", "PAUSE") if _link else ("talweg.follow", "PLAY")
        layout.operator(operator, icon=icon)
        words, failed = _shown_state
        box = layout.box().column(align=True)
        box.alert = failed
        # A character is about 7 pixels wide, and labels do not wrap.
        for line in textwrap.wrap(words, max(16, int(context.region.width / context.preferences.system.ui_scale / 7))):
            box.label(text=line)
        for name in ("server_file", "limit", "metres_per_unit", "exaggeration", "water", "colours"):
            layout.prop(context.scene.talweg_live_link, name)


@persistent
def before_load(*_):
    stop("Stopped, because another file was opened")


CLASSES = (TalwegSettings, TALWEG_OT_follow, TALWEG_OT_stop, TALWEG_PT_panel)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Scene.talweg_live_link = bpy.props.PointerProperty(type=TalwegSettings)
    bpy.app.handlers.load_pre.append(before_load)


def unregister():
    if thread := stop():
        thread.join(2)
    bpy.app.handlers.load_pre.remove(before_load)
    del bpy.types.Scene.talweg_live_link
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
