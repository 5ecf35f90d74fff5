import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../examples/teams/', import.meta.url));

const linesOf = (...patterns: readonly string[]): number =>
  globSync(patterns, { cwd: folder })
    .map((file) => readFileSync(`${folder}${file}`, 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);

it('the README of the help desk counts its lines as they are', () => {
  const lines = {
    models: linesOf('resources/*.ts', 'rules.ts'),
    code: linesOf('endpoints/*.ts', 'jobs/*.ts', 'gatewright.config.ts'),
    migration: linesOf('migrations/*.ts'),
    german: linesOf('locales/de.ts'),
  };
  expect(readFileSync(`${folder}README.md`, 'utf8').replaceAll('\n', ' ')).toContain(
    `Models and rules take ${lines.models} lines, endpoint, job and configuration ${lines.code}, ` +
      `the migration (generated) ${lines.migration}, and German ${lines.german}.`,
  );
});
