import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/evidence/asvs.md'), 'utf8');

const rows = [...page.matchAll(/^\| (\d[^|]*) \|[^|]*\| ([^|]*) \|([^|]*)\|$/gm)].map(
  ([, items = '', holds = '', proof = '']) => ({ items, holds, files: [...proof.matchAll(/`([^`]+)`/g)] }),
);

describe('the page of ASVS', () => {
  it('names files that exist', () => {
    const named = rows.flatMap(({ files }) => files.map(([, file = '']) => file));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('says of each item whether it holds, with a proof where it does', () => {
    for (const { items, holds, files } of rows) {
      expect(holds, items).toMatch(/^(?:yes|partly|no|not used)\b/);
      if (/^(?:yes|partly)/.test(holds)) expect(files.length, items).toBeGreaterThan(0);
    }
  });
});
