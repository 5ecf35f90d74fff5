import type { ResourceModel } from './resource.ts';
import { noRecord, type RowExpression, rowActions } from './row-expression.ts';

/** A model some of whose records are open to members, by the records of memberships. */
export type OpenedModel = {
  readonly model: string;
  /** Last part of its path: `projects`. */
  readonly path: string;
  readonly access: 'read' | 'write';
  /** Its field that has the value of `on`; null where that is a field of a record that it refers to. */
  readonly field: string | null;
  /** The field of the membership that is compared. */
  readonly on: string;
  /** The values that the membership must have; of several values one. */
  readonly where: readonly { readonly field: string; readonly values: readonly string[] }[];
};

type Opening = Pick<OpenedModel, 'field' | 'on' | 'where'> & { readonly memberships: string };

const openingsOf = (expression: RowExpression, direct = true): readonly Opening[] => {
  if ('rules' in expression) return expression.rules.flatMap((rule) => openingsOf(rule, direct));
  if (expression.kind === 'via') return openingsOf(expression.rule, false);
  if (expression.kind !== 'member') return [];
  const { column, model, on, where } = expression;
  const conditions = where.map((each) => ({ field: each.column, values: each.said }));
  return [{ memberships: model, field: direct ? column : null, on, where: conditions }];
};

/** The models that records of each model open to their owners, by the row rules of all models. */
export const openedModels = (
  models: Iterable<ResourceModel>,
): ReadonlyMap<string, readonly OpenedModel[]> => {
  const opened = new Map<string, Map<string, OpenedModel>>();
  for (const { name: model, path, rules } of models)
    for (const action of rowActions)
      for (const { memberships, ...opening } of openingsOf(
        rules.isolation?.[action].expression ?? noRecord,
      )) {
        const access = action === 'read' ? 'read' : 'write';
        const entry: OpenedModel = { model, path, access, ...opening };
        const models = opened.get(memberships) ?? new Map<string, OpenedModel>();
        opened.set(memberships, models.set(JSON.stringify(entry), entry));
      }
  return new Map([...opened].map(([model, entries]) => [model, [...entries.values()]]));
};
