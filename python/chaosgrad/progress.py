"""Progress: a function of the user's, or a bar."""
from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator

Callback = Callable[[dict[str, Any]], Any]


def _line(told: dict[str, Any]) -> str:
    error = "" if told["error"] is None else f", error {told['error']:.2g}"
    target = "" if told["tolerance"] is None else f" (tolerance {told['tolerance']:.2g})"
    return f"{told['stage']}: {told['basis_size']} functions{error}{target}"


@contextlib.contextmanager
def _tqdm_bar() -> Iterator[Callback]:
    from tqdm.auto import tqdm
    with tqdm(unit=" gradients", unit_scale=True, dynamic_ncols=True) as bar:
        def show(told: dict[str, Any]) -> None:
            bar.set_description_str(_line(told), refresh=False)
            bar.update(told["gradients"] - bar.n)
        yield show


@contextlib.contextmanager
def _plain_line() -> Iterator[Callback]:
    def show(told: dict[str, Any]) -> None:
        print(f"\r{_line(told)}, {told['gradients']} gradients\x1b[K", end="", file=sys.stderr, flush=True)
    yield show
    print(file=sys.stderr)


@contextlib.contextmanager
def as_callback(progress: Any) -> Iterator[Callback | None]:
    """None or False: nothing. True: a bar of tqdm where it is installed, else a line. A function is called as it is."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    elif progress is True:
        try:
            import tqdm  # noqa: F401
        except ImportError:
            shown: Any = _plain_line()
        else:
            shown = _tqdm_bar()
        with shown as callback:
            yield callback
    else:
        raise TypeError(f"progress: expected True, False or a function, found {type(progress).__name__}")
