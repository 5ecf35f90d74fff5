import { authMethod } from '../auth/registry.ts';
import type { JsonObject } from '../kernel/json.ts';
import { dialectOf } from '../store/dialects/registry.ts';
import { keptOfNew, keptSides } from '../store/events/kept-reach.ts';
import { type RecordedAction, type RecordedActor, setByServer } from '../store/events/recorded.ts';
import type { WrittenBeside, WrittenColumns } from '../store/records/beside.ts';
import type { Columns } from '../store/records/records.ts';
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

/**
 * Keeps what a write has made of a record, in its transaction, where its model keeps versions or tells of what happens.
 * The statements are not awaited: where one is refused, the transaction is, and its error is told.
 */
export const recordChange = ({ resource, acting }: SharedWrite, change: RecordChange): void => {
  const { history, model, context } = resource;
  if (!isRecorded(resource)) return;
  const { transaction } = acting.shared;
  const { before = null, after = null, reach, ...known } = change;
  const told = { ...known, at: context.clock(), actor: whoDid(acting) };
  const refused = (): void => {};
  history?.keep(transaction, { ...told, before, after }).catch(refused);
  if (!model.events) return;
  const [old, made] = [valuesOf(change.before), valuesOf(change.after)];
  const sides = (): string | null => keptSides(model, context.models, old, made);
  const event = {
    ...{ ...told, model: model.name, fields: changedFields(old, made) },
    reach: made === undefined ? (reach ?? null) : sides(),
  };
  context.events.append(transaction, event).catch(refused);
  acting.shared.committed(context.eventsCommitted);
};

/** Whether what is kept of new records is written in the statement that makes them: no transaction is needed for it. */
export const keepsBeside = ({ history, context, model }: ServedResource): boolean =>
  (history !== undefined || model.events) && dialectOf(context.database).beside !== undefined;

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
