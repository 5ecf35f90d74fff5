/**
 * Reads a CSV text by the grammar of RFC 4180, to the letter: lines end with CRLF, the last one too, and a quote stands
 * in quotes only. A cell that is not there (nothing between two commas) is null, an empty text is `""`.
 * @throws Error for what is no such text
 */
export const parseCsv = (text: string): (string | null)[][] => {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    if (match === null) throw new Error(`no CSV from here on: ${JSON.stringify(text.slice(at, at + 80))}`);
    const [, quoted, plain = '', end] = match;
    row.push(quoted === undefined ? (plain === '' ? null : plain) : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last line does not end');
  return rows;
};
