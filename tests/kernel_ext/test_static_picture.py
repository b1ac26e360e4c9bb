"""The picture of a run: where things lie in it, and what it shows whatever the run holds."""

from __future__ import annotations

import io
import sys

import pytest
from msgspec.structs import replace
from PIL import Image, ImageColor, ImageFont

from jupyterlab_tir.viewing.wire import Snapshot
from jupyterlab_tir_kernel import picture
from jupyterlab_tir_kernel.chart import (
    Frame,
    sample_ticks,
    share_chart,
    share_rule_tau,
    tally_bars,
)
from jupyterlab_tir_kernel.drawn_text import drawable
from jupyterlab_tir_kernel.picture import AMBER, BLUE, GREEN, run_picture
from jupyterlab_tir_kernel.static_run import of_events

from .static_runs import HOSTILE, run_events

FRAME = Frame(100.0, 0.0, 200.0, 80.0)


def run(*answers: str | None, **kinds: object) -> Snapshot:
    return of_events(run_events(list(answers), claim=None, **kinds))  # type: ignore[arg-type]


def image(snapshot: Snapshot) -> Image.Image:
    return Image.open(io.BytesIO(run_picture(snapshot))).convert("RGB")


def pixels(shown: Image.Image, colour: str) -> int:
    """Pixels that are as good as of a colour: the picture has few of them."""
    wanted = ImageColor.getrgb(colour)
    counted = shown.getcolors(1 << 24) or []
    return sum(
        count
        for count, found in counted
        if isinstance(found, tuple)
        and max(abs(a - b) for a, b in zip(found, wanted, strict=False)) <= 12
    )


def test_bars_are_as_long_as_counts_and_divided_by_what_code_verified() -> None:
    first, second, third = tally_bars(run("7", "8", "7", "7", None))
    # Of three samples for 7 only the first is verified; 8 is, and the last has no answer.
    assert (first.label, first.code_verified, first.rest) == ("7", 1 / 3, 2 / 3)
    assert (first.leader, second.leader, third.leader) == (True, False, False)
    # Weights: 7 has 2 + 1 + 1, 8 has 2.
    assert first.words == "3 (1 by code), 67% of the weight"
    assert (second.label, second.code_verified, second.rest) == ("8", 1 / 3, 0.0)
    assert (third.label, third.votes, third.rest) == ("token limit", False, 1 / 3)


def test_the_line_steps_from_sample_to_sample() -> None:
    chart = share_chart(run("7", "8", "7", "7", not_started=4, cancelled=2), FRAME)
    assert chart is not None
    # Ten samples planned on 100 pixels; shares 1/1, 1/2, 2/3, 3/4 on 80 pixels, from below.
    assert [x for x, _ in chart.corners] == pytest.approx([110, 120, 120, 130, 130, 140, 140])
    assert [y for _, y in chart.corners] == pytest.approx([0, 0, 40, 40, 80 / 3, 80 / 3, 20])
    assert chart.stop == 140.0
    assert chart.wasted == (140.0, 160.0)
    assert chart.saved == (160.0, 200.0)
    # The rule is share:0.5.
    assert chart.threshold == (40.0, 0.5)


def test_a_run_that_took_all_its_samples_saved_and_wasted_nothing() -> None:
    chart = share_chart(run("7", "7"), FRAME)
    assert chart is not None
    assert (chart.saved, chart.wasted) == (None, None)


def test_colours_are_those_that_were_drawn() -> None:
    shown = image(run("7", "8", "7", "7", not_started=4, cancelled=2))
    assert shown.getpixel((0, 0)) == (255, 255, 255)
    counts = {colour: count for count, colour in shown.getcolors(1 << 24) or []}
    # More than half of it is paper; a bar, the rule's mark and the threshold are wide areas.
    assert counts[(255, 255, 255)] > shown.width * shown.height / 2
    for colour in (BLUE, GREEN, AMBER):
        assert counts[ImageColor.getrgb(colour)] > 500


