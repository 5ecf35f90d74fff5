import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../tests/support/csv.ts';
import { csvHead, csvLines, csvPieces } from './csv.ts';

const columns = [
  { name: 'id', json: false },
  { name: 'data', json: true },
];

/** Chunks as a database gives them, and whether it was stopped. */
const chunksOf = (texts: readonly string[], failure?: Error) => {
  const state = { asked: 0, ended: 0 };
  const chunks: AsyncIterator<string> = {
    next: async () => {
      const value = texts[state.asked];
      state.asked += 1;
      if (value !== undefined) return { done: false, value };
      if (failure !== undefined) throw failure;
      return { done: true, value: undefined };
    },
    return: async () => {
      state.ended += 1;
      return { done: true, value: undefined };
    },
  };
  return { chunks, state };
};

const piecesOf = async (pieces: AsyncIterable<string>): Promise<string[]> => {
  const read: string[] = [];
  for await (const piece of pieces) read.push(piece);
  return read;
};

describe('CSV', () => {
  it('tells no value, an empty text and texts of JSON apart', () => {
    const records = [
      { id: 1, data: null },
      { id: null, data: '' },
      { id: 'a', data: 1 },
      { id: '', data: [true] },
    ];
    expect(csvHead(columns) + csvLines(columns, records)).toBe(
      'id,data\r\n1,\r\n,""""""\r\na,1\r\n"",[true]\r\n',
    );
    expect(parseCsv(csvLines(columns, records))).toEqual([
      ['1', null],
      [null, '""'],
      ['a', '1'],
      ['', '[true]'],
    ]);
  });

  it('writes no empty line for an empty cell alone', () => {
    expect(csvLines([{ name: 'id', json: false }], [{ id: null }, { id: 1 }])).toBe('""\r\n1\r\n');
  });

  it('makes a piece of each chunk, the head before the first', async () => {
    const { chunks, state } = chunksOf(['{"id":1,"data":{"a":2}},{"id":2,"data":null}', '{"id":3,"data":3}']);
    expect(await piecesOf(csvPieces(columns, chunks))).toEqual([
      'id,data\r\n1,"{""a"":2}"\r\n2,\r\n',
      '3,3\r\n',
    ]);
    expect(state.ended).toBe(1);
    expect(await piecesOf(csvPieces(columns, chunksOf([]).chunks))).toEqual(['id,data\r\n']);
  });

  it('breaks where its source breaks, and releases it where its reader stops', async () => {
    const broken = chunksOf(['{"id":1,"data":1}'], new Error('gone'));
    await expect(piecesOf(csvPieces(columns, broken.chunks))).rejects.toThrow('gone');
    const left = chunksOf(['{"id":1,"data":1}', '{"id":2,"data":2}', '{"id":3,"data":3}']);
    const pieces = csvPieces(columns, left.chunks);
    await pieces.next();
    await pieces.return(undefined);
    expect(left.state).toEqual({ asked: 1, ended: 1 });
  });
});
