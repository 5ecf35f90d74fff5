import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { quoteName } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import type { Rehearsal } from '../target.ts';
import { sqliteDialectWith } from './dialect.ts';
import { sqliteMigrationDialect } from './migration-dialect.ts';

/** Tables whose rows the migrations' own functions read: the register, and grants. */
const isRead = (table: string | undefined): boolean =>
  table !== undefined && /^(?:gatewright_.*|permissions|permission_entries|roles)$/.test(table);

/** Gives a file the tables of another, with the records that are read and no others. */
export const copySchema = (from: string, to: string, names: ServiceNames): void => {
  using source = new DatabaseSync(from, { readOnly: true });
  using target = new DatabaseSync(to, { enableForeignKeyConstraints: false });
  const rows = source
    .prepare(
      `select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\'
       order by case type when 'table' then 0 when 'view' then 1 else 2 end`,
    )
    .all() as { type: string; name: string; sql: string }[];
  for (const { sql } of rows) target.exec(sql);
  for (const { name } of rows.filter(({ type, name }) => type === 'table' && isRead(names.described(name))))
    for (const row of source.prepare(`select * from ${quoteName(name)}`).all()) {
      const values = Object.values(row);
      target
        .prepare(`insert into ${quoteName(name)} values (${values.map(() => '?').join(', ')})`)
        .run(...values);
    }
};

/** Gives some work a file of its own, which `prepare` may fill before. */
export const onScratch = async <T>(
  names: ServiceNames,
  work: (rehearsal: Rehearsal) => Promise<T>,
  prepare: (path: string) => void = () => {},
): Promise<T> => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'gatewright-plan-'));
  const path = join(directory.path, 'plan.db');
  prepare(path);
  return await work({
    dialect: sqliteDialectWith(names),
    driver: sqliteMigrationDialect(path, names),
    writes: true,
  });
};
