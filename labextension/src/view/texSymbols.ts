/**
 * What TeX's commands look like as characters; `tex_symbols.py` of the kernel's package has the same.
 *
 * `tests/data/readable_tex.json` holds both to one table.
 */

/** Signs that stand where they are written. */
export const SYMBOLS = pairs(String.raw`
  alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
  kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ
  phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ
  Phi Φ Psi Ψ Omega Ω infty ∞ emptyset ∅ varnothing ∅ ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱
  partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ forall ∀ exists ∃ neg ¬ lnot ¬ angle ∠
  triangle △ square □ prime ′ degree ° vert | Vert ‖ | ‖ top ⊤ bot ⊥ sum ∑ prod ∏ int ∫ iint ∬
  oint ∮ bigcup ⋃ bigcap ⋂ checkmark ✓ star ⋆ bullet • dagger † % % $ $ # # & & _ _
`);

/** Signs with a space on either side. */
export const RELATIONS = pairs(String.raw`
  times × div ÷ pm ± mp ∓ le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ lt < gt > ll ≪
  gg ≫ equiv ≡ approx ≈ cong ≅ sim ∼ simeq ≃ propto ∝ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆
  supset ⊃ supseteq ⊇ subsetneq ⊊ cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕
  otimes ⊗ to → rightarrow → longrightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒
  Longrightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⇒ iff ⇔ mapsto ↦ mid | nmid ∤ parallel ∥
  perp ⊥ bmod mod mod mod therefore ∴ because ∵
`);

/** Signs with no space around them. */
export const TIGHT = table({ cdot: '·', circ: '∘', ast: '∗', colon: ':' });

export const OPENING = pairs(
  '{ { lbrace { lbrack [ langle ⟨ lfloor ⌊ lceil ⌈ lvert | lVert ‖'
);
export const CLOSING = pairs(
  '} } rbrace } rbrack ] rangle ⟩ rfloor ⌋ rceil ⌉ rvert | rVert ‖'
);

/** Names in upright letters, which stand apart from what they are applied to. */
export const FUNCTIONS = words(`
  sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim limsup liminf
  max min sup inf det dim ker gcd deg arg hom Pr
`);

export const SPACES: ReadonlySet<string> = new Set([
  ',',
  ':',
  ';',
  '>',
  ' ',
  'quad',
  'qquad',
  'space',
  'thinspace',
  '\n',
  '\t'
]);

/** What says only how something is drawn. */
export const NOTHING = words(`
  ! displaystyle textstyle scriptstyle limits nolimits big Big bigg Bigg bigl bigr Bigl Bigr biggl
  biggr Biggl Biggr middle
`);

export const FRACTIONS: ReadonlySet<string> = new Set([
  'cfrac',
  'dfrac',
  'frac',
  'tfrac'
]);
export const BINOMIALS: ReadonlySet<string> = new Set([
  'binom',
  'dbinom',
  'tbinom'
]);
export const TEXTS: ReadonlySet<string> = new Set([
  'hbox',
  'mbox',
  'text',
  'textbf',
  'textit',
  'textrm',
  'textsf',
  'texttt'
]);

/** Commands of which only the content is shown. */
export const STYLES = words(`
  mathrm mathbf mathit mathsf mathtt mathcal mathfrak mathscr mathnormal boldsymbol bm pmb boxed
  fbox
`);

export const BLACKBOARD = pairs('C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ');

/** Marks above or below one character; a line also over several. */
export const ACCENTS = table({
  bar: '\u0304',
  overline: '\u0305',
  hat: '\u0302',
  widehat: '\u0302',
  tilde: '\u0303',
  widetilde: '\u0303',
  vec: '\u20d7',
  dot: '\u0307',
  ddot: '\u0308',
  underline: '\u0332'
});

export const MATRICES = table({
  matrix: '[]',
  smallmatrix: '[]',
  array: '[]',
  bmatrix: '[]',
  pmatrix: '()',
  vmatrix: '||',
  Vmatrix: '‖‖',
  Bmatrix: '{}',
  cases: '{}'
});

/** Surroundings whose rows are lines of their own. */
export const LINES: ReadonlySet<string> = new Set([
  'align',
  'aligned',
  'alignedat',
  'equation',
  'gather',
  'gathered',
  'split'
]);

export const SUPERSCRIPTS = zipped('0123456789+-=()ni', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ');
export const SUBSCRIPTS = zipped('0123456789+-=()nikm', '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢₖₘ');
export const ROOTS = table({ '': '√', 2: '√', 3: '∛', 4: '∜' });

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

function pairs(text: string): ReadonlyMap<string, string> {
  const all = text.trim().split(/\s+/);
  const found = new Map<string, string>();
  for (let index = 0; index < all.length; index += 2) {
    found.set(all[index], all[index + 1]);
  }
  return found;
}

function table(
  entries: Readonly<Record<string, string>>
): ReadonlyMap<string, string> {
  return new Map(Object.entries(entries));
}

function zipped(from: string, to: string): ReadonlyMap<string, string> {
  return new Map(Array.from(from, (each, index) => [each, to[index]]));
}
