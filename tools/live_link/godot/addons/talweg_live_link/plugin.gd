@tool
extends EditorPlugin
## Adds the command "Add Talweg terrain" to the menu Project > Tools.

const MENU_ITEM := "Add Talweg terrain"
const TerrainNode := preload("talweg_terrain.gd")


func _enter_tree() -> void:
	add_tool_menu_item(MENU_ITEM, _add_terrain)


func _exit_tree() -> void:
	remove_tool_menu_item(MENU_ITEM)


func _add_terrain() -> void:
	var root := EditorInterface.get_edited_scene_root()
	if root == null:
		OS.alert("Open a scene or create its root node first.", MENU_ITEM)
		return
	var terrain: Node3D = TerrainNode.new()
	terrain.name = "TalwegTerrain"
	var undo_redo := get_undo_redo()
	undo_redo.create_action(MENU_ITEM)
	undo_redo.add_do_method(root, &"add_child", terrain, true)
	undo_redo.add_do_property(terrain, &"owner", root)
	undo_redo.add_do_reference(terrain)
	undo_redo.add_undo_method(root, &"remove_child", terrain)
	undo_redo.commit_action()
	EditorInterface.edit_node(terrain)
