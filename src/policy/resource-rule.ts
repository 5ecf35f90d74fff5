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

/** The administration area opens to super_admin and admin only. */
const administration = ({ area }: ResourceRule, principal: Principal): Step | undefined => {
  if (area === 'api') return undefined;
  const because = principal.kind === 'user' ? principal.roles.join(', ') : principal.kind;
  const inside = principal.kind === 'user' && isAdministrator(principal);
  return step('administrator', inside ? 'passed' : 'refused', because);
};

/** What a record must meet to be read by anybody; undefined where the rule asks who the caller is. */
const publishedRows = ({ model, action, area }: ResourceRule): readonly PublicCondition[] | undefined =>
  area === 'api' && isRead(action) ? model.rules.publicRead : undefined;

const isChecked = ({ model, action }: ResourceRule): boolean =>
  model.rules.permissions === 'all' || (model.rules.permissions === 'writes' && !isRead(action));

/** Which records signed-in callers read beside those that anybody does; undefined where these are all. */
export const publicOrOwn = (rule: ResourceRule): RowReachRule | undefined =>
  publishedRows(rule) === undefined ? undefined : rule.model.rules.publicOrOwn;

/** Whether a rule that lets anybody read shows more to signed-in callers. */
export const readsOwn = (rule: Rule): boolean => rule.kind === 'resource' && publicOrOwn(rule) !== undefined;

/** Whether a decision by this rule looks at the permission table. */
export const asksPermission = (rule: ResourceRule): boolean =>
  isChecked(rule) && (publishedRows(rule) === undefined || publicOrOwn(rule) !== undefined);

/** At least one role of the caller is granted the action, or the caller is a super_admin. No user, no role. */
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

/** The permission entry that an action asks for. */
export const permissionAction = (action: Action): 'create' | 'update' | 'destroy' | 'read' =>
  action === 'list' || action === 'detail' ? 'read' : action;

/** The rows of a rule for this caller. */
const rowsOf = ({ user, others }: RowReachRule, principal: Principal): RowFilter => {
  if (principal.kind !== 'user') return others === 'none' ? others : others.map((rule) => bound(rule, null));
  return user.map((rule) => bound(rule, principal.id));
};

/** What one column decides stands as such: an index that leads by it finds the rows. */
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

/** The contract's rule. */
const ownRows = (owner: string, principal: Principal): Isolated =>
  principal.kind === 'user'
    ? {
        step: step('isolation', 'narrowed', `${owner} = ${principal.id}`),
        rows: [{ column: owner, value: principal.id }],
      }
    : { step: step('isolation', 'narrowed', `${principal.kind} owns no record`), rows: 'none' };

/** Whether a write is held to a rule that is not the one by which its record is reached. */
export const isHeldToRule = (model: ResourceModel, action: Action): boolean => {
  const rule = model.rules.isolation;
  if (rule === undefined || rule.byOwner || isRead(action)) return false;
  // A record that is reached at all may be deleted where both are one; an update may still lead out of it.
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

/** The owner that a created record gets unless an administrator names another; undefined where the body or nothing decides. */
const ownership = (
  { model, action }: ResourceRule,
  principal: Principal,
): readonly [Step, number | null | undefined] => {
  if (!model.rules.ownership || model.owner === undefined || action !== 'create')
    return [step('ownership', 'off', 'not set'), undefined];
  const owner = principal.kind === 'user' ? principal.id : null;
  return [step('ownership', 'passed', `${model.owner} = ${owner}`), owner];
};

/** What the rules of a model come to for a kind of caller; found once, as models never change. */
interface Fields {
  readonly all: readonly string[];
  /** What administrators write in the administration area, the owner included. */
  readonly inAdministration: ReadonlySet<string>;
  readonly forAdministrators: ReadonlySet<string>;
  readonly forOthers: ReadonlySet<string>;
}

const fieldsOfModels = new WeakMap<ResourceModel, Fields>();

const fieldsOf = (model: ResourceModel): Fields => {
  const known = fieldsOfModels.get(model);
  if (known !== undefined) return known;
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

/** Fields that some body sets: not the server's, and not the owner under ownership, except in the administration area. */
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

/** Fields of an answer to whoever is allowed what the rule is about. */
export const readableFields = ({ model, action, area, view }: ResourceRule): readonly string[] =>
  area === 'admin' ? fieldsOf(model).all : model.views[view ?? viewByAction[action]];

const restriction = (rule: ResourceRule, writable: ReadonlySet<string>): Step => {
  const { restricted } = rule.model.rules;
  if (restricted.size === 0 || isRead(rule.action)) return step('restricted_fields', 'off', 'none');
  const kept = [...restricted].filter((name) => !writable.has(name));
  return kept.length === 0
    ? step('restricted_fields', 'passed', [...restricted].join(', '))
    : step('restricted_fields', 'narrowed', kept.join(', '));
};

const nothing: ReadonlySet<string> = new Set();

/**
 * What a caller reads beside published records, by the methods of authentication that the model takes; undefined where
 * that is nothing. The read check is asked for these records, and leaves the published ones without it.
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
  const asked = permission(rule, principal);
  if (asked.outcome === 'refused') return { steps: [{ ...asked, outcome: 'narrowed' }], rows: published };
  if (principal.kind === 'user' && isAdministrator(principal)) {
    const { step: passed, rows } = everyRow(principal.roles.join(', '), 'passed');
    return { steps: [asked, passed], rows };
  }
  return { steps: [asked, step('isolation', 'narrowed', own.words)], rows: rowsOf(own, principal) };
};

/**
 * The rules of a generated resource, in their order. Public reads stand in for authentication, read check and
 * isolation; everything else is asked of every caller.
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
