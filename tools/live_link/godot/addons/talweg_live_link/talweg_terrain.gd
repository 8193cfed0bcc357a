@tool
class_name TalwegTerrain
extends Node3D
## Shows the terrain that a running Talweg on this computer edits, and updates it after each change.
##
## North is -Z, east is +X, up is +Y, and a unit is a metre. The middle of the terrain is the origin of the node. The
## node makes its mesh and its collision while it runs; the scene file does not contain them. [method save_mesh] keeps
## the current mesh.

## The node shows another terrain. [param description] is Talweg's description, as docs/server.md defines it.
signal terrain_changed(description: Dictionary)
## The words of [member state] have changed.
signal state_changed(words: String, failed: bool)

enum Step { RETRY, DESCRIPTION, HEIGHTS, COLOURS, PLANET, BUILD }

const WAIT_SECONDS := 10  # longest time for which the server holds a request open
const FILE_SECONDS := 600  # longest time for which the server computes a file
const RETRY_SECONDS := 2.0
const SETTINGS_SECONDS := 0.3  # time after the last change of a setting until it applies
const START := "start it in Talweg with Tools ▸ Live link"

## Whether the node follows Talweg. After a stop, the terrain stays until the scene is closed.
@export var follow := true:
	set(value):
		follow = value
		_start()

## Talweg's server.json. Empty: in the standard folder, or in TALWEG_STATE if it is set.
@export_global_file("*.json") var server_file := "":
	set(value):
		server_file = value
		_apply_later()

## Maximum number of vertices per side. Finer terrains keep every n-th sample and the edges.
@export_range(2, 4097) var limit := 513:
	set(value):
		limit = maxi(value, 2)
		_apply_later()

## Factor of all heights; 1 is true to scale. Planets keep their heights.
@export_range(0.0, 10.0, 0.01, "or_greater") var exaggeration := 1.0:
	set(value):
		exaggeration = value
		_apply_later()

## Fetches the colours as a texture with one pixel per sample. Planets always have colours.
@export var colours := true:
	set(value):
		colours = value
		_apply_later()

## Makes a static body, on which other bodies collide. Planets have none.
@export var collision := false:
	set(value):
		collision = value
		_apply_later()

## Material of the terrain. Empty: a rough material with the colours of Talweg.
@export var material: Material:
	set(value):
		material = value
		_set_material()

## Radius of a planet in units. At true scale, a planet is too large for single precision.
@export_range(0.1, 10000.0, 0.1, "or_greater") var planet_radius := 100.0:
	set(value):
		planet_radius = value
		_apply_later()

## Address and token of the server, for programs that know them. [member server_file] is then not read. The scene file
## does not contain them.
var url := ""
var token := ""

## What the node does now, in words. [member failed] tells whether something needs attention.
var state := "Not following"
var failed := false

## Talweg's description of the terrain that the node shows; empty if there is none.
var description := {}

## The mesh of the terrain. The node changes this mesh in place.
var mesh := ArrayMesh.new()

var _step := Step.RETRY
var _seconds := 0.0  # until the next try
var _settings_seconds := -1.0  # until changed settings apply; negative if none have changed
var _revision := 0  # of the terrain that the node shows; 0 fetches the latest one
var _next := {}  # the description of the terrain that is being fetched
var _address := ["", ""]
var _must_compare := false  # whether to compare the latest terrain with the shown one
var _note := ""
var _heights: PackedByteArray
var _job: GridJob
var _task := -1

var _waiting: HTTPRequest
var _files: HTTPRequest
var _surface: MeshInstance3D
var _default_material: StandardMaterial3D
var _body: StaticBody3D
var _shape: CollisionShape3D
var _planet: Node


## Saves the current mesh, with the colours if the node has no material of its own. Returns an error for planets, whose
## file is Talweg's mesh.glb.
func save_mesh(path: String) -> Error:
	if mesh.get_surface_count() == 0:
		return ERR_DOES_NOT_EXIST
	var copy: ArrayMesh = mesh.duplicate()
	copy.surface_set_material(0, material if material != null else _default_material)
	return ResourceSaver.save(copy, path, ResourceSaver.FLAG_BUNDLE_RESOURCES | ResourceSaver.FLAG_COMPRESS)


