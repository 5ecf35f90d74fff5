import type { Difference } from '../../database/migrations/differences.ts';

const tableOf = (difference: Difference): string =>
  'table' in difference ? difference.table : difference.model.table;

/** `--rename` for what may be one thing under two names: one that is gone beside one that is new. */
const renames = (found: readonly Difference[]): readonly string[] => {
  const tables = new Set(found.map(tableOf));
  const gone = found.flatMap((each) => (each.kind === 'surplus_table' ? each.table : []));
  const made = found.flatMap((each) => (each.kind === 'missing_table' ? each.model.table : []));
  const ofTables = gone.length === 1 && made.length === 1 ? [`${gone[0]}=${made[0]}`] : [];
  const ofColumns = [...tables].flatMap((table) => {
    const here = found.filter((each) => tableOf(each) === table);
    const old = here.flatMap((each) => (each.kind === 'surplus_column' ? each.column : []));
    const added = here.flatMap((each) => (each.kind === 'missing_column' ? each.field.column : []));
    return old.length === 1 && added.length === 1 ? [`${table}.${old[0]}=${added[0]}`] : [];
  });
  return [...ofTables, ...ofColumns];
};

/** The commands that bring the database to the models; where something is gone, what may be meant by it. */
export const suggestedCommands = (found: readonly Difference[]): readonly string[] => {
  const tables = [...new Set(found.map(tableOf))];
  const verb = found.every(({ kind }) => kind === 'missing_table') ? 'create' : 'change';
  const command = `npx gatewright generate migration ${verb}_${tables.length === 1 ? tables[0] : 'tables'}`;
  const gone = found.some(({ kind }) => kind === 'surplus_table' || kind === 'surplus_column');
  if (!gone) return [command];
  const kept = renames(found).map((rename) => ` --rename ${rename}`);
  return [
    ...(kept.length === 0 ? [] : [`${command}${kept.join('')}    (renamed: the values stay)`]),
    `${command} --allow-drop    (gone, with the values)`,
  ];
};
