/**
 * The policy: decides whether a principal may call an endpoint, which rows and fields it reaches, and by which
 * steps.
 */

import { anonymous, type Principal, takes, type UserPrincipal } from '../auth/principal.ts';
import { methodsNamed } from '../auth/registry.ts';
import type { Reason, ReasonName, ReasonParam } from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import { type Action, type PublicCondition, type ResourceModel, viewByAction } from '../model/resource.ts';
import type { RowAction, RowReachRule, RowTerm } from '../model/row-expression.ts';
import type {
  FieldMask,
  Grant,
  GrantTerms,
  HeldFields,
  MaskedFields,
  ReferenceTerms,
  RowCondition,
  RowFilter,
} from './grant.ts';
import { isInScope, scopeOf } from './key-scope.ts';
import { MintedGrant } from './mint.ts';
import {
  isAdministrator,
  isSuperAdmin,
  type ResourceRule,
  type Rule,
  type Showing,
  superAdmin,
} from './rule.ts';
import type { Step, StepRule, Verdict } from './step.ts';

/** The roles of a user as the reason of a step. */
const rolesOf = ({ roles }: UserPrincipal): Reason => named(roles);

/** The kind of a caller who is no user as the reason of a step. */
const kindOf = ({ kind }: Principal): Reason => reason('caller', { caller: kind });

const isRead = (action: Action): boolean => action === 'list' || action === 'detail';

const noParams: Reason['params'] = Object.freeze({});

export const reason = (name: ReasonName, params: Reason['params'] = noParams): Reason => ({ name, params });

/** A reason that consists of names and values only, the same in every language. */
export const named = (text: ReasonParam): Reason => ({ name: 'named', params: { text } });

const step = (rule: StepRule, outcome: Step['outcome'], because: Reason): Step => ({
  rule,
  outcome,
  because,
});

/** The administration area is open to super_admin and admin only. */
const administration = ({ area }: ResourceRule, principal: Principal): Step | undefined => {
  if (area === 'api') return undefined;
  const because = principal.kind === 'user' ? rolesOf(principal) : kindOf(principal);
  const inside = principal.kind === 'user' && isAdministrator(principal);
  return step('administrator', inside ? 'passed' : 'refused', because);
};

/** The condition on records that anybody may read; undefined where the rule asks for the caller. */
const publishedRows = ({ model, action, area }: ResourceRule): readonly PublicCondition[] | undefined =>
  area === 'api' && isRead(action) ? model.rules.publicRead : undefined;

const isChecked = ({ model, action }: ResourceRule): boolean =>
  model.rules.permissions === 'all' || (model.rules.permissions === 'writes' && !isRead(action));

/** The rule for records that authenticated callers read beside public ones; undefined where there are none. */
export const publicOrOwn = (rule: ResourceRule): RowReachRule | undefined =>
  publishedRows(rule) === undefined ? undefined : rule.model.rules.publicOrOwn;

/** True if a rule for public reads shows more to authenticated callers. */
export const readsOwn = (rule: Rule): boolean => rule.kind === 'resource' && publicOrOwn(rule) !== undefined;

/** True if a decision by this rule uses the permission table. */
const asksPermission = (rule: ResourceRule): boolean =>
  isChecked(rule) && (publishedRows(rule) === undefined || publicOrOwn(rule) !== undefined);

/**
 * Passes if a role of the caller is granted the action, or the caller is a super_admin. Without a user there is no
 * role.
 */
const permission = (rule: ResourceRule, principal: Principal): Step => {
  const { model, action } = rule;
  if (!isChecked(rule)) return step('permission', 'off', reason('not_checked'));
  if (principal.kind !== 'user')
    return step('permission', 'refused', reason('no_role', { caller: principal.kind }));
  if (isSuperAdmin(principal)) return step('permission', 'passed', named(superAdmin));
  const entry = permissionAction(action);
  const granted = principal.granted.includes(`${model.name}.${entry}`);
  return step(
    'permission',
    granted ? 'passed' : 'refused',
    reason('permission', { roles: principal.roles, model: model.name, action: entry }),
  );
};

/** The permission entry, and the row rule, of an action. */
export const permissionAction = (action: Action): RowAction =>
  action === 'list' || action === 'detail' ? 'read' : action;

