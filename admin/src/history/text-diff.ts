/** The differences between two texts, by words or lines. */

/** A stretch of two texts: in both, only in the first, or only in the second. */
export interface Stretch {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** A stretch with its place in the comparison. */
export interface PlacedStretch extends Stretch {
  readonly place: number;
}

/** Cells of a comparison table: a browser fills so many in a few milliseconds. */
const maxCells = 1_000_000;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Maximum total length of two texts that are compared by words. */
const maxLetters = 100_000;

const wordsOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** Lines with their ends: joined they are the text again. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** The longest common subsequence between equal beginnings and ends; undefined if it would take too long. */
const compare = (before: readonly string[], after: readonly string[]): Stretch[] | undefined => {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const width = fresh.length + 1;
  if ((old.length + 1) * width > maxCells) return undefined;
  // Length of the common subsequence behind both positions.
  const common = new Uint32Array((old.length + 1) * width);
  const at = (one: number, other: number): number => common[one * width + other] ?? 0;
  for (let one = old.length - 1; one >= 0; one -= 1)
    for (let other = fresh.length - 1; other >= 0; other -= 1)
      common[one * width + other] =
        old[one] === fresh[other]
          ? at(one + 1, other + 1) + 1
          : Math.max(at(one + 1, other), at(one, other + 1));
  const found: Stretch[] = [{ kind: 'same', text: before.slice(0, head).join('') }];
  let [one, other] = [0, 0];
  while (one < old.length || other < fresh.length) {
    if (one < old.length && other < fresh.length && old[one] === fresh[other]) {
      found.push({ kind: 'same', text: old[one] ?? '' });
      one += 1;
      other += 1;
    } else if (other === fresh.length || (one < old.length && at(one + 1, other) >= at(one, other + 1))) {
      found.push({ kind: 'removed', text: old[one] ?? '' });
      one += 1;
    } else {
      found.push({ kind: 'added', text: fresh[other] ?? '' });
      other += 1;
    }
  }
  found.push({ kind: 'same', text: before.slice(before.length - tail).join('') });
  return found;
};

/** Joins neighbours of one kind; removals come before additions. */
const merged = (stretches: readonly Stretch[]): Stretch[] => {
  const result: Stretch[] = [];
  let [removed, added] = ['', ''];
  const flush = (): void => {
    if (removed !== '') result.push({ kind: 'removed', text: removed });
    if (added !== '') result.push({ kind: 'added', text: added });
    [removed, added] = ['', ''];
  };
  for (const { kind, text } of stretches) {
    if (text === '') continue;
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else {
      flush();
      const last = result.at(-1);
      if (last?.kind === 'same') result[result.length - 1] = { kind, text: last.text + text };
      else result.push({ kind, text });
    }
  }
  flush();
  return result;
};

/** The changes from one text to another: by words, by lines if the texts are long, else as a whole. */
export const textDiff = (before: string, after: string): PlacedStretch[] =>
  merged(
    (before.length + after.length > maxLetters ? undefined : compare(wordsOf(before), wordsOf(after))) ??
      compare(linesOf(before), linesOf(after)) ?? [
        { kind: 'removed', text: before },
        { kind: 'added', text: after },
      ],
  ).map((stretch, place) => ({ ...stretch, place }));

/** Unchanged characters shown beside a change. */
const context = 60;

/** Reduces unchanged text to the context of changes; `…` stands for the rest. */
export const foldUnchanged = (stretches: readonly PlacedStretch[]): PlacedStretch[] =>
  stretches.map((stretch) => {
    if (stretch.kind !== 'same') return stretch;
    const letters = [...stretch.text];
    const head = stretch.place === 0 ? 0 : context;
    const tail = stretch.place === stretches.length - 1 ? 0 : context;
    if (letters.length <= head + tail + context) return stretch;
    const end = tail === 0 ? '' : letters.slice(-tail).join('');
    return { ...stretch, text: `${letters.slice(0, head).join('')} … ${end}`.trimStart() };
  });
