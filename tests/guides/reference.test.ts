import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientRecords } from '../../scripts/client-records.ts';
import { llmsFiles } from '../../scripts/llms.ts';
import { indexFiles } from '../../scripts/page-indexes.ts';
import { referenceFiles } from '../../scripts/reference-pages.ts';
import { catalogueOf } from '../../src/kernel/messages/messages.ts';
import { root } from '../tour/service.ts';

describe('docs/reference', async () => {
  it.each([...(await referenceFiles())])('%s is as npm run reference writes it', async (name, text) => {
    expect(await readFile(join(root, 'docs/reference', name), 'utf8')).toBe(text);
  });
});

describe('the indexes of the guides and of the reference', () => {
  it.each([...indexFiles()])('docs/%s is the index that npm run reference writes', async (name, text) => {
    expect(await readFile(join(root, 'docs', name), 'utf8')).toBe(text);
  });

  it('an index has a line for each page of its folder', () => {
    for (const folder of ['guide', 'reference']) {
      const index = indexFiles().get(`${folder}/README.md`) ?? '';
      const pages = globSync(`docs/${folder}/*.md`, { cwd: root })
        .map((page) => page.replaceAll('\\', '/').split('/').at(-1) ?? '')
        .filter((page) => !page.endsWith('.zh-CN.md') && page !== 'README.md');
      expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
    }
  });
});

it('client/records.ts is as npm run reference writes it', async () => {
  expect(await readFile(join(root, 'client/records.ts'), 'utf8')).toBe(clientRecords());
});

describe('the documents for machines', () => {
  const files = llmsFiles();

  it.each([...files])('docs/%s is as npm run reference writes it', async (name, text) => {
    expect(await readFile(join(root, 'docs', name), 'utf8')).toBe(text);
  });

  it('the index has a line for each page of the package, with a sentence', () => {
    const index = files.get('llms.txt') ?? '';
    const lines = index.split('\n').filter((line) => line.startsWith('- '));
    for (const line of lines) expect(line).toMatch(/^- \[.{3,}\]\(\S+\.md\): .{20,}[.:…]$/u);
    const listed = new Set(lines.map((line) => /\]\(([^)]+)\)/.exec(line)?.[1]));
    const pages = globSync('docs/{tutorial,guide,reference}/*.md', { cwd: root })
      .map((page) => page.replaceAll('\\', '/').slice('docs/'.length))
      .filter((page) => !page.endsWith('.zh-CN.md'));
    expect(pages.filter((page) => !listed.has(page))).toEqual([]);
  });

  it('the reference in one file has every subject, and a size that is read at once', () => {
    const whole = files.get('llms-full.txt') ?? '';
    for (const heading of ['# Resource options', '# Field types', '# Scope', '# Command line', '# Errors'])
      expect(whole).toContain(`\n${heading}\n`);
    expect(whole.split(/\s+/).length).toBeGreaterThan(12_000);
    expect(whole.split(/\s+/).length).toBeLessThan(30_000);
  });
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
