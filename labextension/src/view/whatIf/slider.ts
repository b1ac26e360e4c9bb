/**
 * A number that can be dragged, stepped by keys, or typed.
 */
import { element, setAttributes, setText } from '../../elements';

let made = 0;

/** The numbers that can be chosen, and how they are said. */
export interface IRange {
  readonly least: number;
  readonly most: number;
  readonly step: number;
}

/** A slider with the number beside it. */
export class Slider {
  constructor(
    label: string,
    private _range: IRange,
    private readonly _changed: (value: number) => void
  ) {
    const id = `jp-tir-slider-${++made}`;
    this._label.htmlFor = id;
    this._slider.id = id;
    this._slider.type = 'range';
    this._number.type = 'number';
    this.setLabel(label);
    this.setRange(_range);
    this._slider.addEventListener('input', () =>
      this._take(this._slider.valueAsNumber)
    );
    this._number.addEventListener('input', () => {
      // What is being typed may not be a number yet.
      if (this._number.checkValidity() && this._number.value !== '') {
        this._take(this._number.valueAsNumber);
      }
    });
    this._number.addEventListener('change', () => this._show());
    this.node = element('div', 'jp-TirWhatIf-slider', [
      this._label,
      this._slider,
      this._number
    ]);
  }

  readonly node: HTMLElement;

  get range(): IRange {
    return this._range;
  }

  setLabel(words: string): void {
    setText(this._label, words);
    this._number.setAttribute('aria-label', words);
  }

  /** Bounds and step; both inputs get them. */
  setRange(range: IRange): void {
    this._range = range;
    const { least, most, step } = range;
    for (const input of [this._slider, this._number]) {
      setAttributes(input, { min: least, max: most, step });
    }
    this._show();
  }

  /** Shows a value; nobody is told. */
  show(value: number): void {
    this._value = value;
    this._show();
  }

  /** Greys it out where it plays no part. */
  set disabled(off: boolean) {
    this._slider.disabled = off;
    this._number.disabled = off;
    this.node.classList.toggle('jp-mod-off', off);
  }

  private _take(value: number): void {
    const { least, most, step } = this._range;
    // Steps are decimal: 0.57 must not become 0.5700000000000001.
    const digits = step < 1 ? 2 : 0;
    const kept = Number(Math.min(most, Math.max(least, value)).toFixed(digits));
    if (kept === this._value) {
      return;
    }
    this._value = kept;
    this._show();
    this._changed(kept);
  }

  private _show(): void {
    const words = String(this._value);
    // What a person is typing is left as it is: "0.9" on the way to "0.95".
    if (
      this._number !== this._number.ownerDocument.activeElement ||
      this._number.valueAsNumber !== this._value
    ) {
      this._number.value = words;
    }
    this._slider.value = words;
  }

  private readonly _label = element('label', 'jp-TirWhatIf-label');
  private readonly _number = element('input', 'jp-TirWhatIf-number');
  private readonly _slider = element('input', 'jp-TirWhatIf-range');
  private _value = 0;
}
