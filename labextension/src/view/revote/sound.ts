/**
 * Whether what a notebook holds for voting again can be voted over.
 *
 * Its fields are of the right kinds by then; here each place must be one of a list's, and each number
 * one that a run can have.
 */
import type { IViewRevote } from '../wire';

/** Samples of a run at most. */
const MOST_SAMPLES = 1024;

/** Whether no place points beyond its list and no plan is beyond what a run can have. */
export function isSound(revote: IViewRevote): boolean {
  const { keys, answers, ended, entropyWindows, parts } = revote;
  const isKey = isPlaceIn(keys.length);
  const isAnswer = isPlaceIn(answers.length);
  const isMoment = isPlaceIn(ended.length + 1);
  const isCount = isPlaceIn(MOST_SAMPLES + 1);
  const samples = new Set(ended.map(({ sample }) => sample));
  return (
    keys.every(({ floatOf }) => floatOf.every(isKey)) &&
    answers.every(each => each.keys.length > 0 && each.keys.every(isKey)) &&
    samples.size === ended.length &&
    entropyWindows.every(each => Number.isSafeInteger(each) && each >= 0) &&
    ended.every(({ entropies, factors }) =>
      [entropies, factors].every(each =>
        [0, entropyWindows.length].includes(each.length)
      )
    ) &&
    ended.every(
      ({ sample, begun, until, ballot, blocks }) =>
        isCount(sample) &&
        isCount(begun) &&
        isMoment(until) &&
        (ballot === null || isAnswer(ballot.answer)) &&
        blocks.every(block => isAnswer(block.ballot.answer))
    ) &&
    parts.at(0)?.start === 0 &&
    parts.every(
      ({ start, begun, until, planned, maxBlocks }, index) =>
        isMoment(start) &&
        isMoment(until) &&
        isCount(begun) &&
        isCount(planned) &&
        Number.isSafeInteger(maxBlocks) &&
        (index === 0 || start >= parts[index - 1].start)
    ) &&
    isCount(revote.begun)
  );
}

function isPlaceIn(length: number): (place: number) => boolean {
  return place => Number.isInteger(place) && place >= 0 && place < length;
}
