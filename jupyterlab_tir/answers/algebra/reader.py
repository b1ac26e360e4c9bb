r"""Text to trees: all readings of an answer as people, LaTeX, Python and SymPy write it.

Nothing is evaluated, and nothing is done with a tree but building it. A form that can be read in
two ways has two readings; the ambiguities are
    commas      1,234: a number, or two in a list
    period      0.1(6): a repeating decimal, or a product
    slash       1/2x: (1/2)x, or 1/(2x)
    log         log x: natural, or to base 10
    argument    sin 2x y: the sine of 2xy, or of 2 times the rest
    quotient    sin x/2: half of a sine, or the sine of a half
    braces      {5}: a group, or a set
    function    f(a+b): a function's value, or a product; the other way round where f stands alone
    residue     5 mod 7: the numbers that are 5 modulo 7, or 5
    units       5 m: a product, or metres
    combinations    C_n^2: a binomial coefficient, or the square of a name

Limits: 20,000 characters, 5,000 nodes, integers of 6,000 digits, brackets `MAX_DEPTH` deep.
"""

from __future__ import annotations

import re

from ..plain import unwrapped
from .python_forms import CALLABLES
from .reading_conditions import in_signs
from .reading_lexer import tokenize
from .reading_phrases import said_absent, time_or_ratio, worded_number
from .reading_spelling import plainly_spelled, without_mark
from .reading_statements import Statements
from .tokens import MAX_CHARACTERS, ReadError
from .tree import Call, Constant, Node, Text, call
from .words import LETTER, means_reals, without_label, words_of

__all__ = ["ReadError", "read"]

MAX_NODES = 5_000
MAX_TREE_DEPTH = 200
MAX_READINGS = 4
MAX_TWICE_READ = 4_000
"""Characters beyond which only the likeliest reading is taken."""

_TEXT_WRAP = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|mbox|hbox|mathrm|mathbf|mathit|mathsf|boldsymbol"
    r"|operatorname)\s*\{([^{}]*)\}"
)
_LETTER = re.compile(r"(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s*:?\s+)?\(?\s*([A-J])\s*\)?\s*[.)]?")
_LETTERS = re.compile(r"\(?[A-J]\)?(?:(?:\s*[,;]\s*(?:and\s+)?|\s+(?:and|or)\s+)\(?[A-J]\)?)+")
_BRACKETED = re.compile(r"(?P<opening>[(\[{])\s*[A-J](?:\s*,\s*[A-J]){1,9}\s*(?P<closing>[)\]}])")
_HEADS = {"()": "tuple", "[]": "list", "{}": "set"}
_ROMAN = re.compile(r"[IVX]{1,5}")
_CHOICE = re.compile(
    r"(?:(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s+)?\(\s*([A-J])\s*\)(?:\s|\\ |(?=[\d$]))"
    r"|(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s+)?([A-J])[.:)](?:\s|\\ ))\s*(?=\S)"
)
_SAYS_ANSWER = re.compile(
    r"(?:the\s+)?(?:\w+\s+)?(?:answer|choice|option|result)\s+(?:is|are)\b", re.IGNORECASE
)
_JSON_CONTROL = (
    (re.compile(r"\x0c(?=rac|loor)"), r"\\f"),
    (re.compile(r"\x08(?=inom|eta|ar\b|oxed|egin|mod)"), r"\\b"),
    (re.compile(r"\t(?=frac|ext|imes|heta|an\b|au\b|o\b)"), r"\\t"),
    (re.compile(r"\r(?=ight|ho\b|floor|angle)"), r"\\r"),
)
_BACKSLASHES = re.compile(r"(?<!\\)\\{1,8}(?=[A-Za-z{}])")
_ALL_BACKSLASHES = re.compile(r"\\+")
_PRINTED_ARRAY = re.compile(r"\[[\[\]\d\s.eE+j-]*\]")
_SPACE_IN_ARRAY = re.compile(r"(?<=[\d.\]])\s+(?=[\[\d.+-])")


def read(text: str) -> tuple[Node, ...]:
    r"""All readings of an answer, the likeliest first.

    Parameters
    ----------
    text
        The answer as written.

    Returns
    -------
    tuple[Node, ...]
        One to four different trees.

    Raises
    ------
    ReadError
        Where the text is no mathematics that we know, or beyond the limits.

    Examples
    --------
    >>> read(r"\frac12")[0].head, read("no solution")[0].words
    ('div', 'no solution')
    >>> len(read("1/2x"))
    2
    """
    if len(text) > MAX_CHARACTERS:
        raise ReadError("longer than we read")
    bare = _prepared(text)
    if not bare:
        raise ReadError("nothing is said")
    said = without_label(bare)
    words: tuple[Node, ...] = ()
    if said == bare or not _SAYS_ANSWER.match(bare):
        words = _words(bare)
    if not words and said != bare:
        words = _words(said)
    return words or time_or_ratio(said) or _readings(_separated(in_signs(said)))


