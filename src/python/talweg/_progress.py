"""Who is told how much of a computation is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import UsageError


class Reporter:
    """Passes the share that is done on, and 1 at the end."""

    def __init__(self, tell: Callable[[float, str], Any], close: Callable[[], Any] = lambda: None) -> None:
        self._tell, self._close = tell, close

    def tell(self, share: float, layer: str) -> None:
        self._tell(share, layer)

    def close(self, is_done: bool) -> None:
        try:
            if is_done:
                self._tell(1.0, "")
        finally:
            self._close()


def reporter(progress: Any) -> Reporter | None:
    """A reporter of what `progress` is: nothing, True for a bar of tqdm, or a function of share and layer."""
    if progress is False:
        return None
    if callable(progress):
        return Reporter(progress)
    if progress is not True:
        raise UsageError("progress: give True, or a function of the share that is done and the layer's name")
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise UsageError("progress=True draws with tqdm: `pip install tqdm`, or give a function") from None
    bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {desc} [{elapsed}<{remaining}]", leave=False)

    def tell(share: float, layer: str) -> None:
        bar.set_description_str(layer, refresh=False)
        bar.update(100 * share - bar.n)

    return Reporter(tell, bar.close)