def test_a_picture_that_is_higher_than_usual_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_picture(run("7", "8", "9"))
    monkeypatch.setattr(picture, "USUAL_HEIGHT", 100)
    assert run_picture(run("7", "8", "9")) == whole


def test_no_chart_without_points() -> None:
    assert share_chart(replace(run("7"), points=()), FRAME) is None


@pytest.mark.parametrize(
    ("rule", "tau"),
    [
        ("usual", 0.75),
        ("share", 0.75),
        ("lead:3,share:0.6", 0.6),
        ("beta:0.95", None),
        ("none", None),
        ("", None),
        ("another:1", None),
    ],
)
def test_the_threshold_is_that_of_the_share_rule(rule: str, tau: float | None) -> None:
    snapshot = run("7", stop=rule)
    assert share_rule_tau(snapshot) == tau


@pytest.mark.parametrize("planned", [1, 7, 8, 9, 100, 1024])
def test_ticks_are_few_and_reach_to_the_end(planned: int) -> None:
    ticks = sample_ticks(planned)
    assert len(ticks) <= 9
    assert 0 <= planned - ticks[-1] < ticks[1]


def test_the_picture_has_two_pixels_for_each_of_the_page_and_is_always_the_same() -> None:
    snapshot = run("7", "7", "8")
    shown = image(snapshot)
    assert shown.width == 2 * picture.WIDTH
    assert run_picture(snapshot) == run_picture(snapshot)


def test_bars_and_line_threshold_and_stop_are_drawn() -> None:
    shown = image(run("7", "7", "8", not_started=3))
    # The longest bar alone: 16 by about 280 pixels of the page, four each in the picture.
    assert pixels(shown, BLUE) > 4 * 16 * 250
    assert pixels(shown, AMBER) > 500
    assert pixels(shown, GREEN) > 500


def test_without_a_rule_there_is_no_threshold_and_without_a_stop_no_mark() -> None:
    snapshot = run("7", "7", "8", stop="none")
    assert snapshot.end is not None
    shown = image(replace(snapshot, end=replace(snapshot.end, stop=None)))
    assert pixels(shown, AMBER) == 0
    assert pixels(shown, GREEN) == 0


def test_what_code_verified_is_told_apart_by_more_than_colour() -> None:
    verified, text_only = image(run("7", "7")), image(run(None, None, "7", "7"))
    # A hatched bar lacks more than half of what a full one has: 16 by about 280 pixels, four each.
    assert pixels(verified, BLUE) - pixels(text_only, BLUE) > 4 * 16 * 280 / 2


@pytest.mark.parametrize(
    "answer",
    ["答え", "שלום", "√2·π²", "\U0001f600" * 50, HOSTILE, "x" * 100_000, "\ud800", "a\nb", "\x00"],
)
def test_any_answer_can_be_drawn(answer: str) -> None:
    snapshot = run(answer, answer, foreign=answer, problem="Sum?")
    written = run_picture(snapshot)
    assert written.startswith(b"\x89PNG")
    assert len(written) <= picture.PNG_BYTES


def test_a_picture_that_would_be_too_large_has_fewer_pixels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshot = run("7", "7", "8")
    usual = len(run_picture(snapshot))
    monkeypatch.setattr(picture, "PNG_BYTES", usual - 1)
    written = run_picture(snapshot)
    assert len(written) < usual
    assert Image.open(io.BytesIO(written)).width == picture.WIDTH


def test_only_what_the_font_has_is_drawn() -> None:
    font = ImageFont.load_default(20)
    missing = bytes(font.getmask("\uffff"))
    drawn: set[str] = set()
    for code in range(sys.maxunicode + 1):
        if code < 0x3100 or code % 97 == 0:
            drawn |= set(drawable(f"x{chr(code)}", 40))
    assert len(drawn) >= 95
    assert not [each for each in drawn if bytes(font.getmask(each)) == missing]
