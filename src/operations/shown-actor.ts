import type { Principal } from '../auth/principal.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { RecordedActor } from '../records/history/recorded.ts';
import type { Related } from '../records/relations/related.ts';
import { reachOf } from '../records/rows/reach.ts';
import type { ServedResource } from './served-resource.ts';

/**
 * Actors and reasons of history and events, as a caller may see them: the actor if they may read that user, the reason
 * if they may read the record that it names. Other callers see only the kind of the actor.
 */

type NamingReason = 'onDelete' | 'restore';

/** The reason for a write of the service itself: an operation on another record. */
export const reasonOf = (kind: NamingReason, model: string, id: number): string => `${kind}: ${model} ${id}`;

/** Matches the reasons of `reasonOf`; one that code of the application gives (`asSystem`) names no record. */
const namingReason = /^(?:onDelete|restore): (\w+) ([1-9]\d{0,15})$/;

/** A caller to whom actors are shown. */
export interface ActorReader {
  readonly principal: Principal;
  /** Their readership of other models, and of users. */
  readonly related: Related;
}

/** The distinct actors and reasons of some entries. */
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

/** The actors that a caller may see: all, one (an identity), or none. */
export const actorsShownTo = ({ principal, related }: ActorReader): 'all' | string | undefined => {
  const users = related('User')?.grant;
  return users !== undefined && reachOf(users)?.terms.length === 0 ? 'all' : ownIdentity(principal);
};

/** Whether a caller may read a record; for a deleted one, whether they may read every record of its model. */
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

/** A function that shows these actors to a caller. `key` is the same for callers who see the same. */
export const shownActors = async (
  resources: ReadonlyMap<string, Pick<ServedResource, 'records'>>,
  reader: ActorReader,
  { identities, reasons }: NamedActors,
): Promise<{ readonly key: string; readonly shown: (actor: RecordedActor) => JsonObject }> => {
  const seen = actorsShownTo(reader);
  const readable = new Set<string>();
  for (const reason of reasons) {
    const [, model, id] = namingReason.exec(reason) ?? [];
    if (model === undefined || (await mayRead(resources, reader, model, Number(id)))) readable.add(reason);
  }
  const one = seen === 'all' || (seen !== undefined && identities.has(seen)) ? seen : null;
  return {
    key: JSON.stringify([one, ...readable]),
    shown: (actor) => {
      const { kind, id, name, key } = actor;
      const isShown = one === 'all' || (one !== null && identityOf(kind, id) === one);
      const reason = actor.reason !== null && readable.has(actor.reason) ? actor.reason : null;
      return isShown ? { kind, id, name, key, reason } : { kind, id: null, name: null, key: null, reason };
    },
  };
};