func _get_property_list() -> Array[Dictionary]:
	# The inspector shows the state, and nobody can change it there.
	return [
		{
			"name": "state",
			"type": TYPE_STRING,
			"hint": PROPERTY_HINT_MULTILINE_TEXT,
			"usage": PROPERTY_USAGE_EDITOR | PROPERTY_USAGE_READ_ONLY,
		}
	]


func _enter_tree() -> void:
	if _waiting == null:
		_make_children()
	_start()


func _exit_tree() -> void:
	_cancel()


func _make_children() -> void:
	# A request in a thread of its own reads large files fast, but polls so often that it is too expensive for waiting.
	_waiting = HTTPRequest.new()
	_files = HTTPRequest.new()
	_files.use_threads = not OS.has_feature("web")
	_files.download_chunk_size = 1 << 20
	_waiting.timeout = WAIT_SECONDS + 10
	_files.timeout = FILE_SECONDS
	for request: HTTPRequest in [_waiting, _files]:
		request.accept_gzip = false
		request.max_redirects = 0
		request.request_completed.connect(_on_completed)
		add_child(request, false, Node.INTERNAL_MODE_FRONT)
	_default_material = StandardMaterial3D.new()
	_default_material.roughness = 0.9
	_default_material.texture_repeat = false
	_surface = MeshInstance3D.new()
	_surface.name = "Surface"
	_surface.mesh = mesh
	add_child(_surface, false, Node.INTERNAL_MODE_FRONT)
	_set_material()


func _set_material() -> void:
	if _surface != null:
		_surface.material_override = material if material != null else _default_material


func _start() -> void:
	if _waiting == null or not is_inside_tree():
		return
	_cancel()
	if follow:
		_say("Waiting for Talweg", false)
	else:
		_say("Not following", false)


func _cancel() -> void:
	_waiting.cancel_request()
	_files.cancel_request()
	if _task >= 0:
		WorkerThreadPool.wait_for_task_completion(_task)
		_task = -1
	_job = null
	_heights = PackedByteArray()
	_step = Step.RETRY
	_seconds = 0.0
	_settings_seconds = -1.0
	_revision = 0
	_must_compare = false


func _apply_later() -> void:
	_settings_seconds = SETTINGS_SECONDS


func _say(words: String, is_failure: bool) -> void:
	if state == words and failed == is_failure:
		return
	state = words
	failed = is_failure
	state_changed.emit(words, is_failure)


func _process(delta: float) -> void:
	if not follow or _waiting == null:
		return
	if _settings_seconds >= 0.0:
		_settings_seconds -= delta
		if _settings_seconds < 0.0:
			_cancel()
	if _step == Step.BUILD:
		if WorkerThreadPool.is_task_completed(_task):
			WorkerThreadPool.wait_for_task_completion(_task)
			_task = -1
			_show_grid()
	elif _step == Step.RETRY:
		_seconds -= delta
		if _seconds <= 0.0:
			_ask()


# --- Requests ---------------------------------------------------------------------------------------------------------


static func standard_address_file() -> String:
	var folder := OS.get_environment("TALWEG_STATE")
	if folder.is_empty():
		var home := OS.get_environment("HOME")
		match OS.get_name():
			"Windows":
				folder = OS.get_environment("LOCALAPPDATA").path_join("talweg/data")
			"macOS":
				folder = home.path_join("Library/Application Support/talweg")
			_:
				var system := OS.get_environment("XDG_STATE_HOME")
				folder = (system if system.is_absolute_path() else home.path_join(".local/state")).path_join("talweg")
	return folder.path_join("server.json")


## Returns address and token, or an error text alone.
func _read_address() -> Array[String]:
	if not url.is_empty():
		return [url, token]
	var path := server_file if not server_file.is_empty() else standard_address_file()
	if not FileAccess.file_exists(path):
		return ["Waiting for Talweg: %s. There is no file %s" % [START, path]]
	var parser := JSON.new()
	var fault := parser.parse(FileAccess.get_file_as_string(path))
	var found: Variant = parser.data
	if fault != OK or not found is Dictionary or not (found as Dictionary).has_all(["url", "token"]):
		return ["%s cannot be read. Restart the live link in Talweg" % path]
	return [str(found["url"]), str(found["token"])]


