"""What TeX's commands look like as characters; `labextension/src/view/texSymbols.ts` has the same.

`tests/data/readable_tex.json` holds both to one table. Pure.
"""

# ruff: noqa: RUF001 - signs of mathematics look like letters

from __future__ import annotations


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


SYMBOLS = _pairs(
    r"""
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ
    phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ
    Phi Φ Psi Ψ Omega Ω infty ∞ emptyset ∅ varnothing ∅ ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱
    partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ forall ∀ exists ∃ neg ¬ lnot ¬ angle ∠
    triangle △ square □ prime ′ degree ° vert | Vert ‖ | ‖ top ⊤ bot ⊥ sum ∑ prod ∏ int ∫ iint ∬
    oint ∮ bigcup ⋃ bigcap ⋂ checkmark ✓ star ⋆ bullet • dagger † % % $ $ # # & & _ _
    """
)
"""Signs that stand where they are written."""

RELATIONS = _pairs(
    r"""
    times × div ÷ pm ± mp ∓ le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ lt < gt > ll ≪
    gg ≫ equiv ≡ approx ≈ cong ≅ sim ∼ simeq ≃ propto ∝ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆
    supset ⊃ supseteq ⊇ subsetneq ⊊ cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕
    otimes ⊗ to → rightarrow → longrightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒
    Longrightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⇒ iff ⇔ mapsto ↦ mid | nmid ∤ parallel ∥
    perp ⊥ bmod mod mod mod therefore ∴ because ∵
    """
)
"""Signs with a space on either side."""

TIGHT = {"cdot": "·", "circ": "∘", "ast": "∗", "colon": ":"}
"""Signs with no space around them."""

OPENING = _pairs(r"{ { lbrace { lbrack [ langle ⟨ lfloor ⌊ lceil ⌈ lvert | lVert ‖")
CLOSING = _pairs(r"} } rbrace } rbrack ] rangle ⟩ rfloor ⌋ rceil ⌉ rvert | rVert ‖")

FUNCTIONS = _words(
    """
    sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim limsup liminf
    max min sup inf det dim ker gcd deg arg hom Pr
    """
)
"""Names in upright letters, which stand apart from what they are applied to."""

SPACES = frozenset({",", ":", ";", ">", " ", "quad", "qquad", "space", "thinspace", "\n", "\t"})
NOTHING = _words(
    """
    ! displaystyle textstyle scriptstyle limits nolimits big Big bigg Bigg bigl bigr Bigl Bigr biggl
    biggr Biggl Biggr middle
    """
)
"""What says only how something is drawn."""

FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
BINOMIALS = frozenset({"binom", "dbinom", "tbinom"})
TEXTS = frozenset({"text", "textrm", "textbf", "textit", "texttt", "textsf", "mbox", "hbox"})
STYLES = _words(
    """
    mathrm mathbf mathit mathsf mathtt mathcal mathfrak mathscr mathnormal boldsymbol bm pmb boxed
    fbox
    """
)
"""Commands of which only the content is shown."""

BLACKBOARD = _pairs("C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ")
ACCENTS = {
    "bar": "\u0304",
    "overline": "\u0305",
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "vec": "\u20d7",
    "dot": "\u0307",
    "ddot": "\u0308",
    "underline": "\u0332",
}
"""Marks above or below one character; a line also over several."""

MATRICES = {
    "matrix": "[]",
    "smallmatrix": "[]",
    "array": "[]",
    "bmatrix": "[]",
    "pmatrix": "()",
    "vmatrix": "||",
    "Vmatrix": "‖‖",
    "Bmatrix": "{}",
    "cases": "{}",
}
LINES = frozenset({"aligned", "align", "gathered", "gather", "split", "equation", "alignedat"})
"""Surroundings whose rows are lines of their own."""

SUPERSCRIPTS = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
SUBSCRIPTS = dict(zip("0123456789+-=()nikm", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢₖₘ", strict=True))
ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
