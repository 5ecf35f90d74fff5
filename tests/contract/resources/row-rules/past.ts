import { anonymous, type Principal } from '../../../../src/auth/principal.ts';
import { viewEvents } from '../../../../src/delivery/events/event-view.ts';
import { apiArea } from '../../../../src/resources/area.ts';
import { relatedFor } from '../../../../src/resources/operations/area.ts';
import { ask, dataOf, note, type Playing, recordFault, refusalFault, statusFault } from './asking.ts';
import { type Id, inPath } from './ids.ts';
import { isMemberSeen } from './members.ts';
import {
  hasScope,
  isAnonymous,
  isMasked,
  isRefused,
  readsEvery,
  shown,
  viewedRow,
  type World,
  wouldRead,
} from './oracle.ts';
import type { Asking } from './people.ts';
import type { ModelPlan, Row, State, Written } from './plan.ts';

/** Former writes, as they are shown to a caller: each side of a write by its own values, and nothing beside. */

interface Actor {
  readonly id: string | null;
  readonly name: string | null;
  readonly key: number | null;
  readonly reason: string | null;
}

/**
 * The part of a write that a caller may see: the sides, and the fields that it changed; undefined when there is none. Other
 * records count as they are now, unless they are given as they were.
 */
const seenOf = (
  world: World,
  plan: ModelPlan,
  caller: Asking,
  { before, after, action }: Written,
  gone?: State,
) => {
  const reads = (row: Row | undefined) =>
    row !== undefined && wouldRead(world, plan, 'detail', caller, row, gone)
      ? viewedRow(world, plan, 'detail', caller, row, gone)
      : undefined;
  const sides = { before: reads(before), after: reads(after) };
  if (sides.before === undefined && sides.after === undefined) return undefined;
  const isHalf = action === 'update' && (sides.before === undefined || sides.after === undefined);
  const shows = (side: Row | undefined, name: string) => side !== undefined && Object.hasOwn(side, name);
  const isChanged = (name: string): boolean => {
    const [was, is] = [shows(sides.before, name), shows(sides.after, name)];
    if (!was && !is) return false;
    if (isHalf) return true;
    // A field that one side hides counts as changed: else the other one would say that it is the same.
    if (action === 'update' && was !== is) return true;
    return (after?.[name] ?? null) !== (before?.[name] ?? null);
  };
  const names = plan.fields.map(({ name }) => name);
  const fields = after === undefined ? [] : names.filter(isChanged);
  // Callers who read every field miss no update.
  if (action === 'update' && !isHalf && fields.length === 0 && isMasked(plan, 'detail', caller))
    return undefined;
  return { ...sides, fields };
};

/** True if the record that a reason names is shown to a caller; if it is gone, true if they read all of its model. */
export const readsReason = (world: World, caller: Asking, because: Written['because']): boolean => {
  const named = world.models.find(({ name }) => name === because?.model);
  if (named === undefined) return false;
  const rows = shown(world, named, 'detail', caller);
  return readsEvery(named, caller) || (!isRefused(rows) && rows.some(({ id }) => id === because?.id));
};

type Sides = Pick<Written, 'before' | 'after'>;

/** True if a caller sees the user who made a write: as a reader of users, or since a side that they see names the user. */
const seesUser = (plan: ModelPlan, caller: Asking, isStranger: boolean, by: Written['by'], sides: Sides) => {
  const isOwn = by.userId === caller.userId;
  const readsUsers = caller.administers && hasScope(caller, 'users', 'read');
  const isNamed = plan.fields.some(
    ({ name, shows }) =>
      shows === true && [sides.before, sides.after].some((row) => (row?.[name] ?? null) === by.userId),
  );
  return (!isStranger && (isOwn || readsUsers)) || (by.userId !== null && isNamed);
};

const strangerFor = (caller: Asking): Asking => ({ ...caller, administers: false, method: undefined });

/** How a caller sees the user who made a write, if they do; by a membership, if there is no other reason. */
export const actorSeen = (
  world: World,
  plan: ModelPlan,
  caller: Asking,
  isStranger: boolean,
  by: Written['by'],
  sides: Sides,
): 'user' | 'member' | undefined => {
  if (seesUser(plan, caller, isStranger, by, sides)) return 'user';
  const reader = isStranger ? strangerFor(caller) : caller;
  const isMember =
    by.userId !== null && isMemberSeen(world, plan, reader, by.userId, [sides.before, sides.after]);
  return isMember ? 'member' : undefined;
};

type ActorSeen = ReturnType<typeof actorSeen>;

const countMember = ({ cells }: Playing, how: ActorSeen): void => {
  if (how === 'member') cells.set('members named', (cells.get('members named') ?? 0) + 1);
};

const actorFault = (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  isStranger: boolean,
  { write, seen }: { readonly write: Written; readonly seen: Sides },
  actor: Actor,
) => {
  const { by, because } = write;
  const how = actorSeen(playing, plan, caller, isStranger, by, seen);
  countMember(playing, how);
  const isShown = how !== undefined;
  if (by.userId !== null && actor.id !== (isShown ? String(by.userId) : null)) return `actor ${actor.id}`;
  if (how === 'member' && actor.key !== null) return 'a key';
  if (!isShown && (actor.id !== null || actor.name !== null || actor.key !== null)) return 'an actor';
  const mayRead = readsReason(playing, isStranger ? strangerFor(caller) : caller, because);
  const kind = because?.isBack === true ? 'restore' : 'onDelete';
  const reason = mayRead ? `${kind}: ${because?.model} ${because?.id}` : null;
  return actor.reason === reason ? undefined : `reason ${actor.reason}, not ${reason}`;
};

