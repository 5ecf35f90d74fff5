import { columnOf } from '../database/column.ts';
import type { Source, SourceColumn } from '../database/source.ts';

/** What a caller may see of a source, as its grant says. */
export interface SourceView {
  readonly source: Source;
  /** Readable fields in the order of the answer. */
  readonly fields: readonly string[];
  /** The readable columns that can be compared with: what may be filtered, sorted and searched by. */
  readonly usable: ReadonlyMap<string, SourceColumn>;
}

/** The view of a caller who may read these fields. */
export const sourceView = (source: Source, readable: readonly string[]): SourceView => {
  const usable = new Map<string, SourceColumn>();
  for (const name of readable) {
    const column = columnOf(source, name);
    if (column.comparable !== false) usable.set(name, column);
  }
  return { source, fields: [...readable], usable };
};

interface KnownView {
  readonly view: SourceView;
  readonly id: number;
}

/** Views of one source by the fields that grants let read. There are few: one for each set that the policy makes. */
export class SourceViews {
  readonly #source: Source;
  readonly #byArray = new WeakMap<readonly string[], KnownView>();
  readonly #byNames = new Map<string, KnownView>();

  constructor(source: Source) {
    this.#source = source;
    // A source without its key could not be listed at all.
    columnOf(source, source.key);
  }

  of(readable: readonly string[]): KnownView {
    const known = this.#byArray.get(readable);
    if (known !== undefined) return known;
    const names = JSON.stringify(readable);
    const made = this.#byNames.get(names) ?? {
      view: sourceView(this.#source, readable),
      id: this.#byNames.size,
    };
    this.#byNames.set(names, made);
    // Only an array that nobody can change stands for its names.
    if (Object.isFrozen(readable)) this.#byArray.set(readable, made);
    return made;
  }
}