/** The rows of a rule for this caller. */
const rowsOf = ({ user, others }: RowReachRule, principal: Principal): RowFilter => {
  if (principal.kind !== 'user') return others === 'none' ? others : others.map((rule) => bound(rule, null));
  return user.map((rule) => bound(rule, principal.id));
};

/** A rule on a single column becomes an equality, so that an index that leads with the column finds the rows. */
const bound = (rule: RowTerm, caller: number | null): RowCondition => {
  const { expression } = rule;
  if (expression.kind === 'own') return { column: expression.column, value: caller };
  if (expression.kind === 'equals') return { column: expression.column, value: expression.value };
  return { rule, caller };
};

interface Isolated {
  readonly step: Step;
  readonly rows: RowFilter;
  readonly writes?: RowFilter;
}

const unisolated = (because: Reason, outcome: 'off' | 'passed'): Isolated => ({
  step: step('isolation', outcome, because),
  rows: [],
});

/** The contract's rule of isolation. */
const isolatedByOwner = (owner: string, principal: Principal): Isolated =>
  principal.kind === 'user'
    ? {
        step: step('isolation', 'narrowed', named(`${owner} = ${principal.id}`)),
        rows: [{ column: owner, value: principal.id }],
      }
    : {
        step: step('isolation', 'narrowed', reason('owns_nothing', { caller: principal.kind })),
        rows: 'none',
      };

/** True if a write has to meet another rule than the one by which its record is reached. */
export const isHeldToRule = (model: ResourceModel, action: Action): boolean => {
  const rule = model.rules.isolation;
  if (rule === undefined || rule.byOwner || isRead(action)) return false;
  // With one rule for both, a record that is reached may be deleted; an update may still move it out of reach.
  return action !== 'destroy' || rule.read !== rule.destroy;
};

const isolation = ({ model, action }: ResourceRule, principal: Principal): Isolated => {
  const rule = model.rules.isolation;
  if (rule === undefined) return unisolated(reason('every_record'), 'off');
  const isNew = action === 'create';
  if (isNew && rule.byOwner) return unisolated(reason('new_record'), 'passed');
  if (principal.kind === 'user' && isAdministrator(principal))
    return unisolated(rolesOf(principal), 'passed');
  if (rule.byOwner) return isolatedByOwner(model.owner ?? '', principal);
  const { read } = rule;
  const asked = rule[permissionAction(action)];
  const narrowed = step('isolation', 'narrowed', named(isNew ? asked.words : read.words));
  const rows = isNew ? [] : rowsOf(read, principal);
  return isHeldToRule(model, action)
    ? { step: narrowed, rows, writes: rowsOf(asked, principal) }
    : { step: narrowed, rows };
};

/**
 * The owner of a created record, unless an administrator names another; undefined where the body or nothing decides.
 */
const ownership = (
  { model, action }: ResourceRule,
  principal: Principal,
): readonly [Step, number | null | undefined] => {
  if (!model.rules.ownership || model.owner === undefined || action !== 'create')
    return [step('ownership', 'off', reason('not_set')), undefined];
  const owner = principal.kind === 'user' ? principal.id : null;
  return [step('ownership', 'passed', named(`${model.owner} = ${owner}`)), owner];
};

/** The fields of a model by kind of caller; computed once, as models never change. */
interface Fields {
  readonly all: readonly string[];
  /** Fields that administrators write in the administration area, including the owner. */
  readonly inAdministration: ReadonlySet<string>;
  readonly forAdministrators: ReadonlySet<string>;
  /** Fields that a user writes in some record. */
  readonly forUsers: ReadonlySet<string>;
  readonly forOthers: ReadonlySet<string>;
}

const fieldsOfModels = new WeakMap<ResourceModel, Fields>();

