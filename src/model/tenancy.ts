/**
 * Tenants of an application: records that have members. The row rules say so by `member`, and a tenant has the name of
 * the reference that these memberships have to it.
 */

import type { RecordKey } from '../fields/key.ts';
import { DefinitionError } from './definition-error.ts';
import { keyOf, type Models } from './models.ts';
import type { ResourceModel } from './resource.ts';
import { membersAsked, type RowMember, type RowReachRule, rowActions } from './row-expression.ts';
import type { StoredTable } from './stored-table.ts';

/** How callers belong to tenants: the memberships that row rules name. */
export interface Tenancy {
  /** The model of the memberships, its table, and the field of a membership's owner. */
  readonly model: string;
  readonly stored: StoredTable;
  readonly owner: string;
  /** The field that names the tenant. */
  readonly on: string;
  /** The model of the tenants. */
  readonly tenant: string;
  /** The keys of the memberships and of the tenants. */
  readonly keys: { readonly membership: RecordKey; readonly tenant: RecordKey };
  /** The values that rules demand of a membership, which meets one of these; empty if every membership counts. */
  readonly demands: readonly RowMember['where'][];
}

const conditionsOf = ({ rules }: ResourceModel): readonly RowReachRule[] => {
  const { isolation, publicOrOwn, manage, restrictedUnless, viewedWhen } = rules;
  const found = [...restrictedUnless, ...viewedWhen].map(({ condition }) => condition);
  for (const rule of [publicOrOwn, manage]) if (rule !== undefined) found.push(rule);
  if (isolation !== undefined) found.push(...rowActions.map((action) => isolation[action]));
  return found;
};

const demandsOf = (members: readonly RowMember[]): Tenancy['demands'] => {
  if (members.some(({ where }) => where.length === 0)) return [];
  return [...new Map(members.map(({ where }) => [JSON.stringify(where), where])).values()];
};

/** A tenancy with its name in texts of the configuration. */
interface NamedTenancy extends Tenancy {
  readonly name: string;
}

/** The tenancy of memberships that name it by one column; undefined where this is no reference to a model. */
const tenancyOf = (models: Models, members: readonly RowMember[]): NamedTenancy | undefined => {
  const [member] = members;
  if (member === undefined) return undefined;
  const { model, stored, owner, on } = member;
  const field = models.get(model)?.fields.get(on);
  if (field?.reference === undefined || field.reference === 'User') return undefined;
  const name = field.name.replace(/_id$/, '');
  const { reference: tenant } = field;
  const keys = { membership: keyOf(models, model), tenant: keyOf(models, tenant) };
  return { name, model, stored, owner, on, tenant, keys, demands: demandsOf(members) };
};

const tenanciesOf = (models: Models): readonly NamedTenancy[] => {
  const members = [...models.values()]
    .flatMap(conditionsOf)
    .flatMap(({ expression }) => membersAsked(expression));
  return [...Map.groupBy(members, ({ model, on }) => `${model}.${on}`).values()].flatMap(
    (each) => tenancyOf(models, each) ?? [],
  );
};

const longName = ({ model, name }: NamedTenancy): string => `${model}.${name}`;

const listed = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(' or ');

/**
 * Finds a tenant by its name: `clinic`, or `Staff.clinic` where several models of memberships have such a reference;
 * each also as its key, `clinic_id`.
 * @param path the place in the configuration, for messages
 * @throws DefinitionError that names the tenants of the application
 */
export const findTenancy = (models: Models, given: string, path: string): Tenancy => {
  const all = tenanciesOf(models);
  const name = given.replace(/_id$/, '');
  const found = all.filter((each) => each.name === name || longName(each) === name);
  const [only, second] = found;
  if (only !== undefined && second === undefined) return only;
  const refuse = (because: string) => new DefinitionError('configuration', `${path} ${because}`);
  if (only !== undefined) throw refuse(`may mean ${listed(found.map(longName))}: name one of them`);
  if (all.length === 0)
    throw refuse(`must be "caller" or "network", not "${given}": no row rule names the members of a tenant`);
  const isUnique = ({ name: own }: NamedTenancy) => all.filter((each) => each.name === own).length === 1;
  const names = all.map((each) => (isUnique(each) ? each.name : longName(each)));
  throw refuse(`must be "caller", "network" or a tenant, ${listed(names)}, not "${given}"`);
};
