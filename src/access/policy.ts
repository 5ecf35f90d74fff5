/**
 * The policy of an application as data: what each kind of caller may do, found by asking `decide` for every endpoint.
 * It contains the demands, never to whom they were granted.
 */

import { anonymous, type Principal, type UserPrincipal } from '../auth/principal.ts';
import { type AuthMethodName, isOfApplications, methodsNamed, verifiedAs } from '../auth/registry.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { everyRecord, isNever, type RowExpression, rowActions } from '../model/row-expression.ts';
import { decide, modelsOfGrants, permissionAction } from '../policy/decide.ts';
import type { Grant, RowFilter } from '../policy/grant.ts';
import { isAdministrator, type ResourceRule, type Rule, type Showing } from '../policy/rule.ts';
import type { CodePart } from './code.ts';
import { type Shapes, shapesOf } from './shapes.ts';
import { implies } from './worlds/implies.ts';

/** The actions of a right. `trash` reads and restores deleted records, `history` reads former versions. */
export const rightActions = [
  'list',
  'detail',
  'history',
  'create',
  'update',
  'destroy',
  'trash',
  'call',
  'register',
] as const;
export type RightAction = (typeof rightActions)[number];

/**
 * A kind of caller: `anonymous`, `application`, `user`, `admin`, `super_admin`, `role clerk`; `user with Order.create`
 * is a user with a role to which the permission table grants that.
 */
export type CallerKind = string;

/** The use of a field: a record names any other one, a registered user becomes a role. */
export type FieldVerb = 'reads' | 'writes' | 'names' | 'becomes';

export interface FieldRight {
  readonly verb: FieldVerb;
  readonly field: string;
  /** The records in which it is allowed, among those of the right. */
  readonly when: RowExpression;
}

/** A right of one kind of caller, by one method. */
export interface Right {
  /** A model, or the method and path of an endpoint. */
  readonly subject: string;
  readonly action: RightAction;
  readonly caller: CallerKind;
  /** Undefined for anonymous callers. */
  readonly method: string | undefined;
  readonly rows: RowExpression;
  readonly fields: readonly FieldRight[];
}

export interface Policy {
  readonly rights: readonly Right[];
  readonly shapes: Shapes;
  readonly code: readonly CodePart[];
}

/** An endpoint of the application, by its method and path. */
export interface EndpointAccess {
  readonly subject: string;
  readonly access: Showing;
}

/** The parts of an application that have a policy. */
export interface PolicyParts {
  readonly models: Models;
  readonly resources: readonly (Showing & { readonly action: RightAction })[];
  readonly endpoints: readonly EndpointAccess[];
  readonly code: readonly CodePart[];
  /** The roles of users who register themselves; undefined if they cannot. */
  readonly registers: readonly string[] | undefined;
}

const userOf = (
  id: number,
  roles: readonly string[],
  granted: readonly string[],
  method: AuthMethodName,
): UserPrincipal => ({
  kind: 'user',
  id,
  username: 'somebody',
  email: 'somebody@example.invalid',
  name: '',
  roles,
  granted,
  mustChangePassword: false,
  secondFactor: 'none',
  method,
});

/** The kinds of users that a rule tells apart, each with roles and grants. */
const usersOf = (
  rule: Rule,
): readonly (readonly [kind: CallerKind, roles: string[], granted: string[]])[] => {
  const plain: [CallerKind, string[], string[]][] = [
    ['user', ['viewer'], []],
    ['admin', ['admin'], []],
    ['super_admin', ['super_admin'], []],
  ];
  if (rule.kind === 'roles')
    return [
      ...plain,
      ...rule.roles.map((role): [CallerKind, string[], string[]] => [`role ${role}`, [role], []]),
    ];
  const grants = modelsOfGrants(rule);
  if (rule.kind !== 'resource' || !grants.includes(rule.model.name)) return plain;
  const grant = `${rule.model.name}.${permissionAction(rule.action)}`;
  return [...plain, [`user with ${grant}`, ['viewer'], [grant]], [`admin with ${grant}`, ['admin'], [grant]]];
};

/** The methods by which somebody may call: those that the endpoint lists, or of an open one those of its model. */
const methodsOf = ({ auth, policy }: Showing): readonly AuthMethodName[] => {
  const isOpen = auth.length === 0 && policy.kind === 'resource';
  const listed = isOpen ? methodsNamed(policy.model.auth[policy.action]) : auth;
  return [...new Set(listed.map(verifiedAs))];
};

