/** The relations of a model as its metadata shows them to a caller. */

import type { Principal } from '../../auth/principal.ts';
import type { FieldType } from '../../fields/field.ts';
import { type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import { type Locale, labelText } from '../../kernel/messages.ts';
import type { Models } from '../../model/models.ts';
import type { ModelRelation, ResourceModel } from '../../model/resource.ts';
import type { Related } from '../../records/relations.ts';
import { userEntity } from '../../records/user-entity.ts';
import { type AreaRules, relatedFor } from '../operations/area.ts';

/** A field as far as filters and sorts are concerned. */
type Compared = {
  readonly name: string;
  readonly type: FieldType;
  readonly comparable?: boolean | undefined;
};

/** The service's own users have no metadata, and else the fields of the model. */
const fieldsOf = (model: ResourceModel | undefined): Iterable<Compared> =>
  model === undefined ? userEntity.columns.values() : model.fields.values();

const describeField = ({ name, type, comparable = true }: Compared, many: boolean): JsonObject => ({
  name,
  operators: comparable ? [...type.operators] : [],
  // Several records have no one value by which to sort.
  sortable: comparable && type.sortable && !many,
});

/** The references by which a relation goes, those that the caller reads. */
const waysOf = ({ many, from, to, through }: ModelRelation, related: Related, model: string): JsonObject => {
  if (!many) return { field: from };
  const reads = (of: string, name: string): boolean => related(of)?.grant.readable.includes(name) === true;
  if (through === undefined) return reads(model, to) ? { by: to } : {};
  return withoutUndefined<Json>({
    through: through.model,
    by: reads(through.model, through.from) ? through.from : undefined,
    on: reads(through.model, through.to) ? through.to : undefined,
  });
};

/**
 * Returns the relations of a model that a caller may follow who reads these of its fields: those that `include`,
 * filters and sorts would refuse are left out.
 */
export const describeRelations = (
  { relations }: ResourceModel,
  readable: ReadonlySet<string>,
  { principal, area }: { readonly principal: Principal; readonly area: AreaRules },
  { models, locale }: { readonly models: Models; readonly locale: Locale },
): JsonObject[] => {
  const related = relatedFor({ models }, { principal, area });
  return [...relations.values()].flatMap((relation): JsonObject[] => {
    const { name, label, many, model, through, write, shows } = relation;
    const readership = related(model, shows);
    if (readership === undefined || (through !== undefined && related(through.model) === undefined))
      return [];
    if (readable.size === 0 || (!many && !readable.has(relation.from))) return [];
    const fields = [...fieldsOf(models.get(model))].filter((each) =>
      readership.grant.readable.includes(each.name),
    );
    return [
      {
        name,
        label: labelText(label, locale),
        many,
        model,
        ...waysOf(relation, related, model),
        write,
        fields: fields.map((each) => describeField(each, many)),
      },
    ];
  });
};
