import type { MetadataField } from './metadata.ts';

/** Fields under one heading; those that have none come first, without. */
export interface FieldGroup {
  readonly label: string | undefined;
  readonly fields: readonly MetadataField[];
}

/** The fields of a record as forms and pages show them: groups in the order of their first fields. */
export const groupsOf = (fields: readonly MetadataField[]): readonly FieldGroup[] => {
  const without = fields.filter(({ group }) => group === undefined);
  const grouped = fields.filter(({ group }) => group !== undefined);
  return [...Map.groupBy([...without, ...grouped], ({ group }) => group)].map(([label, members]) => ({
    label,
    fields: members,
  }));
};

/** The fields in the order in which they stand on the page. */
export const inGroups = (fields: readonly MetadataField[]): readonly MetadataField[] =>
  groupsOf(fields).flatMap((group) => group.fields);
