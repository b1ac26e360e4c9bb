"""Text into pieces and pieces into token ids, the same on every machine and in every run.

Stands in for a tokenizer. It may not lose a character: joining the pieces of a text gives the
text. It knows nothing of requests or scripts.
"""

from __future__ import annotations

import functools
import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

END_OF_TURN = "<|im_end|>"
UNKNOWN = "\N{REPLACEMENT CHARACTER}"

_LARGEST_ID = 2**31 - 1
_PIECE = re.compile(
    r"<\|im_(?:start|end)\|>"  # the markers of a rendered chat are one token each
    r"| +(?= )"  # indentation, without the space that belongs to the next word
    r"|\n"
    r"| ?[^\W\d_]{1,12}"
    r"| ?\d{1,3}"
    r"| ?[^\w\s]"
    r"|[\s\S]",
)


def split_pieces(text: str) -> list[str]:
    r"""Pieces of a text, in order: words and punctuation with their space, digits by threes.

    Examples
    --------
    >>> split_pieces("The sum is 2870.\n")
    ['The', ' sum', ' is', ' 287', '0', '.', '\n']
    """
    return _PIECE.findall(text)


@functools.lru_cache(maxsize=65536)
def token_id(piece: str) -> int:
    """Id of a piece: a hash of its characters, below 2**31."""
    digest = hashlib.blake2b(piece.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % _LARGEST_ID


class Vocabulary:
    """The pieces that a server has seen, so that ids which it gave out can be read back."""

    def __init__(self) -> None:
        self._pieces: dict[int, str] = {}

    def encode(self, text: str) -> list[int]:
        """Token ids of a text; its pieces can be decoded from now on."""
        return [self.remember(piece) for piece in split_pieces(text)]

    def remember(self, piece: str) -> int:
        """Id of one piece, which can be decoded from now on."""
        identifier = token_id(piece)
        self._pieces[identifier] = piece
        return identifier

    def decode(self, identifiers: Iterable[int]) -> str:
        """Text of token ids; an id that this server never gave out becomes U+FFFD."""
        return "".join(self._pieces.get(identifier, UNKNOWN) for identifier in identifiers)
