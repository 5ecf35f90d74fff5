/** Explains which records and fields an admitted request reaches, and the record that its path names. */

import type { CallerStore } from '../../accounts/users.ts';
import type { Principal } from '../../auth/principal.ts';
import type { RecordId } from '../../fields/key.ts';
import { readsInArea } from '../../http/administration.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { type Locale, labelText, type ReasonName } from '../../kernel/messages.ts';
import type { ProblemName } from '../../kernel/problem-table.ts';
import { displayName } from '../../model/display.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { named, permissionAction, publicOrOwn, reason } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import type { ConditionExplainer, ConditionParts, ConditionsAsked } from './explained-conditions.ts';
import { explainRelations } from './explained-relations.ts';
import type { ExplainedRecord, ExplainedStep } from './explained-step.ts';

export interface RecordParts extends ConditionParts {
  /** Users and keys that an administrator asks about. */
  readonly callers: CallerStore;
}

/** A request that the policy admits; the records that it reaches are still to be explained. */
export interface Admitted {
  readonly endpoint: Endpoint;
  readonly grant: Grant;
  readonly params: Call['params'];
  readonly query: string;
  readonly models: Models;
  readonly asker: Principal;
  readonly parts: RecordParts;
  /** Language of the names of models in reasons. */
  readonly language: Locale;
  readonly conditions: ConditionExplainer;
}

/** The rule by which the caller reaches records, or makes one, and the subject of its conditions. */
const reachConditions = ({ endpoint, grant, params }: Admitted): ConditionsAsked | undefined => {
  const { policy, reaches } = endpoint;
  if (policy.kind !== 'resource' || policy.model.rules.isolation === undefined) return undefined;
  const { model, action } = policy;
  const { create } = policy.model.rules.isolation;
  const read = publicOrOwn(policy) ?? policy.model.rules.isolation.read;
  const caller = grant.principal;
  if (action === 'create')
    return { model, expression: create.expression, otherwise: 'body', id: undefined, caller };
  if (reaches === undefined)
    return { model, expression: read.expression, otherwise: 'list', id: undefined, caller };
  const id = model.key.parse(params['id'] ?? '');
  return { model, expression: read.expression, otherwise: 'unknown', id, caller };
};

/** Sets of fields that the caller writes, or sees, in some records only, with their rule. */
const fieldSets = ({ endpoint: { policy }, grant }: Admitted) => {
  if (policy.kind !== 'resource') return [];
  const { held = [], mask } = grant;
  const { restrictedUnless, viewedWhen } = policy.model.rules;
  const isHeld = (name: string): boolean => held.some(({ fields }) => fields.includes(name));
  return [
    ...restrictedUnless
      .filter(({ fields }) => fields.some(isHeld))
      .map((set) => ({ ...set, rule: 'restricted_fields', word: 'fields_unless' }) as const),
    ...(mask === undefined || policy.action === 'destroy' ? [] : viewedWhen).map(
      (set) => ({ ...set, rule: 'viewed_fields', word: 'fields_when' }) as const,
    ),
  ];
};

/** A step for each such set, with its conditions. */
const fieldSteps = (admitted: Admitted): readonly Promise<ExplainedStep>[] => {
  const { policy, reaches } = admitted.endpoint;
  const { principal: caller } = admitted.grant;
  if (policy.kind !== 'resource') return [];
  const { model, action } = policy;
  const id = model.key.parse(admitted.params['id'] ?? '');
  const otherwise = action === 'create' ? 'body' : reaches === undefined ? 'list' : 'unknown';
  return fieldSets(admitted).map(
    async ({ fields, condition: { expression, words }, rule, word }): Promise<ExplainedStep> => {
      const conditions = await admitted.conditions.explain({ model, expression, otherwise, id, caller });
      const outcome = conditions.rule.outcome === 'passed' ? 'passed' : 'narrowed';
      return { rule, outcome, because: reason(word, { fields, words }), conditions };
    },
  );
};

/** A step of the policy that leaves some rows, with the conditions that say which. */
const withConditions = async (admitted: Admitted, step: ExplainedStep): Promise<ExplainedStep> => {
  const asked =
    step.rule === 'isolation' && step.outcome === 'narrowed' ? reachConditions(admitted) : undefined;
  if (asked === undefined) return step;
  const conditions = await admitted.conditions.explain(asked);
  // A caller who can write no record at all is refused whatever the body is.
  const outcome = admitted.grant.writes === 'none' && asked.otherwise === 'body' ? 'refused' : step.outcome;
  return { ...step, outcome, conditions };
};

/** A record of which the administrator may know: its name, and its owner where the model has one. */
const knownRecord = async (
  { parts, language }: Admitted,
  { name: model, path, label, display, owner }: ResourceModel,
  asked: Grant,
  id: RecordId,
): Promise<ExplainedRecord & { readonly name: string }> => {
  const shown = await parts.resources.get(model)?.show(asked, id);
  const row = JSON.parse(shown?.json ?? '{}') as Readonly<Record<string, unknown>>;
  const ownerId = owner === undefined ? undefined : row[owner];
  const user = typeof ownerId === 'number' ? await parts.callers.user(ownerId) : undefined;
  const title = (display === undefined ? undefined : displayName(display, row)) ?? `#${id}`;
  return {
    model,
    path,
    id,
    name: `${labelText(label, language)} ${title}`,
    owner: user === undefined ? null : { id: user.id, name: user.username },
  };
};

