import { GatewrightError } from './error.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Numbers of records that an import has written. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
}

export interface ImportOptions extends CallOptions {
  /** `id` or a unique field: a line with a known value updates that record. */
  readonly updateBy?: string | undefined;
  /** Type of a text or of bytes; CSV where it is not given. Records are sent as JSON lines. */
  readonly type?: 'text/csv' | 'application/jsonl' | undefined;
  /** Called after each request, with what is written so far. */
  readonly onProgress?: ((written: ImportCounts) => void) | undefined;
}

/** A file as it is, or records. */
export type ImportSource<Row> = string | Blob | Uint8Array | Iterable<Row> | AsyncIterable<Row>;

interface Part {
  readonly payload: string | Blob | Uint8Array;
  readonly type: string;
  readonly lines: number;
}

/** Bounds of a request of records: below the smallest limits of a service in its first configuration. */
const maxLines = 1_000;
const maxLength = 250_000;

async function* partsOf(source: ImportSource<unknown>, type = 'text/csv'): AsyncGenerator<Part> {
  if (typeof source === 'string' || source instanceof Blob || source instanceof Uint8Array) {
    yield { payload: source, type, lines: 0 };
    return;
  }
  let payload = '';
  let lines = 0;
  const part = (): Part => ({ payload, type: 'application/jsonl', lines });
  for await (const row of source) {
    const line = `${JSON.stringify(row)}\n`;
    if (lines === maxLines || (lines > 0 && payload.length + line.length > maxLength)) {
      yield part();
      payload = '';
      lines = 0;
    }
    payload += line;
    lines += 1;
  }
  if (lines > 0) yield part();
}

/** The refusal with the numbers of the lines among all records: those before it are written. */
const counted = (error: unknown, before: number): unknown => {
  if (!(error instanceof GatewrightError) || before === 0 || error.errors.length === 0) return error;
  const { status, code, message, data } = error;
  const errors = error.errors.map((each) => ({
    ...each,
    field: each.field.replace(/^line\.(\d+)/, (_, line) => `line.${Number(line) + before}`),
  }));
  return new GatewrightError({ status, code, message, errors, data });
};

/** The import of the resource at `path`. */
export const importing =
  (transport: Transport, path: string) =>
  async (
    source: ImportSource<unknown>,
    { updateBy, type, onProgress, ...call }: ImportOptions = {},
  ): Promise<ImportCounts> => {
    const query = updateBy === undefined ? '' : `?update_by=${encodeURIComponent(updateBy)}`;
    let written: ImportCounts = { created: 0, updated: 0 };
    let before = 0;
    for await (const part of partsOf(source, type)) {
      const options = {
        ...call,
        payload: part.payload as NonNullable<RequestInit['body']>,
        headers: { 'Content-Type': part.type },
      };
      try {
        const { data } = await transport.send<ImportCounts>('POST', `${path}/import${query}`, options);
        written = { created: written.created + data.created, updated: written.updated + data.updated };
      } catch (error) {
        throw counted(error, before);
      }
      before += part.lines;
      onProgress?.(written);
    }
    return written;
  };
