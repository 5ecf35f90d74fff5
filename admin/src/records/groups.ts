import type { MetadataField } from './metadata.ts';

/** Fields under one heading; fields without a heading come first. */
export interface FieldGroup {
  readonly label: string | undefined;
  readonly fields: readonly MetadataField[];
}

/** The fields of a record in the groups of forms and pages, ordered by their first fields. */
export const groupsOf = (fields: readonly MetadataField[]): readonly FieldGroup[] => {
  const without = fields.filter(({ group }) => group === undefined);
  const grouped = fields.filter(({ group }) => group !== undefined);
  return [...Map.groupBy([...without, ...grouped], ({ group }) => group)].map(([label, members]) => ({
    label,
    fields: members,
  }));
};

/** The fields in their order on the page. */
export const inGroups = (fields: readonly MetadataField[]): readonly MetadataField[] =>
  groupsOf(fields).flatMap((group) => group.fields);
