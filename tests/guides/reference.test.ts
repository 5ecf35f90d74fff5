import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientRecords } from '../../scripts/client-records.ts';
import { referenceFiles } from '../../scripts/reference-pages.ts';
import { catalogueOf } from '../../src/kernel/messages/messages.ts';
import { root } from '../tour/service.ts';

describe('docs/reference', async () => {
  it.each([...(await referenceFiles())])('%s is as npm run reference writes it', async (name, text) => {
    expect(await readFile(join(root, 'docs/reference', name), 'utf8')).toBe(text);
  });
});

it('client/records.ts is as npm run reference writes it', async () => {
  expect(await readFile(join(root, 'client/records.ts'), 'utf8')).toBe(clientRecords());
});

describe('the reference of errors', () => {
  const isSource = (file: string): boolean => file.endsWith('.ts') && !file.endsWith('.test.ts');

  /** Names of rules with sentences of their own, as the source writes them beside the catalogues of messages. */
  const ownRules = globSync('src/**/*.ts', { cwd: root })
    .filter(isSource)
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/name: '(\w+)',\s+sentence:/g)])
    .map(([, name = '']) => name);

  it.each(['errors.md', 'errors.zh-CN.md'])('%s has every rule once', (file) => {
    const [, validation = ''] = readFileSync(join(root, 'docs/reference', file), 'utf8').split(/^## .*$/m);
    const listed = [...validation.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(ownRules.length).toBeGreaterThan(3);
    expect(listed).toEqual(expect.arrayContaining([...Object.keys(catalogueOf('en').rules), ...ownRules]));
    expect(new Set(listed).size).toBe(listed.length);
  });
});
