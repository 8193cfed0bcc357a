extends Node
## Tests the node for Godot against fake_server.py. test_godot.py starts both.
##
## Arguments after "--": --url=URL --token=TOKEN. With --talweg, the server is a running Talweg, and the test compares
## the mesh with the description alone.

const TerrainNode := preload("res://addons/talweg_live_link/talweg_terrain.gd")

var url := ""
var token := ""
var passed := 0
var failed := 0
var terrain: TerrainNode


func _ready() -> void:
	_run()


func _run() -> void:
	var is_talweg := false
	for argument in OS.get_cmdline_user_args():
		if argument.begins_with("--url="):
			url = argument.trim_prefix("--url=")
		elif argument.begins_with("--token="):
			token = argument.trim_prefix("--token=")
		elif argument == "--talweg":
			is_talweg = true
	print("Godot ", Engine.get_version_info()["string"], ", ", OS.get_name())
	await get_tree().process_frame
	terrain = TerrainNode.new()
	terrain.url = url
	terrain.token = token
	if is_talweg:
		await _compare_with_description()
	else:
		await _follow_fake()
	print("%d passed, %d failed" % [passed, failed])
	get_tree().quit(1 if failed else 0)


func check(is_right: bool, what: String) -> void:
	if is_right:
		passed += 1
	else:
		failed += 1
		print("FAILED: ", what, "; the state is: ", terrain.state)


func about(a: float, b: float, tolerance := 0.1) -> bool:
	return absf(a - b) <= tolerance


## Waits until the state contains the words. Returns whether it did so within the time.
func wait_for(words: String, seconds := 20.0) -> bool:
	var end := Time.get_ticks_msec() + int(seconds * 1000.0)
	while Time.get_ticks_msec() < end:
		if terrain.state.contains(words):
			return true
		await get_tree().process_frame
	check(false, "waited for: " + words)
	return false


## Asks the fake server for something that the protocol does not have.
func command(path: String) -> void:
	var request := HTTPRequest.new()
	add_child(request)
	request.request(url + path, ["Authorization: Bearer " + token])
	await request.request_completed
	request.queue_free()


func vertices() -> PackedVector3Array:
	return terrain.mesh.surface_get_arrays(0)[Mesh.ARRAY_VERTEX]


func highest() -> Vector3:
	var found := Vector3(0, -INF, 0)
	for vertex in vertices():
		if vertex.y > found.y:
			found = vertex
	return found


func surface() -> MeshInstance3D:
	return terrain.find_child("Surface", false, false)


func check_faces(side: int) -> void:
	var arrays := terrain.mesh.surface_get_arrays(0)
	var places: PackedVector3Array = arrays[Mesh.ARRAY_VERTEX]
	var normals: PackedVector3Array = arrays[Mesh.ARRAY_NORMAL]
	var indices: PackedInt32Array = arrays[Mesh.ARRAY_INDEX]
	check(places.size() == side * side, "%d vertices per side" % side)
	check(indices.size() == 6 * (side - 1) * (side - 1), "two triangles per cell")
	var up := true
	var alike := true
	for k in range(0, indices.size(), 3):
		# Plane takes its points clockwise, as Godot's meshes do.
		var plane := Plane(places[indices[k]], places[indices[k + 1]], places[indices[k + 2]])
		up = up and plane.normal.y > 0.0
		alike = alike and plane.normal.dot(normals[indices[k]]) > 0.2
	check(up, "all faces look up")
	check(alike, "normals agree with the faces")


