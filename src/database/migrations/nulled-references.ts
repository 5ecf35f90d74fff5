import type { FieldDefinition } from '../../fields/field.ts';
import type { Dialect } from '../dialect.ts';
import type { TableShape } from '../introspection.ts';
import { onDelete } from './columns.ts';
import { nulledTriggerName } from './names.ts';

/**
 * A reference that becomes null with what it refers to is a change of the record like any other: its version and
 * `updated_at` rise, so that no caller gets 304 or writes over it. It is the database that does it, in the statement
 * that nulls, so it holds whatever deletes: a request, the deletion of a user, a cascade, SQL by hand. A write that
 * raises the version itself is left alone.
 */
export const watchReference = (dialect: Dialect, table: string, column: string): readonly string[] =>
  dialect.schema.referenceTriggers.create(table, column, nulledTriggerName(table, column));

export const forgetReference = (dialect: Dialect, table: string, column: string): string =>
  dialect.schema.referenceTriggers.drop(table, nulledTriggerName(table, column));

/** True if a field's column becomes null with what it refers to. */
export const isNulled = (definition: FieldDefinition): boolean =>
  definition.type.target !== undefined && onDelete(definition) === 'set null';

/** Columns of a table that become null with what they refer to, where the table is that of a resource. */
export const nulledColumns = ({ columns }: TableShape): readonly string[] =>
  ['id', 'version', 'updated_at'].every((name) => columns.has(name))
    ? [...columns.values()]
        .filter(({ references }) => references?.onDelete === 'set null')
        .map(({ name }) => name)
    : [];
