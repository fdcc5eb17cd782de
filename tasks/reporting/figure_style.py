"""One look for every figure: colours that colour-blind people tell apart, and sizes that survive being halved.

The bytes depend on the data alone: no dates, no versions, fixed ids inside SVG, no user's matplotlibrc.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK, MUTED, GRID = "#222222", "#6b6b6b", "#dddddd"
BLUE, ORANGE, GREEN, VERMILION, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9"
"""After Okabe and Ito, "Color universal design" (2008)."""
BETTER, SAME, WORSE, UNSURE = BLUE, "#D9D9D9", VERMILION, MUTED

WIDTH_IN = 9.0
_DPI = 150
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # shipped with matplotlib: the same on every machine
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 12,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.color": GRID,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "hatch.linewidth": 0.8,
    "text.parse_math": False,  # a `$` in a question type is a dollar
    "svg.hashsalt": "mnemobench",
    "svg.fonttype": "path",
}

_settings = Lock()
"""matplotlib's settings are global: two threads draw one after the other."""


def save(draw: Callable[[Figure], None], height_in: float, stem: Path) -> None:
    """Draw on a new figure and write `<stem>.png` and `<stem>.svg`, byte for byte the same for the same drawing."""
    with _settings, mpl.rc_context():
        mpl.rcdefaults()
        settings: Any = mpl.rcParams
        settings.update(_STYLE)
        figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        stem.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(stem.with_name(f"{stem.name}.png"), dpi=_DPI, metadata={"Software": None})
        figure.savefig(stem.with_name(f"{stem.name}.svg"), metadata={"Date": None, "Creator": None})


def row_height(n_rows: int, *, per_row_in: float = 0.42, extra_in: float = 1.7) -> float:
    """Return the height in inches of a figure with one row per variant."""
    return extra_in + per_row_in * max(n_rows, 2)
