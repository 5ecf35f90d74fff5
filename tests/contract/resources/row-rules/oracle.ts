import { holdsForOthers, meets } from './conditions.ts';
import { type Id, wrongIds } from './ids.ts';
import { type Action, idOf, type Method, type ModelPlan, type Right, type Row, type State } from './plan.ts';
import { kinds, type Value } from './values.ts';

/**
 * The answer of a request and the rows that it leaves under row rules, worked out from the contract and its
 * decisions alone, over plain rows. Of the service it knows nothing.
 */

export interface Caller {
  readonly name: string;
  /** The method by which they prove who they are; undefined for a stranger, and for a refused user. */
  readonly method: Method | undefined;
  /** Null for an application and for a stranger. */
  readonly userId: number | null;
  /** Holds super_admin or admin. */
  readonly administers: boolean;
  readonly isSuperAdmin: boolean;
  /** True if one of the roles is granted every entry of the permission table. */
  readonly granted: boolean;
  /** Scopes of the key, `path:action`; undefined where the caller may do all that its owner may. */
  readonly scopes?: ReadonlySet<string> | undefined;
}

/** Everything there is: models, rows, users. */
export interface World {
  readonly models: readonly ModelPlan[];
  readonly state: State;
  /** Ids of all users. */
  readonly users: readonly number[];
}

export interface Refused {
  readonly status: 401 | 403 | 404 | 409 | 412 | 422;
  /** The code, where it is not the usual one of the status. */
  readonly code?: number;
  /** Fields that are named with 422, in the order of the model. */
  readonly fields?: readonly string[];
}

export type Body = Readonly<Record<string, Value>>;

const refused = (status: Refused['status']): Refused => ({ status });

/** True if the scopes of the caller's key, if it has some, name a scope of this path. */
export const hasScope = ({ scopes }: Caller, path: string, action: string): boolean =>
  scopes === undefined || scopes.has(`${path}:${action}`) || scopes.has(`${path}:*`);

/** Authentication, the key's scopes, and permission check. */
export const barred = (plan: ModelPlan, action: Action, caller: Caller): Refused | undefined => {
  if (caller.method === undefined || !plan.auth[action].includes(caller.method)) return refused(401);
  const isRead = action === 'list' || action === 'detail';
  if (!hasScope(caller, plan.path, isRead ? 'read' : action)) return { status: 403, code: 40305 };
  if (plan.permissions === 'none' || (isRead && plan.permissions === 'writes')) return undefined;
  return caller.isSuperAdmin || caller.granted ? undefined : refused(403);
};

/** True if the rule of a model lets a caller reach a row, for an action. */
const reaches = (
  { isolation }: ModelPlan,
  right: Right,
  row: Row,
  { administers, userId }: Caller,
  { state }: World,
  then = state,
): boolean => {
  if (isolation === 'none' || administers) return true;
  if (isolation === 'owner') return userId !== null && row['user_id'] === userId;
  const condition = isolation[right];
  return condition === 'everyone' || meets(condition, row, userId, then, state);
};

/**
 * True if a read is decided by isolation, for records that are not public: "`orOwn`: signed-in callers also read …".
 */
const readsOwn = (plan: ModelPlan, action: 'list' | 'detail', caller: Caller): boolean =>
  plan.publicRead?.orOwn === true && barred(plan, action, caller) === undefined;

/**
 * True if the reading rule holds for a row, as it is or as it was once. Its references are as they are now; for a record that
 * is gone as it was `then`. Public reads replace the isolation.
 */
export const wouldRead = (
  world: World,
  plan: ModelPlan,
  action: 'list' | 'detail',
  caller: Caller,
  row: Row,
  then?: State,
): boolean => {
  const { publicRead } = plan;
  if (publicRead !== undefined && row[publicRead.field] === publicRead.value) return true;
  const isAsked = publicRead === undefined || readsOwn(plan, action, caller);
  return isAsked && reaches(plan, 'read', row, caller, world, then);
};

/**
 * The caller whose conditions on fields count: one who reads public records only is like anybody. Administrators see
 * every field.
 */
const viewerOf = (
  plan: ModelPlan,
  action: Action,
  caller: Caller,
): Pick<Caller, 'userId' | 'administers'> => {
  const isRead = action === 'list' || action === 'detail';
  return isRead && plan.publicRead !== undefined && !readsOwn(plan, action, caller)
    ? { userId: null, administers: false }
    : caller;
};

