r"""Reading statements and lists: relations and their chains, sets, logic, "and", "or", commas."""

from __future__ import annotations

from . import reading_conditions as conditions
from .python_functions import without_lambda
from .reading_groups import is_set
from .reading_lists import UNNAMED, all_modulo, chained, joined, listed, logic
from .reading_names import defined_letters, wrapped_arguments
from .reading_terms import Terms
from .tokens import ReadError, Tokens
from .tree import Call, Name, Node, Number, Text, call
from .words import BLACKBOARD

_RELATIONS = {
    "=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "in": "in",
    "notin": "notin", "approx": "approx", "equiv": "equiv",
}  # fmt: skip
_CLOSINGS = frozenset({")", "]", "}", "\\}", ")>", ")floor", ")ceil", ")abs"})
_AFTER_DOTS = _CLOSINGS | {",", ";"}
_MAX_ELEMENTS = 2_000
_PAIR = 2


class Statements(Terms):
    """Everything above arithmetic."""

    def __init__(self, tokens: Tokens, choices: frozenset[str]) -> None:
        super().__init__(tokens, choices)
        self.residues: list[Node] = []
        self.defined = defined_letters(self.tokens)
        self.wrapped = wrapped_arguments(self.tokens)
        self.aside = -1 if self.is_python else conditions.aside(self.tokens)

    def set_expression(self) -> Node:
        """Read a value: sums joined by set operations, or by the colons of a ratio."""
        node = self.intersected()
        while self.at("cup", "setminus"):
            sign = self.take().text
            right = self.intersected()
            if sign == "cup":
                node = joined("union", node, right)
            elif isinstance(node, Call) and node.head == "difference":
                node = call("difference", node.args[0], joined("union", node.args[1], right))
            else:
                node = call("difference", node, right)
        if not self.at(":") or self.pattern == "\\{" or (self.pattern and is_set(node)):
            return node
        parts = [node]
        while self.accept(":"):
            parts.append(self.sum_())
        return Call("ratio", tuple(parts))

    def intersected(self) -> Node:
        """Sums joined by the sign of intersection."""
        parts = [self.sum_()]
        while self.accept("cap"):
            parts.append(self.sum_())
        return parts[0] if len(parts) == 1 else Call("intersection", tuple(parts))

    def relation(self) -> Node:
        """Read a value, or a chain of relations between values."""
        first = self.labelled() or self.set_expression()
        values, signs = [first], []
        while self.token.kind == "sign" and self.token.text in _RELATIONS:
            signs.append(_RELATIONS[self.take().text])
            values.append(self.lettered_set(signs[-1]) or self.set_expression())
        modulus = self.modulus()
        if modulus is not None:
            return self.congruence(values, signs, modulus)
        if not signs and isinstance(first, Call) and self.is_residue(first):
            return self.residue(*first.args)
        last = values[-1]
        if signs == ["eq"] and isinstance(last, Call) and self.is_residue(last):
            return chained(values, ["eq" if self.chosen("residue") else "equiv"])
        return chained(values, signs)

    def congruence(self, values: list[Node], signs: list[str], modulus: Node) -> Node:
        """A relation modulo something.

        Raises
        ------
        ReadError
            Where it is no congruence.
        """
        if not signs:
            return self.residue(values[0], modulus)
        if len(signs) > 1 or signs[0] not in {"eq", "equiv"}:
            raise ReadError("a modulus behind no congruence")
        return call("congruent", values[0], values[1], modulus)

    def is_residue(self, node: Call) -> bool:
        """Whether `5 mod 7` says what it leaves rather than asks for it: a reduced integer."""
        if self.is_python or node.head != "mod":
            return False
        value, modulus = node.args
        if not (isinstance(value, Number) and isinstance(modulus, Number)):
            return False
        return value.value < modulus.value

    def residue(self, value: Node, modulus: Node) -> Node:
        """Numbers that leave a residue, of no name; or the residue itself."""
        if self.chosen("residue"):
            return call("mod", value, modulus)
        node = call("congruent", UNNAMED, value, modulus)
        self.residues.append(node)
        return node

    def lettered_set(self, sign: str) -> Node | None:
        """Z of "k in Z", as one types it."""
        following = self.ahead(1)
        is_letter = self.token.kind == "name" and self.token.text in BLACKBOARD
        if sign not in {"in", "notin"} or not is_letter or following.text in {"(", "_", "'", "^"}:
            return None
        return call(BLACKBOARD[self.take().text])

    def labelled(self) -> Node | None:
        r"""`\text{Area} = …`: words before an equals sign are a name."""
        words = 0
        while self.ahead(words).kind == "words":
            words += 1
        if not words or self.ahead(words).text != "=":
            return None
        return Name(" ".join(self.take().text for _ in range(words)))

    def modulus(self) -> Node | None:
        r"""Read `\pmod{7}` or `(mod 7)` behind a relation."""
        if self.at_command("pmod", "pod"):
            self.take()
            return self.argument()
        if self.at_command("mod"):
            self.take()
            return self.sum_()
        if not self.at("("):
            return None
        following = self.ahead(1)
        if following.text not in {"mod", "bmod"} or following.kind not in {"words", "command"}:
            return None
        self.position += 2
        node = self.sum_()
        self.expect(")")
        return node

    def starts_factor(self) -> bool:
        """A bracket with a modulus, or with the condition of the whole, is no factor."""
        following = self.ahead(1)
        if self.position == self.aside:
            return False
        if self.at("(") and following.text in {"mod", "bmod"} and following.kind != "name":
            return False
        return super().starts_factor()

    def statement(self) -> Node:
        """Read relations joined by `&`, `|` and their words in logic; dots between elements."""
        if self.at("...") and (self.ahead(1).text in _AFTER_DOTS or self.ahead(1).kind == "stop"):
            self.take()
            return Text("…")
        choices = [[self.relation()]]
        while True:
            if self.at("|and") or (self.at("&") and not self.in_cells):
                self.take()
                choices[-1].append(self.relation())
            elif self.at("|or") or (self.at("|") and not self.open_bars and not self.pattern):
                self.take()
                choices.append([self.relation()])
            else:
                break
        both = [logic("and", "intersection", parts) for parts in choices]
        node = logic("or", "union", both)
        if self.at_command("over", "choose"):
            head = "div" if self.take().text == "over" else "binomial"
            self.deeper()
            node = call(head, node, self.statement())
            self.depth -= 1
        return node

    def elements(self) -> tuple[list[Node], str]:
        """Read elements up to a closing bracket or the end.

        Returns
        -------
        tuple[list[Node], str]
            The elements, and what joined them: ",", ";", "a" for "and", "o" for "or", "w" for a
            wide space.
        """
        items: list[Node] = []
        joined = ""
        while not (self.is_closing(items, is_after_separator=bool(items)) or self.at_condition()):
            items.append(self.statement())
            if len(items) > _MAX_ELEMENTS:
                raise ReadError("more elements than we read")
            separator = self.separator()
            if not separator:
                if self.token.wide and not (self.is_closing(items) or self.at_condition()):
                    separator = "w"
                else:
                    break
            joined += separator
        return items, joined

    def separator(self) -> str:
        """Read a comma, a semicolon, "and" or "or", or several of them."""
        found = ""
        while True:
            if self.at(",", ";"):
                found += self.take().text
            elif self.at_word("and", "or"):
                found += self.take().text.casefold().strip(" ,")[0]
            else:
                return found

    def is_closing(self, items: list[Node], *, is_after_separator: bool = False) -> bool:
        """Whether the list ends here; "[" closes an interval as the French write it."""
        if self.token.kind in {"stop", "end"} or self.at(*_CLOSINGS):
            return not (self.at("]") and not items and not self.french)
        return self.at("[") and self.french and len(items) == _PAIR and not is_after_separator

    def at_condition(self) -> bool:
        """Whether what is said from here on is a condition of what was read."""
        if not self.position:
            return False
        if self.token.kind == "words":
            return self.token.text.casefold().split()[0].strip(",") in conditions.GIVING
        return self.position == self.aside

    def said_beside(self) -> list[Node]:
        r"""Read "for n ≥ 1", or `(k \in \mathbb{Z})` at the end.

        Raises
        ------
        ReadError
            Where it is no condition.
        """
        if not self.at_condition():
            return []
        if self.accept("("):
            items, joined = self.in_brackets("(")
            self.expect(")")
        else:
            words = self.take().text.casefold().replace(",", " ").split()[1:]
            while self.token.kind == "words" and not self.at_word("is", "are"):
                words += self.take().text.casefold().replace(",", " ").split()
            if not conditions.FILLERS.issuperset(words):
                raise ReadError("words that say no condition")
            items, joined = self.elements()
        said = listed(items, joined) if items else None
        found = list(said.args) if isinstance(said, Call) and said.head == "bare" else [said]
        if not all(node is not None and conditions.is_said(node) for node in found):
            raise ReadError("a condition that says nothing")
        return [node for node in found if node is not None]

    def answer(self) -> Node:
        """Read the whole text.

        Raises
        ------
        ReadError
            Where something is left over.
        """
        self.accept("approx", "=")
        items, joined = self.elements()
        beside = self.said_beside()
        self.accept("\\\\", ".")
        if self.token.kind != "stop":
            raise ReadError(f"{self.token.text!r} is left over")
        if not items:
            raise ReadError("nothing is said")
        if self.residues and items[-1] is self.residues[-1]:
            items = all_modulo(items)
        items, found, joined = conditions.split(items, joined)
        return conditions.given(without_lambda(listed(items, joined)), found + beside)