const fieldsOf = (model: ResourceModel): Fields => {
  const cached = fieldsOfModels.get(model);
  if (cached !== undefined) return cached;
  const { rules, owner } = model;
  const names = [...model.fields.values()].filter((field) => !field.serverSet).map(({ name }) => name);
  const inBodies = names.filter((name) => !(rules.ownership && name === owner));
  const unrestricted = inBodies.filter((name) => !rules.restricted.has(name));
  const neverForOthers = new Set(
    rules.restrictedUnless.flatMap(({ fields, condition }) => (condition.others === 'none' ? fields : [])),
  );
  const fields: Fields = {
    all: Object.freeze([...model.fields.keys()]),
    inAdministration: new Set(names),
    forAdministrators: new Set(inBodies),
    forUsers: new Set(unrestricted),
    forOthers: new Set(unrestricted.filter((name) => !neverForOthers.has(name))),
  };
  fieldsOfModels.set(model, fields);
  return fields;
};

/**
 * Fields that a body may set: not the server's, and not the owner under ownership, except in the administration area.
 */
export const fieldsOfBodies = (model: ResourceModel, area: ResourceRule['area']): ReadonlySet<string> =>
  area === 'admin' ? fieldsOf(model).inAdministration : fieldsOf(model).forAdministrators;

/** Fields that a body of this caller may set. */
export const writableFields = (
  model: ResourceModel,
  principal: Principal,
  area: ResourceRule['area'],
): ReadonlySet<string> => {
  const { forUsers, forOthers } = fieldsOf(model);
  if (principal.kind !== 'user') return forOthers;
  return isAdministrator(principal) ? fieldsOfBodies(model, area) : forUsers;
};

/** Writable fields that depend on the record. */
const heldFields = (
  { model, action }: ResourceRule,
  principal: Principal,
): readonly HeldFields[] | undefined => {
  if (action === 'destroy' || (principal.kind === 'user' && isAdministrator(principal))) return undefined;
  const held = model.rules.restrictedUnless.flatMap(({ fields, condition }): HeldFields[] => {
    const rows = rowsOf(condition, principal);
    return rows === 'none' ? [] : [{ fields, rows }];
  });
  return held.length === 0 ? undefined : held;
};

/** Fields of the response for an allowed caller, before conditions on the record. */
export const readableFields = ({ model, action, area, view }: ResourceRule): readonly string[] =>
  area === 'admin' ? fieldsOf(model).all : model.views[view ?? viewByAction[action]];

/** The masks of a model by kind of caller, with the views that each leaves. */
interface ViewMask {
  readonly mask: FieldMask;
  /** Views without the fields that such a caller sees in no record, by the view itself. */
  readonly views: ReadonlyMap<readonly string[], readonly string[]>;
}

const masksOfModels = new WeakMap<ResourceModel, Readonly<Record<FieldMask['key'], ViewMask>>>();

const viewMask = ({ rules, views }: ResourceModel, key: FieldMask['key']): ViewMask => {
  const sets = rules.viewedWhen.map(
    ({ fields, condition }): MaskedFields => Object.freeze({ fields, terms: condition[key] }),
  );
  const never = new Set(sets.flatMap(({ fields, terms }) => (terms === 'none' ? fields : [])));
  const left = (view: readonly string[]): readonly string[] =>
    never.size === 0 ? view : Object.freeze(view.filter((name) => !never.has(name)));
  return {
    mask: Object.freeze({ key, sets: Object.freeze(sets) }),
    views: new Map(Object.values(views).map((view) => [view, left(view)])),
  };
};

/** The mask of a caller; undefined for administrators, who read every field of a view in every record. */
const viewMaskOf = (
  { model, area }: Pick<ResourceRule, 'model' | 'area'>,
  principal: Principal,
): ViewMask | undefined => {
  if (model.rules.viewedWhen.length === 0 || area === 'admin') return undefined;
  if (principal.kind === 'user' && isAdministrator(principal)) return undefined;
  const masks = masksOfModels.get(model) ?? {
    user: viewMask(model, 'user'),
    others: viewMask(model, 'others'),
  };
  masksOfModels.set(model, masks);
  return masks[principal.kind === 'user' ? 'user' : 'others'];
};

/** The fields that a caller of the API sees in some records of a model only; undefined where there are none. */
export const maskOf = (model: ResourceModel, principal: Principal): FieldMask | undefined =>
  viewMaskOf({ model, area: 'api' }, principal)?.mask;

