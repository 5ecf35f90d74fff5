import type { Metadata, MetadataRelation } from './metadata.ts';
import type { Draft } from './use-draft.ts';

/** As many records of a relation as one write takes. */
export const mostLines = 200;

/** A relation whose records are written within the record, as a form has it beside the fields. */
export interface LinesField extends Pick<MetadataRelation, 'name' | 'label' | 'model'> {
  /** The reference by which they name the record. */
  readonly by: string;
}

/** The relations whose records this caller writes within a record. */
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

/** Those that a form can show: of more records than one write takes it has none, and leaves them as they are. */
export const shownLines = (lines: readonly LinesField[], record: Draft): readonly LinesField[] =>
  lines.filter(({ name }) => Array.isArray(record[name]) && rowsOf(record[name]).length <= mostLines);

/** For `getOne`: the record comes with them. */
export const withLines = (lines: readonly LinesField[]) => ({
  meta: { include: Object.fromEntries(lines.map(({ name }) => [name, true as const])) },
});
