import { describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { createOlderTables } from '../../../tests/support/older-database.ts';
import type { Database } from '../database.ts';
import { databaseTarget } from '../targets.ts';
import { nothingApplied } from './applied.ts';
import { coreSet } from './core.ts';
import { migrateAll, pending } from './runner.ts';

/** One table of everything in a schema, a row for each column, constraint, index, trigger and function. */
const schemaSql = {
  sqlite: [
    `select m.name || '.' || p.name || ' ' || p.type || case when p."notnull" or p.pk > 0 then ' not null' else '' end
        || coalesce(' default ' || p.dflt_value, '') || case when p.pk > 0 then ' key ' || p.pk else '' end as part
      from sqlite_master m join pragma_table_xinfo(m.name) p where m.type = 'table'`,
    `select m.name || '.' || f."from" || ' references ' || f."table" || '.' || f."to" || ' ' || f.on_delete as part
      from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'`,
    `select 'checks of ' || name || ' ' || sql as part from sqlite_master where type = 'table' and sql like '%check (%'`,
    `select name || ' autoincrement' as part from sqlite_master where type = 'table' and sql like '%autoincrement%'`,
    `select sql as part from sqlite_master where type in ('index', 'trigger') and sql is not null`,
  ],
  postgres: [
    `select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || coalesce(' collate ' || nullif(l.collname, 'default'), '') || case when a.attnotnull then ' not null' else '' end
        || a.attidentity::text || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as part
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_collation l on l.oid = a.attcollation
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`,
    `select conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) as part from pg_constraint
      where connamespace = current_schema()::regnamespace`,
    `select indexdef as part from pg_indexes where schemaname = current_schema()`,
    `select pg_get_triggerdef(t.oid) as part from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal`,
    `select proname || prosrc as part from pg_proc where pronamespace = current_schema()::regnamespace`,
  ],
};

/** A part without quotes and line breaks; of a table whose SQL stands for its checks, the checks. */
const bare = (part: string): string => {
  const text = part.replaceAll('"', '').replaceAll(/\s+/g, ' ');
  const [table] = /^checks of \S+/.exec(text) ?? [];
  const checks = text.match(/check \((?:[^()]|\([^()]*\))*\)/g) ?? [];
  return table === undefined ? text : [table, ...checks].join(' ');
};

const schemaOf = async (database: Database): Promise<readonly string[]> => {
  const parts: string[] = [];
  for (const sql of schemaSql[database.dialect.name])
    for (const { part } of await database.all<{ part: string }>({ sql, parameters: [] }))
      parts.push(bare(part));
  return parts.sort();
};

describeEachDatabase('the baseline', (databases) => {
  it('later steps make the described tables out of those at 0057', async () => {
    const [described, older] = [await databases.create(), await databases.create()];
    await migrateAll(databaseTarget(described), [coreSet]);
    await createOlderTables(older, databases.dialect);
    const { applied } = await migrateAll(databaseTarget(older), [coreSet]);
    expect(applied[0]).toBe('0058_addresses');
    const schema = await schemaOf(await databases.open(described));
    expect(schema.length).toBeGreaterThan(300);
    // A difference: the value in src/database/tables and the step in src/database/migrations do not say the same.
    expect(schema).toEqual(await schemaOf(await databases.open(older)));
  });

  it('a new database has the described tables at once, and every step counts as applied', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    expect(await pending(target, coreSet.migrations, coreSet)).toEqual(['0001_baseline']);
    expect(await migrateAll(target, [coreSet])).toEqual({ applied: ['0001_baseline'], later: [] });
    const database = await databases.open(url);
    const names = await database.all<{ name: string }>({
      sql: 'select name from gatewright_migrations order by name',
      parameters: [],
    });
    expect(names.map(({ name }) => name)).toEqual(Object.keys(coreSet.migrations));
    expect(await migrateAll(target, [coreSet])).toEqual({ applied: [], later: [] });
  });

  it('a database at 0057 has the baseline and runs the later steps', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    await createOlderTables(url, databases.dialect);
    const later = Object.keys(coreSet.migrations).slice(1);
    expect(await pending(target, coreSet.migrations, coreSet)).toEqual(later);
    expect(await migrateAll(target, [coreSet])).toEqual({ applied: later, later: [] });
    expect(await migrateAll(target, [coreSet])).toEqual({ applied: [], later: [] });
  });

  it('an older database is refused and stays as it is', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    const steps = await createOlderTables(url, databases.dialect, '0056_managed_webhooks');
    expect(steps.at(-1)).toBe('0056_managed_webhooks');
    const database = await databases.open(url);
    const before = await schemaOf(database);
    const refused = /newest migration of the service is 0056_managed_webhooks, .* commit edd6fb6f on it once/;
    await expect(migrateAll(target, [coreSet])).rejects.toThrow(refused);
    await expect(pending(target, coreSet.migrations, coreSet)).rejects.toThrow(refused);
    expect(await schemaOf(database)).toEqual(before);
  });
});

describe('nothing applied', () => {
  it('a set without a baseline has all of its steps pending', () => {
    const migrations = { b: { up: async () => {} }, a: { up: async () => {} } };
    expect(nothingApplied({ migrations, tableName: 'migrations' }).pending).toEqual(['a', 'b']);
  });
});