/** The fields that a caller reads in the response, with their mask. */
const readsOf = (rule: ResourceRule, principal: Principal): Pick<GrantTerms, 'readable' | 'mask'> => {
  const readable = readableFields(rule);
  const found = viewMaskOf(rule, principal);
  return found === undefined
    ? { readable }
    : { readable: found.views.get(readable) ?? readable, mask: found.mask };
};

const unrestricted = step('restricted_fields', 'off', reason('none'));

const restriction = (
  { model, action }: ResourceRule,
  writable: ReadonlySet<string>,
  held: readonly HeldFields[] = [],
): Step => {
  if (isRead(action)) return unrestricted;
  const { restricted, restrictedUnless } = model.rules;
  const all = [...restricted, ...restrictedUnless.flatMap(({ fields }) => fields)];
  if (all.length === 0) return unrestricted;
  const restrictedNow = all.filter(
    (name) => !writable.has(name) || held.some(({ fields }) => fields.includes(name)),
  );
  return restrictedNow.length === 0
    ? step('restricted_fields', 'passed', named(all))
    : step('restricted_fields', 'narrowed', named(restrictedNow));
};

const nothing: ReadonlySet<string> = new Set();

/**
 * The records that a caller reads beside published ones, by the authentication methods that the model accepts;
 * undefined where there are none. The read check applies to these records only. Conditions on fields apply to `reader`,
 * who is anonymous where the caller reads published records only.
 */
const ownReads = (
  rule: ResourceRule,
  principal: Principal,
  published: readonly PublicCondition[],
): { readonly steps: readonly Step[]; readonly rows: RowFilter; readonly reader: Principal } | undefined => {
  const { model, action } = rule;
  const own = publicOrOwn(rule);
  if (own === undefined || principal.kind === 'nobody') return undefined;
  if (!takes(methodsNamed(model.auth[action]), principal)) return undefined;
  const scopes = principal.kind === 'user' ? principal.scopes : undefined;
  if (scopes !== undefined && !isInScope(scopes, scopeOf(rule)))
    return {
      steps: [step('key_scope', 'narrowed', named([...scopes]))],
      rows: published,
      reader: anonymous,
    };
  const permitted = permission(rule, principal);
  if (permitted.outcome === 'refused')
    return { steps: [{ ...permitted, outcome: 'narrowed' }], rows: published, reader: anonymous };
  if (principal.kind === 'user' && isAdministrator(principal)) {
    const { step: passed, rows } = unisolated(rolesOf(principal), 'passed');
    return { steps: [permitted, passed], rows, reader: principal };
  }
  return {
    steps: [permitted, step('isolation', 'narrowed', named(own.words))],
    rows: rowsOf(own, principal),
    reader: principal,
  };
};

/**
 * Applies the rules of a generated resource, in order. Public reads skip authentication, read check and isolation;
 * every other rule applies to all callers.
 */
const decideResource = (rule: ResourceRule, principal: Principal): Verdict => {
  const { model, action } = rule;
  const published = publishedRows(rule);
  if (published !== undefined) {
    const because = named(published.map(({ column, value }) => `${column} = ${value}`));
    const { steps = [], rows = published, reader = anonymous } = ownReads(rule, principal, published) ?? {};
    return {
      steps: [step('public_read', 'passed', because), ...steps],
      terms: { rows, ...readsOf(rule, reader), writable: nothing },
    };
  }
  const steps: Step[] = [];
  for (const asked of [administration(rule, principal), permission(rule, principal)]) {
    if (asked === undefined) continue;
    steps.push(asked);
    if (asked.outcome === 'refused') return { steps };
  }
  const { step: isolated, rows, writes } = isolation(rule, principal);
  const [owned, owner] = ownership(rule, principal);
  const writable = isRead(action) ? nothing : writableFields(model, principal, rule.area);
  const held = isRead(action) ? undefined : heldFields(rule, principal);
  return {
    steps: [...steps, isolated, owned, restriction(rule, writable, held)],
    terms: { rows, writes, ...readsOf(rule, principal), writable, held, owner },
  };
};

/** The records that an endpoint shows to this caller; undefined where it shows none. */
type Shows = (showing: Showing) => Verdict['terms'];

