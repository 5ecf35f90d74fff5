/** Runs the handlers of an application's endpoints: their context, their time limit, and their results. */

import type { Readable } from 'node:stream';
import { ConstraintError, type Database } from '../../database/database.ts';
import type { JsonSchema } from '../../fields/field.ts';
import type { Answer, Call } from '../../http/endpoint.ts';
import { typedFields } from '../../http/form.ts';
import { createInput, type Input, refuseInvalid } from '../../http/input.ts';
import { type ApplicationCode, isPromise } from '../../kernel/application-code.ts';
import { plainJson } from '../../kernel/exact-json.ts';
import { hasFiniteNumbers, type JsonObject } from '../../kernel/json.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { InputFields } from '../../model/job.ts';
import type { Models } from '../../model/models.ts';
import { isResourceModel, type ResourceModel } from '../../model/resource.ts';
import { conditionalFields } from '../../model/schema.ts';
import type { Scope } from '../../model/scope.ts';
import { maskOf } from '../../policy/decide.ts';
import { invalidParameter, parseQueryString, type QueryParameter } from '../../records/list.ts';
import { apiArea } from '../area.ts';
import { ShownRecords, type Sight } from '../endpoints/shown-record.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { type Acting, actingFor, type CodeLimit } from '../operations/transaction.ts';
import { RawAnswer } from './answer.ts';
import { applicationDatabase } from './application-database.ts';
import type { EndpointContext, EndpointDefinition } from './define-endpoint.ts';
import { LazyBody } from './endpoint-body.ts';

/** Fields that come as texts, by path or query. */
export interface TextFields {
  readonly schema: JsonSchema;
  /**
   * Reads the fields; other names are ignored.
   * @throws Problem `invalid_parameter` for a name that comes twice, else for the first invalid value
   */
  read(parameters: Iterable<Pick<QueryParameter, 'name' | 'value'>>): JsonObject;
}

export const textFields = (fields: InputFields, catalogue: Catalogue): TextFields => {
  const input = createInput(fields, catalogue, 'application');
  return {
    schema: input.schema,
    read: (parameters) => {
      const pairs = new Map<string, string>();
      for (const { name, value } of parameters) {
        if (!Object.hasOwn(fields, name)) continue;
        if (pairs.has(name)) throw invalidParameter(name);
        pairs.set(name, value);
      }
      const { errors, values } = input.read(typedFields(pairs, input.schema));
      const [first] = errors;
      if (first !== undefined) throw invalidParameter(first.field);
      return values;
    },
  };
};

/** The parts of a request that an endpoint declares; a part that it does not declare is passed on as it is. */
export interface EndpointReads {
  readonly input: Input | undefined;
  readonly params: TextFields | undefined;
  readonly query: TextFields | undefined;
}

interface EndpointRunnerParts {
  readonly database: Database;
  readonly resources: ReadonlyMap<string, ServedResource>;
  /** Runs what the application brings along. */
  readonly code: ApplicationCode;
  readonly scopeOf: (acting: Acting) => Scope;
}

/** Runs the handlers of all endpoints of the application. */
export class EndpointRunner {
  readonly #parts: EndpointRunnerParts;
  readonly #database: EndpointContext['database'];
  readonly #shown: ShownRecords;

  constructor(parts: EndpointRunnerParts, models: Models) {
    this.#parts = parts;
    this.#database = applicationDatabase(parts.database);
    this.#shown = new ShownRecords(models);
  }

  async run(definition: EndpointDefinition, path: string, reads: EndpointReads, call: Call): Promise<Answer> {
    const signals = new CallSignals(call);
    const context = this.#contextOf(definition, reads, call, signals);
    const result = await unlessConflict(() =>
      this.#parts.code.run(
        `${definition.method} ${path}, request ${call.requestId}`,
        () => {
          const handled = definition.handle(context as unknown as EndpointContext);
          signals.follow(handled);
          return begun(handled, call);
        },
        () => signals.expire(),
      ),
    );
    const { output } = definition;
    if (RawAnswer.is(result)) return result.toAnswer();
    if (result === undefined) return {};
    if (!isResourceModel(output)) return { data: result };
    return { data: await this.#shown.show(output, result, sightOf(this.#parts.resources, call)) };
  }