/** Callers of one kind, twice: what differs between the two follows the id of the caller. */
interface Callers {
  readonly kind: CallerKind;
  readonly method: AuthMethodName | undefined;
  readonly principals: readonly [Principal, Principal];
}

const callersOf = (endpoint: Showing): readonly Callers[] => {
  const identified = methodsOf(endpoint).flatMap((method): Callers[] => {
    if (isOfApplications(method)) {
      const application: Principal = { kind: 'application', appId: 'some', method };
      return [{ kind: 'application', method, principals: [application, application] }];
    }
    return usersOf(endpoint.policy).map(([kind, roles, granted]) => ({
      kind,
      method,
      principals: [userOf(1, roles, granted, method), userOf(2, roles, granted, method)],
    }));
  });
  const unsigned: Callers = { kind: 'anonymous', method: undefined, principals: [anonymous, anonymous] };
  return endpoint.auth.length === 0 ? [unsigned, ...identified] : identified;
};

const equalsIn = (expression: RowExpression): readonly Extract<RowExpression, { kind: 'equals' }>[] => {
  if ('rules' in expression) return expression.rules.flatMap(equalsIn);
  return expression.kind === 'equals' ? [expression] : [];
};

/** A value as the model file says it. */
const saidOf = ({ rules }: ResourceModel, column: string, value: unknown): string => {
  const { publicRead = [], isolation, publicOrOwn, manage, restrictedUnless, viewedWhen } = rules;
  const ofFields = [...restrictedUnless, ...viewedWhen].map(({ condition }) => condition);
  const ofRows = rowActions.map((action) => isolation?.[action]);
  const conditions = [publicOrOwn, manage, ...ofRows, ...ofFields].flatMap((each) =>
    each === undefined ? [] : equalsIn(each.expression),
  );
  const found = [...publicRead, ...conditions].find((each) => each.column === column && each.value === value);
  return found?.said ?? String(value);
};

/** Joins conditions: each once, and none that another one implies by its form. */
export const bothOf = (...expressions: readonly RowExpression[]): RowExpression => {
  const parts = expressions.flatMap((each) => (each.kind === 'allOf' ? each.rules : [each]));
  const never = parts.find(isNever);
  if (never !== undefined) return never;
  const needed = parts.filter(
    (part, at) =>
      !parts.some(
        (other, index) => index !== at && implies(other, part) && (index < at || !implies(part, other)),
      ),
  );
  const [only, second] = needed;
  if (only === undefined) return everyRecord;
  return second === undefined ? only : { kind: 'allOf', rules: needed };
};

const noRecords: RowExpression = { kind: 'anyOf', rules: [] };

/** The condition of a filter, from the filters of two callers of one kind. */
const conditionOf = (model: ResourceModel, one: RowFilter, other: RowFilter): RowExpression => {
  if (one === 'none' || other === 'none') return noRecords;
  const parts = one.map((condition, at): RowExpression => {
    if ('rule' in condition) return condition.rule.expression;
    const { column, value } = condition;
    const second = other[at];
    if (second === undefined || !('value' in second) || second.value !== value)
      return { kind: 'own', column };
    return value === null ? noRecords : { kind: 'equals', column, value, said: saidOf(model, column, value) };
  });
  return bothOf(...parts);
};

/** The fields of users that a record shows to everyone who reads it: `assignee.name`. */
const shownUsers = ({ relations }: ResourceModel, readable: readonly string[]): readonly string[] =>
  [...relations.values()].flatMap(({ name, from, shows = [] }) =>
    readable.includes(from) ? shows.filter((field) => field !== 'id').map((field) => `${name}.${field}`) : [],
  );

const readsOf = (model: ResourceModel, { readable, mask }: Grant): readonly FieldRight[] => {
  const when = (field: string): RowExpression => {
    const terms = mask?.sets.find(({ fields }) => fields.includes(field))?.terms ?? [];
    return terms === 'none' ? noRecords : bothOf(...terms.map(({ expression }) => expression));
  };
  const fields = [...readable, ...shownUsers(model, readable)];
  return fields.map((field) => ({ verb: 'reads', field, when: when(field.split('.')[0] ?? field) }));
};

/** The users that a reference may name, those that the caller reads: for most callers their own. */
const namedUsers = (model: ResourceModel, field: string, one: Grant, other: Grant): RowExpression => {
  const terms = one.references?.get(field);
  if (model.fields.get(field)?.reference !== 'User' || terms === undefined) return everyRecord;
  const rows = conditionOf(model, terms.rows, other.references?.get(field)?.rows ?? 'none');
  return rows.kind === 'own' ? { kind: 'own', column: field } : rows;
};

