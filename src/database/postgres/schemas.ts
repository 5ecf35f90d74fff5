/** The schemas that hold the tables of a service: the current one, and that of `serviceTables` where it names one. */

import { quoteName, quoteText } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';

/** The condition that the name of a schema is one of them. */
export const isOurSchema = (name: string, { schema }: ServiceNames): string =>
  schema === undefined ? `${name} = current_schema()` : `${name} in (current_schema(), ${quoteText(schema)})`;

/** `isOurSchema` for the oid of a schema. */
export const isOurNamespace = (oid: string, { schema }: ServiceNames): string => {
  const current = 'quote_ident(current_schema())::regnamespace';
  return schema === undefined
    ? `${oid} = ${current}`
    : `${oid} in (${current}, to_regnamespace(${quoteText(quoteName(schema))}))`;
};

/** SQL of the name of a table as `ServiceNames.shown` gives it, by the aliases of its row and of its schema. */
export const foundTableName = (table: string, namespace: string, { schema }: ServiceNames): string =>
  schema === undefined
    ? `${table}.relname::text`
    : `(case ${namespace} when ${quoteText(schema)} then ${quoteText(`${schema}.`)} else '' end || ${table}.relname)`;
