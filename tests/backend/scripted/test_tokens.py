from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from jupyterlab_tir.backend.scripted.tokens import Vocabulary, split_pieces, token_id


def test_pieces_are_words_with_their_space_digits_by_threes_and_newlines() -> None:
    assert split_pieces("Sum: 12345\n    x = -1") == [
        *("Sum", ":", " 123", "45", "\n", "   ", " x", " =", " -", "1"),
    ]


def test_long_words_do_not_make_one_token() -> None:
    assert [len(piece) for piece in split_pieces("a" * 30)] == [12, 12, 6]


@given(st.text())
@example("\x00\u00a0 e\u0301\r\n_")
def test_no_character_is_lost(text: str) -> None:
    assert "".join(split_pieces(text)) == text


def test_ids_are_the_same_everywhere() -> None:
    # First 8 bytes of BLAKE2b-64 of "The", big-endian, modulo 2**31 - 1 (from `b2sum -l 64`).
    assert token_id("The") == int("1e6823fa5561aa4e", 16) % (2**31 - 1)


def test_a_vocabulary_reads_back_what_it_gave_out_and_nothing_else() -> None:
    vocabulary = Vocabulary()
    identifiers = vocabulary.encode("naïve \N{MINUS SIGN}1")
    assert vocabulary.decode(identifiers) == "naïve \N{MINUS SIGN}1"
    assert vocabulary.decode([5]) == "\N{REPLACEMENT CHARACTER}"
