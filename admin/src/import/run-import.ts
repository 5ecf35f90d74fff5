/** Sending the lines of a file, and their results. */

import { send } from '../service.ts';
import type { FileContent, FileLine } from './file-lines.ts';

/** Lines per request, which the service writes in one transaction. */
const linesPerRequest = 200;

/** The result of a line. */
export interface ImportedLine {
  readonly line: number;
  readonly action: 'create' | 'update' | 'refuse';
  readonly id: number | null;
  readonly changes: Readonly<Record<string, readonly unknown[]>>;
  readonly errors: readonly {
    readonly field: string;
    readonly message: string;
    /** The rejected value, if the line has one for the field. */
    readonly value?: unknown;
  }[];
}

export interface ImportResult {
  readonly created: number;
  readonly updated: number;
  readonly refused: number;
  readonly lines: readonly ImportedLine[];
}

export interface ImportPlan {
  readonly path: string;
  readonly content: FileContent;
  /** Field of each column; columns without one are ignored. */
  readonly mapping: Readonly<Record<string, string>>;
  /** Field that finds the record to update; empty if every line is a new record. */
  readonly by: string;
}

const empty: ImportResult = { created: 0, updated: 0, refused: 0, lines: [] };

const mapFields = ({ values }: FileLine, mapping: ImportPlan['mapping']): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const field = mapping[name];
      return field === undefined || field === '' ? [] : [[field, value]];
    }),
  );

/** Adds the rejected values to the lines. */
const withValues = (
  lines: readonly ImportedLine[],
  sent: readonly { readonly line: number; readonly values: Readonly<Record<string, unknown>> }[],
): readonly ImportedLine[] => {
  const values = new Map(sent.map((each) => [each.line, each.values]));
  return lines.map((each) => ({
    ...each,
    errors: each.errors.map((error) => ({ ...error, value: values.get(each.line)?.[error.field] })),
  }));
};

const unreadable = ({ line, flaw = '' }: FileLine): ImportedLine => ({
  line,
  action: 'refuse',
  id: null,
  changes: {},
  errors: [{ field: '', message: flaw }],
});

/**
 * Sends a file in slices and calls `onProgress` after each. A failed request ends the import with the results so far.
 */
export const runImport = async (
  { path, content, mapping, by }: ImportPlan,
  preview: boolean,
  onProgress: (result: ImportResult, lines: number) => void,
): Promise<ImportResult> => {
  let result = empty;
  for (let start = 0; start < content.lines.length; start += linesPerRequest) {
    const part = content.lines.slice(start, start + linesPerRequest);
    const flawed = part.filter(({ flaw }) => flaw !== undefined).map(unreadable);
    const lines = part
      .filter(({ flaw }) => flaw === undefined)
      .map((each) => ({ line: each.line, values: mapFields(each, mapping) }));
    const body = { preview, by: by === '' ? null : by, texts: content.texts, lines };
    const { data } = await send<ImportResult>('POST', `/admin/records/${path}/import`, { body });
    result = {
      created: result.created + data.created,
      updated: result.updated + data.updated,
      refused: result.refused + data.refused + flawed.length,
      lines: [...result.lines, ...withValues(data.lines, lines), ...flawed],
    };
    onProgress(result, Math.min(start + linesPerRequest, content.lines.length));
  }
  return result;
};