/** True if records of a model may hide fields from a caller. */
export const isMasked = (plan: ModelPlan, action: Action, caller: Caller): boolean =>
  plan.viewed.length > 0 && !viewerOf(plan, action, caller).administers;

/** Fields that a row hides from a caller: by its own values, other records being as for `wouldRead`. */
export const hiddenFields = (
  world: World,
  plan: ModelPlan,
  action: Action,
  caller: Caller,
  row: Row,
  then = world.state,
): ReadonlySet<string> => {
  if (!isMasked(plan, action, caller)) return new Set();
  const { userId } = viewerOf(plan, action, caller);
  const hidden = plan.viewed.filter(({ when }) => !meets(when, row, userId, then, world.state));
  return new Set(hidden.flatMap(({ fields }) => fields));
};

/** Fields that every record hides from a caller: they are no fields of the response, so no query may use them. */
export const unusableFields = (plan: ModelPlan, action: Action, caller: Caller): ReadonlySet<string> => {
  if (!isMasked(plan, action, caller) || viewerOf(plan, action, caller).userId !== null) return new Set();
  return new Set(plan.viewed.flatMap(({ fields, when }) => (holdsForOthers(when) ? [] : fields)));
};

/** The row without them. */
export const viewedRow = (...asked: Parameters<typeof hiddenFields>): Row => {
  const hidden = hiddenFields(...asked);
  const [, , , , row] = asked;
  return hidden.size === 0
    ? row
    : Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.has(name)));
};

/** Rows that a read shows, or why it shows none. Public reads replace authentication and read check as well. */
export const shown = (
  world: World,
  plan: ModelPlan,
  action: 'list' | 'detail',
  caller: Caller,
): Refused | readonly Row[] => {
  const stopped = plan.publicRead === undefined ? barred(plan, action, caller) : undefined;
  if (stopped !== undefined) return stopped;
  const rows = world.state.rows(plan.name).filter((row) => wouldRead(world, plan, action, caller, row));
  return rows.map((row) => viewedRow(world, plan, action, caller, row));
};

/** True if a caller reads every record of a model, whatever it holds. */
export const readsEvery = (plan: ModelPlan, caller: Caller): boolean => {
  const { isolation, publicRead } = plan;
  if (barred(plan, 'detail', caller) !== undefined) return false;
  if (publicRead !== undefined && !readsOwn(plan, 'detail', caller)) return false;
  if (isolation === 'none' || caller.administers) return true;
  return isolation !== 'owner' && isolation.read === 'everyone';
};

/**
 * True if a request for a record is handled as a stranger's, with any credentials. Where `orOwn` asks who it is, a caller is known by
 * every method, also by one that the model does not take.
 */
export const isAnonymous = ({ publicRead }: ModelPlan, { method }: Caller): boolean =>
  method === undefined || (publicRead !== undefined && publicRead.orOwn !== true);

export const isRefused = (answer: object): answer is Refused => 'status' in answer;

/** True if a reference may name a record: what its own detail endpoint shows the caller by the same method. */
const mayName = (world: World, to: string, anyone: boolean, id: Value, caller: Caller): boolean => {
  if (to === 'User') {
    if (!world.users.includes(id as number)) return false;
    if (anyone) return true;
    const isShown = caller.userId !== null && (caller.administers || caller.userId === id);
    return isShown && hasScope(caller, 'users', 'read');
  }
  const target = world.models.find(({ name }) => name === to);
  if (target === undefined || world.state.find(to, id) === undefined) return false;
  if (anyone) return true;
  const rows = shown(world, target, 'detail', caller);
  return !isRefused(rows) && rows.some((row) => row['id'] === id);
};

/** Under isolation by owner alone, others than administrators name themselves. */
const namesAnyone = (plan: ModelPlan, name: string, anyone: boolean): boolean =>
  anyone && !(name === 'user_id' && plan.isolation === 'owner');

/**
 * Fields that the caller's body may set in a record: that which is there, or the one that the body would make if all of
 * its values were taken that are valid and name records that the caller may name.
 */
