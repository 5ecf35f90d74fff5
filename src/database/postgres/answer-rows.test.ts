import { expect, it } from 'vitest';
import { AnswerRows, leastBytes, type RowFields } from './answer-rows.ts';

const message = (code: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(code);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const number = (value: number, bytes: 2 | 4): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
};

const row = (...fields: readonly (string | null)[]): Buffer =>
  message(
    'D',
    number(fields.length, 2),
    ...fields.flatMap((field) =>
      field === null ? [number(-1, 4)] : [number(Buffer.byteLength(field), 4), Buffer.from(field)],
    ),
  );

const long = `答${'x'.repeat(leastBytes)}`;

/** Announces rows as the server does: the columns of those that follow. */
const answers = message('T', Buffer.from('answers'));
const texts = message('T', Buffer.from('texts'));

const othersOf = (order: readonly (Buffer | 'row')[]): Buffer =>
  Buffer.concat(order.filter((part) => part !== 'row'));

/** What a connection brings, cut into so many bytes each: rows taken out, and all bytes that were left. */
const read = (sent: Buffer, size: number) => {
  const rows: RowFields[] = [];
  const order: (Buffer | 'row')[] = [];
  let announced = '';
  const reader = new AnswerRows({
    others: (bytes) => {
      order.push(Buffer.from(bytes));
      announced += bytes.toString('latin1');
      const [answered, told] = [announced.lastIndexOf('answers'), announced.lastIndexOf('texts')];
      if (answered !== told) reader.isAnswer = answered > told;
      announced = announced.slice(-7);
    },
    row: (fields) => {
      rows.push(fields);
      order.push('row');
    },
  });
  for (let at = 0; at < sent.length; at += size)
    // Each with memory of its own, as the network brings them: it is freed.
    reader.take(Buffer.from(new Uint8Array(sent.subarray(at, at + size)).buffer));
  return {
    rows: rows.map((fields) => fields.map((field) => field?.toString() ?? null)),
    order,
    fields: rows,
  };
};

const sizes = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 100, 4096, leastBytes + 11, leastBytes + 40, 65_536, 1e6];

it.each(sizes)('leaves long answers as bytes, and all else to the driver, in chunks of %i bytes', (size) => {
  const begin = Buffer.concat([message('2'), answers]);
  const end = Buffer.concat([message('C', Buffer.from('SELECT 1')), message('Z', Buffer.from('I'))]);
  const short = row('[]', '7', null);
  const { rows, order } = read(
    Buffer.concat([begin, row(long, '7', null, '', '行'), end, begin, short, end, begin, row(long), end]),
    size,
  );
  expect(rows).toEqual([[long, '7', null, '', '行'], [long]]);
  const others = (from: number, to?: number) => othersOf(order.slice(from, to)).toString('latin1');
  const [first, second] = [order.indexOf('row'), order.lastIndexOf('row')];
  // What came before a row is handed on before it: it says what the row holds.
  expect(others(0, first)).toBe(begin.toString('latin1'));
  expect(others(first, second)).toBe(Buffer.concat([end, begin, short, end, begin]).toString('latin1'));
  expect(others(second)).toBe(end.toString('latin1'));
});

it.each(sizes)('takes no row whose first column is none or short, in chunks of %i bytes', (size) => {
  const sent = Buffer.concat([
    ...[texts, row(long)],
    ...[answers, row('short', long), row(null, long), message('d', Buffer.from(long))],
  ]);
  const { rows, order } = read(sent, size);
  expect(rows).toEqual([]);
  expect(othersOf(order).equals(sent)).toBe(true);
});

it('gives an answer memory of its own, which can be moved', () => {
  const { fields } = read(Buffer.concat([answers, row(long, '1')]), 1000);
  const [answer] = fields[0] ?? [];
  if (!(answer instanceof Buffer)) throw new Error('no bytes');
  expect(answer.buffer.byteLength).toBe(answer.byteLength);
});

it('frees what the network brought once it is copied', () => {
  const sent = Buffer.concat([answers, row(`${long}${long}`)]);
  const reader = new AnswerRows({ others: () => {}, row: () => {} });
  reader.isAnswer = true;
  const chunks = [0, 1, 2, 3].map((n) =>
    Buffer.from(new Uint8Array(sent.subarray(n * 5000, (n + 1) * 5000)).buffer),
  );
  for (const chunk of chunks) reader.take(chunk);
  // The first one holds a message of the driver's, which may keep it.
  expect(chunks.map(({ byteLength }) => byteLength > 0)).toEqual([true, false, false, false]);
});
