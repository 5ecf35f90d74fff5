import { compareIds, type Id } from '../../resources/row-rules/ids.ts';
import {
  hasScope,
  isRefused,
  type Refused,
  shown,
  unusableFields,
  type World,
} from '../../resources/row-rules/oracle.ts';
import type { Asking } from '../../resources/row-rules/people.ts';
import {
  publicUserFields,
  type RelatedPlan,
  type RelationPlan,
  shownUserFields,
  type TargetPlan,
  userFields,
  userPlan,
} from './plan.ts';

/**
 * The readers of records by every way, from the contract and its decisions alone: this file uses no code of the service.
 */

export type Plain = Readonly<Record<string, unknown>>;

/** The side that asks: the API, the administration area, or the application itself. */
export type Where = 'api' | 'admin' | 'system';

export interface Data extends World {
  readonly models: readonly RelatedPlan[];
  /** All users, with all fields. */
  readonly persons: readonly Plain[];
}

/** The part of a model's records that a caller reads by its own detail endpoint. */
export interface Read {
  readonly plan: TargetPlan;
  /** In order of their ids, without the fields that a row hides. */
  readonly rows: readonly Plain[];
  readonly detail: readonly string[];
  readonly list: readonly string[];
}

const born = '2024-01-01T00:00:00.000Z';

/** A row as it is answered. */
const whole = (row: Plain): Plain => ({ ...row, created_at: born, updated_at: born });

const isPermitted = ({ permissions }: RelatedPlan, { isSuperAdmin, granted }: Asking): boolean =>
  permissions !== 'all' || isSuperAdmin || granted;

const usersRead = (fields: readonly string[], rows: readonly Plain[]): Read => ({
  plan: userPlan,
  rows,
  detail: fields,
  list: fields,
});

/** The reads of one caller at one place, computed once for each model. */
export class Reader {
  readonly #known = new Map<string, Read | undefined>();
  readonly data: Data;
  readonly caller: Asking;
  readonly where: Where;

  constructor(data: Data, caller: Asking, where: Where) {
    this.data = data;
    this.caller = caller;
    this.where = where;
  }

  planOf(name: string): RelatedPlan {
    const plan = this.data.models.find((each) => each.name === name);
    if (plan === undefined) throw new Error(`no model ${name}`);
    return plan;
  }

  /** Undefined where none of the records may be read. */
  of(name: string): Read | undefined {
    if (!this.#known.has(name)) this.#known.set(name, name === 'User' ? this.#users() : this.#records(name));
    return this.#known.get(name);
  }

  /** The records to which a relation can lead. Users of a showing reference have a readership of their own. */
  at({ to, shows = false }: RelationPlan): Read | undefined {
    return shows && this.where === 'api' ? usersRead(shownUserFields, this.data.persons) : this.of(to);
  }

  #users(): Read | undefined {
    const { caller, where } = this;
    if (where !== 'api') return usersRead(userFields, this.data.persons);
    if (caller.method !== 'jwt' && caller.method !== 'api_key') return undefined;
    if (!hasScope(caller, 'users', 'read')) return undefined;
    const rows = this.data.persons.filter(({ id }) => caller.administers || id === caller.userId);
    return usersRead(publicUserFields, rows);
  }

  #records(name: string): Read | undefined {
    const plan = this.planOf(name);
    const rows = this.rows(plan, 'detail');
    if (isRefused(rows)) return undefined;
    const { detail, list } = this.views(plan, 'detail');
    return { plan, rows, detail, list: list.filter((field) => detail.includes(field)) };
  }

  /** The fields that the caller sees in some record. */
  views(
    plan: RelatedPlan,
    action: 'detail' | 'list',
  ): { readonly detail: readonly string[]; readonly list: readonly string[] } {
    if (this.where === 'api') {
      const unusable = unusableFields(plan, action, this.caller);
      const usable = (fields: readonly string[]) => fields.filter((field) => !unusable.has(field));
      return { detail: usable(plan.detail), list: usable(plan.list) };
    }
    const all = plan.all.map(({ name }) => name);
    return { detail: all, list: all };
  }

  /** The rows that the model's own endpoint shows, or why it shows none. */
  rows(plan: RelatedPlan, action: 'detail' | 'list'): Refused | readonly Plain[] {
    const { data, caller, where } = this;
    const sorted = (rows: readonly Plain[]) =>
      rows.map(whole).sort((a, b) => compareIds(plan.key, a['id'] as Id, b['id'] as Id));
    if (where === 'api') {
      const rows = shown(data, plan, action, caller);
      return isRefused(rows) ? rows : sorted(rows);
    }
    if (where === 'admin' && !isPermitted(plan, caller)) return { status: 403 };
    return sorted(data.state.rows(plan.name));
  }
}

/** A request that is not answered. */
export class Unanswerable extends Error {
  readonly status: 400 | 403;
  constructor(status: 400 | 403) {
    super(`${status}`);
    this.status = status;
  }
}

/** The end of a relation from records of which these fields are known. @throws Unanswerable */
export const follow = (
  reader: Reader,
  from: TargetPlan,
  known: readonly string[],
  name: string,
): { readonly relation: RelationPlan; readonly read: Read } => {
  const relation = from.relations.find((each) => each.name === name);
  if (relation === undefined || (!relation.many && !known.includes(relation.from)))
    throw new Unanswerable(400);
  const read = reader.at(relation);
  if (read === undefined) throw new Unanswerable(403);
  if (relation.through !== undefined && reader.of(relation.through.model) === undefined)
    throw new Unanswerable(403);
  return { relation, read };
};

/** The records to which a row leads, among some. */
export const ledTo = (
  { from, at, through }: RelationPlan,
  row: Plain,
  rows: readonly Plain[],
  links: readonly Plain[],
): readonly Plain[] => {
  const value = row[from] ?? null;
  if (value === null) return [];
  if (through === undefined) return rows.filter((each) => each[at] === value);
  const ends = new Set(links.filter((link) => link[through.from] === value).map((link) => link[through.to]));
  return rows.filter((each) => ends.has(each[at]));
};

/** The records that the caller reaches. */
export const reached = (reader: Reader, relation: RelationPlan, row: Plain): readonly Plain[] => {
  const links = relation.through && reader.of(relation.through.model);
  return ledTo(relation, row, reader.at(relation)?.rows ?? [], links?.rows ?? []);
};
