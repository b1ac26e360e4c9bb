# ruff: noqa: RUF001 - words and signs that models write
"""What announces a final answer: the words for it in the languages that models write.

Patterns only; what follows a mark, and whether it is a value, is read in `lines`.
"""

from __future__ import annotations

import re

# An English mark needs a verb or a colon ("the answer is", "Answer:").
_ENGLISH = (
    r"(?<![^\W_])(?:answer|(?:final|end) (?:result|value|solution)|(?:correct|right|best) "
    r"(?:option|choice))\b(?:\s?\([^()\n]{0,40}\))?(?: (?:to|for|of|in) [^.:=\n]{1,60}?)?"
    r"(?:, (?:then|therefore|thus|hence|finally|of course),)?[*_]{0,3}[ \t]{0,3}"
    r"(?:[:：=]|(?:is|was|equals|(?:should|must|will|would|has to) (?:then )?be"
    r"|comes (?:out )?to)\b[ \t]{0,3}:?)"
    r"|\b(?:final )?answer of(?=[ \t][$\\(\d−-])"
    r"|(?:^|(?<=\n))[ \t*_#]{0,8}ans(?:\.[ \t]|[.]?[*_]{0,3}[ \t]{0,3}[:：=])"
)
_CHINESE = (
    r"(?:答案|答)(?:应该|应当|应)?(?:[是为]|[:：])[:：]?|故(?:本题)?(?:答案)?选(?:择)?[:：]?"
    r"|(?:正确|本题)的?(?:选项|答案)(?:[是为]|[:：])[:：]?"
)
_JAPANESE_KOREAN = (
    r"(?:答え|解答|正解)(?:[はが]|[:：])[:：、]?|(?:정답|답)(?:[은이]|\s?[:：])[:：]?"
)
# Elsewhere the word for "answer", perhaps with "final" beside it, and a colon …
_WITH_COLON = (
    r"\b(?:respuesta|réponse|antwort|endergebnis|resposta|risposta|ответ|відповідь|odpowiedź|odpověď"
    r"|cevap|yanıt|đáp (?:án|số)|jawaban|antwoord|svar|vastaus|válasz|răspuns(?:ul)?|απάντηση)\b"
    r"(?: (?:finale?|correcta|correcte|cuối cùng|akhir|końcowa))?[*_]{0,3}[ \t]{0,3}[:：=—–-]"
    r"|(?:الإجابة|الجواب|उत्तर|תשובה|คำตอบ)(?: النهائية| النهائي)?[*_]{0,3}[ \t]{0,3}[:：=]"
)
# … or a verb.
_WITH_VERB = (
    r"\b(?:la respuesta(?: final| correcta)? es|la réponse(?: finale)? est"
    r"|die (?:end)?(?:antwort|lösung) (?:ist|lautet)|das (?:end)?ergebnis (?:ist|lautet)"
    r"|la risposta(?: finale)? è|a resposta(?: final)? é|ответ[ \t]{1,3}равен"
    r"|het antwoord is|svaret är|odpowiedź to)\b[ \t]{0,3}:?"
)
MARK = re.compile(
    f"{_ENGLISH}|{_CHINESE}|{_JAPANESE_KOREAN}|{_WITH_COLON}|{_WITH_VERB}", re.IGNORECASE
)
"""Words after which the answer stands at once."""

HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+)?(?:[*_]{1,3})?(?:the )?(?:final )?answer(?:[*_]{1,3})?[ \t]*[:：]?"
    r"(?:[*_]{1,3})?[ \t]*",
    re.IGNORECASE,
)
"""A whole line that announces the answer below it."""

HASHES = re.compile(r"####[ \t]{0,3}")
"""The mark of GSM8K's worked examples."""

DOUBT = re.compile(
    r"\b(?:if|suppose|supposing|assuming|assume|unless|whether|had|say|guess|claims?|says)\b"
    r"[^.;!?]{0,60}$",
    re.IGNORECASE,
)
"""What makes a mark behind it an assumption."""

LEAD = re.compile(
    r"(?:[\s*_:：`\"“]|(?:therefore|thus|then|hence|indeed|simply|just|now|also|actually|exactly|"
    r"approximately|about|equal to|given by|clearly|option|choice|选项|the number|"
    r"the)\b,?(?=[\s$*(\\]))*",
    re.IGNORECASE,
)
"""What may stand between a mark and its value."""

NO_ANSWER = frozenset(
    [
        "not",
        "wrong",
        "incorrect",
        "correct",
        "right",
        "found",
        "obtained",
        "given",
        "computed",
        "calculated",
        "determined",
        "derived",
        "below",
        "above",
        "in",
        "that",
        "as",
        "what",
        "how",
        "still",
        "hard",
        "easy",
        "unclear",
        "unknown",
        "clear",
        "obvious",
        "based",
        "of",
        "on",
        "at",
        "here",
        "there",
        "this",
        "it",
        "we",
        "see",
        "going",
        "always",
        "also",
        "only",
        "never",
        "likely",
        "probably",
        "either",
        "a",
        "an",
        "follows",
    ],
)
"""First words of what is said about an answer, not of one."""

FUNCTIONS = frozenset(
    [
        "sqrt",
        "sin",
        "cos",
        "tan",
        "log",
        "ln",
        "exp",
        "pi",
        "infinity",
        "oo",
        "frac",
        "binom",
        "mod",
        "gcd",
        "lcm",
        "and",
        "or",
    ]
)
"""Words that formulas are made of."""