/** The rows that show a field to a caller, as far as their mask decides. */
export const rowsShowing = (
  field: string,
  { mask, principal }: Pick<GrantTerms, 'mask' | 'principal'>,
): RowFilter => {
  const terms = mask?.sets.find(({ fields }) => fields.includes(field))?.terms ?? [];
  const caller = principal.kind === 'user' ? principal.id : null;
  return terms === 'none' ? terms : terms.map((term) => bound(term, caller));
};

/**
 * The rows in which a reference may keep its stored value: those in which the caller reads it, in the response to
 * this write or in the record's detail. Elsewhere, accepting the value would reveal it.
 */
const keptRows = (
  field: string,
  { readable, mask }: Pick<GrantTerms, 'readable' | 'mask'>,
  shown: Verdict['terms'],
  principal: Principal,
): RowFilter => {
  const rows = readable.includes(field) ? [] : shown?.readable.includes(field) === true ? shown.rows : 'none';
  const showing = rowsShowing(field, { mask, principal });
  return rows === 'none' || showing === 'none' ? 'none' : [...rows, ...showing];
};

/**
 * The rule for deleted records: the caller manages them, and would read them. Their values alone decide, so no rule for
 * new records applies to a restored one.
 */
const decideManaged = (
  rule: ResourceRule,
  { auth, policy }: Showing,
  principal: Principal,
  weigh: (rule: Rule, principal: Principal) => Verdict,
): Verdict => {
  const { model, action } = rule;
  const { manage } = model.rules;
  const permitted = permission(rule, principal);
  if (permitted.outcome === 'refused') return { steps: [permitted] };
  // A list that shows public records accepts every caller.
  if (manage === undefined || !takes(methodsNamed(model.auth[action]), principal))
    return { steps: [permitted, step('manage', 'refused', kindOf(principal))] };
  const isAdmin = principal.kind === 'user' && isAdministrator(principal);
  const managed = isAdmin
    ? step('manage', 'passed', rolesOf(principal))
    : step('manage', 'narrowed', named(manage.words));
  const read = takes(auth, principal) ? (weigh(policy, principal).terms?.rows ?? 'none') : 'none';
  const own = isAdmin ? [] : rowsOf(manage, principal);
  return {
    steps: [permitted, managed],
    terms: {
      rows: read === 'none' || own === 'none' ? 'none' : [...read, ...own],
      ...readsOf(rule, principal),
      writable: nothing,
    },
  };
};

/**
 * The records that references in a body may name. The endpoint of such a record would show it to this caller, so that a
 * write reveals no more than a read. A reference that every record satisfies is omitted.
 */
const referenceTerms = (
  { references, shown }: ResourceRule,
  reads: Pick<GrantTerms, 'readable' | 'mask'>,
  principal: Principal,
  weigh: (rule: Rule, principal: Principal) => Verdict,
): GrantTerms['references'] => {
  if (references === undefined) return undefined;
  const shows: Shows = ({ auth, policy }) =>
    takes(auth, principal) ? weigh(policy, principal).terms : undefined;
  const self = shown === undefined ? undefined : shows(shown);
  const terms = new Map<string, ReferenceTerms>();
  for (const [field, showing] of references) {
    const rows = shows(showing)?.rows ?? 'none';
    if (rows !== 'none' && rows.length === 0) continue;
    const kept = shown === undefined ? 'none' : keptRows(field, reads, self, principal);
    terms.set(field, { rows, kept });
  }
  return terms.size === 0 ? undefined : terms;
};

/** The rules by which records are read that a body may name, and the record itself. */
const shownBy = ({ references, shown, managed }: ResourceRule): readonly Rule[] =>
  [...(references?.values() ?? []), shown, managed].flatMap((each) => each?.policy ?? []);

/**
 * Names of the models whose permission entries a decision by this rule needs: their grants are read with the
 * identity.
 */
export const modelsOfGrants = (rule: Rule): readonly string[] => {
  if (rule.kind !== 'resource') return [];
  const own = asksPermission(rule) ? [rule.model.name] : [];
  return [...new Set([...own, ...shownBy(rule).flatMap((policy) => modelsOfGrants(policy))])];
};

type Decision =
  | { readonly allowed: true; readonly steps: readonly Step[]; readonly grant: Grant }
  | { readonly allowed: false; readonly steps: readonly Step[]; readonly problem: Problem };

