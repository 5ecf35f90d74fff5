import type { RecordId } from '../../../../src/fields/key.ts';
import { Problem } from '../../../../src/kernel/problem.ts';
import { apiArea } from '../../../../src/resources/area.ts';
import {
  type ImportInto,
  importLines,
  RefusedLinesError,
} from '../../../../src/resources/operations/import.ts';
import type { Acting } from '../../../../src/resources/operations/transaction.ts';
import { ask, dataOf, note, type Playing, recordFault, refusalFault, statusFault } from './asking.ts';
import { someBody, someId } from './bodies.ts';
import { type Id, idOfTry } from './ids.ts';
import {
  type Body,
  barred,
  created,
  destroyed,
  isRefused,
  keep,
  type Refused,
  takeAway,
  updated,
  viewedRow,
  type World,
} from './oracle.ts';
import { principalOf } from './past.ts';
import type { Asking } from './people.ts';
import { idOf, type ModelPlan, type Row } from './plan.ts';
import { refusalOfScope } from './scopes.ts';
import { firstVersion, idsOfAdded } from './tables.ts';

/** Several writes in one transaction: a batch, and the lines of an import. Each is decided as it would be alone. */

export interface Write {
  readonly action: 'create' | 'update' | 'destroy';
  readonly id: Id;
  readonly body: Body;
}

const decided = (
  world: World,
  plan: ModelPlan,
  caller: Asking,
  { action, id, body }: Write,
): Refused | Row => {
  if (action === 'create') return created(world, plan, caller, body);
  return action === 'update' ? updated(world, plan, caller, id, body) : destroyed(world, plan, caller, id);
};

/** A line that names a record which its caller does not reach makes one, where callers give ids. */
export const decidedLine = (world: World, plan: ModelPlan, caller: Asking, write: Write): Refused | Row => {
  const answer = decided(world, plan, caller, write);
  const isNew =
    plan.key === 'text' && write.action === 'update' && isRefused(answer) && answer.status === 404;
  return isNew ? created(world, plan, caller, { ...write.body, id: write.id }) : answer;
};

/** True if a write makes a record, if it is let through. */
const makes = ({ state }: World, plan: ModelPlan, { action, id }: Write): boolean =>
  action === 'create' ||
  (plan.key === 'text' && action === 'update' && state.find(plan.name, id) === undefined);

const done = (
  world: World,
  plan: ModelPlan,
  caller: Asking,
  { action, id }: Write,
  row: Row,
  first?: number | undefined,
): void => {
  if (action === 'destroy') takeAway(world, plan, id, caller);
  else keep(world, plan, row, caller, first);
};

/** The outcome of each of the writes, one after the other; refused ones leave everything as it is. */
export const triedInTurn = (
  world: World,
  plan: ModelPlan,
  caller: Asking,
  writes: readonly Write[],
  decide = decided,
): readonly (Refused | Row)[] => {
  const tried = { ...world, state: world.state.copy() };
  return writes.map((write, index) => {
    const row = decide(tried, plan, caller, write);
    if (isRefused(row)) return row;
    const named = write.action === 'create' ? { ...row, id: row['id'] ?? idOfTry(plan.key, index) } : row;
    done(tried, plan, caller, write, named);
    return named;
  });
};

const some = (playing: Playing, plan: ModelPlan, caller: Asking, action: Write['action']): Write => {
  const id = action === 'create' ? 0 : someId(playing, plan, caller);
  const before = action === 'update' ? (playing.state.find(plan.name, id) ?? {}) : undefined;
  return { action, id, body: action === 'destroy' ? {} : someBody(playing, plan, caller, before) };
};

/** Writes of one kind; most of them such as would be let through alone. */
export const someWrites = (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  action: Write['action'],
  most: number,
): readonly Write[] =>
  Array.from({ length: playing.random.below(most + 1) }, () => {
    const tries = [1, 2, 3, 4].map(() => some(playing, plan, caller, action));
    const [first = some(playing, plan, caller, action)] = tries;
    if (playing.random.chance(0.12)) return first;
    return tries.find((write) => !isRefused(decided(playing, plan, caller, write))) ?? first;
  });

const isReference = ({ fields: named = [] }: Refused, { fields }: ModelPlan): boolean =>
  named.some((name) => fields.some((field) => field.name === name && field.kind === 'reference'));

const lists = { update: 'update', destroy: 'delete', create: 'create' } as const;

/**
 * The refusals that a batch may get; none where all of it is written. Errors of values are named for all records,
 * but for those behind one that the database itself refused, such as for a reference: any other refusal is named alone.
 */