const writableFields = (
  world: World,
  plan: ModelPlan,
  caller: Caller,
  body: Body,
  before: Row | undefined,
) => {
  const { state } = world;
  const { administers, userId } = caller;
  const ofBodies = plan.fields.filter(({ name }) => name !== 'user_id' || !plan.ownership);
  if (administers) return ofBodies;
  const free = ofBodies.filter(({ name }) => !plan.restricted.includes(name));
  const { held } = plan;
  if (held === undefined) return free;
  const valid = free.flatMap(({ name, kind, required, to = '', anyone = false }): [string, Value][] => {
    const value = body[name];
    if (value === undefined || (value === null && required)) return [];
    if (kind !== 'reference') return value === kinds[kind].wrong ? [] : [[name, value]];
    // They learn nothing of a record that the caller may not name.
    return value === null || mayName(world, to, namesAnyone(plan, name, anyone), value, caller)
      ? [[name, value]]
      : [];
  });
  const owner = plan.ownership ? { user_id: userId } : {};
  const empty = Object.fromEntries(plan.fields.map(({ name }) => [name, null]));
  const row = before ?? { ...empty, ...Object.fromEntries(valid), ...owner };
  if (meets(held.unless, row, userId, state)) return free;
  return free.filter(({ name }) => !held.fields.includes(name));
};

/** True if a new record needs a field of which the body has a value that the caller may not write. */
const needsWithheld = (world: World, plan: ModelPlan, caller: Caller, body: Body): boolean => {
  const writable = new Set(writableFields(world, plan, caller, body, undefined).map(({ name }) => name));
  return plan.fields.some(
    ({ name, required }) => required && !writable.has(name) && (body[name] ?? null) !== null,
  );
};

/** Fields whose values are not accepted. `before` is the record that is updated. */
const invalidFields = (world: World, plan: ModelPlan, caller: Caller, body: Body, before?: Row): string[] => {
  const writable = new Set(writableFields(world, plan, caller, body, before).map(({ name }) => name));
  return plan.fields.flatMap(({ name, kind, required, to = '', anyone = false }) => {
    // A field that may not be written is ignored. It is not blank: `needsWithheld` refuses a record that needs it.
    const isIgnored = !writable.has(name) && (body[name] ?? null) !== null;
    const value = writable.has(name) ? body[name] : undefined;
    if (value === undefined) return required && before === undefined && !isIgnored ? [name] : [];
    if (value === null) return required ? [name] : [];
    if (kind !== 'reference') return value === kinds[kind].wrong ? [name] : [];
    // A caller who does not see what is stored would learn by keeping it that it is this.
    const isKept = before?.[name] === value && !hiddenFields(world, plan, 'update', caller, before).has(name);
    return isKept || mayName(world, to, namesAnyone(plan, name, anyone), value, caller) ? [] : [name];
  });
};

/** The id that a body gives has to be one, and no other record may have it: all records count. */
const invalidId = ({ state }: World, { key, name }: ModelPlan, { id }: Body): string[] => {
  if (key !== 'text') return [];
  const isWrong = id === undefined || id === null || wrongIds.text.some((wrong) => wrong === id);
  return isWrong || state.find(name, id) !== undefined ? ['id'] : [];
};

const invalid = (fields: readonly string[]): Refused | undefined =>
  fields.length === 0 ? undefined : { status: 422, fields };

const heldToRule = (
  world: World,
  plan: ModelPlan,
  right: 'create' | 'update',
  caller: Caller,
  row: Row,
): Refused | undefined =>
  // The contract's own rule lets everybody create.
  plan.isolation === 'owner' || reaches(plan, right, row, caller, world) ? undefined : refused(403);