const writesOf = (model: ResourceModel, one: Grant, other: Grant): readonly FieldRight[] =>
  [...one.writable].flatMap((field): FieldRight[] => {
    const held = (grant: Grant) => grant.held?.find(({ fields }) => fields.includes(field))?.rows ?? [];
    const named = namedUsers(model, field, one, other);
    const when = bothOf(conditionOf(model, held(one), held(other)), named);
    if (isNever(when)) return [];
    const written: FieldRight = { verb: 'writes', field, when };
    // Administrators read what they name.
    const readsAll = one.principal.kind === 'user' && isAdministrator(one.principal);
    const isNamed = field !== model.owner && model.fields.get(field)?.anyone === true;
    return isNamed && !readsAll ? [written, { verb: 'names', field, when }] : [written];
  });

/** A created record belongs to its creator, if there is one and the model says so. */
const ownedBy = (model: ResourceModel, one: Grant, other: Grant): RowExpression =>
  model.owner !== undefined && one.owner !== undefined && one.owner !== other.owner
    ? { kind: 'own', column: model.owner }
    : everyRecord;

const rightOf = (
  action: RightAction,
  { model }: Pick<ResourceRule, 'model'>,
  { kind, method }: Callers,
  [one, other]: readonly [Grant, Grant],
): Right => ({
  subject: model.name,
  action,
  caller: kind,
  method,
  rows: bothOf(
    conditionOf(model, one.rows, other.rows),
    one.writes === undefined ? everyRecord : conditionOf(model, one.writes, other.writes ?? 'none'),
    ownedBy(model, one, other),
  ),
  fields: action === 'destroy' ? [] : [...readsOf(model, one), ...writesOf(model, one, other)],
});

/** Decides for two callers of one kind; undefined where they are refused, or reach no record at all. */
const decided = (rule: Rule, { principals: [one, other] }: Callers): readonly [Grant, Grant] | undefined => {
  const [first, second] = [decide(rule, one), decide(rule, other)];
  return first.allowed && second.allowed ? [first.grant, second.grant] : undefined;
};

const rightsTo = (action: RightAction, { auth, policy }: Showing): readonly Right[] => {
  if (policy.kind !== 'resource') return [];
  return callersOf({ auth, policy }).flatMap((callers) => {
    const grants = decided(policy, callers);
    const right = grants && rightOf(action, policy, callers, grants);
    return right === undefined || isNever(right.rows) ? [] : [right];
  });
};

/** The rights to call an endpoint of the application; what its code then does is not decided. */
const rightsOfEndpoint = ({ subject, access }: EndpointAccess): readonly Right[] =>
  callersOf(access).flatMap((callers): Right[] => {
    if (decided(access.policy, callers) === undefined) return [];
    const { kind, method } = callers;
    return [{ subject, action: 'call', caller: kind, method, rows: everyRecord, fields: [] }];
  });

const registration = (roles: readonly string[] | undefined): readonly Right[] => {
  if (roles === undefined) return [];
  const fields = roles.map((field): FieldRight => ({ verb: 'becomes', field, when: everyRecord }));
  const caller = { caller: 'anonymous', method: undefined };
  return [{ subject: 'User', action: 'register', ...caller, rows: everyRecord, fields }];
};

/** True if two rights admit the same, to whomever. */
const isSame = (one: Right, other: Right): boolean =>
  one.subject === other.subject &&
  one.action === other.action &&
  JSON.stringify([one.rows, one.fields]) === JSON.stringify([other.rows, other.fields]);

/** Leaves out what anonymous callers may do too. */
const withoutRepeated = (rights: readonly Right[]): readonly Right[] => {
  const open = rights.filter(({ caller }) => caller === 'anonymous');
  return rights.filter((right) => open.includes(right) || !open.some((each) => isSame(each, right)));
};

/** The policy of an application. Pure: it depends on its arguments only. */
export const policyOf = ({ models, resources, endpoints, code, registers }: PolicyParts): Policy => ({
  rights: withoutRepeated([
    ...resources.flatMap(({ action, ...access }) => rightsTo(action, access)),
    ...endpoints.flatMap(rightsOfEndpoint),
    ...registration(registers),
  ]),
  shapes: shapesOf(models),
  code,
});
