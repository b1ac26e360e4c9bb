/**
 * What a reader has marked, to copy it: elements that are drawn anew would lose the mark.
 */
import type { ITextPlace } from './lastLine';

/** Whether something in an element is marked. */
export function isMarked(node: Node): boolean {
  const selection = document.getSelection();
  return (
    selection !== null &&
    !selection.isCollapsed &&
    selection.getRangeAt(0).intersectsNode(node)
  );
}

/** Whether what is marked in an element goes beyond a place in its text. */
export function isMarkedBeyond(
  node: Node,
  { node: text, offset }: ITextPlace
): boolean {
  return (
    isMarked(node) &&
    // After the mark a place is 1.
    document.getSelection()?.getRangeAt(0).comparePoint(text, offset) !== 1
  );
}

/** Does something once nothing in an element is marked any more, which need not be now. */
export function whenUnmarked(node: Node, act: () => void): void {
  if (!isMarked(node)) {
    act();
    return;
  }
  const look = (): void => {
    if (!isMarked(node)) {
      document.removeEventListener('selectionchange', look);
      act();
    }
  };
  document.addEventListener('selectionchange', look);
}
