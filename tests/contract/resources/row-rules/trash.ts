import { ask, dataOf, note, type Playing, recordFault, refusalFault, statusFault } from './asking.ts';
import { meets } from './conditions.ts';
import { type Id, inPath, missing } from './ids.ts';
import { barred, hasScope, isRefused, type Refused, viewedRow, type World, wouldRead } from './oracle.ts';
import { actorSeen, playEvents, playHistory } from './past.ts';
import type { Asking } from './people.ts';
import { idOf, type ModelPlan, type Row, type Trashed } from './plan.ts';
import { playDetail } from './reads.ts';
import { playScope } from './scopes.ts';
import { tableFaults } from './tables.ts';

/**
 * Deleted records: absent for callers, except for administrators, who may restore them, and in the API for callers who
 * manage them.
 */
type Place = 'admin' | 'api';

/** The administration area: 401 for a caller without a token, 403 for one who is no administrator, or lacks the permission. */
const barredInside = (plan: ModelPlan, action: 'list' | 'create', caller: Asking): Refused | undefined => {
  if (caller.method !== 'jwt') return { status: 401 };
  if (!caller.administers) return { status: 403 };
  const inside = { ...plan, auth: { ...plan.auth, [action]: ['jwt'] as const } };
  return barred(inside, action, caller);
};

/** The same in the API. Lists that only have public records accept every caller, whose trash they refuse then. */
const barredOutside = (plan: ModelPlan, action: 'list' | 'create', caller: Asking): Refused | undefined => {
  if (action === 'create' || plan.publicRead === undefined || plan.publicRead.orOwn === true)
    return barred(plan, action, caller);
  if (caller.method !== undefined && !hasScope(caller, plan.path, 'read'))
    return { status: 403, code: 40305 };
  const stopped = barred(plan, action, caller);
  return stopped?.status === 401 ? { status: 403 } : stopped;
};

const barredFrom: Readonly<Record<Place, typeof barredInside>> = { admin: barredInside, api: barredOutside };

/** True if a caller would read a deleted record, and manages it. */
const manages = (world: World, plan: ModelPlan, caller: Asking, row: Row): boolean => {
  const isBarred = plan.publicRead === undefined && barred(plan, 'detail', caller) !== undefined;
  if (plan.manage === undefined || isBarred || !wouldRead(world, plan, 'detail', caller, row)) return false;
  return caller.administers || meets(plan.manage, row, caller.userId, world.state);
};

/** The world with a row, which then counts for its own conditions. */
const withRow = (world: World, { name }: ModelPlan, row: Row): World => {
  const state = world.state.copy();
  state.table(name).set(idOf(row), { row, version: 1 });
  return { ...world, state };
};

/** The records that a model has in the trash, the latest first: a record that came back is there no more. */
const trashOf = (world: World, plan: ModelPlan, place: Place, caller: Asking): readonly Trashed[] =>
  world.state.trash
    .filter(
      ({ model, row }) => model === plan.name && (place === 'admin' || manages(world, plan, caller, row)),
    )
    .reverse();

/** The trash of a model in the API, or why it is closed to the caller. */
export const managedFor = (world: World, plan: ModelPlan, caller: Asking): Refused | readonly Trashed[] =>
  barredOutside(plan, 'list', caller) ?? trashOf(world, plan, 'api', caller);

const pathOf = ({ path }: ModelPlan, place: Place): string =>
  place === 'admin' ? `/admin/records/${path}` : `/api/v1/${path}`;

const playTrash = async (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  place: Place = 'admin',
): Promise<void> => {
  const path = pathOf(plan, place);
  const action = place === 'admin' ? 'trash' : 'managed';
  const answer = await ask(playing, caller, action, `${path}?trashed=true&page=1&per_page=100`);
  const what = `${caller.name}: ${action} of ${plan.name}`;
  const stopped = barredFrom[place](plan, 'list', caller);
  if (stopped !== undefined) return note(playing, what, refusalFault(answer, stopped));
  const wanted = trashOf(playing, plan, place, caller);
  if (place === 'api' && wanted.length > 0)
    playing.cells.set('managed seen', (playing.cells.get('managed seen') ?? 0) + 1);
  const status = statusFault(answer, 200);
  if (status !== undefined) return note(playing, what, status);
  const records = dataOf(answer) as readonly (Row & { readonly deleted_by: unknown })[];
  const [got, expected] = [records.map(({ id }) => id).join(), wanted.map(({ id }) => id).join()];
  if (got !== expected) return note(playing, what, `records ${got}, not ${expected}`);
  for (const [index, { deleted_at, deleted_by, kept_until, ...record }] of records.entries()) {
    const { row = {}, by } = wanted[index] ?? {};
    const actor = (deleted_by as { id: string | null }).id;
    if (place === 'admin' && by !== undefined && by.userId !== null && actor !== String(by.userId))
      note(playing, what, `deleted by ${actor}, not ${by.userId}`);
    const seen = place === 'admin' ? row : viewedRow(playing, plan, 'create', caller, row);
    if (place === 'api' && by !== undefined && by.userId !== null) {
      const isShown = actorSeen(playing, plan, caller, false, by, { before: seen, after: undefined });
      if (actor !== (isShown ? String(by.userId) : null)) note(playing, what, `deleted by ${actor}`);
    }
    note(playing, `${what} ${row['id']}`, recordFault(record, plan, seen));
  }
};

