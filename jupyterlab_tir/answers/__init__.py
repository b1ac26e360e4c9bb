"""Reading answers and code out of model text, and comparing answers as mathematics."""

from .canonical import Canonical, canonical, clear_caches, prepare
from .compare import equivalent, rounds_to
from .extract import Answer, AnswerWatch, answer_is_complete, extract_answer, extract_code
from .fences import Block, Closed, FenceScanner, Opened
from .literals import is_echo
from .outputs import output_matches
from .reasoning import strip_reasoning

__all__ = [
    "Answer",
    "AnswerWatch",
    "Block",
    "Canonical",
    "Closed",
    "FenceScanner",
    "Opened",
    "answer_is_complete",
    "canonical",
    "clear_caches",
    "equivalent",
    "extract_answer",
    "extract_code",
    "is_echo",
    "output_matches",
    "prepare",
    "rounds_to",
    "strip_reasoning",
]
