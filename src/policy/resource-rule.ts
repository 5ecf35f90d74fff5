import type { Principal } from '../auth/principal.ts';
import { type Action, type PublicCondition, type ResourceModel, viewByAction } from '../model/resource.ts';
import type { RowFilter } from './grant.ts';
import { isAdministrator, isSuperAdmin } from './roles.ts';
import type { ResourceRule } from './rule.ts';
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

/** Whether a decision by this rule looks at the permission table. */
export const asksPermission = (rule: ResourceRule): boolean =>
  publishedRows(rule) === undefined && isChecked(rule);

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

const isolation = ({ model, action }: ResourceRule, principal: Principal): readonly [Step, RowFilter] => {
  if (!model.rules.isolation || model.owner === undefined)
    return [step('isolation', 'off', 'every record'), []];
  if (action === 'create') return [step('isolation', 'passed', 'a new record'), []];
  if (principal.kind !== 'user')
    return [step('isolation', 'narrowed', `${principal.kind} owns no record`), 'none'];
  if (isAdministrator(principal)) return [step('isolation', 'passed', principal.roles.join(', ')), []];
  return [
    step('isolation', 'narrowed', `${model.owner} = ${principal.id}`),
    [{ column: model.owner, value: principal.id }],
  ];
};

/** The owner that a created record gets; undefined where the body or nothing decides. */
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
  readonly forAdministrators: ReadonlySet<string>;
  readonly forOthers: ReadonlySet<string>;
}

const fieldsOfModels = new WeakMap<ResourceModel, Fields>();

const fieldsOf = (model: ResourceModel): Fields => {
  const known = fieldsOfModels.get(model);
  if (known !== undefined) return known;
  const { rules, owner } = model;
  const ownerIsSet = rules.isolation || rules.ownership;
  const names = [...model.fields.values()]
    .filter((field) => !field.serverSet && !(ownerIsSet && field.name === owner))
    .map(({ name }) => name);
  const fields: Fields = {
    all: Object.freeze([...model.fields.keys()]),
    forAdministrators: new Set(names),
    forOthers: new Set(names.filter((name) => !rules.restricted.has(name))),
  };
  fieldsOfModels.set(model, fields);
  return fields;
};

/** Fields that a body may set: not the server's, not the owner under isolation or ownership, not restricted ones. */
export const writableFields = (model: ResourceModel, principal: Principal): ReadonlySet<string> => {
  const { forAdministrators, forOthers } = fieldsOf(model);
  return principal.kind === 'user' && isAdministrator(principal) ? forAdministrators : forOthers;
};

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
 * The rules of a generated resource, in their order. Public reads stand in for authentication, read check and
 * isolation; everything else is asked of every caller.
 */
export const decideResource = (rule: ResourceRule, principal: Principal): Verdict => {
  const { model, action, area } = rule;
  const readable = area === 'admin' ? fieldsOf(model).all : model.views[rule.view ?? viewByAction[action]];
  const published = publishedRows(rule);
  if (published !== undefined) {
    const because = published.map(({ column, value }) => `${column} = ${value}`).join(', ');
    return {
      steps: [step('public_read', 'passed', because)],
      terms: { rows: published, readable, writable: nothing },
    };
  }
  const steps: Step[] = [];
  for (const asked of [administration(rule, principal), permission(rule, principal)]) {
    if (asked === undefined) continue;
    steps.push(asked);
    if (asked.outcome === 'refused') return { steps };
  }
  const [isolated, rows] = isolation(rule, principal);
  const [owned, owner] = ownership(rule, principal);
  const writable = isRead(action) ? nothing : writableFields(model, principal);
  return {
    steps: [...steps, isolated, owned, restriction(rule, writable)],
    terms: { rows, readable, writable, owner },
  };
};
