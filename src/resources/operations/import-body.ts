/** Reads the lines of a whole body, and refuses an import with the messages of its lines. */

import type { FieldError } from '../../kernel/field-error.ts';
import { own } from '../../kernel/json.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { nextSlice } from '../../kernel/slices.ts';
import { placed } from './collected-errors.ts';
import type { ImportLine, RefusedLine } from './import.ts';
import type { ImportFields } from './import-fields.ts';
import { bytesSource, type Frame, FrameError, Frames } from './import-frames.ts';
import { csvReader, ImportHeadError, jsonReader, type ReadLine, unreadableFrame } from './import-readers.ts';
import type { ServedResource } from './served-resource.ts';

/**
 * Most lines of one import over HTTP.
 * @limit Bodies | lines of an import | count | 413 `batch_too_large`
 */
export const maxImportLines = 10_000;

/** Most messages of a refused import: the others are usually the same again. */
const maxReported = 100;

/** The media types of an import. */
export const importTypes = { csv: 'text/csv', jsonl: 'application/jsonl' } as const;
export type ImportFormat = keyof typeof importTypes;

/** @throws Problem `invalid_record` with the first messages, fields named `line.17.sku` */
export const refuseLines = (refused: readonly RefusedLine[]): never => {
  // A line that the policy refuses is refused as a single write is.
  const forbidden = refused.find(({ error }) => error instanceof Problem);
  if (forbidden !== undefined) throw forbidden.error;
  const errors = refused
    .slice(0, maxReported)
    .flatMap(({ line, error }) => placed(`line.${line}`, [error as FieldError]));
  throw new Problem('invalid_record', { errors });
};

const refusedOf = (lines: readonly ImportLine[]): readonly RefusedLine[] =>
  lines.flatMap(({ number, errors }) => errors.map((error) => ({ line: number, field: error.field, error })));

/** All frames of a body, blank ones included. */
async function* framesOf(bytes: Uint8Array, quoted: boolean): AsyncGenerator<Frame> {
  const frames = new Frames(bytesSource(bytes), { size: bytes.length, quoted });
  for (;;) {
    const frame = frames.next();
    if (frame !== undefined) {
      await nextSlice();
      yield frame;
    } else if (!(await frames.more())) return;
  }
}

/** Adds an error to each line whose record another line has named: the order of the two would be chance. */
const withoutTwins = (
  { collision }: ServedResource,
  by: string,
  lines: readonly ImportLine[],
): readonly ImportLine[] => {
  const seen = new Set<string>();
  return lines.map((line) => {
    const value = own(line.values, by);
    if (value == null) return line;
    const text = JSON.stringify(value);
    const errors = seen.has(text) ? [...line.errors, collision({ field: by, rule: 'unique' })] : line.errors;
    seen.add(text);
    return { ...line, errors };
  });
};

/**
 * Reads the lines of a body.
 * @throws Problem `batch_too_large`; `invalid_record` where the head is wrong, or where so many lines cannot be read
 * that nothing else needs to be looked at
 */
export const readImportBody = async (
  resource: ServedResource,
  fields: ImportFields,
  format: ImportFormat,
  bytes: Uint8Array,
  catalogue: Catalogue,
): Promise<readonly ImportLine[]> => {
  const lines: ImportLine[] = [];
  let read: ReadLine | undefined = format === 'jsonl' ? jsonReader(fields, catalogue) : undefined;
  let flaws = 0;
  const add = (line: ImportLine): void => {
    if (lines.push(line) > maxImportLines)
      throw new Problem('batch_too_large', { params: { records: maxImportLines } });
    flaws += line.errors.length;
    if (flaws >= maxReported) refuseLines(refusedOf(lines));
  };
  try {
    for await (const frame of framesOf(bytes, format === 'csv')) {
      if (read === undefined) {
        if (frame.text !== '') read = csvReader(fields, frame, catalogue);
        continue;
      }
      const line = read(frame);
      if (line !== undefined) add(line);
    }
    if (read === undefined) throw ImportHeadError.ofEmpty(catalogue);
  } catch (error) {
    if (error instanceof ImportHeadError)
      return refuseLines([{ line: error.line, field: '', error: error.error }]);
    if (!(error instanceof FrameError)) throw error;
    add(unreadableFrame(catalogue, error));
  }
  return fields.by === undefined ? lines : withoutTwins(resource, fields.by, lines);
};
