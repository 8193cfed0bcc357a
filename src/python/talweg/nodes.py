"""The nodes as classes, made from the descriptions that the editor's panel and `talweg nodes` also read."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from . import _core


class Node(_core.Node):
    """A generator, filter or erosion. Use its classes: `talweg.Thermal(talus_angle=33).run(heights, cell_metres=30)`."""

    #: The description: name, help, source, parameters with unit, range and default, presets.
    description: dict[str, Any] = {}
    #: Names of the presets, each with its effect.
    presets: dict[str, str] = {}

    def __new__(cls, **parameters: Any) -> Node:
        if not cls.description:
            raise TypeError("talweg.Node has no parameters of its own; use one of its classes, such as talweg.Thermal")
        return super().__new__(cls, cls.description["name"])

    def __init__(self, **parameters: Any) -> None:
        self.set(**parameters)

    @classmethod
    def preset(cls, name: str) -> Node:
        """A node with the parameters of a preset."""
        node = cls()
        node.adopt(name)
        return node

    def __repr__(self) -> str:
        changed = ", ".join(f"{name}={value!r}" for name, value in self.changed_parameters().items())
        return f"talweg.{type(self).__name__}({changed})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.changed_parameters() == other.changed_parameters()

    __hash__ = None

    def __reduce__(self):
        return _restored, (type(self).__name__, self.changed_parameters())


def _restored(name: str, parameters: dict[str, Any]) -> Node:
    """Restores a node from a pickle."""
    return globals()[name](**parameters)


def parameter_text(parameter: dict[str, Any]) -> str:
    """One line about a parameter: default, unit, range, sentence."""
    unit = f" {parameter['unit']}" if parameter["unit"] else ""
    match parameter["type"]:
        case "float" | "int":
            low, high = (f"{bound:g}" if isinstance(bound, float) else str(bound) for bound in parameter["hard"])
            kind = f"{parameter['default']:g}{unit}, from {low} to {high}"
        case "bool":
            kind = str(parameter["default"])
        case "choice":
            names = ", ".join(choice["name"] for choice in parameter["choices"])
            kind = f"{parameter['default']}; one of {names}"
        case "numbers":
            low, high = (f"{bound:g}" for bound in parameter["hard"])
            kind = f"{parameter['default']}{unit}, a list of numbers from {low} to {high}"
        case "tree" | "strokes":
            kind = "as in scene files"
        case _:
            kind = repr(parameter["default"])
    return f"{kind}. {parameter['help']}"


def _class_doc(description: dict[str, Any]) -> str:
    lines = [description["help"]]
    if description["source"]:
        lines += ["", f"Source: {description['source']}."]
    if description["params"]:
        lines += ["", "Parameters", "----------"]
        for parameter in description["params"]:
            lines += [parameter["name"], f"    {parameter_text(parameter)}"]
    if description["presets"]:
        lines += ["", "Presets", "-------"]
        for preset in description["presets"]:
            lines += [preset["name"], f"    {preset['help']}"]
    return "\n".join(lines)


def _property(parameter: dict[str, Any]) -> property:
    name = parameter["name"]

    def get(self: Node) -> Any:
        return self.get_parameter(name)

    def put(self: Node, value: Any) -> None:
        self.set(**{name: value})

    return property(get, put, doc=parameter_text(parameter))


def _shortest(value: Any) -> Any:
    """A default in its shortest form: descriptions hold a float32 as float64, 0.30000001192092896 for 0.3."""
    return float(str(np.float32(value))) if isinstance(value, float) else value


def _node_class(name: str) -> type[Node]:
    description = _core.node_description(name)
    members: dict[str, Any] = {parameter["name"]: _property(parameter) for parameter in description["params"]}
    keywords = [
        inspect.Parameter(parameter["name"], inspect.Parameter.KEYWORD_ONLY, default=_shortest(parameter["default"]))
        for parameter in description["params"]
    ]
    members |= {
        "__doc__": _class_doc(description),
        "__module__": __name__,
        "__signature__": inspect.Signature(keywords),
        "description": description,
        "presets": {preset["name"]: preset["help"] for preset in description["presets"]},
    }
    return type(Node)(name, (Node,), members)


__all__ = _core.node_names()
globals().update({name: _node_class(name) for name in __all__})