func _retry(words: String) -> void:
	_waiting.cancel_request()
	_files.cancel_request()
	_step = Step.RETRY
	_seconds = RETRY_SECONDS
	_revision = 0
	_must_compare = false
	_say(words, not words.begins_with("Waiting"))


func _ask() -> void:
	var address := _read_address()
	# While a server answers, a missing file does not matter: the file belonged to another server.
	if address.size() == 2 and address != _address:
		_address = address
		_revision = 0
	elif address.size() == 1 and _revision == 0:
		_retry(address[0])
		return
	_step = Step.DESCRIPTION
	# Each request has its own connection. If Talweg restarts between two of them, its revisions begin at 1 again, and
	# nothing would be newer. Therefore the node asks for the latest terrain after each wait in vain.
	var waits := not _must_compare
	_send(_waiting, "/v1/terrain?after=%d&wait=%d" % [_revision if waits else 0, WAIT_SECONDS if waits else 0])


func _ask_file(step: Step, file: String) -> void:
	_step = step
	_send(_files, "/v1/files/%s?revision=%d" % [file, int(_next["revision"])])


func _send(request: HTTPRequest, path: String) -> void:
	var fault := request.request(_address[0] + path, ["Authorization: Bearer " + _address[1]])
	if fault != OK:
		_retry(
			"The address %s cannot be used (%s). Restart the live link in Talweg" % [_address[0], error_string(fault)]
		)


func _on_completed(result: int, status: int, _headers: PackedStringArray, body: PackedByteArray) -> void:
	if result != HTTPRequest.RESULT_SUCCESS:
		_retry("Waiting for Talweg: nobody answers at %s. If Talweg has ended, %s" % [_address[0], START])
	elif status == 409:
		# Talweg has finished a newer terrain. Without the colours, this one is shown all the same, so that long changes
		# stay visible.
		if _step == Step.COLOURS:
			_build(PackedByteArray())
		else:
			_ask()
	elif _step == Step.COLOURS and status != 200 and status != 401:
		_note = "without colours: " + _problem(status, body)
		_build(PackedByteArray())
	elif status != 200 and status != 204:
		_retry(_problem(status, body))
	else:
		match _step:
			Step.DESCRIPTION:
				_on_description(status, body)
			Step.HEIGHTS:
				_on_heights(body)
			Step.COLOURS:
				_build(body)
			Step.PLANET:
				_show_planet(body)


func _problem(status: int, body: PackedByteArray) -> String:
	if status == 401:
		return "Talweg refuses the token. Restart the live link in Talweg"
	var parser := JSON.new()
	var reason := body.slice(0, 200).get_string_from_utf8()
	if parser.parse(body.get_string_from_utf8()) == OK and parser.data is Dictionary and parser.data.has("error"):
		reason = str(parser.data["error"])
	return "Talweg answers with status %d: %s" % [status, reason]


func _on_description(status: int, body: PackedByteArray) -> void:
	if status == 204:
		_must_compare = _revision > 0 and not _must_compare
		if _revision == 0:
			_say("Connected to %s. Waiting for the first terrain" % _address[0], false)
		_ask()
		return
	var parser := JSON.new()
	var fault := parser.parse(body.get_string_from_utf8())
	var keys := ["revision", "samples", "size_metres", "sea_metres", "name", "is_planet"]
	var is_known: bool = fault == OK and parser.data is Dictionary and (parser.data as Dictionary).has_all(keys)
	if not is_known or int(parser.data["samples"]) < 2 or not float(parser.data["size_metres"]) > 0.0:
		_retry("This add-on does not know this kind of terrain. Update the add-on")
		return
	_must_compare = false
	_next = parser.data
	if _revision > 0 and int(_next["revision"]) == _revision and _next.get("hash") == description.get("hash"):
		_ask()
		return
	_note = ""
	if _next["is_planet"]:
		_ask_file(Step.PLANET, "mesh.glb")
	else:
		_ask_file(Step.HEIGHTS, "heights.r32")


