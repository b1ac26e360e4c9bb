"""A run as a PNG, for hosts that can show nothing else: verdict, votes, when it stopped and why.

Drawn with Pillow and the font that comes with it; the same run gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image

from jupyterlab_tir.viewing.wire import Snapshot

from .canvas import INK, Canvas, palette_of
from .chart import Bar, Frame, ShareChart, share_chart, tally_bars
from .drawn_text import drawable
from .wording import end_of, heading, sentences

WIDTH = 720
"""Width on a page, in pixels; the picture has `SCALE` times as many."""

SCALE = 2
PNG_BYTES = 75_000
"""Most bytes of a picture: 100 kB in a notebook, which writes them as base64."""

MARGIN = 24
LABEL_WIDTH = 170
WORDS_WIDTH = 220
BAR_HEIGHT = 16
ROW_HEIGHT = 26
CHART_HEIGHT = 150
AXIS_WIDTH = 44
USUAL_HEIGHT = 900
"""Room for nearly all runs: to clear a page takes longer than to write on it."""

MOST_HEIGHT = 2_000
MOST_SENTENCES = 6
LABEL_CHARS = 22
HEADING_CHARS = 300
ANSWER_CHARS = 160
SENTENCE_CHARS = 240

BLUE = "#1f6fb2"
GREY = "#57606a"
PALE = "#d0d7de"
AMBER = "#9a6700"
GREEN = "#1b7f3b"
RED = "#c62828"
_COLOURS = (INK, BLUE, GREY, PALE, AMBER, GREEN, RED)
_VERDICT_COLOURS = {"AGREES": GREEN, "DISAGREES": RED, "UNDECIDED": AMBER}


def run_picture(run: Snapshot) -> bytes:
    """The picture as a PNG of at most `PNG_BYTES`."""
    for scale in (SCALE, 1):
        written = _encoded(_drawn(run, scale))
        if len(written) <= PNG_BYTES:
            break
    return written


def _drawn(run: Snapshot, scale: int) -> Image.Image:
    for room in (USUAL_HEIGHT, MOST_HEIGHT):
        canvas = Canvas(WIDTH, room, scale)
        height = _draw(canvas, run)
        if height <= room:
            break
    return canvas.image.crop((0, 0, WIDTH * scale, round(height) * scale))


def _encoded(image: Image.Image) -> bytes:
    file = io.BytesIO()
    # Few colours, so that it is small, and known ones, as looking for the best takes long.
    few = image.quantize(palette=palette_of(_COLOURS), dither=Image.Dither.NONE)
    few.save(file, "PNG")
    return file.getvalue()


def _draw(canvas: Canvas, run: Snapshot) -> float:
    """Draw from top to bottom; the height that it took."""
    end = end_of(run)
    word, said = heading(run)
    y: float = MARGIN
    if word:
        colour = _VERDICT_COLOURS.get(word, AMBER)
        y = canvas.paragraph(MARGIN, y, WIDTH - MARGIN, word, size=20, colour=colour) + 2
    if said:
        y = canvas.paragraph(MARGIN, y, WIDTH - MARGIN, drawable(said, HEADING_CHARS), size=14)
    answer = "No answer" if end.answer is None else f"Answer: {drawable(end.answer, ANSWER_CHARS)}"
    y = canvas.paragraph(MARGIN, y + 4, WIDTH - MARGIN, answer, size=20) + 8
    y = _draw_tally(canvas, y, tally_bars(run)) + 8
    top = y + 30
    frame = Frame(MARGIN + AXIS_WIDTH, top, WIDTH - MARGIN - 8, top + CHART_HEIGHT)
    chart = share_chart(run, frame)
    if chart is not None:
        canvas.text(MARGIN, y, "The leader's share of the finished samples", size=14)
        _draw_chart(canvas, frame, chart)
        y = frame.bottom + 44
    for each in sentences(run)[-MOST_SENTENCES:]:
        words = drawable(each, SENTENCE_CHARS)
        y = canvas.paragraph(MARGIN, y, WIDTH - MARGIN, words, size=12, colour=GREY) + 2
    last = f"run {drawable(run.head.run_id, 60)}; model {drawable(run.head.server.model, 60)}"
    return canvas.paragraph(MARGIN, y, WIDTH - MARGIN, last, size=12, colour=GREY) + MARGIN


def _draw_tally(canvas: Canvas, top: float, bars: Sequence[Bar]) -> float:
    full = WIDTH - 2 * MARGIN - LABEL_WIDTH - WORDS_WIDTH
    left = MARGIN + LABEL_WIDTH
    for place, bar in enumerate(bars):
        y = top + place * ROW_HEIGHT
        if bar.leader:
            canvas.marker(MARGIN, y + BAR_HEIGHT / 2, INK)
        label = drawable(bar.label, LABEL_CHARS)
        canvas.text(MARGIN + 14, y, label, size=13, colour=INK if bar.votes else GREY)
        middle, right = left + full * bar.code_verified, left + full * bar.code_verified
        right += full * bar.rest
        if bar.rest:
            rest = Frame(middle, y, right, y + BAR_HEIGHT)
            canvas.hatched(rest, BLUE if bar.votes else PALE, step=6 if bar.votes else 0)
        if bar.code_verified:
            canvas.filled(Frame(left, y, middle, y + BAR_HEIGHT), BLUE)
        canvas.text(WIDTH - MARGIN - WORDS_WIDTH + 10, y, bar.words, size=12)
    y = top + len(bars) * ROW_HEIGHT
    if any(bar.votes for bar in bars):
        y = _draw_key(canvas, left, y)
    return y


def _draw_key(canvas: Canvas, left: float, y: float) -> float:
    canvas.filled(Frame(left, y + 2, left + 16, y + 12), BLUE)
    canvas.text(left + 22, y, "verified by code", size=11, colour=GREY)
    canvas.hatched(Frame(left + 130, y + 2, left + 146, y + 12), BLUE, step=6)
    canvas.text(left + 152, y, "in text only", size=11, colour=GREY)
    return y + 18


def _draw_chart(canvas: Canvas, frame: Frame, chart: ShareChart) -> None:
    for y, label in chart.up:
        canvas.line(((frame.left, y), (frame.right, y)), PALE)
        canvas.text(frame.left - 6, y - 8, label, size=11, colour=GREY, anchor="right")
    for x, label in chart.across:
        canvas.line(((x, frame.bottom), (x, frame.bottom + 4)), GREY)
        canvas.text(x, frame.bottom + 5, label, size=11, colour=GREY, anchor="middle")
    middle = (frame.left + frame.right) / 2
    canvas.text(
        middle, frame.bottom + 20, "finished samples", size=11, colour=GREY, anchor="middle"
    )
    for area, word, step in ((chart.saved, "saved", 14), (chart.wasted, "wasted", 7)):
        if area is not None:
            canvas.hatched(Frame(area[0], frame.top, area[1], frame.bottom), PALE, step=step)
            if area[1] - area[0] > canvas.length(word, size=11):
                centre = sum(area) / 2
                canvas.text(centre, frame.top + 4, word, size=11, colour=GREY, anchor="middle")
    if chart.threshold is not None:
        y, tau = chart.threshold
        canvas.dashed((frame.left, y), (frame.right, y), AMBER)
        canvas.text(frame.left + 4, y - 15, f"tau = {tau:g}", size=11, colour=AMBER)
    if chart.stop is not None:
        canvas.line(((chart.stop, frame.top), (chart.stop, frame.bottom)), GREEN, width=2)
        canvas.text(
            chart.stop - 5, frame.bottom - 17, "stopped", size=11, colour=GREEN, anchor="right"
        )
    canvas.line(chart.corners, BLUE, width=2)
    canvas.dot(chart.corners[-1], BLUE)
