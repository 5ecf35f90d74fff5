/** A cell: null where nothing is between two commas; an empty text is written in quotes. */
export type Cell = string | null;

const flaws = {
  unclosed_quote: 'a double quote that opens a cell is never closed',
  text_after_quote: 'behind the quote that closes a cell there is neither a comma nor the end',
  inner_quote: 'a double quote stands in a cell that does not begin with one',
} as const;

/** A record violates the CSV format. */
export class CellError extends Error {
  readonly flaw: keyof typeof flaws;

  constructor(flaw: keyof typeof flaws) {
    super(flaws[flaw]);
    this.name = 'CellError';
    this.flaw = flaw;
  }
}

/** Returns the index of the quote that closes a cell whose first quote is at `open`. */
const closingQuote = (text: string, open: number): number => {
  let at = text.indexOf('"', open + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  if (at === -1) throw new CellError('unclosed_quote');
  return at;
};

/**
 * Parses a record of CSV (RFC 4180): cells are separated by commas, and are in double quotes where they contain commas,
 * quotes (doubled) or line breaks.
 * @throws CellError
 */
export const csvCells = (text: string): Cell[] => {
  if (!text.includes('"')) return text.split(',').map((cell) => (cell === '' ? null : cell));
  const cells: Cell[] = [];
  for (let at = 0; ; ) {
    if (text[at] === '"') {
      const end = closingQuote(text, at);
      cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
      if (at < text.length && text[at] !== ',') throw new CellError('text_after_quote');
    } else {
      const comma = text.indexOf(',', at);
      const cell = text.slice(at, comma === -1 ? text.length : comma);
      if (cell.includes('"')) throw new CellError('inner_quote');
      cells.push(cell === '' ? null : cell);
      at += cell.length;
    }
    if (at === text.length) return cells;
    at += 1;
  }
};