const none: ReadonlySet<string> = new Set();

const everyRow = (readable: readonly string[] = []) => ({ rows: [], readable, writable: none });

/** Refuses principals other than users: applications have no roles. */
const asUser = (principal: Principal, decideUser: (user: UserPrincipal) => Verdict): Verdict =>
  principal.kind === 'user' ? decideUser(principal) : { steps: [step('user', 'refused', kindOf(principal))] };

/** The scopes of a key, if it has some. Public records need none; `ownReads` decides about those beside them. */
const keyScope = (rule: Rule, principal: Principal): Step | undefined => {
  if (principal.kind !== 'user' || principal.scopes === undefined || rule.kind === 'open') return undefined;
  if (rule.kind === 'resource' && rule.managed === undefined && publishedRows(rule) !== undefined)
    return undefined;
  const needed = scopeOf(rule);
  const held = [...principal.scopes];
  const outcome = isInScope(principal.scopes, needed) ? 'passed' : 'refused';
  return {
    rule: 'key_scope',
    outcome,
    because: needed === undefined ? reason('no_scope', { held }) : named(`${needed}: ${held.join(', ')}`),
  };
};

const weigh = (rule: Rule, principal: Principal): Verdict => {
  const scope = keyScope(rule, principal);
  if (scope === undefined) return weighRule(rule, principal);
  if (scope.outcome === 'refused') return { steps: [scope] };
  const { steps, terms } = weighRule(rule, principal);
  return { steps: [scope, ...steps], terms };
};

const weighRule = (rule: Rule, principal: Principal): Verdict => {
  switch (rule.kind) {
    case 'open':
      return {
        steps: [step('open', 'passed', reason('anybody'))],
        terms: everyRow(rule.readable),
      };
    case 'identified':
      return principal.kind === 'nobody'
        ? { steps: [step('user', 'refused', kindOf(principal))] }
        : { steps: [step('user', 'passed', kindOf(principal))], terms: everyRow() };
    case 'user':
      return asUser(principal, (user) => ownRows(user, rule.own, rule.readable ?? []));
    case 'isolated':
      return asUser(principal, (user) =>
        isAdministrator(user)
          ? {
              steps: [step('isolation', 'passed', rolesOf(user))],
              terms: everyRow(rule.readable),
            }
          : ownRows(user, rule.own, rule.readable),
      );
    case 'administrator':
      return asUser(principal, (user) => administrator(user, rule.own, rule.readable ?? []));
    case 'roles':
      return asUser(principal, (user) => holder(user, rule.roles));
    case 'resource':
      if (rule.managed !== undefined) return decideManaged(rule, rule.managed, principal, weigh);
      return withReferences(rule, principal, decideResource(rule, principal));
  }
};

const withReferences = (rule: ResourceRule, principal: Principal, verdict: Verdict): Verdict => {
  const { steps, terms } = verdict;
  if (terms === undefined || rule.references === undefined) return verdict;
  return { steps, terms: { ...terms, references: referenceTerms(rule, terms, principal, weigh) } };
};

const ownRows = (user: UserPrincipal, own: string | undefined, readable: readonly string[]): Verdict => {
  const passed = step('user', 'passed', named(user.username));
  if (own === undefined) return { steps: [passed], terms: everyRow(readable) };
  return {
    steps: [passed, step('isolation', 'narrowed', named(`${own} = ${user.id}`))],
    terms: { rows: [{ column: own, value: user.id }], readable, writable: none },
  };
};

const holder = (user: UserPrincipal, roles: readonly string[]): Verdict => {
  const because = reason('one_of_roles', { held: user.roles, roles });
  const passes = isSuperAdmin(user) || user.roles.some((role) => roles.includes(role));
  return passes
    ? { steps: [step('role', 'passed', because)], terms: everyRow() }
    : { steps: [step('role', 'refused', because)] };
};

const administrator = (
  user: UserPrincipal,
  own: string | undefined,
  readable: readonly string[],
): Verdict => {
  const because = rolesOf(user);
  if (!isAdministrator(user)) return { steps: [step('administrator', 'refused', because)] };
  const passed = step('administrator', 'passed', because);
  if (own === undefined) return { steps: [passed], terms: everyRow(readable) };
  const { steps, terms } = ownRows(user, own, readable);
  return { steps: [passed, ...steps], terms };
};

