"""Reports the progress of a computation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import UsageError


class Reporter:
    """Passes on the finished fraction, and 1 at the end."""

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
    """The reporter for `progress`: False for none, True for a tqdm bar, or a function of the fraction and the layer."""
    if progress is False:
        return None
    if callable(progress):
        return Reporter(progress)
    if progress is not True:
        raise UsageError("progress: give True, or a function of the finished fraction and the layer's name")
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise UsageError("progress=True needs tqdm: `pip install tqdm`, or give a function") from None
    bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {desc} [{elapsed}<{remaining}]", leave=False)

    def tell(share: float, layer: str) -> None:
        bar.set_description_str(layer, refresh=False)
        bar.update(100 * share - bar.n)

    return Reporter(tell, bar.close)
