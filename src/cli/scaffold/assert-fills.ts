/** Checks the values that a migration writes to existing records against the rules of the models. */

import type { Database } from '../../database/database.ts';
import { quoteName, quoteText } from '../../database/quote.ts';
import { accept } from '../../database/schema-differences.ts';
import type { RuleViolation } from '../../fields/field.ts';
import { catalogueOf, fieldError, labelText } from '../../kernel/messages.ts';
import { type Models, referencedTable } from '../../model/models.ts';
import { isMissing } from '../../model/validate.ts';
import { CommandError } from '../io.ts';
import type { Fill, Gap } from './plan-migration.ts';

const selectMissing = ({ table, column }: Gap): string => {
  const where = column === undefined ? '' : ` where ${quoteName(column)} is null`;
  return `select 1 as found from ${quoteName(table)}${where}`;
};

/** True if a statement finds at least `least` rows. */
const hasRows = async (database: Database, sql: string, least: number): Promise<boolean> =>
  (await database.all({ sql: `${sql} limit ${least}`, parameters: [] })).length === least;

/** Demands a value for existing records of a column that becomes required. @throws CommandError */
export const assertFilled = async (database: Database, gaps: readonly Gap[]): Promise<void> => {
  for (const gap of gaps)
    if (await hasRows(database, selectMissing(gap), 1))
      throw new CommandError(
        `${gap.name} is required and existing records have no value for it: --fill ${gap.name}=VALUE, or a default`,
      );
};

const messageOf = ({ field }: Fill, { rule, params }: RuleViolation): string =>
  fieldError(catalogueOf('en'), field.name, labelText(field.label, 'en'), rule, params).message;

/** The rule of the model that a value violates; undefined if it may be written. */
const objection = async (database: Database, models: Models, fill: Fill): Promise<string | undefined> => {
  const { field, value, table, column } = fill;
  if (field.required && isMissing(value)) return messageOf(fill, { rule: 'required' });
  const accepted = accept(field, value);
  if ('violations' in accepted)
    return accepted.violations.map((violation) => messageOf(fill, violation)).join(', ');
  if (field.unique) {
    if (await hasRows(database, selectMissing(fill), 2))
      return 'it has to be unique, and several records would get it';
    const same =
      column === undefined
        ? undefined
        : `select 1 as found from ${quoteName(table)} where cast(${quoteName(column)} as text) = ${quoteText(String(value))}`;
    if (same !== undefined && (await hasRows(database, same, 1)))
      return 'it has to be unique, and a record has it';
  }
  if (field.reference === undefined) return undefined;
  const target = `select 1 as found from ${database.dialect.names.quoted(referencedTable(models, field.reference))} where "id" = ${typeof value === 'number' ? value : quoteText(String(value))}`;
  return (await hasRows(database, target, 1)) ? undefined : `there is no ${field.reference} ${String(value)}`;
};

/** Refuses values that the model refuses, before a migration with them is written. @throws CommandError */
export const assertFills = async (
  database: Database,
  models: Models,
  fills: readonly Fill[],
): Promise<void> => {
  for (const fill of fills) {
    const reason = await objection(database, models, fill);
    if (reason !== undefined)
      throw new CommandError(`--fill ${fill.name}=${JSON.stringify(fill.value)}: ${reason}`);
  }
};