/** True if a user who must change the password may call it before that. */
export const isBeforePasswordChange = (rule: Rule): boolean =>
  'beforePasswordChange' in rule && rule.beforePasswordChange === true;

/** A check before any rule: a user who must change the password may do nothing else. Undefined for all others. */
const passwordChange = (rule: Rule, principal: Principal): Step | undefined => {
  if (principal.kind !== 'user' || !principal.mustChangePassword) return undefined;
  const outcome = isBeforePasswordChange(rule) ? 'passed' : 'refused';
  return step('password_change', outcome, reason('must_change_password', { user: principal.username }));
};

/** True if it is a rule of the administration area, whose endpoints demand the second factor. */
export const asksSecondFactor = (rule: Rule): boolean =>
  rule.kind === 'administrator' || (rule.kind === 'resource' && rule.area === 'admin');

/** True if an administrator who has to set up a second factor may call it before that. */
export const isBeforeSecondFactor = (rule: Rule): boolean =>
  'beforeSecondFactor' in rule && rule.beforeSecondFactor === true;

/** A step of the second factor, with its refusal. */
interface FactorStep {
  readonly step: Step;
  readonly problem?: 'second_factor_due' | 'second_factor_missing';
}

/**
 * A check of administrators at the endpoints of the administration area, before any rule: a second factor that exists
 * must have been proved, and one that is required must be set up first. Undefined for all others.
 */
const secondFactor = (rule: Rule, principal: Principal): FactorStep | undefined => {
  if (principal.kind !== 'user' || !asksSecondFactor(rule) || !isAdministrator(principal)) return undefined;
  const { username: user, method } = principal;
  switch (principal.secondFactor) {
    case 'none':
      return undefined;
    case 'given':
      return { step: step('second_factor', 'passed', reason('factor_given', { user })) };
    case 'missing':
      return {
        step: step('second_factor', 'refused', reason('factor_missing', { user, method })),
        problem: 'second_factor_missing',
      };
    case 'due': {
      const because = reason('factor_due', { user });
      return isBeforeSecondFactor(rule)
        ? { step: step('second_factor', 'passed', because) }
        : { step: step('second_factor', 'refused', because), problem: 'second_factor_due' };
    }
  }
};

/**
 * Decides whether the principal may call an endpoint, and which rows and fields they reach. Pure: it depends on its
 * arguments only, so that a decision can be explained and repeated without any look-up.
 */
export const decide = (rule: Rule, principal: Principal): Decision => {
  const due = passwordChange(rule, principal);
  if (due?.outcome === 'refused')
    return { allowed: false, steps: [due], problem: new Problem('password_change_required') };
  const factor = secondFactor(rule, principal);
  const before = [due, factor?.step].filter((step) => step !== undefined);
  if (factor?.problem !== undefined)
    return { allowed: false, steps: before, problem: new Problem(factor.problem) };
  const { steps: weighed, terms } = weigh(rule, principal);
  const steps = before.length === 0 ? weighed : [...before, ...weighed];
  const refusal = steps.at(-1)?.rule === 'key_scope' ? 'key_out_of_scope' : 'forbidden';
  return terms === undefined
    ? { allowed: false, steps, problem: new Problem(refusal) }
    : { allowed: true, steps, grant: new MintedGrant({ ...terms, principal }) };
};

/** Adds the scopes that a rule needs. */
const noteUses = (rule: Rule, uses: Set<string>): void => {
  for (const each of rule.kind === 'resource' ? [rule, ...shownBy(rule)] : [rule]) {
    const scope = scopeOf(each);
    if (scope !== undefined) uses.add(scope);
  }
};

/**
 * Decides like `decide`, for a request that is made. An allowed decision adds the scopes that it needs to the `uses` of
 * the principal of a key. References count whether a body names one or not: without their scopes it could not.
 */
export const admit = (rule: Rule, principal: Principal): Decision => {
  const decision = decide(rule, principal);
  if (decision.allowed && principal.kind === 'user' && principal.uses !== undefined)
    noteUses(rule, principal.uses);
  return decision;
};
