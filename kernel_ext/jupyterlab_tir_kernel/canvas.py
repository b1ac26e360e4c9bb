"""Drawing in the pixels of a page, however many the picture has for each; Pillow behind it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal

from PIL import Image, ImageColor, ImageDraw, ImageFont

from .chart import Frame

INK = "#1f2328"
PAPER = "#ffffff"
DASH = 6.0
MOST_SHADES = 8
"""Steps from the paper to a colour, for the edges of letters and lines."""

LEAST_STEP = 16
"""Between two shades, of 255: Pillow does not tell nearer ones apart."""

Anchor = Literal["left", "middle", "right"]
_ANCHORS = {"left": "la", "middle": "ma", "right": "ra"}


@functools.cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType, which its own font needs")
    return font


@functools.cache
def palette_of(colours: tuple[str, ...]) -> Image.Image:
    """An image whose palette holds the paper, these colours, and the shades between."""
    paper = ImageColor.getrgb(PAPER)
    flat = list(paper)
    for colour in colours:
        ink = ImageColor.getrgb(colour)
        contrast = max(abs(p - i) for p, i in zip(paper, ink, strict=True))
        shades = max(1, min(MOST_SHADES, contrast // LEAST_STEP))
        for step in range(1, shades + 1):
            flat += [round(p + (i - p) * step / shades) for p, i in zip(paper, ink, strict=True)]
    image = Image.new("P", (1, 1))
    image.putpalette(flat)
    return image


class Canvas:
    """A white page to draw on.

    Parameters
    ----------
    width, height
        In pixels of the page.
    scale
        Pixels of the picture for each of those.
    """

    def __init__(self, width: int, height: int, scale: int) -> None:
        self.image = Image.new("RGB", (width * scale, height * scale), PAPER)
        self._draw = ImageDraw.Draw(self.image)
        self._scale = scale

    def length(self, text: str, *, size: int) -> float:
        """Width of a line of text."""
        return _font(size * self._scale).getlength(text) / self._scale

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: int,
        colour: str = INK,
        anchor: Anchor = "left",
    ) -> None:
        """Write a line; y is its top, and x where `anchor` says."""
        at = (x * self._scale, y * self._scale)
        font = _font(size * self._scale)
        self._draw.text(at, text, fill=colour, font=font, anchor=_ANCHORS[anchor])

    def paragraph(
        self, x: float, y: float, right: float, text: str, *, size: int, colour: str = INK
    ) -> float:
        """Write text in lines that end before `right`; where the next line would begin."""
        for line in self._lines(text, right - x, size):
            self.text(x, y, line, size=size, colour=colour)
            y += round(size * 1.4)
        return y

    def _lines(self, text: str, width: float, size: int) -> list[str]:
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if self.length(longer, size=size) <= width:
                lines[-1] = longer
                continue
            lines.append("")
            for character in word:
                if self.length(lines[-1] + character, size=size) > width:
                    lines.append("")
                lines[-1] += character
        return [line for line in lines if line]

    def filled(self, frame: Frame, colour: str) -> None:
        """Fill a rectangle."""
        self._draw.rectangle(self._scaled(frame), fill=colour)

    def hatched(self, frame: Frame, colour: str, *, step: int) -> None:
        """Outline a rectangle and hatch it, each line `step` to the right of the last; 0: none."""
        self._draw.rectangle(self._scaled(frame), outline=colour, width=self._scale)
        offset = frame.left - frame.height
        while step and offset < frame.right:
            begin = max(0.0, frame.left - offset)
            end = min(frame.height, frame.right - offset)
            if begin < end:
                self.line(
                    (
                        (offset + begin, frame.bottom - begin),
                        (offset + end, frame.bottom - end),
                    ),
                    colour,
                )
            offset += step

    def line(
        self, points: Sequence[tuple[float, float]], colour: str, *, width: float = 1.0
    ) -> None:
        """Draw a line from point to point."""
        scaled = [(x * self._scale, y * self._scale) for x, y in points]
        self._draw.line(scaled, fill=colour, width=round(width * self._scale))

    def dashed(self, begin: tuple[float, float], end: tuple[float, float], colour: str) -> None:
        """Draw a level line in dashes."""
        x, y = begin
        while x < end[0]:
            self.line(((x, y), (min(x + DASH, end[0]), y)), colour, width=1.5)
            x += 2 * DASH

    def dot(self, at: tuple[float, float], colour: str) -> None:
        """Draw a dot."""
        x, y = at
        self._draw.ellipse(self._scaled(Frame(x - 4, y - 4, x + 4, y + 4)), fill=colour)

    def marker(self, x: float, y: float, colour: str) -> None:
        """Draw a triangle that points to the right, at the left of a line's middle."""
        corners = ((x, y - 5), (x + 8, y), (x, y + 5))
        self._draw.polygon([(a * self._scale, b * self._scale) for a, b in corners], fill=colour)

    def _scaled(self, frame: Frame) -> tuple[float, float, float, float]:
        each = (frame.left, frame.top, frame.right, frame.bottom)
        left, top, right, bottom = (value * self._scale for value in each)
        return left, top, max(left, right), max(top, bottom)
