import { authMethod } from '../auth/registry.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { RecordedAction, RecordedActor } from '../store/events/recorded.ts';
import type { Acting } from './acting.ts';
import type { SharedWrite } from './record-write.ts';
import type { ServedResource } from './served-resource.ts';

/** What a write has made of a record. */
export interface RecordChange {
  readonly record: number;
  readonly version: number;
  readonly action: RecordedAction;
  /** JSON texts of every field; undefined where there was no record, and where there is none any more. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** What is kept of a record that is gone, as JSON text: see `keptReach`. */
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

/** Fields that every write sets, or none. */
const ofTheServer: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

const valuesOf = (text: string | undefined): JsonObject => (text === undefined ? {} : JSON.parse(text));

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** Names of the fields whose values became others; of a new record those that have one. */
const changedFields = ({ before, after }: RecordChange): readonly string[] => {
  if (after === undefined) return [];
  const old = valuesOf(before);
  return Object.entries(valuesOf(after)).flatMap(([name, value]) =>
    ofTheServer.has(name) || isEqual(value, old[name] ?? null) ? [] : [name],
  );
};

/**
 * Keeps what a write has made of a record, in its transaction, where its model keeps versions or tells of what happens.
 * The statements are not awaited: where one is refused, the transaction is, and its error is told.
 */
export const recordChange = ({ resource, acting }: SharedWrite, change: RecordChange): void => {
  const { history, model, context } = resource;
  if (!isRecorded(resource)) return;
  const { transaction } = acting.shared;
  const { before = null, after = null, reach = null, ...known } = change;
  const told = { ...known, at: context.clock(), actor: whoDid(acting) };
  const refused = (): void => {};
  history?.keep(transaction, { ...told, before, after }).catch(refused);
  if (!model.events) return;
  const event = { ...told, model: model.name, fields: changedFields(change), reach };
  context.events.append(transaction, event).catch(refused);
  acting.shared.committed(context.eventsCommitted);
};
