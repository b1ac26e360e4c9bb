"""What the word after an opening fence means: Python, output, or something else.

Pure functions over short strings; nothing here looks at the code itself.
"""

from __future__ import annotations

import re

_PYTHON = re.compile(r"i?py(?:thon)?[0-9]*(?:-?[0-9.]+|[_-](?:code|repl|exec))?|tool_code")
_OUTPUT_PHRASE = re.compile(
    r"(?:[a-z]{2,12} )?(?:standard )?(?:outputs?|stdout)|(?:execution|code|program) results?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_+#.-]*")
_MAX_INFO_CHARS = 300
# The fence of a glued info string must be told from prose that follows a closing fence.
_KNOWN = frozenset(
    {
        *("bash", "c", "console", "cpp", "css", "csv", "html", "java", "javascript", "js", "json"),
        *(
            "julia",
            "latex",
            "lean",
            "markdown",
            "math",
            "matlab",
            "md",
            "pycon",
            "r",
            "rust",
            "sage",
        ),
        *("sh", "shell", "sql", "tex", "toml", "ts", "typescript", "wolfram", "xml", "yaml"),
    },
)
_OUTPUT = frozenset(
    {"output", "outputs", "out", "result", "results", "stdout", "console", "response"}
)
_UNTYPED = frozenset({"", "text", "txt", "plaintext", "plain"})
_TYPESET = frozenset({"latex", "tex", "math", "markdown", "md"})


def language_of(info: str) -> str | None:
    """Language that an info string names, in lower case; "" if it is empty; None if it is prose.

    Every spelling of Python that models use (`py`, `Python3`, `ipython`, `python title="x"`,
    `{.python}`, `{code-cell} ipython3`) comes back as "python".

    >>> language_of("{.python .numberLines}"), language_of("So the answer is 5")
    ('python', None)
    """
    info = info.strip()
    if not info or len(info) > _MAX_INFO_CHARS:
        return None if info else ""
    if _OUTPUT_PHRASE.fullmatch(info):
        return "output"
    if info.startswith("{"):
        inner = info[1:].replace("}", " ").replace("code-cell", " ")
        word = _WORD.search(inner)
        return _normal(word.group()) if word else None
    word = _WORD.match(info)
    if word is None:
        return None
    language, rest = _normal(word.group()), info[word.end() :]
    if not rest or language == "python":
        return language
    # Attributes carry signs ("title=x", "{.numberLines}"); prose after a closing fence does not.
    attributes = all(not token.strip("\"'").isalpha() for token in rest.split())
    return language if is_known(language) and attributes else None


def _normal(word: str) -> str:
    word = word.lower().rstrip(".")
    # "python:main.py" and "main.py" are files; the first names its language.
    return "python" if _PYTHON.fullmatch(word) else word


def is_known(language: str) -> bool:
    """Whether the word is the name of a language or of a kind of output."""
    return language == "python" or language in _KNOWN or language in _OUTPUT or language in _UNTYPED


def is_output(language: str) -> bool:
    """Whether a block so named shows what a program printed."""
    return language in _OUTPUT


def is_untyped(language: str) -> bool:
    """Whether the name says nothing about the content ("", "text")."""
    return language in _UNTYPED


def is_typeset(language: str) -> bool:
    """Whether a block so named holds prose or formulas to be read, not code."""
    return language in _TYPESET
