import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const page = read('docs/reference/migrations.md');

const rowsOf = (title: string): readonly string[] => {
  const [, section = ''] = page.split(`## \`${title}\`\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name).sort();
};

const membersOf = (path: string, name: string): readonly string[] => {
  const [, body = ''] =
    new RegExp(`^export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(read(path)) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)(?=[?:(<])/gm)].map(([, member = '']) => member).sort();
};

describe('docs/reference/migrations.md', () => {
  it.each([
    ['TableDefinition', 'src/database/migrations/schema.ts'],
    ['TableAlteration', 'src/database/migrations/alter-table.ts'],
    ['Scope', 'src/model/scope.ts'],
  ])('lists every member of %s', (name, path) => {
    expect(rowsOf(name).length).toBeGreaterThan(0);
    expect(rowsOf(name)).toEqual(membersOf(path, name));
  });

  it('names what the package exports', () => {
    const exported = read('src/index.ts');
    const named = [...page.matchAll(/`((?:create|alter|rename|drop|follow)(?:Table|Columns)|[A-Z]\w+)[`(]/g)];
    expect(named.length).toBeGreaterThan(6);
    for (const [, name = ''] of named) expect(exported).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
