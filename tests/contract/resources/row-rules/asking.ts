import type { Server } from '../../../../src/app/server.ts';
import type { Database } from '../../../../src/database/database.ts';
import type { Refused, World } from './oracle.ts';
import type { Asking, People } from './people.ts';
import type { Action, ModelPlan, Row } from './plan.ts';
import type { Random } from './random.ts';

export type Answer = Awaited<ReturnType<Server['inject']>>;

/** A world in play: its data, who plays, and what was found. */
export interface Playing extends World {
  readonly random: Random;
  readonly inject: Server['inject'];
  readonly database: Database;
  readonly services: Pick<Server['services'], 'events' | 'identities' | 'resources'>;
  readonly people: People;
  readonly faults: string[];
  /** Counts of compared responses, by action and status. */
  readonly cells: Map<string, number>;
}

interface Envelope {
  readonly code: number;
  readonly data?: unknown;
}

const codes: Readonly<Record<Refused['status'], number>> = {
  401: 40100,
  403: 40300,
  404: 40400,
  409: 40902,
  412: 41200,
  422: 42200,
};

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The fault of an answered record. */
export const recordFault = (answered: unknown, plan: ModelPlan, row: Row): string | undefined => {
  const { created_at, updated_at, ...record } = answered as Record<string, unknown>;
  if (!timestamp.test(String(created_at)) || !timestamp.test(String(updated_at))) return 'no timestamps';
  const wanted = { id: row['id'], ...Object.fromEntries(plan.fields.map(({ name }) => [name, row[name]])) };
  return JSON.stringify(record) === JSON.stringify(wanted)
    ? undefined
    : `${JSON.stringify(record)}, not ${JSON.stringify(wanted)}`;
};

export const recordsFault = (
  answered: unknown,
  plan: ModelPlan,
  rows: readonly Row[],
): string | undefined => {
  const records = answered as readonly Record<string, unknown>[];
  const [ids, wanted] = [records.map(({ id }) => id).join(), rows.map(({ id }) => id).join()];
  if (ids !== wanted) return `records ${ids}, not ${wanted}`;
  return records.map((record, index) => recordFault(record, plan, rows[index] ?? {})).find((fault) => fault);
};

export const refusalFault = ({ status, text }: Answer, wanted: Refused): string | undefined => {
  const { code, data } = JSON.parse(text) as Envelope;
  // A stranger gets one code of 401, a disabled user that of a wrong token.
  const isRight =
    wanted.status === 401 ? Math.floor(code / 100) === 401 : code === (wanted.code ?? codes[wanted.status]);
  if (status !== wanted.status || !isRight) return `${status} ${text.slice(0, 300)}, not ${wanted.status}`;
  if (wanted.fields === undefined) return data === undefined ? undefined : 'a refusal with data';
  const refusedFields = (data as { errors: readonly { field: string }[] }).errors
    .map(({ field }) => field)
    .join();
  return refusedFields === wanted.fields.join()
    ? undefined
    : `errors of ${refusedFields}, not ${wanted.fields.join()}`;
};

export const statusFault = ({ status, text }: Answer, wanted: number): string | undefined =>
  status === wanted ? undefined : `${status} ${text.slice(0, 300)}, not ${wanted}`;

export const note = (playing: Playing, what: string, fault: string | undefined): void => {
  if (fault !== undefined) playing.faults.push(`${what}: ${fault}`);
};

/** The parts of a request beside its caller. */
interface Sent {
  readonly body?: object;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

export const ask = async (
  playing: Playing,
  caller: Asking,
  action: Action | 'explain' | 'history' | 'trash' | 'restore' | 'managed' | 'return' | 'batch',
  path: string,
  sent?: Sent,
): Promise<Answer> => {
  const method = {
    list: 'GET',
    detail: 'GET',
    explain: 'GET',
    history: 'GET',
    trash: 'GET',
    restore: 'POST',
    managed: 'GET',
    return: 'POST',
    batch: 'POST',
    create: 'POST',
    update: 'PATCH',
    destroy: 'DELETE',
  } as const;
  const body = sent?.body === undefined ? undefined : JSON.stringify(sent.body);
  const answer = await playing.inject({
    method: method[action],
    path,
    headers: {
      ...caller.headers(body ?? ''),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(sent?.ifMatch === undefined ? {} : { 'if-match': sent.ifMatch }),
      ...(sent?.ifNoneMatch === undefined ? {} : { 'if-none-match': sent.ifNoneMatch }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const key = `${action} ${answer.status}`;
  playing.cells.set(key, (playing.cells.get(key) ?? 0) + 1);
  return answer;
};

export const dataOf = ({ text }: Answer): unknown => (JSON.parse(text) as Envelope).data;