  /** Reads the request. @throws Problem */
  #contextOf(
    { accepts, limits, mail }: EndpointDefinition,
    reads: EndpointReads,
    call: Call,
    signals: CallSignals,
  ): WholeContext {
    const named = Object.entries(call.params).map(([name, value]) => ({ name, value }));
    const params = reads.params?.read(named) ?? call.params;
    const query = reads.query?.read(parseQueryString(call.query)) ?? queryOf(call.query);
    const read = reads.input?.read(call.body);
    refuseInvalid(read?.errors ?? []);
    const body = plainJson(call.body);
    if (!hasFiniteNumbers(body)) throw new Problem('number_out_of_range');
    const lazy = accepts === 'bytes' ? new LazyBody(call, limits) : undefined;
    // The body has the members that the endpoint accepts; its type says so to the handler.
    return {
      ...this.#parts.scopeOf({ ...actingFor(call, apiArea), limit: signals, sendsMail: mail }),
      principal: call.principal,
      params,
      query,
      body,
      files: call.files,
      values: read?.values ?? {},
      get bytes() {
        return lazy?.bytes ?? call.bytes;
      },
      get stream() {
        return lazy?.stream;
      },
      header: (name) => call.header(name),
      database: this.#database,
      requestId: call.requestId,
      language: call.language,
      get signal() {
        return signals.signal;
      },
    };
  }
}

/** The caller's sight of records that code has read. */
const sightOf = (resources: ReadonlyMap<string, ServedResource>, { principal }: Call): Sight => {
  const readerOf = (model: ResourceModel) => ({ mask: maskOf(model, principal), principal });
  return {
    hides: async (model, ids) => {
      const records = resources.get(model.name)?.records;
      if (records !== undefined) return records.hidden(readerOf(model), ids);
      // No rule of a model that is not served is ever met.
      return new Map(ids.map((id) => [id, conditionalFields(model)]));
    },
    joins: async (between, ids, others) => {
      const served = resources.get(between.model);
      return served?.records.joined(readerOf(served.model), between, ids, others);
    },
  };
};

/** A constraint of the database that the handler's own statements met, and that it did not catch, is a conflict. */
const unlessConflict = async <T>(handle: () => T | Promise<T>): Promise<T> => {
  try {
    return await handle();
  } catch (error) {
    throw error instanceof ConstraintError ? new Problem('conflict', { cause: error }) : error;
  }
};

/** A context with whatever there may be of a body. */
type WholeContext = Omit<EndpointContext, 'bytes' | 'params' | 'query'> & {
  readonly params: JsonObject;
  readonly query: URLSearchParams | JsonObject;
  readonly files: Call['files'];
  readonly bytes: Uint8Array | Promise<Uint8Array>;
  readonly stream: Readable | undefined;
};

type Handled = ReturnType<EndpointDefinition['handle']>;

/** A stream that is answered has given its first piece: until then the answer can still be an error, and takes time. */
const begun = (handled: Handled, call: Call): Handled => {
  if (RawAnswer.is(handled)) return handled.begin(call.signal);
  return isPromise(handled) ? Promise.resolve(handled).then((result) => begun(result, call)) : handled;
};

/** Ends the stream of an answer that comes too late. */
const discard = (handled: Handled): void => {
  Promise.resolve(handled).then(
    (result) => {
      if (RawAnswer.is(result)) result.discard();
    },
    () => {},
  );
};

/** One signal for a caller who hung up and for a time that is over, made when it is asked for. */
class CallSignals implements CodeLimit {
  readonly #call: Call;
  #expiry: AbortController | undefined;
  #handled: Handled;
  #signal: AbortSignal | undefined;
  isOver = false;

  constructor(call: Call) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    this.#expiry ??= new AbortController();
    this.#signal ??= AbortSignal.any([this.#call.signal, this.#expiry.signal]);
    return this.#signal;
  }

  /** Called with the handler's answer, or the promise of one. */
  follow(handled: Handled): void {
    this.#handled = handled;
  }

  expire(): void {
    this.isOver = true;
    this.#expiry?.abort();
    discard(this.#handled);
  }
}

const queryOf = (query: string): URLSearchParams => {
  try {
    decodeURIComponent(query);
  } catch (cause) {
    throw new Problem('invalid_text', { cause });
  }
  return new URLSearchParams(query);
};
