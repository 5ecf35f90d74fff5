import { authMethod } from '../auth/registry.ts';
import { dialectOf } from '../database/registry.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { WrittenBeside, WrittenColumns } from '../records/beside.ts';
import { keptOfNew, keptSides } from '../records/history/kept-reach.ts';
import { type RecordedAction, type RecordedActor, setByServer } from '../records/history/recorded.ts';
import type { Columns } from '../records/records.ts';
import type { Acting } from './acting.ts';
import type { RecordWrite, SharedWrite } from './record-write.ts';
import type { ServedResource } from './served-resource.ts';

/** What a write has made of a record. */
export interface RecordChange {
  readonly record: number;
  readonly version: number;
  readonly action: RecordedAction;
  /** JSON texts of every field; undefined where there was no record, and where there is none any more. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** What is kept of a record that is gone, as JSON text (`keptReach`); of others it follows from their values. */
  readonly reach?: string | undefined;
}

/** Whether a model keeps anything of what is written: its versions, or events. */
export const isRecorded = ({ history, model }: Pick<ServedResource, 'history' | 'model'>): boolean =>
  history !== undefined || model.events;

/** Who stands behind a version of a record, or an event. */
export const whoDid = ({ principal, ...acting }: Acting): RecordedActor => {
  const reason = acting.reason ?? null;
  if (principal.kind === 'user') {
    const { id, username, method, credential } = principal;
    const key = authMethod(method).holder === principal.kind ? null : (credential ?? null);
    return { kind: 'user', id: String(id), name: username, key, reason };
  }
  const id = principal.kind === 'application' ? principal.appId : null;
  // For whom nobody asked: a job, a payment.
  const kind = principal.kind === 'nobody' && reason !== null ? 'system' : principal.kind;
  return { kind, id, name: id, key: null, reason };
};

const valuesOf = (text: string | undefined): JsonObject | undefined =>
  text === undefined ? undefined : JSON.parse(text);

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** Names of the fields whose values became others; of a new record those that have one. */
const changedFields = (before: JsonObject | undefined, after: JsonObject | undefined): readonly string[] =>
  Object.entries(after ?? {}).flatMap(([name, value]) =>
    setByServer.has(name) || isEqual(value, before?.[name] ?? null) ? [] : [name],
  );

/** Changes of records that wait at most: their values are in memory. */
const mostWaiting = 256;

/** The statements are not awaited: where one is refused, the transaction is, and its error is told. */
const writeChanges = ({ resource: { context }, acting: { shared } }: SharedWrite): void => {
  const { transaction } = shared;
  const changed = shared.changed.splice(0);
  const refused = (): void => {};
  for (const [history, some] of Map.groupBy(changed, (change) => change.history)) {
    const versions = some.map(({ version }) => version);
    history?.keep(transaction, versions).catch(refused);
  }
  const events = changed.flatMap(({ event }) => event ?? []);
  if (events.length > 0) context.events.append(transaction, events).catch(refused);
};

/**
 * Keeps what a write has made of a record, in its transaction, where its model keeps versions or tells of what happens.
 * What is kept of many is written by few statements, at the end of the transaction at the latest.
 */
export const recordChange = (write: SharedWrite, change: RecordChange): void => {
  const { resource, acting } = write;
  const { history, model, context } = resource;
  if (!isRecorded(resource)) return;
  const { shared } = acting;
  const { before = null, after = null, reach, ...known } = change;
  const told = { ...known, at: context.clock(), actor: whoDid(acting) };
  const [old, made] = model.events ? [valuesOf(change.before), valuesOf(change.after)] : [];
  const event = model.events
    ? {
        ...{ ...told, model: model.name, fields: changedFields(old, made) },
        reach: made === undefined ? (reach ?? null) : keptSides(model, context.models, old, made),
      }
    : undefined;
  const waiting = shared.changed.push({ history, version: { ...told, before, after }, event });
  if (event !== undefined) shared.committed(context.eventsCommitted);
  if (waiting === 1) shared.last(async () => writeChanges(write));
  if (waiting >= mostWaiting) writeChanges(write);
};

/** Whether what is kept of new records is written in the statement that makes them: no transaction is needed for it. */
export const keepsBeside = ({ history, context, model }: ServedResource): boolean =>
  (history !== undefined || model.events) && dialectOf(context.database).writeWithCte !== undefined;

/** What is kept of a record that is made by one statement alone. */
export const keptBeside = ({ resource, acting }: RecordWrite, columns: Columns): readonly WrittenBeside[] => {
  const { history, context, model } = resource;
  const known = { at: context.clock(), actor: whoDid(acting) };
  const kept = history === undefined ? [] : [history.beside(known)];
  if (!model.events) return kept;
  const fields = [...model.fields.keys()].filter(
    (name) => !setByServer.has(name) && (columns[name] ?? null) !== null,
  );
  const event = { ...known, model: model.name, action: 'create', fields } as const;
  const { database, models } = context;
  const reach = ({ whole }: WrittenColumns) => keptOfNew(model, models, dialectOf(database), whole);
  return [...kept, context.events.beside(event, reach)];
};
