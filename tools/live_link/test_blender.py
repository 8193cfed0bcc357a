#!/usr/bin/env python3
"""Tests the add-on for Blender with Blender's Python module. tools/live_link/README.md says how to install the module.

    python tools/live_link/test_blender.py                                     # against fake_server.py
    python tools/live_link/test_blender.py --server-json FILE                  # against a running Talweg
    python tools/live_link/test_blender.py --url http://127.0.0.1:8417 --token TOKEN

Against a running Talweg, the test compares the mesh with Talweg's description of the terrain.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER / "blender")]

import bpy
import numpy as np

import fake_server
import talweg_live_link as addon


def pump(until, seconds=20.0):
    """Calls the timer function of the add-on, as Blender does, until `until()` is true. Returns the longest call."""
    end, longest = time.monotonic() + seconds, 0.0
    while time.monotonic() < end:
        begin = time.monotonic()
        addon.tick()
        longest = max(longest, time.monotonic() - begin)
        if until():
            return longest
        time.sleep(0.02)
    raise AssertionError(f"after {seconds} s the panel says: {words()}")


def words():
    return addon._shown_state[0]


def terrain():
    return bpy.data.objects["Talweg terrain"]


def positions(found):
    array = np.empty(3 * len(found.data.vertices), np.float32)
    found.data.vertices.foreach_get("co", array)
    return array.reshape(-1, 3)


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "Talweg live link" and thread.is_alive()]


def wait_for_no_threads(seconds=3.0):
    end = time.monotonic() + seconds
    while threads() and time.monotonic() < end:
        time.sleep(0.02)
    return not threads()


class LiveLink(unittest.TestCase):
    def setUp(self):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        addon.register()
        self.folder = tempfile.TemporaryDirectory()
        self.address_file = pathlib.Path(self.folder.name) / "server.json"
        self.fake = None
        self.settings = bpy.context.scene.talweg_live_link
        self.settings.server_file = str(self.address_file)

    def tearDown(self):
        addon.unregister()
        self.assertTrue(wait_for_no_threads())
        if self.fake:
            self.fake.close()
        self.folder.cleanup()

    def serve(self, *surfaces, **options):
        self.fake = fake_server.FakeTalweg("secret", surfaces=surfaces, **options)
        self.fake.write_address(self.address_file)

    def follow(self, *surfaces):
        self.serve(*surfaces)
        bpy.ops.talweg.follow()
        self.wait_for(1)

    def wait_for(self, revision):
        return pump(lambda: f"revision {revision}," in words())

    def assert_peak(self, surface, found):
        """The highest vertex is where the surface has its peak: north of the centre (+Y) and west of it (-X)."""
        x, y, z = positions(found)[positions(found)[:, 2].argmax()] * self.settings.metres_per_unit
        row, column = surface.peak_at
        last = surface.samples - 1
        self.assertAlmostEqual(x, (column / last - 0.5) * surface.size, delta=0.1)
        self.assertAlmostEqual(y, (0.5 - row / last) * surface.size, delta=0.1)
        self.assertAlmostEqual(z, max(surface.heights), delta=0.1)

    def test_first_revision_is_shown_in_place_and_to_scale(self):
        surface = fake_server.Surface("First", 65)
        self.follow(surface)
        self.assertEqual(words(), "Following First, revision 1, 65 × 65 samples")
        mesh = terrain().data
        self.assertEqual((len(mesh.vertices), len(mesh.polygons)), (65 * 65, 64 * 64))
        self.assertEqual(len(mesh.edges), 2 * 65 * 64)
        self.assertFalse(mesh.validate(verbose=True), "Blender had to repair the mesh")
        self.assertTrue(all(polygon.use_smooth for polygon in mesh.polygons))
        self.assertGreater(min(polygon.normal.z for polygon in mesh.polygons), 0.0, "all faces look up")
        self.assert_peak(surface, terrain())
        self.assertEqual(tuple(terrain().location), (0, 0, 0))
        low, high = positions(terrain()).min(0), positions(terrain()).max(0)
        np.testing.assert_allclose((low[:2], high[:2]), ((-40, -40), (40, 40)), atol=1e-4)
        # The plane rises to the east, and less to the north.
        x, y, z = positions(terrain()).T
        corner = lambda east, north: z[np.argmax(east * x + north * y)] * 100
        self.assertAlmostEqual(corner(1, 1), 130, delta=0.1)
        self.assertAlmostEqual(corner(1, -1), 100, delta=0.1)
        self.assertAlmostEqual(corner(-1, 1), 30, delta=0.1)
        self.assertAlmostEqual(corner(-1, -1), 0, delta=0.1)

    def test_second_revision_changes_the_same_mesh(self):
        first = fake_server.Surface("First", 65)
        second = fake_server.Surface("Second", 65, peak=1500.0, corner=(255, 255, 0))
        self.follow(first, second)
        found, mesh, image = terrain(), terrain().data, terrain()["talweg_colours"]
        # A group of vertices, a material and a position of the user stay.
        found.vertex_groups.new(name="mine").add([5], 1.0, "REPLACE")
        found.location.x = 3.0
        mine = bpy.data.materials.new("mine")
        mesh.materials[0] = mine
        normal = mesh.vertices[65 * 20 + 24].normal.copy()
        self.assert_corner(image, 0, 64, (255, 0, 0))
        self.fake.next()
        self.wait_for(2)
        self.assertEqual((terrain(), terrain().data), (found, mesh))
        self.assertEqual((len(bpy.data.meshes), len(bpy.data.images)), (1, 1))
        self.assert_peak(second, found)
        self.assertEqual((mesh.vertices[5].groups[0].weight, found.location.x), (1.0, 3.0))
        self.assertEqual((mesh.materials[0], terrain()["talweg_colours"]), (mine, image))
        self.assertNotEqual(mesh.vertices[65 * 20 + 24].normal, normal, "normals follow the new heights")
        self.assert_corner(image, 0, 64, (255, 255, 0))

    def test_other_sample_count_rebuilds_the_mesh(self):
        surface = fake_server.Surface("Finer", 129)
        self.follow(fake_server.Surface("First", 65), surface)
        found, mesh = terrain(), terrain().data
        self.fake.next()
        self.wait_for(2)
        self.assertEqual((terrain(), terrain().data), (found, mesh))
        self.assertEqual((len(mesh.vertices), len(mesh.polygons), len(mesh.uv_layers)), (129 * 129, 128 * 128, 1))
        self.assertFalse(mesh.validate(verbose=True))
        self.assert_peak(surface, found)

    def test_limit_keeps_every_nth_sample_and_the_edges(self):
        self.follow(fake_server.Surface("First", 60))
        self.settings.limit = 30
        pump(lambda: "shown with" in words())
        # Every third of 59 steps: 0, 3, …, 57, and the last sample 59.
        self.assertIn("60 × 60 samples (shown with 21 × 21)", words())
        x = np.unique(np.round(positions(terrain())[:, 0], 3))
        steps = np.array([*range(0, 58, 3), 59])
        np.testing.assert_allclose(x, (steps / 59 - 0.5) * 80, atol=2e-3)
        heights = np.array(self.fake.surface.heights).reshape(60, 60)
        np.testing.assert_allclose(positions(terrain())[:, 2] * 100, heights[np.ix_(steps, steps)].ravel(), atol=0.01)

    def assert_corner(self, image, column, row_from_south, colour):
        self.assertEqual(image.colorspace_settings.name, "sRGB")
        width = image.size[0]
        start = 4 * (row_from_south * width + column)
        np.testing.assert_allclose(image.pixels[start : start + 3], np.array(colour) / 255, atol=0.01)

    def test_colours_lie_on_the_right_corners(self):
        self.follow(fake_server.Surface("First", 65))
        node = next(node for node in terrain().data.materials[0].node_tree.nodes if node.type == "TEX_IMAGE")
        self.assertEqual(tuple(node.image.size), (65, 65))
        self.assertTrue(node.outputs["Color"].is_linked)
        self.assert_corner(node.image, 0, 64, (255, 0, 0))
        self.assert_corner(node.image, 64, 64, (0, 255, 0))
        self.assert_corner(node.image, 0, 0, (0, 0, 255))
        # The texture coordinate of the north-west vertex is the centre of the north-west pixel.
        mesh = terrain().data
        loop = next(loop.index for loop in mesh.loops if loop.vertex_index == 0)
        np.testing.assert_allclose(mesh.uv_layers[0].uv[loop].vector, (0.5 / 65, 64.5 / 65), atol=1e-6)
        np.testing.assert_allclose(positions(terrain())[0, :2], (-40, 40), atol=1e-4)

    def test_saved_file_contains_the_image(self):
        self.follow(fake_server.Surface("First", 65))
        path = os.path.join(self.folder.name, "saved.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
        self.assert_corner(terrain()["talweg_colours"], 0, 64, (255, 0, 0))
        # Following again updates the object of the file.
        bpy.ops.talweg.follow()
        self.wait_for(1)
        self.assertEqual((len(bpy.data.meshes), len(bpy.data.images), len(bpy.data.materials)), (1, 1, 1))

    def test_settings_apply_without_a_new_revision(self):
        surface = fake_server.Surface("First", 65)
        self.follow(surface)
        self.settings.exaggeration, self.settings.metres_per_unit = 2.0, 10.0
        pump(lambda: positions(terrain())[:, 2].max() > 200)
        self.assertAlmostEqual(positions(terrain())[:, 2].max() * 10, 2 * max(surface.heights), delta=0.1)
        self.settings.water = True
        pump(lambda: "Talweg water" in bpy.data.objects)
        water = bpy.data.objects["Talweg water"]
        np.testing.assert_allclose(positions(water)[:, 2], 2 * 50 / 10)
        np.testing.assert_allclose(positions(water).max(0)[:2], (400, 400))
        self.assertEqual(water.parent, terrain())
        self.assertGreater(water.data.polygons[0].normal.z, 0.99)
        self.settings.water = False
        pump(lambda: "Talweg water" not in bpy.data.objects)
        self.assertEqual(len(bpy.data.meshes), 1)

    def test_planet_is_shown_from_its_mesh(self):
        self.follow(fake_server.Surface("First", 65), fake_server.Planet("Ball"), fake_server.Surface("Third", 65))
        self.settings.water = True
        self.fake.next()
        self.wait_for(2)
        mesh = terrain().data
        self.assertEqual((len(mesh.vertices), len(mesh.polygons)), (6, 8))
        self.assertFalse(mesh.validate(verbose=True))
        north = positions(terrain()).argmax(0)[2]
        np.testing.assert_allclose(positions(terrain())[north], (0, 0, 10 * (1 + 1000 / 6e6)), rtol=1e-6)
        np.testing.assert_allclose(mesh.color_attributes[0].data[north].color, (1, 0, 0, 1))
        self.assertTrue(all(p.normal.dot(p.center) > 0 for p in mesh.polygons), "all faces look outwards")
        np.testing.assert_allclose(np.linalg.norm(positions(bpy.data.objects["Talweg water"]), axis=1), 10, rtol=1e-6)
        self.settings.exaggeration = 100.0
        pump(lambda: positions(terrain())[:, 2].max() > 10.1)
        self.assertAlmostEqual(positions(terrain())[:, 2].max(), 10 * (1 + 100 * 1000 / 6e6), delta=1e-4)
        self.settings.exaggeration = 1.0
        self.fake.next()
        self.wait_for(3)
        self.assert_peak(self.fake.surface, terrain())
        self.assertEqual((len(mesh.vertices), len(mesh.color_attributes)), (65 * 65, 0))

    def test_wrong_token_is_named(self):
        self.serve(fake_server.Surface("First", 65))
        self.fake.token = "another"
        bpy.ops.talweg.follow()
        pump(lambda: "refuses the token" in words())
        self.assertIn("Restart the live link in Talweg", words())
        self.assertTrue(addon._shown_state[1])
        # The next server.json has the right token.
        self.fake.write_address(self.address_file)
        self.wait_for(1)
        self.assertFalse(addon._shown_state[1])

    def test_missing_server_is_awaited(self):
        bpy.ops.talweg.follow()
        pump(lambda: "There is no file" in words())
        self.assertTrue(words().startswith("Waiting for Talweg: start it in Talweg with Tools ▸ Live link"))
        self.address_file.write_text('{"url": 3')
        pump(lambda: "cannot be read" in words())
        self.serve(fake_server.Surface("First", 65))
        self.wait_for(1)

    def test_restart_of_talweg_is_followed(self):
        self.follow(fake_server.Surface("First", 65), fake_server.Surface("Second", 65))
        self.fake.next()
        self.wait_for(2)
        self.fake.close()
        pump(lambda: "nobody answers" in words())
        self.assertTrue(words().startswith("Waiting for Talweg"))
        surface = fake_server.Surface("Restarted", 33, peak=700.0)
        self.serve(surface)
        pump(lambda: words() == "Following Restarted, revision 1, 33 × 33 samples")
        self.assert_peak(surface, terrain())

    def test_later_server_is_followed(self):
        addon.WAIT_SECONDS, usual = 1, addon.WAIT_SECONDS
        try:
            self.follow(fake_server.Surface("First", 65))
            first = self.fake
            self.serve(fake_server.Surface("Later", 33))
            pump(lambda: "Following Later, revision 1" in words())
            first.close()
        finally:
            addon.WAIT_SECONDS = usual

    def test_conflict_asks_again(self):
        self.serve(fake_server.Surface("First", 65))
        self.fake.conflicts = 1
        bpy.ops.talweg.follow()
        self.wait_for(1)
        asked = [path.split("?")[0] for path in self.fake.requests]
        self.assertEqual(asked[:4], ["/v1/terrain", "/v1/files/heights.r32"] * 2)

    def test_refused_colours_are_reported(self):
        surface = fake_server.Surface("First", 65)
        whole = surface.file
        surface.file = lambda name: None if name == "colours.png" else whole(name)
        self.follow(surface)
        self.assertIn("without colours: Talweg answers with status 400: colours.png: there is no such file", words())
        self.assert_peak(surface, terrain())

    def test_wrong_length_of_heights_is_reported(self):
        surface = fake_server.Surface("First", 65)
        surface.file = lambda name: b"\0" * 12
        self.serve(surface)
        bpy.ops.talweg.follow()
        pump(lambda: "heights.r32 has 12 bytes instead of 16900" in words())
        self.assertTrue(addon._shown_state[1])

    def test_own_object_with_the_name_is_kept(self):
        own = bpy.data.objects.new("Talweg terrain", None)
        self.serve(fake_server.Surface("First", 65))
        bpy.ops.talweg.follow()
        pump(lambda: "rename your own object Talweg terrain" in words())
        own.name = "mine"
        self.wait_for(1)
        self.assertEqual(terrain().type, "MESH")

    def test_renamed_object_keeps_its_version(self):
        first = fake_server.Surface("First", 65)
        second = fake_server.Surface("Second", 65, peak=1500.0, corner=(255, 255, 0))
        self.follow(first, second)
        kept = terrain()
        kept.name = "kept"
        self.fake.next()
        self.wait_for(2)
        self.assert_peak(first, kept)
        self.assert_peak(second, terrain())
        self.assert_corner(kept["talweg_colours"], 0, 64, (255, 0, 0))
        self.assert_corner(terrain()["talweg_colours"], 0, 64, (255, 255, 0))
        self.assertNotEqual(kept.data.materials[0], terrain().data.materials[0])

    def test_edit_mode_delays_the_update(self):
        second = fake_server.Surface("Second", 65, peak=1500.0)
        self.follow(fake_server.Surface("First", 65), second)
        bpy.context.view_layer.objects.active = terrain()
        bpy.ops.object.mode_set(mode="EDIT")
        self.fake.next()
        pump(lambda: words() == "A change waits: switch Talweg terrain to Object Mode")
        bpy.ops.object.mode_set(mode="OBJECT")
        self.wait_for(2)
        self.assert_peak(second, terrain())

    def test_stop_ends_the_thread_and_keeps_the_terrain(self):
        self.follow(fake_server.Surface("First", 65), fake_server.Surface("Second", 65))
        # The thread waits for an answer of the server now.
        time.sleep(0.3)
        begin = time.monotonic()
        bpy.ops.talweg.stop()
        self.assertLess(time.monotonic() - begin, 0.2, "the button does not wait")
        self.assertTrue(wait_for_no_threads(1.0))
        self.assertFalse(bpy.app.timers.is_registered(addon.tick))
        self.assertEqual(words(), "Not following")
        self.fake.next()
        self.assertIsNone(addon.tick())
        self.assertEqual(len(terrain().data.vertices), 65 * 65)
        # Following again takes the object over.
        bpy.ops.talweg.follow()
        self.wait_for(2)
        self.assertEqual(len(bpy.data.meshes), 1)

    def test_opening_a_file_stops(self):
        self.follow(fake_server.Surface("First", 65))
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        self.assertEqual(words(), "Stopped, because another file was opened")
        self.assertTrue(wait_for_no_threads(1.0))
        self.assertIsNone(addon.tick())

    def test_standard_file_respects_the_environment(self):
        os.environ["TALWEG_STATE"] = self.folder.name
        self.addCleanup(os.environ.pop, "TALWEG_STATE")
        self.settings.server_file = ""
        self.follow(fake_server.Surface("First", 65))
        os.environ["TALWEG_STATE"] = ""
        if sys.platform == "linux":
            os.environ["XDG_STATE_HOME"] = "/state"
            self.addCleanup(os.environ.pop, "XDG_STATE_HOME")
            self.assertEqual(str(addon.standard_address_file()), "/state/talweg/server.json")


def run_against_talweg(url, token, server_json):
    """Follows a running Talweg, and compares the mesh with the description."""
    with tempfile.TemporaryDirectory() as folder:
        if not server_json:
            server_json = os.path.join(folder, "server.json")
            pathlib.Path(server_json).write_text(json.dumps({"url": url, "token": token}))
        address = json.loads(pathlib.Path(server_json).read_text())
        request = urllib.request.Request(
            f"{address['url']}/v1/terrain?wait=30", headers={"Authorization": f"Bearer {address['token']}"}
        )
        with urllib.request.urlopen(request) as answer:
            description = json.load(answer)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        addon.register()
        settings = bpy.context.scene.talweg_live_link
        settings.server_file, settings.limit, settings.water = str(server_json), 8193, True
        bpy.ops.talweg.follow()
        longest = pump(lambda: f"revision {description['revision']}," in words(), 600.0)
        print(words())
        print(f"longest time in Blender's main thread: {longest * 1000:.0f} ms")
        found = positions(terrain())
        if description["is_planet"]:
            radius = description["size_metres"] * 2 / np.pi
            metres = (np.linalg.norm(found, axis=1) / addon.PLANET_RADIUS - 1) * radius
            # The mesh of a planet is coarser than its samples.
            tolerance = 0.1 * (description["highest_metres"] - description["lowest_metres"])
        else:
            assert len(found) == description["samples"] ** 2, (len(found), description["samples"])
            metres = found[:, 2] * settings.metres_per_unit
            tolerance = 0.001 + 1e-6 * abs(description["highest_metres"] - description["lowest_metres"])
            image = terrain()["talweg_colours"]
            assert tuple(image.size) == (description["samples"],) * 2, tuple(image.size)
        print(f"heights {metres.min()} to {metres.max()} m, described {description['lowest_metres']} to", end=" ")
        print(f"{description['highest_metres']} m; {len(found)} vertices")
        assert abs(metres.min() - description["lowest_metres"]) < tolerance
        assert abs(metres.max() - description["highest_metres"]) < tolerance
        assert not terrain().data.validate(verbose=True)
        addon.unregister()
        assert wait_for_no_threads()
        print("1 passed, 0 failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="address of a running Talweg")
    parser.add_argument("--token", help="token of a running Talweg")
    parser.add_argument("--server-json", help="server.json of a running Talweg")
    args, others = parser.parse_known_args()
    if args.server_json or args.url:
        if args.url and not args.token:
            parser.error("give --token as well as --url")
        run_against_talweg(args.url, args.token, args.server_json)
    else:
        unittest.main(argv=sys.argv[:1] + others)


if __name__ == "__main__":
    main()
