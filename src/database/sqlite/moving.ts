import type { IdCounter, MoveDialect } from '../dialect.ts';
import { fenceMessage } from '../fence.ts';
import { quoteName, quoteText } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import { fenceName } from '../service-names.ts';
import { affinity } from './introspect.ts';

const actions = ['insert', 'update', 'delete'] as const;

/** Tables whose ids are counted, and the column of each that is the id. */
const counters = `select m.name as "table", c.name as "column",
    cast((select max(seq) from sqlite_sequence s where s.name = m.name) as text) as last
  from sqlite_schema m join pragma_table_info(m.name) c
  where m.type = 'table' and m.sql like '%autoincrement%' and c.pk = 1`;

export const movingSqlite = (names: ServiceNames): MoveDialect => {
  const triggerOf = (table: string, action: string): string =>
    quoteName(`${names.object(fenceName)}_${action}_${names.shown(table)}`);
  return {
    // The transaction is the only one that writes.
    hold: () => [],
    refuseWrites: (tables) =>
      tables.flatMap((table) =>
        actions.map(
          (action) => `create trigger ${triggerOf(table, action)} before ${action} on ${names.quoted(table)}
          begin select raise(abort, ${quoteText(fenceMessage)}); end`,
        ),
      ),
    takeWrites: (tables) =>
      tables.flatMap((table) =>
        actions.map((action) => `drop trigger if exists ${triggerOf(table, action)}`),
      ),
    inTheWay: async (ask) =>
      (
        await ask<{ name: string; sql: string }>(`select name, sql from sqlite_schema where type = 'trigger'`)
      ).map(({ name, sql }) => ({ remove: `drop trigger ${quoteName(name)}`, restore: sql })),
    counters: async (ask) => {
      const [counts] = await ask(`select 1 from sqlite_schema where name = 'sqlite_sequence'`);
      if (counts === undefined) return [];
      return (await ask<Omit<IdCounter, 'last'> & { last: string | null }>(counters)).flatMap(
        ({ table: shown, last, ...counter }) => {
          const table = names.described(shown);
          return table === undefined ? [] : [{ ...counter, table, last: BigInt(last ?? 0) }];
        },
      );
    },
    setCounter: ({ table, last }) => {
      const clear = `delete from sqlite_sequence where name = ${quoteText(names.shown(table))}`;
      if (last <= 0n) return [clear];
      return [
        clear,
        `insert into sqlite_sequence (name, seq) values (${quoteText(names.shown(table))}, ${last})`,
      ];
    },
    // A column without a type stores numbers and texts, which a conversion to text would not distinguish.
    portable: (type) => affinity(type) !== 'blob' || type.toLowerCase() === 'blob',
    holdsNul: true,
  };
};
