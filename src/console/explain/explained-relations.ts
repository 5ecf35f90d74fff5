/** Explains which relations of a request its caller may follow. */

import type { Principal } from '../../auth/principal.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Reason } from '../../kernel/messages.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { reason } from '../../policy/decide.ts';
import { parseQueryString } from '../../records/list.ts';
import { adminArea } from '../../resources/admin-area.ts';
import { apiArea } from '../../resources/area.ts';
import { relatedFor } from '../../resources/operations.ts';

/** Relations that a parameter names, each with those before it: of `include`, of the field of a filter, of a sort. */
const pathsIn = (name: string, value: string): readonly (readonly string[])[] => {
  if (name === 'include') return value.split(',').map((path) => path.split('.'));
  const fields =
    name === 'sort'
      ? value.split(',').map((term) => term.replace(/^-/, ''))
      : [/^filter\[([^[\]]+)\]/.exec(name)?.[1] ?? ''];
  return fields.map((field) => field.split('.').slice(0, -1));
};

/** The relations of a request, and the first of them behind which this caller may read nothing at all. */
export interface ExplainedRelations {
  readonly named: readonly string[];
  readonly refused: Reason | undefined;
}

const walk = (
  model: ResourceModel,
  path: readonly string[],
  models: Models,
  reads: (model: string) => boolean,
): Reason | undefined => {
  let from: ResourceModel | undefined = model;
  for (const [index, name] of path.entries()) {
    const relation = from?.relations.get(name);
    // A relation that does not exist is 400, which is not foreseen.
    if (relation === undefined) return undefined;
    const { through, model: to } = relation;
    const shut = [to, through?.model ?? to].find((each) => !reads(each));
    if (shut !== undefined)
      return reason('related_unreadable', { path: path.slice(0, index + 1).join('.'), model: shut });
    from = models.get(to);
  }
  return undefined;
};

/**
 * Explains the relations that a query names for a caller; undefined when it names none. A query that is malformed
 * is 400, which is not foreseen.
 */
export const explainRelations = (
  { policy, docs }: Endpoint,
  query: string,
  principal: Principal,
  models: Models,
): ExplainedRelations | undefined => {
  if (policy.kind !== 'resource' || policy.action === 'destroy') return undefined;
  const { model } = policy;
  const area = policy.area === 'admin' ? adminArea : apiArea;
  const related = relatedFor({ models }, { principal, area });
  const paths = parametersOf(query).flatMap(({ name, value }) =>
    (name === 'include' && docs.part !== 'aggregate') || docs.list === true ? pathsIn(name, value) : [],
  );
  const found = paths.filter(([first = '']) => model.relations.has(first));
  if (found.length === 0) return undefined;
  const reads = (name: string): boolean => related(name) !== undefined;
  return {
    named: [...new Set(found.map((path) => path.join('.')))],
    refused: found.map((path) => walk(model, path, models, reads)).find((each) => each !== undefined),
  };
};

const parametersOf = (query: string) => {
  try {
    return parseQueryString(query);
  } catch {
    return [];
  }
};
