import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page !== '' && existsSync(join(root, page)));

const proseOf = (page: string): string =>
  readFileSync(join(root, page), 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '');

/** The name by which GitHub links to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set([...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)));

/** Targets within the repository that are not there, page or heading. */
const deadLinks = (page: string): readonly string[] => {
  const prose = proseOf(page).replaceAll(/`[^`\n]+`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
  });
};

describe('links between pages', () => {
  it.each(pages)('%s leads to pages and headings that are there', (page) => {
    expect(deadLinks(page)).toEqual([]);
  });

  it('links are read from every folder of documentation', () => {
    expect(pages.length).toBeGreaterThan(60);
    expect(pages.flatMap((page) => proseOf(page).match(/\]\([^)\s]+#/g) ?? []).length).toBeGreaterThan(10);
    expect(anchorOf('What `?page` costs, and why')).toBe('what-page-costs-and-why');
  });
});