/** True if the record that a reference names is there. */
const isThere = ({ state, users }: World, to: string, id: Id): boolean =>
  to === 'User' ? users.includes(id as number) : state.find(to, id) !== undefined;

/**
 * The row of a record that comes back: references to what is gone are null, and a record that cannot be without one stays
 * where it is.
 */
const returned = (world: World, plan: ModelPlan, caller: Asking, id: Id, place: Place): Refused | Row => {
  const stopped = barredFrom[place](plan, 'create', caller);
  if (stopped !== undefined) return stopped;
  const first = trashOf(world, plan, place, caller).find((each) => each.id === id);
  if (first === undefined) return { status: 404 };
  const lost = plan.fields.filter(({ name, to }) => {
    const value = first.row[name] ?? null;
    return (
      to !== undefined &&
      value !== null &&
      !(to === plan.name && value === id) &&
      !isThere(world, to, value as Id)
    );
  });
  const held = lost.filter(({ required }) => required).map(({ name }) => name);
  if (held.length > 0) return { status: 422, fields: held };
  const row = { ...first.row, ...Object.fromEntries(lost.map(({ name }) => [name, null])) };
  return place === 'admin' || manages(withRow(world, plan, row), plan, caller, row) ? row : { status: 403 };
};

/** Puts a record back, and sets the references again that its deletion made null, where nothing else is in their place. */
const putBack = (world: World, plan: ModelPlan, row: Row, by: Asking): void => {
  const { state, models } = world;
  const place = state.trash.findLastIndex(({ model, id }) => model === plan.name && id === row['id']);
  const [first] = state.trash.splice(place, 1);
  if (first === undefined) return;
  const then = state.copy();
  const { id, version } = first;
  state.table(plan.name).set(id, { row, version: version + 1 });
  const none = { because: undefined, then };
  state.past.push({
    model: plan.name,
    id,
    version: version + 1,
    action: 'create',
    by,
    before: undefined,
    after: row,
    ...none,
  });
  for (const { model, id: holder, field } of first.nulled) {
    const before = state.find(model, holder);
    if (before === undefined || before[field] !== null || !models.some(({ name }) => name === model))
      continue;
    const after = { ...before, [field]: id };
    const next = state.version(model, holder) + 1;
    state.table(model).set(holder, { row: after, version: next });
    const because = { model: plan.name, id, isBack: true };
    state.past.push({ model, id: holder, version: next, action: 'update', by, before, after, because, then });
  }
};

const playReturn = async (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  id: Id,
  place: Place = 'admin',
): Promise<void> => {
  const wanted = returned(playing, plan, caller, id, place);
  const action = place === 'admin' ? 'restore' : 'return';
  const what = `${caller.name}: ${action} ${plan.name} ${id}`;
  const answer = await ask(playing, caller, action, `${pathOf(plan, place)}/${inPath(id)}/restore`, {
    body: {},
  });
  if (isRefused(wanted)) return note(playing, what, refusalFault(answer, wanted));
  const seen = place === 'admin' ? wanted : viewedRow(playing, plan, 'create', caller, wanted);
  note(playing, what, statusFault(answer, 200) ?? recordFault(dataOf(answer), plan, seen));
  if (answer.status === 200) putBack(playing, plan, wanted, caller);
};

/** Every caller asks for what was deleted in every way; some bring it back, and it is there again for its readers. */
export const playDeleted = async (playing: Playing): Promise<void> => {
  const { random, models, people, database, state } = playing;
  for (const plan of models) {
    for (const caller of people.callers) await playTrash(playing, plan, caller);
    if (plan.manage !== undefined)
      for (const caller of people.callers) await playTrash(playing, plan, caller, 'api');
    const ids = trashOf(playing, plan, 'admin', people.administrator).map(({ id }) => id);
    for (const id of random.some(ids, 0.6))
      for (const caller of random.some(people.callers, 0.6)) {
        await playDetail(playing, plan, caller, id);
        await playHistory(playing, plan, caller, id);
        await playScope(playing, plan, caller, id);
      }
    const others = people.callers.filter(({ administers }) => !administers);
    const existing = [...state.table(plan.name).keys()];
    for (const id of [...ids, missing[plan.key], ...existing.slice(0, 1)]) {
      if (plan.manage !== undefined)
        for (const caller of random.some(others, 0.7)) {
          await playReturn(playing, plan, caller, id, 'api');
          for (const each of models)
            for (const fault of await tableFaults(database, playing, each))
              note(playing, `${caller.name}: return ${plan.name} ${id}`, fault);
        }
      for (const caller of [random.pick(others), ...people.callers.slice(0, 2).reverse()]) {
        await playReturn(playing, plan, caller, id);
        for (const each of models)
          for (const fault of await tableFaults(database, playing, each))
            note(playing, `${caller.name}: restore ${plan.name} ${id}`, fault);
      }
      for (const caller of random.some(people.callers, 0.3)) {
        await playDetail(playing, plan, caller, id);
        await playHistory(playing, plan, caller, id);
      }
    }
  }
  for (const plan of models) await playTrash(playing, plan, people.administrator);
  for (const caller of people.callers) await playEvents(playing, caller);
};
