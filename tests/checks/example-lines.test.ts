import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Lines of the files of an example. */
const linesOf = (example: string, ...patterns: readonly string[]): number =>
  globSync(patterns, { cwd: `${examples}${example}` })
    .map((file) => readFileSync(`${examples}${example}/${file}`, 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);

const readmeOf = (example: string): string =>
  readFileSync(`${examples}${example}/README.md`, 'utf8').replaceAll('\n', ' ');

it('the README of the help desk counts its lines as they are', () => {
  const lines = {
    models: linesOf('teams', 'resources/*.ts', 'rules.ts'),
    code: linesOf('teams', 'endpoints/*.ts', 'jobs/*.ts', 'gatewright.config.ts'),
    migration: linesOf('teams', 'migrations/*.ts'),
    german: linesOf('teams', 'locales/de.ts'),
  };
  expect(readmeOf('teams')).toContain(
    `Models and rules take ${lines.models} lines, endpoint, job and configuration ${lines.code}, ` +
      `the migration (generated) ${lines.migration}, and German ${lines.german}.`,
  );
});

it('the README of the clinics counts its lines as they are, at most 700 without generated ones', () => {
  const lines = {
    models: linesOf('clinic', 'resources/*.ts', '{rules,tenant}.ts'),
    code: linesOf('clinic', '{endpoints,jobs,mails}/*.ts', '{problems,gatewright.config}.ts'),
    page: linesOf('clinic', 'page/{form,main,vite.config}.ts', 'page/index.html'),
    migration: linesOf('clinic', 'migrations/*.ts'),
    types: linesOf('clinic', 'page/client-types.ts'),
  };
  expect(readmeOf('clinic')).toContain(
    `Models and rules take ${lines.models} lines, endpoints, job, mail and configuration ${lines.code}, the page ` +
      `${lines.page}. The migration (${lines.migration} lines) and the types of the client (${lines.types}) are generated.`,
  );
  const counted = linesOf('clinic', '**/*.{ts,html}');
  expect(counted).toBe(lines.models + lines.code + lines.page + lines.migration + lines.types);
  expect(lines.models + lines.code + lines.page).toBeLessThanOrEqual(700);
});
