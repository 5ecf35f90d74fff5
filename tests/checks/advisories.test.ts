import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/evidence/advisories.md'), 'utf8');
const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]*) \| [^|]+ \| `([^`]+)`: ([^|]+) \|$/gm)];

it('the page of advisories names a test of its source for each class', () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.length).toBe(page.match(/^\| (?!class|---)/gm)?.length);
  const missing = rows.filter(
    ([, , file = '', title = '']) => !readFileSync(join(root, file), 'utf8').includes(title),
  );
  expect(missing.map(([row]) => row)).toEqual([]);
});
