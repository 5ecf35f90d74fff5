import { authMethod } from '../auth/registry.ts';
import type { NewVersion, RecordedActor } from '../store/history/history.ts';
import type { Acting } from './acting.ts';
import type { SharedWrite } from './record-write.ts';

/** Who stands behind a version of a record. */
const actorOf = ({ principal, ...acting }: Acting): RecordedActor => {
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

/** Keeps what a write has made of a record, in its transaction, where its model keeps versions. */
export const keepVersion = async (
  { resource, acting }: SharedWrite,
  version: Pick<NewVersion, 'record' | 'version' | 'action'> & {
    readonly before: string | undefined;
    readonly after: string | undefined;
  },
): Promise<void> => {
  const { history, context } = resource;
  if (history === undefined) return;
  const { before = null, after = null, ...known } = version;
  const kept = { ...known, before, after, at: context.clock(), actor: actorOf(acting) };
  await history.keep(acting.shared.transaction, kept);
};
