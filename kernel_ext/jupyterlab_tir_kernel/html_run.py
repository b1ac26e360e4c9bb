"""A run that is over as HTML: verdict, answer, votes, sentences, and the rest behind a click.

It is bounded, whatever the run holds: what comes first is cut to lengths that always fit, and what
stands behind a click is shown as far as the rest of `HTML_BYTES` goes. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jupyterlab_tir.in_words import number_of, part_of, percent
from jupyterlab_tir.viewing.wire import Snapshot, ViewPoint, ViewSegment, ViewTranscript

from .html import LEFT, answer, cut, cut_prose, escape, maths, meter, table, tally_table
from .wording import ANSWER_CHARS as SAMPLE_ANSWER_CHARS
from .wording import SAMPLE_COLUMNS, end_of, facts, heading, rows, sample_row, sentences

HTML_BYTES = 200_000
"""Most bytes of the whole, as UTF-8."""

PROBLEM_CHARS = 4_000
ANSWER_CHARS = 1_000
SENTENCE_CHARS = 600
FACT_CHARS = 300
SETTINGS_CHARS = 2_000
SEGMENT_CHARS = (4_000, 1_000, 250)
"""Lengths to which segments of transcripts are cut: the first with which all of them fit."""

# For what frames the parts behind a click: headings and summaries.
_FRAMES_BYTES = 2_500
_VERDICT_COLOURS = {"AGREES": "#1b7f3b", "DISAGREES": "#c62828", "UNDECIDED": "#9a6700"}
_ANSWER = SAMPLE_COLUMNS.index("answer")
_WRAPPED = ' style="white-space: pre-wrap"'
_LABELS = {
    "text": "Text",
    "reasoning": "Reasoning",
    "code": "Code",
    "result": "Result",
    "error": "Error",
}


def run_html(run: Snapshot) -> str:
    """A run that is over, for every reader of HTML."""
    counted = run.tally
    caption = f"{part_of(counted.finished, run.planned, 'sample')} finished"
    first = "".join(
        (
            _heading(run),
            _answer(run),
            tally_table(rows(run), caption),
            *(f"<p>{cut_prose(said, SENTENCE_CHARS)}</p>" for said in sentences(run)),
        )
    )
    last = _details("Problem, server, settings", _problem(run) + _facts(run))
    room = _Room(HTML_BYTES - _bytes(first) - _bytes(last) - _FRAMES_BYTES)
    between = _growth(run.points, room) + _samples(run, room) + _transcripts(run, room)
    return f'<div class="jp-TirRun">{first}{between}{last}</div>'


class _Room:
    """Bytes that are left."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, blocks: Iterable[str]) -> list[str]:
        """Those blocks for which there is room, up to the first for which there is none."""
        kept: list[str] = []
        for block in blocks:
            size = _bytes(block)
            if size > self.left:
                break
            self.left -= size
            kept.append(block)
        return kept


def _bytes(text: str) -> int:
    return len(text.encode())


def _details(summary: str, content: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def _heading(run: Snapshot) -> str:
    word, said = heading(run)
    if not word:
        return ""
    colour = _VERDICT_COLOURS.get(word, "#9a6700")
    words = cut_prose(said, ANSWER_CHARS) if said else ""
    return f'<p><b style="color: {colour}">{escape(word)}</b> {words}</p>'


def _answer(run: Snapshot) -> str:
    concluded = end_of(run).answer
    if concluded is None:
        return "<p><b>No answer</b></p>"
    return f"<p><b>Answer:</b> <b>{answer(concluded, ANSWER_CHARS)}</b></p>"


def _problem(run: Snapshot) -> str:
    problem = run.head.problem
    text, is_cut = maths(problem.text, PROBLEM_CHARS)
    whole = f"<p>{problem.chars:,} characters in all</p>" if is_cut else ""
    return f"<pre{_WRAPPED}>{text}</pre>{whole}"


def _facts(run: Snapshot) -> str:
    lines = "".join(
        f'<tr><th scope="row"{LEFT}>{escape(name)}</th><td{LEFT}><code>'
        f"{cut(value, SETTINGS_CHARS if name == 'settings' else FACT_CHARS)}</code></td></tr>"
        for name, value in facts(run)
    )
    return f"<table><tbody>{lines}</tbody></table>"


def _growth(points: Sequence[ViewPoint], room: _Room) -> str:
    """The leader's share after each finished sample: the early-stop chart as a table."""
    headings = ("finished", "leader", "its samples", "of those finished", "")
    kept = room.take(_growth_row(point) for point in points)
    if not kept:
        return ""
    head = "".join(f'<th scope="col"{LEFT}>{each}</th>' for each in headings)
    body = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(kept)}</tbody></table>"
    return _details("How the leader's share grew", body)


def _growth_row(point: ViewPoint) -> str:
    share = point.count / point.finished if point.finished else 0.0
    cells = (
        str(point.finished),
        answer(point.leader, 60) if point.leader else "",
        str(point.count),
        percent(share),
        meter(share),
    )
    return "<tr>" + "".join(f"<td{LEFT}>{cell}</td>" for cell in cells) + "</tr>"


def _samples(run: Snapshot, room: _Room) -> str:
    kept = room.take(_sample_row(sample_row(each)) for each in run.samples)
    if not kept:
        return ""
    empty = table(SAMPLE_COLUMNS, ())
    body = empty.replace("<tbody></tbody>", f"<tbody>{''.join(kept)}</tbody>")
    return _details("Samples", body + _more(len(run.samples) - len(kept), "sample"))


def _sample_row(texts: Sequence[str]) -> str:
    cells = [f"<td{LEFT}><code>{escape(each)}</code></td>" for each in texts]
    cells[_ANSWER] = f"<td{LEFT}>{answer(texts[_ANSWER], SAMPLE_ANSWER_CHARS)}</td>"
    return f"<tr>{''.join(cells)}</tr>"


def _transcripts(run: Snapshot, room: _Room) -> str:
    blocks: list[str] = []
    for most in SEGMENT_CHARS:
        blocks = [_transcript(each, most) for each in run.transcripts]
        if sum(map(_bytes, blocks)) <= room.left:
            break
    kept = room.take(blocks)
    if not blocks:
        return ""
    content = "".join(kept) + _more(len(run.samples) - len(kept), "transcript")
    return _details("Transcripts", content)


def _transcript(transcript: ViewTranscript, most: int) -> str:
    segments = "".join(_segment(each, most) for each in transcript.segments)
    return _details(f"Sample {transcript.sample + 1}", segments)


def _segment(segment: ViewSegment, most: int) -> str:
    label = _LABELS[segment.kind]
    if segment.status:
        label = f"{label} ({segment.status})"
    return f"<p><b>{escape(label)}</b></p><pre{_WRAPPED}>{cut(segment.text, most)}</pre>"


def _more(count: int, what: str) -> str:
    if count <= 0:
        return ""
    are, them = ("is", "it") if count == 1 else ("are", "them")
    more = number_of(count, f"more {what}")
    return f"<p>{more} {are} not shown here; the run's record holds {them}.</p>"
