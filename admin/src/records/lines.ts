import type { Metadata, MetadataRelation } from './metadata.ts';
import type { Draft } from './use-draft.ts';

/** Maximum number of records of a relation in one write. */
export const maxLines = 200;

/** A relation whose records are written with the record, as an input of its form. */
export interface LinesField extends Pick<MetadataRelation, 'name' | 'label' | 'model'> {
  /** The reference to the record. */
  readonly by: string;
}

/** The relations whose records this user can write with a record. */
export const linesOf = (
  { relations, schemas }: Pick<Metadata, 'relations' | 'schemas'>,
  action: 'create' | 'update',
): readonly LinesField[] =>
  relations.flatMap(({ name, label, model, by }) =>
    by !== undefined && Object.hasOwn(schemas[action].properties ?? {}, name)
      ? [{ name, label, model, by }]
      : [],
  );

export const rowsOf = (value: unknown): readonly Draft[] => (Array.isArray(value) ? value : []);

/** The relations that a form can show: none with more records than one write accepts. */
export const shownLines = (lines: readonly LinesField[], record: Draft): readonly LinesField[] =>
  lines.filter(({ name }) => Array.isArray(record[name]) && rowsOf(record[name]).length <= maxLines);

/** Options of `getOne` that include these relations. */
export const withLines = (lines: readonly LinesField[]) => ({
  meta: { include: Object.fromEntries(lines.map(({ name }) => [name, true as const])) },
});