export const refusalsOfBatch = (
  world: World,
  plan: ModelPlan,
  caller: Asking,
  writes: readonly Write[],
): readonly Refused[] => {
  const actions = ['create', 'update', 'destroy'] as const;
  if (
    caller.method === undefined ||
    !actions.some((action) => plan.auth[action].includes(caller.method ?? 'jwt'))
  )
    return [{ status: 401 }];
  const forbidden = writes.flatMap(({ action }): Refused[] => {
    const refusal = barred(plan, action, caller);
    return refusal === undefined ? [] : [refusalOfScope(refusal, caller)];
  });
  if (forbidden.length > 0) return forbidden;
  const counts = { create: 0, update: 0, destroy: 0 };
  const fields: string[] = [];
  const refusals: Refused[] = [];
  for (const [index, answer] of triedInTurn(world, plan, caller, writes).entries()) {
    const { action } = writes[index] ?? { action: 'create' };
    const place = `${lists[action]}.${counts[action]}`;
    counts[action] += 1;
    if (!isRefused(answer)) continue;
    if (answer.status !== 404 && answer.status !== 422) return [...refusals, answer];
    fields.push(...(answer.fields ?? ['id']).map((name) => `${place}.${name}`));
    if (isReference(answer, plan)) refusals.push({ status: 422, fields: [...fields] });
  }
  return fields.length === 0 ? refusals : [...refusals, { status: 422, fields }];
};

export const batchBody = (writes: readonly Write[]) => ({
  create: writes.filter(({ action }) => action === 'create').map(({ body }) => body),
  update: writes.filter(({ action }) => action === 'update').map(({ id, body }) => ({ ...body, id })),
  delete: writes.filter(({ action }) => action === 'destroy').map(({ id }) => id),
});

/** In the order in which a batch does them. */
export const someBatch = (playing: Playing, plan: ModelPlan, caller: Asking): readonly Write[] => [
  ...someWrites(playing, plan, caller, 'update', 2),
  ...someWrites(playing, plan, caller, 'destroy', 1),
  ...someWrites(playing, plan, caller, 'create', 2),
];

interface BatchAnswer {
  readonly created: readonly { readonly id: Id }[];
  readonly updated: readonly object[];
  readonly deleted: number;
}

export const playBatch = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<string> => {
  const writes = someBatch(playing, plan, caller);
  const what = `${caller.name}: batch ${plan.name} ${JSON.stringify(writes)}`;
  const refusals = refusalsOfBatch(playing, plan, caller, writes);
  const rows = triedInTurn(playing, plan, caller, writes);
  const answer = await ask(playing, caller, 'batch', `/api/v1/${plan.path}/batch`, {
    body: batchBody(writes),
  });
  if (refusals.length > 0) {
    const faults = refusals.map((refusal) => refusalFault(answer, refusal));
    note(playing, what, faults.includes(undefined) ? undefined : faults.at(-1));
    return what;
  }
  note(playing, what, statusFault(answer, 200));
  if (answer.status !== 200) return what;
  const { created: made, updated: changed, deleted } = dataOf(answer) as BatchAnswer;
  const answered = [...changed, ...Array.from({ length: deleted }, () => undefined), ...made];
  if (answered.length !== writes.length) note(playing, what, `${answered.length} of ${writes.length} writes`);
  for (const [index, write] of writes.entries()) {
    const [row, record] = [rows[index], answered[index]];
    if (row === undefined || isRefused(row)) continue;
    const isNew = write.action === 'create';
    const named = isNew ? { ...row, id: (record as { id: Id }).id } : row;
    const first = isNew ? await firstVersion(playing, plan, idOf(named)) : undefined;
    done(playing, plan, caller, write, named, first);
    if (write.action === 'destroy') continue;
    const seen = viewedRow(playing, plan, write.action, caller, named);
    note(playing, what, recordFault(record, plan, seen));
  }
  return what;
};

/** The acting user of a command that runs on behalf of a user; undefined for a caller who is none. */
export const actingOf = async (playing: Playing, caller: Asking): Promise<Acting | undefined> => {
  const principal = await principalOf(playing, caller);
  return principal && { principal, area: apiArea, actor: () => ({ principal, address: null }), depth: 0 };
};

/** The refusal of an import that writes nothing: the status, or lines with the fields that are wrong. */
export type ImportRefusal = number | readonly string[];

