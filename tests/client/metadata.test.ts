import { expect, it } from 'vitest';
import type { Metadata, MetadataField, MetadataRelation } from '../../client/index.ts';
import type { JsonSchema } from '../../src/fields/field.ts';
import { metadataSchema } from '../../src/resources/meta/meta-schema.ts';

/** The members of a type of the client: the compiler demands each of them, and permits no other. */
const membersOf = <Type>(members: Record<keyof Required<Type>, true>): readonly string[] =>
  Object.keys(members).sort();

/** Members that only the administration area has. */
const ofAdministration = ['opens', 'referenced_by'];

const namesIn = (schema: JsonSchema | undefined): readonly string[] =>
  Object.keys(schema?.['properties'] ?? {})
    .filter((name) => !ofAdministration.includes(name))
    .sort();

const part = (name: string): JsonSchema | undefined => {
  const properties = metadataSchema['properties'] as Readonly<
    Record<string, { readonly items?: JsonSchema }>
  >;
  return properties[name]?.items;
};

it('the types of the client have every member of the metadata', () => {
  const whole = membersOf<Metadata>({
    ...{ model: true, singular: true, plural: true, label: true, plural_label: true },
    ...{ icon: true, menu: true, display: true },
    ...{ endpoints: true, fields: true, relations: true, unique: true, schemas: true, uiSchema: true },
    ...{ isolation: true, events: true, trash: true, manage: true, reasons: true, permissions: true },
  });
  expect(whole).toEqual(namesIn(metadataSchema));
  const field = membersOf<MetadataField>({
    ...{ name: true, label: true, type: true, required: true, unique: true, read_only: true, default: true },
    ...{
      group: true,
      choices: true,
      bounds: true,
      reference: true,
      anyone: true,
      same: true,
      on_delete: true,
    },
    ...{ operators: true, sortable: true, searchable: true, groupable: true, buckets: true, measures: true },
  });
  expect(field).toEqual(namesIn(part('fields')));
  const relation = membersOf<MetadataRelation>({
    ...{ name: true, label: true, many: true, model: true, write: true, fields: true },
    ...{ field: true, by: true, through: true, on: true },
  });
  expect(relation).toEqual(namesIn(part('relations')));
});
