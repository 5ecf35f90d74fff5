/**
 * The report of `gatewright audit`: callers of each endpoint, recommended rules that are off, indexes that the database
 * lacks.
 */

import {
  type Difference,
  describeDifference,
  type MissingIndex,
  missingIndexes,
} from '../database/schema-differences.ts';
import { accessOf, type FieldRules, fieldRulesOf } from '../http/describe.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Models } from '../model/models.ts';
import { openRecords } from '../model/open-records.ts';
import type { ResourceModel } from '../model/resource.ts';
import {
  everyName,
  type IsolationSentences,
  isolationSentences,
  rowSentence,
} from '../model/row-sentences.ts';

/** The recommended rules for production use, in the contract's order, by the names of this report. */
const recommendedRules = [
  'field_filtering',
  'permission_check',
  'isolation',
  'write_filtering',
  'ownership',
  'public_read',
  'missing_is_404',
  'smaller_saved_answer',
  'delete_envelope',
] as const;
export type RecommendedRule = (typeof recommendedRules)[number];

/** Rules of fields as in `x-gatewright`, each absent where the resource has none. */
export interface ResourceReport extends FieldRules {
  readonly model: string;
  readonly path: string;
  /** Recommended rules that the resource does not use. */
  readonly off: readonly RecommendedRule[];
  /** True if any caller who signs in may change records; no permission is asked. */
  readonly open: boolean;
  /** The records that are open; undefined unless `open`. */
  readonly open_records: string | undefined;
  /** The records that callers other than administrators read and write; undefined where they reach all of them. */
  readonly isolation: IsolationSentences | undefined;
  /** The deleted records that they manage; undefined where they manage none. */
  readonly manage: string | undefined;
  /** Rules that are valid in combination but rarely intended. */
  readonly warnings: readonly string[];
}

export interface AuditReport {
  /** Method, path and allowed callers, in the form of `x-gatewright` in the API description. */
  readonly endpoints: readonly JsonObject[];
  readonly resources: readonly ResourceReport[];
  /** Programs that lack known security fixes, one sentence each: the Node of this process, and the database. */
  readonly outdated: readonly string[];
  /** Other differences between models and database, one line each; null where no database was compared. */
  readonly differences: readonly string[] | null;
  /** Indexes that models and row rules need and the database lacks; null where no database was compared. */
  readonly missing_indexes: readonly MissingIndex[] | null;
}

/** True if a resource uses a rule. Two rules apply to every resource. */
const uses: Readonly<Record<RecommendedRule, (model: ResourceModel) => boolean>> = {
  field_filtering: ({ views, fields, rules }) =>
    views.list.length < fields.size || views.detail.length < fields.size || rules.viewedWhen.length > 0,
  permission_check: ({ rules }) => rules.permissions !== 'none',
  isolation: ({ rules }) => rules.isolation !== undefined,
  write_filtering: ({ rules }) => rules.restricted.size > 0 || rules.restrictedUnless.length > 0,
  ownership: ({ rules }) => rules.ownership,
  public_read: ({ rules }) => rules.publicRead !== undefined,
  missing_is_404: () => true,
  smaller_saved_answer: ({ views }) => views.saved.length < views.detail.length,
  delete_envelope: () => true,
};

/** Warnings about rules that are valid in combination but rarely intended. */
export const ruleWarnings = ({ name, rules, fields, counted }: ResourceModel): readonly string[] => {
  const warnings: string[] = [];
  if (rules.isolation?.byOwner === true && !rules.ownership)
    warnings.push(
      `${name}: isolation without ownership: a new record has no owner unless its body names one, and then only administrators read it`,
    );
  const becomesNull = (name: string): boolean =>
    [...fields.values()].some(({ column, onDelete }) => column === name && onDelete === 'null');
  for (const { field, per } of counted)
    if (per !== undefined && becomesNull(per))
      warnings.push(
        `${name}.${field.name}: ${per} becomes null when its record is deleted, and then a number can occur twice among those without one; give it onDelete: 'restrict' or 'cascade'`,
      );
  return warnings;
};

/**
 * Warnings about references between models of one tenant that lack `same`: both have a required reference of the same
 * name to the same model.
 */
const tenantWarnings = ({ name: model, fields }: ResourceModel, models: Models): readonly string[] =>
  [...fields.values()].flatMap(({ name, reference = '', same }): string[] => {
    const target = models.get(reference);
    if (target === undefined || same !== undefined) return [];
    const shared = [...fields.values()].find((each) => {
      const other = target.fields.get(each.name);
      const isTenant = each.reference !== undefined && each.reference !== 'User' && each.name !== name;
      return isTenant && each.required && other?.required === true && other.reference === each.reference;
    });
    if (shared === undefined) return [];
    return [
      `${model}.${name}: it may name a ${reference} of another ${shared.name}; same: '${shared.name}' keeps both within one`,
    ];
  });

const reportOn = (model: ResourceModel, models: Models): ResourceReport => {
  const { isolation, manage } = model.rules;
  const reader = everyName(models);
  const open = openRecords(model);
  return {
    model: model.name,
    path: `/api/v1/${model.path}`,
    off: recommendedRules.filter((rule) => !uses[rule](model)),
    open: open !== undefined,
    open_records: open && rowSentence(open, model, reader, 'en'),
    isolation: isolation && isolationSentences(isolation, model, reader, 'en'),
    manage: manage && rowSentence(manage.expression, model, reader, 'en'),
    ...fieldRulesOf(model, { models, locale: 'en' }),
    warnings: [...ruleWarnings(model), ...tenantWarnings(model, models)],
  };
};

/** True if the difference is a missing index, which the report lists separately. */
const isIndex = ({ kind }: Difference): boolean => kind === 'missing_index' || kind === 'missing_unique';

/**
 * Reports the callers of each endpoint, recommended rules that are off, and differences of the database if it was
 * compared. A pure function of endpoints, models and differences.
 */
export const auditReport = (
  endpoints: readonly Endpoint[],
  models: Models,
  found: readonly Difference[] | undefined,
  outdated: readonly string[],
): AuditReport => ({
  endpoints: endpoints.map((endpoint) => ({
    method: endpoint.method,
    path: endpoint.path,
    ...accessOf(endpoint, { models, locale: 'en' }),
  })),
  resources: [...models.values()].map((model) => reportOn(model, models)),
  outdated,
  differences: found?.filter((each) => !isIndex(each)).map(describeDifference) ?? null,
  missing_indexes: found === undefined ? null : missingIndexes(found),
});
