import { type Principal, takes } from '../auth/principal.ts';
import { methodsNamed } from '../auth/registry.ts';
import { type Action, type PublicCondition, type ResourceModel, viewByAction } from '../model/resource.ts';
import type { RowReachRule, RowTerm } from '../model/row-expression.ts';
import type { RowCondition, RowFilter } from './grant.ts';
import { isAdministrator, isSuperAdmin } from './roles.ts';
import type { ResourceRule, Rule } from './rule.ts';
import type { Step, StepRule, Verdict } from './step.ts';

const isRead = (action: Action): boolean => action === 'list' || action === 'detail';

const step = (rule: StepRule, outcome: Step['outcome'], because: string): Step => ({
  rule,
  outcome,
  because,
});

/** The administration area is open to super_admin and admin only. */
const administration = ({ area }: ResourceRule, principal: Principal): Step | undefined => {
  if (area === 'api') return undefined;
  const because = principal.kind === 'user' ? principal.roles.join(', ') : principal.kind;
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

/** Whether a rule for public reads shows more to authenticated callers. */
export const readsOwn = (rule: Rule): boolean => rule.kind === 'resource' && publicOrOwn(rule) !== undefined;

/** Whether a decision by this rule uses the permission table. */
export const asksPermission = (rule: ResourceRule): boolean =>
  isChecked(rule) && (publishedRows(rule) === undefined || publicOrOwn(rule) !== undefined);

/**
 * Passes if a role of the caller is granted the action, or the caller is a super_admin. Without a user there is no
 * role.
 */
const permission = (rule: ResourceRule, principal: Principal): Step => {
  const { model, action } = rule;
  if (!isChecked(rule)) return step('permission', 'off', 'not checked');
  if (principal.kind !== 'user') return step('permission', 'refused', `${principal.kind} has no role`);
  if (isSuperAdmin(principal)) return step('permission', 'passed', 'super_admin');
  const entry = permissionAction(action);
  const granted = principal.granted.includes(`${model.name}.${entry}`);
  return step(
    'permission',
    granted ? 'passed' : 'refused',
    `${principal.roles.join(', ')}: ${model.name} ${entry}`,
  );
};

/** The permission entry that an action needs. */
export const permissionAction = (action: Action): 'create' | 'update' | 'destroy' | 'read' =>
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

const everyRow = (because: string, outcome: 'off' | 'passed'): Isolated => ({
  step: step('isolation', outcome, because),
  rows: [],
});

/** The contract's rule of isolation. */
const ownRows = (owner: string, principal: Principal): Isolated =>
  principal.kind === 'user'
    ? {
        step: step('isolation', 'narrowed', `${owner} = ${principal.id}`),
        rows: [{ column: owner, value: principal.id }],
      }
    : { step: step('isolation', 'narrowed', `${principal.kind} owns no record`), rows: 'none' };

/** Whether a write has to meet another rule than the one by which its record is reached. */
export const isHeldToRule = (model: ResourceModel, action: Action): boolean => {
  const rule = model.rules.isolation;
  if (rule === undefined || rule.byOwner || isRead(action)) return false;
  // With one rule for both, a record that is reached may be deleted; an update may still move it out of reach.
  return action !== 'destroy' || rule.read !== rule.write;
};

const isolation = ({ model, action }: ResourceRule, principal: Principal): Isolated => {
  const rule = model.rules.isolation;
  if (rule === undefined) return everyRow('every record', 'off');
  const isNew = action === 'create';
  if (isNew && rule.byOwner) return everyRow('a new record', 'passed');
  if (principal.kind === 'user' && isAdministrator(principal))
    return everyRow(principal.roles.join(', '), 'passed');
  if (rule.byOwner) return ownRows(model.owner ?? '', principal);
  const { read, write } = rule;
  const narrowed = step('isolation', 'narrowed', isNew ? write.words : read.words);
  const rows = isNew ? [] : rowsOf(read, principal);
  return isHeldToRule(model, action)
    ? { step: narrowed, rows, writes: rowsOf(write, principal) }
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
    return [step('ownership', 'off', 'not set'), undefined];
  const owner = principal.kind === 'user' ? principal.id : null;
  return [step('ownership', 'passed', `${model.owner} = ${owner}`), owner];
};

/** The fields of a model by kind of caller; computed once, as models never change. */
interface Fields {
  readonly all: readonly string[];
  /** Fields that administrators write in the administration area, including the owner. */
  readonly inAdministration: ReadonlySet<string>;
  readonly forAdministrators: ReadonlySet<string>;
  readonly forOthers: ReadonlySet<string>;
}

const fieldsOfModels = new WeakMap<ResourceModel, Fields>();

const fieldsOf = (model: ResourceModel): Fields => {
  const cached = fieldsOfModels.get(model);
  if (cached !== undefined) return cached;
  const { rules, owner } = model;
  const names = [...model.fields.values()].filter((field) => !field.serverSet).map(({ name }) => name);
  const inBodies = names.filter((name) => !(rules.ownership && name === owner));
  const fields: Fields = {
    all: Object.freeze([...model.fields.keys()]),
    inAdministration: new Set(names),
    forAdministrators: new Set(inBodies),
    forOthers: new Set(inBodies.filter((name) => !rules.restricted.has(name))),
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
): ReadonlySet<string> =>
  principal.kind === 'user' && isAdministrator(principal)
    ? fieldsOfBodies(model, area)
    : fieldsOf(model).forOthers;

/** Fields of the response for a caller whom the rule allows. */
export const readableFields = ({ model, action, area, view }: ResourceRule): readonly string[] =>
  area === 'admin' ? fieldsOf(model).all : model.views[view ?? viewByAction[action]];

const restriction = (rule: ResourceRule, writable: ReadonlySet<string>): Step => {
  const { restricted } = rule.model.rules;
  if (restricted.size === 0 || isRead(rule.action)) return step('restricted_fields', 'off', 'none');
  const unwritable = [...restricted].filter((name) => !writable.has(name));
  return unwritable.length === 0
    ? step('restricted_fields', 'passed', [...restricted].join(', '))
    : step('restricted_fields', 'narrowed', unwritable.join(', '));
};

const nothing: ReadonlySet<string> = new Set();

/**
 * The records that a caller reads beside published ones, by the authentication methods that the model accepts;
 * undefined where there are none. The read check applies to these records only.
 */
const ownReads = (
  rule: ResourceRule,
  principal: Principal,
  published: readonly PublicCondition[],
): { readonly steps: readonly Step[]; readonly rows: RowFilter } | undefined => {
  const { model, action } = rule;
  const own = publicOrOwn(rule);
  if (own === undefined || principal.kind === 'nobody') return undefined;
  if (!takes(methodsNamed(model.auth[action]), principal)) return undefined;
  const permitted = permission(rule, principal);
  if (permitted.outcome === 'refused')
    return { steps: [{ ...permitted, outcome: 'narrowed' }], rows: published };
  if (principal.kind === 'user' && isAdministrator(principal)) {
    const { step: passed, rows } = everyRow(principal.roles.join(', '), 'passed');
    return { steps: [permitted, passed], rows };
  }
  return { steps: [permitted, step('isolation', 'narrowed', own.words)], rows: rowsOf(own, principal) };
};

/**
 * Applies the rules of a generated resource, in order. Public reads skip authentication, read check and isolation;
 * every other rule applies to all callers.
 */
export const decideResource = (rule: ResourceRule, principal: Principal): Verdict => {
  const { model, action } = rule;
  const readable = readableFields(rule);
  const published = publishedRows(rule);
  if (published !== undefined) {
    const because = published.map(({ column, value }) => `${column} = ${value}`).join(', ');
    const { steps = [], rows = published } = ownReads(rule, principal, published) ?? {};
    return {
      steps: [step('public_read', 'passed', because), ...steps],
      terms: { rows, readable, writable: nothing },
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
  return {
    steps: [...steps, isolated, owned, restriction(rule, writable)],
    terms: { rows, writes, readable, writable, owner },
  };
};