func _on_heights(body: PackedByteArray) -> void:
	var samples := int(_next["samples"])
	if body.size() != 4 * samples * samples:
		var sizes := [body.size(), 4 * samples * samples]
		_retry("heights.r32 has %d bytes instead of %d. Update the add-on" % sizes)
		return
	_heights = body
	if colours:
		_ask_file(Step.COLOURS, "colours.png")
	else:
		_build(PackedByteArray())


# --- Terrains ---------------------------------------------------------------------------------------------------------


func _build(png: PackedByteArray) -> void:
	var known := _job
	_job = GridJob.new()
	_job.heights = _heights
	_job.png = png
	_job.samples = int(_next["samples"])
	_job.metres = float(_next["size_metres"])
	_job.limit = limit
	_job.factor = exaggeration
	_job.wants_collision = collision
	if known != null:
		_job.indices = known.indices
	_heights = PackedByteArray()
	_step = Step.BUILD
	_task = WorkerThreadPool.add_task(_job.run, false, "Talweg terrain")


func _show_grid() -> void:
	if not _job.problem.is_empty():
		_retry(_job.problem)
		return
	_remove_planet()
	mesh.clear_surfaces()
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, _job.arrays)
	if _job.image != null:
		_show_image(_job.image)
	elif not colours:
		_default_material.albedo_texture = null
	_show_collision()
	var side := _job.kept.size()
	if side < _job.samples:
		_note = ", ".join(PackedStringArray(["shown with %d × %d" % [side, side]] + ([_note] if _note else [])))
	# The next terrain reuses the indices alone.
	_job.arrays = []
	_job.image = null
	_job.grid = PackedFloat32Array()
	_finish()


func _show_image(image: Image) -> void:
	var texture := _default_material.albedo_texture as ImageTexture
	if texture != null and Vector2i(texture.get_size()) == image.get_size():
		texture.update(image)
	else:
		_default_material.albedo_texture = ImageTexture.create_from_image(image)


func _show_collision() -> void:
	if not collision:
		_remove_collision()
		return
	if _body == null:
		_body = StaticBody3D.new()
		_body.name = "Body"
		_shape = CollisionShape3D.new()
		_body.add_child(_shape)
		add_child(_body, false, Node.INTERNAL_MODE_FRONT)
	var side := _job.kept.size()
	if not _job.is_regular:
		# The samples of a height map have equal distances.
		_shape.scale = Vector3.ONE
		_shape.shape = mesh.create_trimesh_shape()
		return
	var height_map := _shape.shape as HeightMapShape3D
	if height_map == null:
		height_map = HeightMapShape3D.new()
	height_map.map_width = side
	height_map.map_depth = side
	height_map.map_data = _job.grid
	# A height map has a distance of 1 between samples. Physics engines need the same scale on all axes.
	_shape.scale = Vector3.ONE * (_job.metres / (side - 1))
	_shape.shape = height_map


func _remove_collision() -> void:
	if _body != null:
		_body.queue_free()
		_body = null
		_shape = null


func _show_planet(glb: PackedByteArray) -> void:
	var document := GLTFDocument.new()
	var gltf := GLTFState.new()
	var fault := document.append_from_buffer(glb, "", gltf)
	var scene: Node = document.generate_scene(gltf) if fault == OK else null
	if scene == null:
		_retry("Godot cannot read mesh.glb (%s). Update the add-on" % error_string(fault))
		return
	_remove_planet()
	_remove_collision()
	mesh.clear_surfaces()
	_planet = scene
	# The side of a planet in the description is a quarter of its circumference.
	var scaled := planet_radius / (float(_next["size_metres"]) * 2.0 / PI)
	if scene is Node3D:
		(scene as Node3D).scale = Vector3.ONE * scaled
	add_child(scene, false, Node.INTERNAL_MODE_FRONT)
	_finish()


func _remove_planet() -> void:
	if _planet != null:
		_planet.queue_free()
		_planet = null