interface Version {
  readonly version: number;
  readonly action: string;
  readonly actor: Actor;
  readonly before: object | null;
  readonly after: object | null;
}

const sideFault = (plan: ModelPlan, answered: object | null, row: Row | undefined): string | undefined => {
  if (row === undefined || answered === null)
    return row === undefined && answered === null ? undefined : 'a side';
  return recordFault(answered, plan, row);
};

/** The writes of a record whose versions a caller is shown, the newest first. */
export const versionsFor = (world: World, plan: ModelPlan, caller: Asking, id: Id) => {
  const rows = shown(world, plan, 'detail', caller);
  if (isRefused(rows)) return rows;
  if (!rows.some((row) => row['id'] === id)) return { status: 404 } as const;
  const writes = world.state.past.filter((each) => each.model === plan.name && each.id === id).reverse();
  return writes.flatMap((write) => {
    const seen = seenOf(world, plan, caller, write);
    return seen === undefined ? [] : [{ write, seen }];
  });
};

/** A page of the versions of a record, with its total. */
export const playHistory = async (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  id: Id,
): Promise<void> => {
  const path = `/api/v1/${plan.path}/${inPath(id)}/history?page=1&per_page=3`;
  const what = `${caller.name}: ${path}`;
  const wanted = versionsFor(playing, plan, caller, id);
  const answer = await ask(playing, caller, 'history', path);
  if (isRefused(wanted)) return note(playing, what, refusalFault(answer, wanted));
  const status = statusFault(answer, 200);
  if (status !== undefined) return note(playing, what, status);
  const versions = dataOf(answer) as readonly Version[];
  const [got, expected] = [versions, wanted.slice(0, 3).map(({ write }) => write)].map((of) =>
    of.map(({ version, action }) => `${version} ${action}`).join(),
  );
  note(playing, what, got === expected ? undefined : `versions ${got}, not ${expected}`);
  const total = Number(answer.headers['x-total-count']);
  note(playing, what, total === wanted.length ? undefined : `a total of ${total}, not ${wanted.length}`);
  for (const [index, { before, after, actor }] of versions.entries()) {
    const of = wanted[index];
    if (of === undefined) continue;
    note(playing, `${what} before`, sideFault(plan, before, of.seen.before));
    note(playing, `${what} after`, sideFault(plan, after, of.seen.after));
    note(playing, what, actorFault(playing, plan, caller, isAnonymous(plan, caller), of, actor));
  }
};

/** The principal of a caller without a request; undefined when that takes one. */
export const principalOf = async (
  { services, models }: Pick<Playing, 'services' | 'models'>,
  caller: Asking,
): Promise<Principal | undefined> => {
  if (caller.method === undefined) return caller.name === 'nobody' ? anonymous : undefined;
  if (caller.userId === null || caller.method === 'signature') return undefined;
  const names = models.map(({ name }) => name);
  const identity = await services.identities.byUserId(caller.userId, names);
  return identity && { ...identity, method: caller.method, scopes: caller.scopes };
};

/** Events that a caller receives now. `count` is called with how they see the actor of each. */
export const eventsFor = (
  world: World,
  caller: Asking,
  count: (how: ActorSeen) => void = () => {},
): readonly string[] =>
  world.state.past.flatMap((write) => {
    const { model, id, version, action, then } = write;
    const plan = world.models.find(({ name }) => name === model);
    if (plan === undefined) return [];
    const rows = shown(world, plan, 'detail', caller);
    if (isRefused(rows) || (action !== 'destroy' && !rows.some((row) => row['id'] === id))) return [];
    const seen = seenOf(world, plan, caller, write, action === 'destroy' ? then : undefined);
    if (seen === undefined) return [];
    const how = actorSeen(world, plan, caller, false, write.by, seen);
    count(how);
    const by = how === undefined ? null : write.by.userId;
    return [`${model} ${id} ${version} ${action} ${seen.fields.toSorted().join()} by ${by}`];
  });

/** The events that the service shows to a caller; undefined when that takes a request. */
export const eventsSeen = async ({ services, models }: Playing, caller: Asking) => {
  const principal = await principalOf({ services, models }, caller);
  if (principal === undefined) return undefined;
  await services.events.settle();
  const names = new Set(models.map(({ name }) => name));
  const events = (await services.events.after(0, 100_000)).filter(({ model }) => names.has(model));
  const all = new Map([...services.resources].map(([name, { model }]) => [name, model]));
  const related = relatedFor({ models: all }, { principal, area: apiArea });
  return viewEvents(services.resources, { principal, related }, events);
};

/** Everything that was written, as a caller sees it now. */
export const playEvents = async (playing: Playing, caller: Asking): Promise<void> => {
  const seen = await eventsSeen(playing, caller);
  if (seen === undefined) return;
  const wanted = eventsFor(playing, caller, (how) => countMember(playing, how));
  const got = seen.map(
    ({ model, id, version, action, fields, actor }) =>
      `${model} ${id} ${version} ${action} ${fields.toSorted().join()} by ${actor['kind'] === 'user' ? actor['id'] : null}`,
  );
  const [more, less] = [
    got.filter((each) => !wanted.includes(each)),
    wanted.filter((each) => !got.includes(each)),
  ];
  const isSame = more.length === 0 && less.length === 0;
  note(playing, `${caller.name}: events`, isSame ? undefined : `unexpected ${more}; missing ${less}`);
  playing.cells.set('events seen', (playing.cells.get('events seen') ?? 0) + seen.length);
};
