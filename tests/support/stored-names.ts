import { type ServiceNames, serviceNames, serviceTables } from '../../src/database/service-names.ts';

const named = new RegExp(
  `\\b(from|join|into|update|table|on)\\s+"?(${[...serviceTables].join('|')})\\b"?`,
  'gi',
);

const stored = (sql: string, { quoted }: ServiceNames): string =>
  sql.replace(
    named,
    (_all: string, before: string, table: string) => `${before} ${quoted(table.toLowerCase())}`,
  );

type Method = (...given: readonly unknown[]) => unknown;

const isQuery = (value: unknown): value is { readonly sql: string } =>
  typeof value === 'object' && value !== null && 'sql' in value && typeof value.sql === 'string';

/**
 * The same database for SQL of a test, which names the service's own tables as they are described: they get the stored
 * names of a prefix. So do the statements of transactions.
 */
export const withStoredNames = <Part extends object>(part: Part, prefix: string | undefined): Part => {
  if (prefix === undefined) return part;
  const names = serviceNames(prefix);
  const argument = (value: unknown): unknown => {
    if (isQuery(value)) return { ...value, sql: stored(value.sql, names) };
    if (typeof value !== 'function') return value;
    return (first: unknown, ...more: readonly unknown[]) =>
      (value as Method)(
        typeof first === 'object' && first !== null ? withStoredNames(first, prefix) : first,
        ...more,
      );
  };
  return new Proxy(part, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]) => (value as Method).apply(target, given.map(argument));
    },
  });
};