/** True if only the owner of a record reads it. */
const isReadByOwner = ({ owner, rules: { isolation } }: ResourceModel): boolean =>
  isolation !== undefined &&
  (isolation.byOwner ||
    (isolation.read.expression.kind === 'own' && isolation.read.expression.column === owner));

/** The reason why the caller does not reach an existing record. */
const outOfScope = async (admitted: Admitted, model: ResourceModel, asked: Grant, id: RecordId) => {
  const { principal } = admitted.grant;
  const { name, ...record } = await knownRecord(admitted, model, asked, id);
  const { owner } = record;
  if (!isReadByOwner(model) || principal.kind !== 'user')
    return { record, because: reason('record_out_of_scope', { record: name }) };
  const user = principal.username;
  return {
    record,
    because:
      owner === null
        ? reason('record_of_nobody', { record: name, user })
        : reason('record_of_other', { record: name, owner: owner.name, user }),
  };
};

/**
 * The step about the record that the path names: the caller reaches it, or not. An administrator who may not read the
 * model's records receives the same for an existing record as for a missing one.
 */
const recordStep = async (admitted: Admitted): Promise<ExplainedStep | undefined> => {
  const {
    endpoint: { policy, reaches },
    grant,
    params,
    asker,
  } = admitted;
  if (reaches === undefined) return undefined;
  const record = Object.values(params).join(' ');
  const refused = (why: ReasonName): ExplainedStep => ({
    rule: 'record',
    outcome: 'refused',
    because: reason(why, { record }),
  });
  const asked = policy.kind === 'resource' ? readsInArea(asker, policy.model) : undefined;
  if (policy.kind === 'resource' && asked === undefined) return refused('record_missing_or_out_of_scope');
  if (await reaches(grant, params)) return { rule: 'record', outcome: 'passed', because: named(record) };
  if (policy.kind !== 'resource' || asked === undefined) return refused('record_missing_or_out_of_scope');
  const id = policy.model.key.parse(params['id'] ?? '');
  if (!(await reaches(asked, params))) return refused('record_missing');
  return id === undefined
    ? refused('record_out_of_scope')
    : { rule: 'record', outcome: 'refused', ...(await outOfScope(admitted, policy.model, asked, id)) };
};

/** The step about the relations that the query names: each leads to records of which the caller may read some. */
const relatedStep = ({ endpoint, grant, query, models }: Admitted): ExplainedStep | undefined => {
  const relations = explainRelations(endpoint, query, grant.principal, models);
  if (relations === undefined) return undefined;
  const { named: names, refused } = relations;
  return refused === undefined
    ? { rule: 'related', outcome: 'passed', because: named(names) }
    : { rule: 'related', outcome: 'refused', because: refused };
};

/** The step about writing a record that is reached, where a rule of its own decides about writes. */
const writeStep = async (admitted: Admitted): Promise<ExplainedStep | undefined> => {
  const { endpoint, grant, params } = admitted;
  const { policy } = endpoint;
  const asked = reachConditions(admitted);
  const { isolation } = asked?.model.rules ?? {};
  if (asked === undefined || isolation === undefined || policy.kind !== 'resource') return undefined;
  const write = isolation[permissionAction(policy.action)];
  if (write === isolation.read) return undefined;
  if (endpoint.writes === undefined || grant.writes === undefined) return undefined;
  const outcome = (await endpoint.writes(grant, params)) ? 'passed' : 'refused';
  const conditions = await admitted.conditions.explain({ ...asked, expression: write.expression });
  return { rule: 'record_write', outcome, because: named(write.words), conditions };
};

/** The steps after the policy, until one refuses. */
export const recordSteps = async (
  admitted: Admitted,
  decided: readonly ExplainedStep[],
): Promise<{ readonly steps: readonly ExplainedStep[]; readonly problem?: ProblemName }> => {
  const steps: ExplainedStep[] = await Promise.all([
    ...decided.map((step) => withConditions(admitted, step)),
    ...fieldSteps(admitted),
  ]);
  if (steps.some(({ outcome }) => outcome === 'refused')) return { steps, problem: 'forbidden' };
  const relations = relatedStep(admitted);
  if (relations !== undefined) steps.push(relations);
  if (relations?.outcome === 'refused') return { steps, problem: 'forbidden' };
  const record = await recordStep(admitted);
  if (record === undefined) return { steps };
  steps.push(record);
  if (record.outcome === 'refused') return { steps, problem: 'record_not_found' };
  const write = await writeStep(admitted);
  if (write === undefined) return { steps };
  steps.push(write);
  return write.outcome === 'refused' ? { steps, problem: 'forbidden' } : { steps };
};
