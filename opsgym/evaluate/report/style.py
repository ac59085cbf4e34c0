"""How figures look: palettes for light and dark pages that colour-blind readers tell apart, and a mark for each colour."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO
from typing import Any

LIGHT = ("#0b66b0", "#c2570c", "#00806a", "#9a4795", "#2f8fcc", "#a8322d", "#6b7280", "#857300")
"""Series on a light page; each has a contrast of 3 or more to white."""
DARK = ("#62aef0", "#f2a65a", "#3fc9a5", "#d99bd5", "#a9dbf7", "#f28b82", "#aab2bd", "#d9ca4b")
"""The same series on a dark page."""
MARKS = ("o", "s", "D", "^", "v", "p", ">", "<")
"""A mark for each, so that no figure needs its colours."""

INK, MUTED, GRID, PAPER = "#1b2026", "#5a636e", "#dfe3e8", "#fefefd"
"""Text, lesser text, grid lines and the ground of marks."""

_VARIABLES = {
    **{colour: f"var(--series-{i})" for i, colour in enumerate(LIGHT)},
    **{INK: "var(--ink)", MUTED: "var(--muted)", GRID: "var(--line)", PAPER: "var(--paper)"},
}

RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.labelsize": 8.5,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": GRID,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "text.parse_math": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "figure.dpi": 100,
}
"""Settings of matplotlib."""


def colour(number: int) -> str:
    """Colour of the series of a number; they come again after the last."""
    return LIGHT[number % len(LIGHT)]


def mark(number: int) -> str:
    """Mark of the series of a number; another one when the colours come again."""
    return MARKS[(number + number // len(LIGHT)) % len(MARKS)]


@contextmanager
def _any_script() -> Iterator[None]:
    """Names may be in any script: in SVG the browser has its letters, in PNG those that the font lacks are boxes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(?s)Glyph .* missing from font")
        yield


def svg(figure: Any, name: str, alt: str) -> str:
    """A figure as SVG to stand in HTML: its colours follow the page's theme, its ids are its own.

    Args:
        figure: The figure of matplotlib.
        name: Prefix of its ids.
        alt: What it shows, for those who do not see it.
    """
    from html import escape

    import matplotlib as mpl

    text = StringIO()
    with _any_script(), mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(
            text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}, transparent=True
        )
    body = text.getvalue()[text.getvalue().index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, count=1, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", body)
    body = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", body)
    body = re.sub("|".join(_VARIABLES), lambda found: _VARIABLES[found[0]], body)
    return re.sub(
        r"<svg [^>]*?(viewBox=\"[\d. -]+\")[^>]*>",
        lambda found: f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {found[1]} role="img" aria-label="{escape(alt)}">',
        body,
        count=1,
    )


def png(figure: Any) -> bytes:
    """A figure as PNG on white, the same bytes for the same figure."""
    data = BytesIO()
    with _any_script():
        figure.savefig(data, format="png", dpi=160, facecolor="white", metadata={"Software": None})
    return data.getvalue()
