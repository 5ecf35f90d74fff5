/** Reads a file of users from another system: CSV with a header line, or one JSON object per line. */

import { open } from 'node:fs/promises';
import { type Cell, csvCells } from '../../kernel/csv-cells.ts';
import { errorMessage } from '../../kernel/error-message.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { nearestHint } from '../../kernel/options.ts';
import { type Frame, Frames } from '../../resources/operations.ts';
import { CommandError } from '../io.ts';
import type { Format } from './transfer-options.ts';

/** True and false as databases write them into CSV. */
const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  1: true,
  false: false,
  f: false,
  0: false,
};

/** The value of a cell; the text itself where it is none, which the rules of the field then refuse. */
const cellReaders = {
  username: (text: string): Json => text,
  email: (text: string): Json => text,
  name: (text: string): Json => text,
  password_hash: (text: string): Json => text,
  roles: (text: string): Json => text.split(/[\s,;]+/).filter((role) => role !== ''),
  disabled: (text: string): Json => booleans[text.toLowerCase()] ?? text,
  must_change_password: (text: string): Json => booleans[text.toLowerCase()] ?? text,
} as const;

type UserColumn = keyof typeof cellReaders;

/** The columns of a file, which are the keys of a line of JSON as well. */
export const userColumns = Object.keys(cellReaders) as readonly UserColumn[];

const isColumn = (name: string): name is UserColumn => Object.hasOwn(cellReaders, name);

/** A line of the file: the body of a user, or its flaw. */
export interface UserLine {
  readonly line: number;
  readonly body: JsonObject | string;
}

const unknownColumn = (name: string): string =>
  `there is no column ${JSON.stringify(name.slice(0, 60))}${nearestHint(name, userColumns)}; the columns are ${userColumns.join(', ')}`;

/** The cells of a record, or their flaw. */
const cellsOf = ({ text }: Frame): readonly Cell[] | string => {
  if (text === undefined) return 'it is not UTF-8';
  try {
    return csvCells(text);
  } catch (error) {
    return errorMessage(error);
  }
};

const columnsOf = (head: Frame | undefined): readonly UserColumn[] => {
  const cells = head === undefined ? 'the file is empty' : cellsOf(head);
  if (typeof cells === 'string') throw new CommandError(`line 1, the names of the columns: ${cells}`);
  const names = cells.map((cell) => cell ?? '');
  const stranger = names.find((name, index) => !isColumn(name) || names.indexOf(name) !== index);
  if (stranger === undefined) return names.filter(isColumn);
  const flaw = isColumn(stranger) ? `${stranger} stands there twice` : unknownColumn(stranger);
  throw new CommandError(`line 1, the names of the columns: ${flaw}`);
};

const csvBody = (frame: Frame, columns: readonly UserColumn[]): JsonObject | string => {
  const cells = cellsOf(frame);
  if (typeof cells === 'string') return cells;
  if (cells.length !== columns.length)
    return `it has ${cells.length} cells, and the first line ${columns.length}`;
  const body: Record<string, Json> = {};
  for (const [index, name] of columns.entries()) {
    const cell = cells[index];
    if (typeof cell === 'string') body[name] = cellReaders[name](cell);
  }
  return body;
};

const jsonBody = ({ text }: Frame): JsonObject | string => {
  if (text === undefined) return 'it is not UTF-8';
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return 'it is not JSON';
  }
  if (!isJsonObject(value)) return 'it is not a JSON object';
  const stranger = Object.keys(value).find((name) => !isColumn(name));
  return stranger === undefined ? value : unknownColumn(stranger);
};

const openFile = (path: string) =>
  open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'there is no such file' : cause.message;
    throw new CommandError(`${path}: ${reason}`, { cause });
  });

/** The lines of a file in their order; blank ones are passed over. @throws CommandError, FrameError */
export async function* userLines(path: string, format: Format): AsyncGenerator<UserLine> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const frames = new Frames(file, { size, quoted: format === 'csv' });
    const next = async (): Promise<Frame | undefined> => {
      for (;;) {
        const frame = frames.next();
        if (frame !== undefined) return frame;
        if (!(await frames.more())) return undefined;
      }
    };
    const columns = format === 'csv' ? columnsOf(await next()) : undefined;
    for (let frame = await next(); frame !== undefined; frame = await next()) {
      if (frame.text?.trim() === '') continue;
      const body = columns === undefined ? jsonBody(frame) : csvBody(frame, columns);
      yield { line: frame.line, body };
    }
  } finally {
    await file.close();
  }
}
