import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { collectModels, type Models } from '../../src/model/models.ts';
import { many } from '../../src/model/relation.ts';
import type { ResourceModel } from '../../src/model/resource.ts';

type Options = Readonly<Record<string, unknown>>;

/** Options of models that the tables of another program need, and that only a service with such tables knows. */
const external = new Set(['table', 'key', 'readOnly', 'generated']);

const without = (options: unknown): unknown =>
  typeof options === 'object' && options !== null && !Array.isArray(options)
    ? Object.fromEntries(Object.entries(options).filter(([name]) => !external.has(name)))
    : options;

const fields = Object.fromEntries(
  Object.entries(field).map(([kind, define]) => [
    kind,
    (...args: readonly unknown[]) =>
      (define as (...given: readonly unknown[]) => unknown)(...args.map(without)),
  ]),
);

const define = (name: string, definition: Options): ResourceModel =>
  (defineResource as unknown as (name: string, definition: unknown) => ResourceModel)(
    name,
    without(definition),
  );

/** The definition in a generated file, as it is written. */
export const definitionIn = (path: string): Options => {
  const body = readFileSync(path, 'utf8')
    .replace(/^import .*$/m, '')
    .replace('export default', 'return');
  const run = new Function('defineResource', 'field', 'many', body) as (
    defineResource: unknown,
    field: unknown,
    many: unknown,
  ) => Options;
  return run((_name: string, definition: Options) => definition, fields, many);
};

/**
 * The models of all generated files of a folder, checked as a start checks them, but for the options of tables that
 * another program made.
 */
export const modelsIn = (folder: string): Models => {
  const resources = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const body = readFileSync(join(folder, file), 'utf8')
        .replace(/^import .*$/m, '')
        .replace('export default', 'return');
      const run = new Function('defineResource', 'field', 'many', body) as (
        ...given: readonly unknown[]
      ) => ResourceModel;
      return run(define, fields, many);
    });
  return collectModels(resources);
};
