import type { Principal } from '../auth/principal.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { RecordedActor } from '../records/history/recorded.ts';
import type { Related } from '../records/relations/related.ts';
import { reachOf } from '../records/rows/reach.ts';
import type { ServedResource } from './served-resource.ts';

/**
 * Who did something, and why, as it is shown to somebody: the actor to those who may read that user, the reason to those
 * who may read the record that it names. Others are shown the kind of the actor.
 */

type NamingReason = 'onDelete' | 'restore';

/** Why the service writes a record: for what it does to another one. */
export const reasonOf = (kind: NamingReason, model: string, id: number): string => `${kind}: ${model} ${id}`;

/** A reason that code of the application gives (`asSystem`) names no record. */
const namingReason = /^(?:onDelete|restore): (\w+) ([1-9]\d{0,15})$/;

/** Somebody who is shown actors. */
export interface ActorReader {
  readonly principal: Principal;
  /** What they read of other models, and of users. */
  readonly related: Related;
}

/** Different actors, and reasons. */
export interface NamedActors {
  readonly identities: ReadonlySet<string>;
  readonly reasons: ReadonlySet<string>;
}

const identityOf = (kind: string, id: string | null): string | undefined =>
  id === null ? undefined : `${kind} ${id}`;

const ownIdentity = (principal: Principal): string | undefined => {
  if (principal.kind === 'nobody') return undefined;
  return identityOf(principal.kind, principal.kind === 'user' ? String(principal.id) : principal.appId);
};

export const namedActors = (actors: readonly RecordedActor[]): NamedActors => ({
  identities: new Set(actors.flatMap(({ kind, id }) => identityOf(kind, id) ?? [])),
  reasons: new Set(actors.flatMap(({ reason }) => reason ?? [])),
});

/** Whose actors somebody is shown: of everybody, of one, or of none. Others may look up nobody else either. */
export const actorsShownTo = ({ principal, related }: ActorReader): 'all' | string | undefined => {
  const users = related('User')?.grant;
  return users !== undefined && reachOf(users)?.terms.length === 0 ? 'all' : ownIdentity(principal);
};

/** Whether somebody may read a record; of one that is gone, whether they could read it whatever it was. */
const mayRead = async (
  resources: ReadonlyMap<string, Pick<ServedResource, 'records'>>,
  reader: ActorReader,
  model: string,
  id: number,
): Promise<boolean> => {
  if (model === 'User') return ['all', `user ${id}`].includes(actorsShownTo(reader) ?? '');
  const records = resources.get(model)?.records;
  const grant = records && reader.related(model)?.grant;
  if (grant === undefined) return false;
  return reachOf(grant)?.terms.length === 0 || (await records?.standing(grant, id)) !== undefined;
};

/** How somebody is shown these actors. `key` is the same for those who are shown the same. */
export const shownActors = async (
  resources: ReadonlyMap<string, Pick<ServedResource, 'records'>>,
  reader: ActorReader,
  { identities, reasons }: NamedActors,
): Promise<{ readonly key: string; readonly shown: (actor: RecordedActor) => JsonObject }> => {
  const seen = actorsShownTo(reader);
  const told = new Set<string>();
  for (const reason of reasons) {
    const [, model, id] = namingReason.exec(reason) ?? [];
    if (model === undefined || (await mayRead(resources, reader, model, Number(id)))) told.add(reason);
  }
  const one = seen === 'all' || (seen !== undefined && identities.has(seen)) ? seen : null;
  return {
    key: JSON.stringify([one, ...told]),
    shown: (actor) => {
      const { kind, id, name, key } = actor;
      const isShown = one === 'all' || (one !== null && identityOf(kind, id) === one);
      const reason = actor.reason !== null && told.has(actor.reason) ? actor.reason : null;
      return isShown ? { kind, id, name, key, reason } : { kind, id: null, name: null, key: null, reason };
    },
  };
};
