/** The kinds of bodies that an application's endpoint can accept, their limits, and how the handler reads them. */

import type { Readable } from 'node:stream';
import type { Call } from '../../http/endpoint.ts';
import type { MultipartLimits } from '../../http/multipart.ts';
import { defaultLimits } from '../../http/pipeline.ts';
import type { UploadedFile } from '../../http/uploads.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type OptionCheck, type OptionTable, objectOf } from '../../kernel/options.ts';

/** Kinds of bodies of an endpoint. */
export const bodyKinds = ['json', 'form', 'multipart', 'bytes'] as const;
export type BodyKind = (typeof bodyKinds)[number];

/** How much a body may bring. 413 beyond it. */
export interface BodyLimits {
  /** Bytes of one file; default 10 MiB. */
  readonly file?: number;
  /** Bytes of the whole body. Unless given as many as files and texts can be; 100 MiB for a stream. */
  readonly total?: number;
  /** Number of files; default 10. */
  readonly files?: number;
}

/** Members of an endpoint's context for its body, by the kind that it accepts. */
export interface BodyContexts {
  readonly json: ParsedBody;
  readonly form: ParsedBody;
  readonly multipart: {
    /** The texts by the names of their fields, as the types of `input` ask for. */
    readonly body: JsonObject;
    /**
     * In the order in which they were sent. They are removed once the request has been answered: move what is to stay.
     */
    readonly files: readonly UploadedFile[];
  };
  readonly bytes: {
    /** The whole body, read when it is asked for, within BODY_LIMIT. */
    readonly bytes: Promise<Uint8Array>;
    /** The body as it comes, never held whole. Only one of the two can be asked for. */
    readonly stream: Readable;
  };
}

interface ParsedBody {
  /** The body; empty where there is none. */
  readonly body: JsonObject;
  /** Its bytes as they came: what a signature covers, also one of a third party. */
  readonly bytes: Uint8Array;
}

/** Bytes of a stream where an endpoint says nothing else. */
const defaultStreamed = 104_857_600;

const positive: OptionCheck = (value, path) =>
  Number.isSafeInteger(value) && Number(value) > 0 ? undefined : `${path} must be a whole number above 0`;

export const limitsOption: OptionCheck = objectOf({
  file: positive,
  total: positive,
  files: positive,
} satisfies OptionTable<BodyLimits>);

/** Returns the flaw of a combination of options. */
export const bodyFlaw = (definition: {
  readonly method?: string;
  readonly accepts?: BodyKind;
  readonly limits?: BodyLimits;
  readonly input?: object;
}): string | undefined => {
  const { method = '', accepts = 'json', limits, input } = definition;
  const { file, total, files } = limits ?? {};
  if (definition.accepts !== undefined && !['POST', 'PUT', 'PATCH'].includes(method))
    return `a ${method} takes no body, so no accepts`;
  if (accepts === 'bytes' && input !== undefined) return 'what accepts bytes has no fields, so no input';
  if (limits !== undefined && accepts !== 'multipart' && accepts !== 'bytes')
    return 'limits are for accepts "multipart" or "bytes": BODY_LIMIT is that of other bodies';
  if (accepts === 'bytes' && (file !== undefined || files !== undefined))
    return 'of accepts "bytes" there is no limit but limits.total';
  if (total !== undefined && (file ?? defaultLimits.file) > total && accepts === 'multipart')
    return `limits.total is less than limits.file (${file ?? defaultLimits.file} unless given)`;
  return undefined;
};

/** The limits of a multipart body. */
export const multipartLimits = ({ file, total, files }: BodyLimits = {}): MultipartLimits => ({
  file: file ?? defaultLimits.file,
  files: files ?? defaultLimits.files,
  total,
});

/** The body of a request to an endpoint that accepts bytes: only what is asked for is read. */
export class LazyBody {
  readonly #call: Call;
  readonly #limit: number;
  #bytes: Promise<Uint8Array> | undefined;

  constructor(call: Call, { total = defaultStreamed }: BodyLimits = {}) {
    this.#call = call;
    this.#limit = total;
  }

  get bytes(): Promise<Uint8Array> {
    if (this.#bytes === undefined) {
      this.#bytes = (async () => this.#call.readBody())();
      // It rejects for a handler that awaits it; one that has failed meanwhile does not.
      this.#bytes.catch(() => {});
    }
    return this.#bytes;
  }

  get stream(): Readable {
    return this.#call.streamBody(this.#limit);
  }
}