const written = (world: World, plan: ModelPlan, caller: Caller, body: Body, before?: Row): Row =>
  Object.fromEntries(
    writableFields(world, plan, caller, body, before).flatMap(({ name }) => {
      const value = body[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** The row that a create makes, without an id that the database gives: 401, 403 for the permission, 422, 403 for withheld fields or the row. */
export const created = (world: World, plan: ModelPlan, caller: Caller, body: Body): Refused | Row => {
  const fields = [...invalidId(world, plan, body), ...invalidFields(world, plan, caller, body)];
  const stopped = barred(plan, 'create', caller) ?? invalid(fields);
  if (stopped !== undefined) return stopped;
  if (needsWithheld(world, plan, caller, body)) return refused(403);
  const empty = Object.fromEntries(plan.fields.map(({ name }) => [name, null]));
  const owner = plan.ownership ? { user_id: caller.userId } : {};
  const given = plan.key === 'text' ? { id: body['id'] ?? null } : {};
  const row: Row = { ...given, ...empty, ...written(world, plan, caller, body), ...owner };
  return heldToRule(world, plan, 'create', caller, row) ?? row;
};

/** The record of a write: 401, 403 for the permission, 404, 403 for the row, 412. */
const target = (
  world: World,
  plan: ModelPlan,
  action: 'update' | 'destroy',
  caller: Caller,
  id: Id,
  version: number | undefined,
): Refused | Row => {
  const stopped = barred(plan, action, caller);
  if (stopped !== undefined) return stopped;
  const row = world.state.find(plan.name, id);
  if (row === undefined || !reaches(plan, 'read', row, caller, world)) return refused(404);
  // The contract's own rule lets a caller who reaches a record write it.
  if (plan.isolation !== 'owner' && !reaches(plan, action, row, caller, world)) return refused(403);
  if (version !== undefined && version !== world.state.version(plan.name, id)) return refused(412);
  return row;
};

/** The row that an update makes: what `target` refuses, 422, 403 for what it would become. */
export const updated = (
  world: World,
  plan: ModelPlan,
  caller: Caller,
  id: Id,
  body: Body,
  version?: number,
): Refused | Row => {
  const before = target(world, plan, 'update', caller, id, version);
  if (isRefused(before)) return before;
  const stopped = invalid(invalidFields(world, plan, caller, body, before));
  if (stopped !== undefined) return stopped;
  const row: Row = { ...before, ...written(world, plan, caller, body, before) };
  return heldToRule(world, plan, 'update', caller, row) ?? row;
};

/** References of all models to one. */
const referencesTo = ({ models }: World, { name }: ModelPlan) =>
  models.flatMap((plan) => plan.fields.filter(({ to }) => to === name).map((field) => ({ plan, field })));

/** The refusal of `target`, and 409 where a record cannot be without this one; the row where it goes. */
export const destroyed = (
  world: World,
  plan: ModelPlan,
  caller: Caller,
  id: Id,
  version?: number,
): Refused | Row => {
  const row = target(world, plan, 'destroy', caller, id, version);
  if (isRefused(row)) return row;
  const isHeld = referencesTo(world, plan).some(
    ({ plan: other, field }) =>
      field.required && world.state.rows(other.name).some((each) => each[field.name] === id),
  );
  return isHeld ? refused(409) : row;
};

/** Keeps what a create or an update has made. `first`: the version of a new record, where it is none of the oracle's. */
export const keep = (
  { state }: World,
  plan: ModelPlan,
  row: Row,
  by: Caller,
  first?: number | undefined,
): void => {
  const id = idOf(row);
  const version = first ?? state.version(plan.name, id) + 1;
  const before = state.find(plan.name, id);
  const action = before === undefined ? 'create' : 'update';
  const then = state.copy();
  state.past.push({
    ...{ model: plan.name, id, version, action, by },
    ...{ before, after: row, because: undefined, then },
  });
  state.table(plan.name).set(id, { row, version });
};

/**
 * Takes a record away, into the trash: optional references to it become null, each of which raises the version of its
 * record.
 */
export const takeAway = (world: World, plan: ModelPlan, id: Id, by: Caller): void => {
  const { state } = world;
  const [then, before, version] = [state.copy(), state.find(plan.name, id), state.version(plan.name, id) + 1];
  state.past.push({
    ...{ model: plan.name, id, version, action: 'destroy', by },
    ...{ before, after: undefined, because: undefined, then },
  });
  state.table(plan.name).delete(id);
  const nulled = world.models.flatMap((other) => {
    const names = other.fields.filter(({ to }) => to === plan.name).map(({ name }) => name);
    return [...state.table(other.name)].flatMap(([key, { row, version: was }]) => {
      const gone = names.filter((name) => row[name] === id);
      if (gone.length === 0) return [];
      const after = { ...row, ...Object.fromEntries(gone.map((name) => [name, null])) };
      state.table(other.name).set(key, { row: after, version: was + gone.length });
      state.past.push({
        ...{ model: other.name, id: key, version: was + gone.length, action: 'update', by },
        ...{ before: row, after, because: { model: plan.name, id }, then },
      });
      return gone.map((field) => ({ model: other.name, id: key, field }));
    });
  });
  if (before !== undefined) state.trash.push({ model: plan.name, id, version, row: before, by, nulled });
};