/** Undefined where every line is written. Creates and updates are asked for before any line is looked at. */
export const refusalOfImport = (
  world: World,
  plan: ModelPlan,
  caller: Asking,
  writes: readonly Write[],
): ImportRefusal | undefined => {
  if ((['create', 'update'] as const).some((action) => barred(plan, action, caller) !== undefined))
    return 403;
  const refused = triedInTurn(world, plan, caller, writes, decidedLine).flatMap((answer, line) => {
    if (!isRefused(answer)) return [];
    const fields = answer.fields ?? [answer.status === 404 ? 'id' : ''];
    return fields.map((name) => `${line} ${name}`);
  });
  return refused.length === 0 ? undefined : refused;
};

/** Creates and updates in a random order; no two lines are of one record. */
export const someLines = (playing: Playing, plan: ModelPlan, caller: Asking): readonly Write[] => {
  const { random } = playing;
  const lines = [
    ...someWrites(playing, plan, caller, 'update', 3),
    ...someWrites(playing, plan, caller, 'create', 3),
  ];
  const idIn = ({ action, id, body }: Write) => (action === 'update' ? id : body['id']);
  const isFirst = (line: Write, index: number) =>
    idIn(line) === undefined || lines.findIndex((other) => idIn(other) === idIn(line)) === index;
  return random.some(lines.filter(isFirst), 1);
};

/** Imports lines through the operation of the commands; what it refuses, or the counts of what it wrote. */
export const sendLines = async (
  { services }: Playing,
  plan: ModelPlan,
  acting: Acting,
  writes: readonly Write[],
  onWritten?: ImportInto['onWritten'],
): Promise<ImportRefusal | { readonly created: number; readonly updated: number }> => {
  const resource = services.resources.get(plan.name);
  if (resource === undefined) throw new Error(`${plan.name} is not served`);
  const lines = writes.map(({ action, id, body }, number) => ({
    number,
    values: action === 'update' ? { ...body, id } : body,
    errors: [],
  }));
  try {
    const into: ImportInto = { resource, actingFor: () => acting, by: 'id', onWritten };
    return await importLines(into, lines, async () => {});
  } catch (error) {
    if (error instanceof RefusedLinesError) return error.refused.map(({ line, field }) => `${line} ${field}`);
    if (error instanceof Problem) return error.status;
    throw error;
  }
};

export const playImport = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<string> => {
  const writes = someLines(playing, plan, caller);
  const what = `${caller.name}: import ${plan.name} ${JSON.stringify(writes)}`;
  const acting = await actingOf(playing, caller);
  if (acting === undefined) return what;
  const wanted = refusalOfImport(playing, plan, caller, writes);
  const rows = triedInTurn(playing, plan, caller, writes, decidedLine);
  const news = writes.map((write) => makes(playing, plan, write));
  const ids = new Map<number, Id>();
  const onWritten = playing.random.chance(0.5)
    ? ({ line, id }: { readonly line: number; readonly id: RecordId }) => void ids.set(line, id)
    : undefined;
  const answer = await sendLines(playing, plan, acting, writes, onWritten);
  const outcome = wanted === undefined ? 'written' : wanted === 403 ? 'forbidden' : 'refused';
  playing.cells.set(`import ${outcome}`, (playing.cells.get(`import ${outcome}`) ?? 0) + 1);
  if (wanted !== undefined) {
    // The database has ended the transaction at a reference: the lines behind are not asked about.
    const got = JSON.stringify(answer);
    const isPart =
      Array.isArray(wanted) &&
      Array.isArray(answer) &&
      answer.length > 0 &&
      JSON.stringify(wanted.slice(0, answer.length)) === got;
    note(
      playing,
      what,
      got === JSON.stringify(wanted) || isPart ? undefined : `${got}, not ${JSON.stringify(wanted)}`,
    );
    return what;
  }
  const made = rows.filter((row, line): row is Row => news[line] === true && !isRefused(row));
  const counts = JSON.stringify({ created: made.length, updated: writes.length - made.length });
  if (JSON.stringify(answer) !== counts) {
    note(playing, what, `${JSON.stringify(answer)}, not ${counts}`);
    return what;
  }
  const added = (await idsOfAdded(playing.database, playing, plan, made)).values();
  for (const [line, write] of writes.entries()) {
    const row = rows[line];
    if (row === undefined || isRefused(row)) continue;
    const isNew = news[line] === true;
    const id = (isNew ? added.next().value : write.id) ?? 0;
    if (isNew && onWritten !== undefined && ids.get(line) !== id)
      note(playing, what, `named ${ids.get(line)}`);
    const first = isNew ? await firstVersion(playing, plan, id) : undefined;
    done(playing, plan, caller, write, { ...row, id }, first);
  }
  return what;
};