func _follow_fake() -> void:
	var descriptions := []
	terrain.terrain_changed.connect(func(found: Dictionary) -> void: descriptions.append(found))
	terrain.collision = true
	add_child(terrain)
	await wait_for("Following First, revision 1, 65 × 65 samples")
	check(descriptions.size() == 1 and descriptions[0]["name"] == "First", "the signal has the description")
	check_faces(65)
	# The peak is at row 16 of 64 and column 24 of 64: north of the middle and west of it.
	var peak := highest()
	check(about(peak.x, (24.0 / 64.0 - 0.5) * 8000.0), "the peak lies in the west: %s" % peak)
	check(about(peak.z, (16.0 / 64.0 - 0.5) * 8000.0), "the peak lies in the north: %s" % peak)
	check(about(peak.y, 1000.0 + 100.0 * 24.0 / 64.0 + 30.0 * 48.0 / 64.0), "height of the peak: %s" % peak)
	var places := vertices()
	check(places[0].is_equal_approx(Vector3(-4000, 30, -4000)), "north-west corner: %s" % places[0])
	check(places[64].is_equal_approx(Vector3(4000, 130, -4000)), "north-east corner: %s" % places[64])
	check(places[65 * 64].is_equal_approx(Vector3(-4000, 0, 4000)), "south-west corner: %s" % places[65 * 64])
	_check_colours(Color.RED)
	await _check_collision(1000.0)
	var mesh := terrain.mesh
	var texture: Texture2D = (surface().material_override as StandardMaterial3D).albedo_texture

	await command("/test/next")
	await wait_for("Following Second, revision 2, 65 × 65 samples")
	check(terrain.mesh == mesh and surface().mesh == mesh, "the mesh is changed in place")
	check(terrain.mesh.get_surface_count() == 1, "one surface")
	check((surface().material_override as StandardMaterial3D).albedo_texture == texture, "the texture is kept")
	check(about(highest().y, 1500.0 + 60.0), "height of the second peak: %s" % highest())
	_check_colours(Color.YELLOW)
	await _check_collision(1500.0)

	await command("/test/restart")
	await wait_for("Following Second, revision 1, 65 × 65 samples", 40.0)

	await command("/test/next")
	await wait_for("Following Finer, revision 2, 129 × 129 samples")
	check_faces(129)
	terrain.limit = 65
	terrain.exaggeration = 2.0
	await wait_for("129 × 129 samples (shown with 65 × 65)")
	check_faces(65)
	check(about(highest().y, 2.0 * (1000.0 + 100.0 * 48.0 / 128.0 + 30.0 * 96.0 / 128.0)), "exaggerated height")
	terrain.exaggeration = 1.0
	terrain.limit = 513

	await command("/test/next")
	await wait_for("Following Uneven, revision 3, 60 × 60 samples")
	terrain.limit = 30
	await wait_for("(shown with 21 × 21)")
	check(about(vertices()[19].x, (57.0 / 59.0 - 0.5) * 8000.0), "every third sample is kept")
	check(about(vertices()[20].x, 4000.0), "the east edge is kept")
	await _check_collision(800.0)
	check(terrain.save_mesh("user://kept.res") == OK, "the mesh is saved")
	var kept: ArrayMesh = ResourceLoader.load("user://kept.res", "", ResourceLoader.CACHE_MODE_IGNORE)
	check(kept != null and kept.surface_get_array_len(0) == 21 * 21, "the saved mesh has its vertices")
	check(kept != null and kept.surface_get_material(0) != null, "the saved mesh has its material")

	await command("/test/next")
	await wait_for("Following Ball, revision 4, 9 × 9 samples")
	var balls := terrain.find_children("*", "MeshInstance3D", true, false)
	var ground: MeshInstance3D = null
	for ball: MeshInstance3D in balls:
		if ball.name.to_lower().begins_with("ground"):
			ground = ball
	check(ground != null, "the planet has its ground: %s" % [balls])
	if ground != null:
		var box := ground.global_transform * ground.get_aabb()
		check(about(box.end.y, 100.0 * (1.0 + 1000.0 / 6.0e6), 0.001), "radius of the planet: %s" % box)
	check(terrain.mesh.get_surface_count() == 0, "the square terrain is gone")

	terrain.token = "wrong"
	terrain.colours = false
	await wait_for("Talweg refuses the token. Restart the live link in Talweg")
	check(terrain.failed, "a refused token is a failure")
	terrain.follow = false
	check(terrain.state == "Not following", "a stop is shown at once")
	terrain.url = ""
	terrain.server_file = "user://none.json"
	terrain.follow = true
	await wait_for("There is no file user://none.json")
	var file := FileAccess.open("user://none.json", FileAccess.WRITE)
	file.store_string('{"url": 3')
	file.close()
	await wait_for("user://none.json cannot be read")
	file = FileAccess.open("user://none.json", FileAccess.WRITE)
	file.store_string(JSON.stringify({"url": url, "token": token}))
	file.close()
	await wait_for("Following Ball, revision 4")
	remove_child(terrain)
	terrain.free()
	terrain = TerrainNode.new()
	check(terrain.state == "Not following", "a new node does not follow before it is in a scene")
	terrain.free()
	terrain = TerrainNode.new()


func _check_colours(north_west: Color) -> void:
	var image := ((surface().material_override as StandardMaterial3D).albedo_texture as ImageTexture).get_image()
	check(image != null and image.get_size() == Vector2i(65, 65), "one pixel per sample")
	if image == null:
		return
	var found := [image.get_pixel(0, 0), image.get_pixel(64, 0), image.get_pixel(0, 64), image.get_pixel(64, 64)]
	var wanted := [north_west, Color.GREEN, Color.BLUE, Color.WHITE]
	check(found == wanted, "colours of the corners: %s" % [found])
	var uvs: PackedVector2Array = terrain.mesh.surface_get_arrays(0)[Mesh.ARRAY_TEX_UV]
	check(uvs[0].is_equal_approx(Vector2(0.5, 0.5) / 65.0), "texture coordinate of the north-west: %s" % uvs[0])


## A ray from above meets the body at the peak and at a corner.
func _check_collision(peak: float) -> void:
	for k in 3:
		await get_tree().physics_frame
	var top := highest()
	check(top.y > peak, "the peak is above the plane")
	var corner := vertices()[0]
	for place: Vector3 in [top, corner + Vector3(1, 0, 1)]:
		var query := PhysicsRayQueryParameters3D.create(place + Vector3.UP * 500.0, place + Vector3.DOWN * 500.0)
		var hit := get_viewport().find_world_3d().direct_space_state.intersect_ray(query)
		check(not hit.is_empty() and about(hit["position"].y, place.y, 1.0), "a ray to %s meets %s" % [place, hit])


func _compare_with_description() -> void:
	terrain.limit = 4097
	add_child(terrain)
	await wait_for("Following", 300.0)
	print(terrain.state)
	var found := terrain.description
	if found["is_planet"]:
		check(not terrain.find_children("*", "MeshInstance3D", true, false).is_empty(), "the planet has meshes")
		return
	var low := INF
	for vertex in vertices():
		low = minf(low, vertex.y)
	check(vertices().size() == int(found["samples"]) ** 2, "one vertex per sample")
	check(about(low, found["lowest_metres"], 0.01), "lowest height %f" % low)
	check(about(highest().y, found["highest_metres"], 0.01), "highest height %f" % highest().y)