def _prepared(text: str) -> str:
    for pattern, replacement in _JSON_CONTROL:
        text = pattern.sub(replacement, text)
    runs = _BACKSLASHES.findall(text)
    if runs and all(len(run) % 2 == 0 for run in runs):
        text = _ALL_BACKSLASHES.sub(lambda match: "\\" * (len(match.group()) // 2), text)
    text = unwrapped(" ".join(plainly_spelled(text).split()))
    unmarked = without_mark(text)
    text = text if unmarked == text else unwrapped(unmarked)
    if text.endswith("\\\\"):
        text = text.rstrip("\\ ")
    return text.replace("**", "^") if re.search(r"\\[A-Za-z]", text) else text


def _words(text: str) -> tuple[Node, ...]:
    """Readings of a text that is prose, or a choice's letter; none where it is mathematics."""
    inner, is_text = text, False
    for _ in range(3):
        shorter = _TEXT_WRAP.sub(r" \1 ", inner)
        is_text, inner = is_text or shorter != inner, shorter
    inner = inner.replace("$", " ").strip()
    found = _chosen(inner) or _phrase(inner)
    if found:
        return found
    parts = re.split(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", inner)
    prose = [words_of(part) for part in parts]
    if any(prose) and all(_ROMAN.fullmatch(part) for part in parts):
        prose = list(parts)
    if all(prose):
        nodes = tuple(_of_words(words) for words in prose if words)
        return nodes if len(nodes) == 1 else (Call("bare", nodes),)
    if is_text and len(inner) > 1 and re.fullmatch(LETTER + r"+[.!]?", inner):
        whole_text = _TEXT_WRAP.fullmatch(text)
        if whole_text and text.startswith((r"\text", r"\mbox")):
            return (Text(inner.rstrip(".!")),)
    return ()


def _chosen(inner: str) -> tuple[Node, ...]:
    """Readings of a choice's letter, or of several."""
    letter = _LETTER.fullmatch(inner)
    if letter is not None:
        constant = {"E": "e", "I": "i"}.get(letter[1])
        more = (Constant(constant),) if constant and inner == letter[1] else ()
        return (Text(letter[1]), *more)
    bracketed = _BRACKETED.fullmatch(inner.replace(r"\{", "{").replace(r"\}", "}"))
    if bracketed is not None and bracketed["opening"] + bracketed["closing"] in _HEADS:
        head = _HEADS[bracketed["opening"] + bracketed["closing"]]
        return (Call(head, tuple(Text(found) for found in re.findall("[A-J]", inner))),)
    if _LETTERS.fullmatch(inner):
        return (Call("bare", tuple(Text(found) for found in re.findall("[A-J]", inner))),)
    choice = _CHOICE.match(inner)
    if choice is not None and not re.search(r"[,;]\s*[A-Z]\s*:", inner):
        return (Text(choice[1] or choice[2]), *_rest_of_choice(inner[choice.end() :]))
    return ()


def _phrase(inner: str) -> tuple[Node, ...]:
    """Readings of words that stand for something else."""
    return (Text("N/A"),) if said_absent(inner) else worded_number(inner)


def _of_words(words: str) -> Node:
    return call("reals") if means_reals(words) else Text(words)


def _rest_of_choice(text: str) -> tuple[Node, ...]:
    # What a choice says is a second reading only where it is mathematics.
    try:
        return _readings(text)[:1]
    except ReadError:
        return ()


def _separated(text: str) -> str:
    """An array as NumPy prints it, with commas between its numbers."""
    if len(text) > 2 and _PRINTED_ARRAY.fullmatch(text) and "," not in text:  # noqa: PLR2004 - brackets
        return _SPACE_IN_ARRAY.sub(", ", text)
    if text.startswith("<") and text.endswith(">") and "," in text:
        return rf"\langle {text[1:-1]} \rangle"
    return text


def _readings(text: str) -> tuple[Node, ...]:
    found: list[Node] = []
    choices: frozenset[str] = frozenset()
    first, met = _read_once(text, choices)
    found.append(first)
    if len(text) > MAX_TWICE_READ:
        return (first,)
    for ambiguity in sorted(met):
        other = _second_reading(text, frozenset({ambiguity}))
        if other is not None and other not in found:
            found.append(other)
    return tuple(found[:MAX_READINGS])


def _second_reading(text: str, choices: frozenset[str]) -> Node | None:
    # A second reading that fails says only that there is none.
    try:
        return _read_once(text, choices)[0]
    except ReadError:
        return None


def _read_once(text: str, choices: frozenset[str]) -> tuple[Node, set[str]]:
    tokens = tokenize(text, choices, CALLABLES)
    parser = Statements(tokens, choices)
    node = parser.answer()
    possible, likely = parser.possible_factors(), parser.likely_factors()
    factors = possible - likely if "function" in choices else likely
    if factors:
        # What a letter before a bracket is can only be told at the end.
        again = Statements(tokens, choices)
        again.multiplied = factors
        node = again.answer()
    _check_size(node)
    return node, parser.met | ({"function"} if possible else set())


def _check_size(node: Node) -> None:
    waiting = [(node, 1)]
    count = 0
    while waiting:
        part, depth = waiting.pop()
        count += 1
        if count > MAX_NODES or depth > MAX_TREE_DEPTH:
            raise ReadError("a tree larger than we read")
        if isinstance(part, Call):
            waiting.extend((arg, depth + 1) for arg in part.args)