func _finish() -> void:
	description = _next
	_revision = int(_next["revision"])
	var samples := int(_next["samples"])
	var words := "Following %s, revision %d, %d × %d samples" % [_next["name"], _revision, samples, samples]
	if not _note.is_empty():
		words += " (%s)" % _note
	_say(words, _note.contains("without colours"))
	terrain_changed.emit(description)
	# A receiver of the signal may have stopped the node.
	if follow and is_inside_tree() and _step != Step.RETRY:
		_ask()


## Computes the arrays of a mesh in a worker thread.
class GridJob:
	extends RefCounted
	var heights: PackedByteArray
	var png: PackedByteArray
	var samples: int
	var metres: float
	var limit: int
	var factor: float
	var wants_collision: bool
	## Indices of the last mesh. They are reused if the number of vertices is the same.
	var indices: PackedInt32Array

	var problem := ""
	var kept: PackedInt32Array
	var is_regular: bool
	var arrays := []
	var image: Image
	## Heights for a height map with a distance of 1 between samples.
	var grid: PackedFloat32Array

	func run() -> void:
		if not png.is_empty():
			image = Image.new()
			if image.load_png_from_buffer(png) != OK:
				problem = "Godot cannot read colours.png. Switch the colours of this node off"
				return
			image.generate_mipmaps()
			png = PackedByteArray()
		var all := heights.to_float32_array()
		heights = PackedByteArray()
		var last := samples - 1
		var stride := maxi(1, ceili(float(last) / (limit - 1)))
		is_regular = last % stride == 0
		for k in range(0, last, stride):
			kept.append(k)
		kept.append(last)
		var side := kept.size()
		var picked := PackedFloat32Array()
		picked.resize(side * side)
		for row in side:
			var start := kept[row] * samples
			for column in side:
				picked[row * side + column] = all[start + kept[column]] * factor
		for height in picked:
			if not is_finite(height):
				problem = "Some heights are not numbers. Look for the layer that makes them in Talweg"
				return
		_make_arrays(picked)
		if wants_collision and is_regular:
			var distance := metres / (side - 1)
			grid = picked
			for k in grid.size():
				grid[k] /= distance

	func _make_arrays(picked: PackedFloat32Array) -> void:
		var side := kept.size()
		var count := side * side
		var places := PackedFloat32Array()
		for k in kept:
			places.append((float(k) / (samples - 1) - 0.5) * metres)
		var vertices := PackedVector3Array()
		var normals := PackedVector3Array()
		var uvs := PackedVector2Array()
		vertices.resize(count)
		normals.resize(count)
		uvs.resize(count)
		for row in side:
			var north := maxi(row - 1, 0)
			var south := mini(row + 1, side - 1)
			var depth := places[south] - places[north]
			for column in side:
				var k := row * side + column
				var west := maxi(column - 1, 0)
				var east := mini(column + 1, side - 1)
				var rise_east := (picked[row * side + east] - picked[row * side + west]) / (places[east] - places[west])
				var rise_south := (picked[south * side + column] - picked[north * side + column]) / depth
				vertices[k] = Vector3(places[column], picked[k], places[row])
				normals[k] = Vector3(-rise_east, 1.0, -rise_south).normalized()
				# Each vertex takes the colour at the centre of its pixel.
				uvs[k] = Vector2(kept[column] + 0.5, kept[row] + 0.5) / samples
		if indices.size() != 6 * (side - 1) * (side - 1):
			_make_indices(side)
		arrays.resize(Mesh.ARRAY_MAX)
		arrays[Mesh.ARRAY_VERTEX] = vertices
		arrays[Mesh.ARRAY_NORMAL] = normals
		arrays[Mesh.ARRAY_TEX_UV] = uvs
		arrays[Mesh.ARRAY_INDEX] = indices

	func _make_indices(side: int) -> void:
		indices.resize(6 * (side - 1) * (side - 1))
		var place := 0
		for row in side - 1:
			for column in side - 1:
				var north_west := row * side + column
				var south_west := north_west + side
				# Seen from above, the front side of a triangle is clockwise.
				indices[place] = north_west
				indices[place + 1] = north_west + 1
				indices[place + 2] = south_west
				indices[place + 3] = north_west + 1
				indices[place + 4] = south_west + 1
				indices[place + 5] = south_west
				place += 6
