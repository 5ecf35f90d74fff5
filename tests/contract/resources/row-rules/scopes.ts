import { field } from '../../../../src/fields/define.ts';
import type { JsonObject } from '../../../../src/kernel/json.ts';
import { Problem } from '../../../../src/kernel/problem.ts';
import { defineEndpoint } from '../../../../src/resources/application/define-endpoint.ts';
import { type Answer, dataOf, note, type Playing, statusFault } from './asking.ts';
import type { Id } from './ids.ts';
import { isRefused, type Refused, shown } from './oracle.ts';
import type { Asking } from './people.ts';
import type { ModelPlan } from './plan.ts';

/** The same rows by the scope of an application's code. */

const auth = ['jwt', 'api_key', 'signature'] as const;

/** The result of an operation of a scope, or the status of its refusal. */
const outcome = async <T>(work: () => Promise<T>): Promise<T | number> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
};

const looks = defineEndpoint({
  method: 'POST',
  path: '/looks',
  auth,
  input: { model: field.string({ required: true }), id: field.json({ required: true }) },
  handle: async ({ records, transaction, values }) => {
    const id = values.id as Id;
    const of = records(values.model);
    const idsOf = (list: readonly JsonObject[]) => list.map(({ id }) => id as Id);
    return {
      list: await outcome(async () => idsOf(await of.list())),
      page: await outcome(async () => (await of.page({ perPage: 2, sort: '-id' })).total ?? null),
      count: await outcome(() => of.count()),
      find: await outcome(async () => (await of.find(id))?.id ?? null),
      get: await outcome(async () => (await of.get(id)).id),
      locked: await outcome(() =>
        transaction(
          async (scope) => (await scope.records(values.model).find(id, { lock: true }))?.id ?? null,
        ),
      ),
    };
  },
});

const writes = defineEndpoint({
  method: 'POST',
  path: '/writes',
  auth,
  input: {
    model: field.string({ required: true }),
    action: field.enum(['create', 'update', 'destroy'], { required: true }),
    id: field.json(),
    version: field.integer(),
    values: field.json({ required: true }),
  },
  handle: async ({ transaction, values }) =>
    transaction(async ({ records }) => {
      const { model, action, id, version } = values;
      const of = records(model);
      const body = values.values as JsonObject;
      const options = version == null ? {} : { version };
      if (action === 'create') return of.create(body);
      if (action === 'update') return of.update(id as Id, body, options);
      await of.remove(id as Id, options);
      return null;
    }),
});

export const scopeEndpoints = [looks, writes];

/** A scope forbids an endpoint that takes another method of authentication. */
export const refusalOfScope = (answer: Refused, { method }: Asking): Refused =>
  answer.status === 401 && method !== undefined ? { status: 403 } : answer;

/** A write of a scope, as the request of an endpoint that does it. */
export interface ScopeWrite {
  readonly action: 'create' | 'update' | 'destroy';
  readonly id?: Id;
  readonly version?: number | undefined;
  readonly values: object;
}

const send = async (playing: Playing, caller: Asking, path: string, values: object): Promise<Answer> => {
  const body = JSON.stringify(values);
  return playing.inject({
    method: 'POST',
    path: `/api/v1/${path}`,
    headers: { ...caller.headers(body), 'content-type': 'application/json' },
    body,
  });
};

/** Writes through a scope; the answer is as that of the resource's own endpoint. */
export const writeByScope = async (
  playing: Playing,
  caller: Asking,
  plan: ModelPlan,
  write: ScopeWrite,
): Promise<Answer> => {
  const answer = await send(playing, caller, 'writes', { model: plan.name, ...write });
  const key = `${write.action} by a scope ${answer.status}`;
  playing.cells.set(key, (playing.cells.get(key) ?? 0) + 1);
  return answer.status === 200 && write.action === 'create' ? { ...answer, status: 201 } : answer;
};

/** All reads of a scope, compared with what the list and the detail show. */
export const playScope = async (playing: Playing, plan: ModelPlan, caller: Asking, id: Id): Promise<void> => {
  const [listed, detailed] = [shown(playing, plan, 'list', caller), shown(playing, plan, 'detail', caller)];
  const answer = await send(playing, caller, 'looks', { model: plan.name, id });
  playing.cells.set('scope', (playing.cells.get('scope') ?? 0) + 1);
  const what = `${caller.name}: scope of ${plan.name}, ${id}`;
  if (caller.method === undefined) return note(playing, what, statusFault(answer, 401));
  const [list, total] = isRefused(listed) ? [403, 403] : [listed.map((row) => row['id']), listed.length];
  const isThere = !isRefused(detailed) && detailed.some((row) => row['id'] === id);
  const found = isRefused(detailed) ? 403 : isThere ? id : null;
  const wanted = { list, page: total, count: total, find: found, get: found ?? 404, locked: found };
  const got = JSON.stringify(dataOf(answer));
  if (got !== JSON.stringify(wanted)) note(playing, what, `${got}, not ${JSON.stringify(wanted)}`);
};
