"""The types of the node classes, `src/python/talweg/nodes.pyi`, made from the descriptions of the nodes."""

from typing import Any

import talweg
from talweg.nodes import parameter_text

HEAD = '''"""Made from the descriptions of the nodes by tests/python/node_stubs.py; do not edit."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, ClassVar, Literal, Self

from . import _core

class Node(_core.Node):
    """A generator, filter or erosion. Use its classes: `talweg.Thermal(talus_angle=33).run(heights, cell_metres=30)`."""

    description: ClassVar[dict[str, Any]]
    presets: ClassVar[dict[str, str]]
    @classmethod
    def preset(cls, name: str) -> Self:
        """A node with the parameters of a preset."""
'''


def _type(parameter: dict[str, Any]) -> str:
    match parameter["type"]:
        case "float" | "int" | "bool" as name:
            return name
        case "choice":
            return f"Literal[{', '.join(repr(choice['name']) for choice in parameter['choices'])}]".replace("'", '"')
        case "curve":
            return "str | Sequence[tuple[float, float]]"
        case "numbers":
            return "str | Sequence[float]"
        case "image" | "scene":
            return "str | PathLike[str]"
        case _:
            return "str"


def _default(parameter: dict[str, Any]) -> str:
    is_plain = parameter["type"] in ("float", "int", "bool", "choice")
    return repr(parameter["default"]).replace("'", '"') if is_plain else "..."


def _node(name: str) -> str:
    about = getattr(talweg, name).description
    lines = [f"class {name}(Node):", f'    """{about["help"]}"""', ""]
    keywords = [f"{entry['name']}: {_type(entry)} = {_default(entry)}" for entry in about["params"]]
    for entry in about["params"]:
        lines += [f"    {entry['name']}: {_type(entry)}", f'    """{parameter_text(entry)}"""']
    arguments = f", *, {', '.join(keywords)}" if keywords else ""
    lines.append(f"    def __init__(self{arguments}) -> None: ...")
    changes = [f"{entry['name']}: {_type(entry)} = ..." for entry in about["params"]]
    arguments = f", *, {', '.join(changes)}" if changes else ""
    lines.append(f"    def set(self{arguments}) -> None: ...")
    return "\n".join(lines) + "\n"


def node_stubs() -> str:
    """The text of the whole stub file."""
    names = talweg.nodes.__all__
    listed = ", ".join(f'"{name}"' for name in names)
    return "\n".join([HEAD, *map(_node, names), f"__all__ = [{listed}]\n"])
