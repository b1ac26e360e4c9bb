"""What a terminal would obey is named; what a person reads stays."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies

from jupyterlab_tir.terminal.plain import one_line, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "<U+001B>[31mred<U+001B>[0m"),
        ("\x1b]0;title\x07", "<U+001B>]0;title<U+0007>"),
        ("\x1b]8;;http://x\x1b\\link", "<U+001B>]8;;http://x<U+001B>\\link"),
        ("\x9b31m\x85\x90", "<U+009B>31m<U+0085><U+0090>"),
        ("a\x00\x7f\x08b", "a<U+0000><U+007F><U+0008>b"),
        ("100%\rHACKED", "100%<U+000D>HACKED"),
        ("a\r\nb\tc\n", "a\nb\tc\n"),
        ("\u202aa\u202bb\u202cc\u202dd\u202ee", "<U+202A>a<U+202B>b<U+202C>c<U+202D>d<U+202E>e"),
        ("\u2066a\u2067b\u2068c\u2069", "<U+2066>a<U+2067>b<U+2068>c<U+2069>"),
        ("\u061c\u200e\u200f", "<U+061C><U+200E><U+200F>"),
        ("a\u200bb\u200c\u200d\u2060\ufeff", "a<U+200B>b<U+200C><U+200D><U+2060><U+FEFF>"),
        ("soft\u00adhyphen", "soft<U+00AD>hyphen"),
        ("\u3164\uffa0\u115f\u1160\u034f", "<U+3164><U+FFA0><U+115F><U+1160><U+034F>"),
        ("\U000e0041\U000e007f", "<U+E0041><U+E007F>"),
        ("a\u2028b\u2029c\x0bd\x0ce", "a<U+2028>b<U+2029>c<U+000B>d<U+000C>e"),
        ("half \ud83d pair", "half <U+D83D> pair"),
        ("1\u00a0000\u202f000\u3000x", "1 000 000 x"),
    ],
)
def test_what_a_terminal_obeys_is_shown_by_name(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "שלום, מה הם x ו-y?",  # noqa: RUF001
        "ما قيمة ٢ + ٢؟",
        "数学 ℝ ∫ √2 ≤ π é e\u0301 😀 𝔽",  # noqa: RUF001
        r"[bold]$\frac{1}{2}$[/] <b>&amp;</b> %s {x}",
    ],
)
def test_letters_and_signs_of_any_script_stay(text: str) -> None:
    assert plain(text) == text


# Signs that Unicode calls formats, but that have a shape: Arabic, Syriac, Kaithi, Egyptian.
SHAPED = frozenset(
    [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD]
) | frozenset(range(0x13430, 0x13440))


def test_no_control_format_or_separator_of_unicode_passes() -> None:
    unseen = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    passing = {
        code_point
        for code_point in range(0x110000)
        if unicodedata.category(chr(code_point)) in unseen
        and plain(chr(code_point)) == chr(code_point)
    }
    assert passing - SHAPED == {ord("\n"), ord("\t")}


@given(strategies.text(max_size=50))
def test_plain_text_stays_plain(text: str) -> None:
    shown = plain(text)
    assert plain(shown) == shown
    shown.encode()


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("", 5, ""),
        ("abcde", 5, "abcde"),
        ("abcdef", 5, "abcd…"),
        ("a\n\n  b\tc", 5, "a b c"),
        (" a ", 5, "a"),
        ("a\x1b", 20, "a<U+001B>"),
        ("abcdef", 1, "…"),
        # What lies far behind blanks is not shown, but it is not denied either.
        ("a" + " " * 100 + "b", 5, "a…"),
        ("a" + " " * 100, 5, "a"),
    ],
)
def test_one_line_is_short_and_says_when_something_is_missing(
    text: str, width: int, shown: str
) -> None:
    assert one_line(text, width) == shown


@given(strategies.text(max_size=200), strategies.integers(1, 30))
def test_one_line_is_never_wider_than_asked(text: str, width: int) -> None:
    line = one_line(text, width)
    assert len(line) <= width
    assert "\n" not in line
    assert plain(line) == line


def test_one_line_of_a_huge_text_reads_only_its_beginning() -> None:
    assert one_line("x" * 10_000_000, 10) == "x" * 9 + "…"
