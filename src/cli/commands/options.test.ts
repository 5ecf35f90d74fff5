import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { fieldKinds } from '../../fields/registry.ts';
import { run } from '../test-io.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The options that files of the examples give, with the group that they belong to. */
const given = vi.hoisted((): { group: string; options: unknown }[] => []);

vi.mock('../../index.ts', async (original) => {
  const real = await original<typeof import('../../index.ts')>();
  /** The function, which notes one of its arguments. */
  const noted = (group: string, call: unknown, at: number): unknown =>
    new Proxy(call as (...values: unknown[]) => unknown, {
      apply: (target, self, values: unknown[]) => {
        if (values[at] !== undefined) given.push({ group, options: values[at] });
        return Reflect.apply(target, self, values);
      },
    });
  const argument: Readonly<Record<string, number>> = { enum: 1, reference: 1 };
  const field = Object.fromEntries(
    Object.entries(real.field).map(([name, call]) => [
      name,
      name === 'owner' ? call : noted(`field.${name}`, call, argument[name] ?? 0),
    ]),
  );
  return {
    ...real,
    field,
    defineResource: noted('resource', real.defineResource, 1),
    defineEndpoint: noted('endpoint', real.defineEndpoint, 0),
    defineJob: noted('job', real.defineJob, 0),
    defineConfig: noted('config', real.defineConfig, 0),
    many: noted('relation', real.many, 1),
  };
});

describe('gatewright options', () => {
  const validators = new Map<string, ValidateFunction>();

  beforeAll(async () => {
    const { stdout } = await run(['options', '--json']);
    const schema = JSON.parse(stdout);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema(schema, 'options');
    const { field, ...groups } = schema.properties;
    for (const name of Object.keys(groups))
      validators.set(name, ajv.compile({ $ref: `options#/properties/${name}` }));
    for (const kind of Object.keys(field.properties))
      validators.set(`field.${kind}`, ajv.compile({ $ref: `options#/properties/field/properties/${kind}` }));
    for (const file of globSync('examples/*/{gatewright.config.ts,{resources,endpoints,jobs}/*.ts}', {
      cwd: root,
    }))
      await import(pathToFileURL(join(root, file)).href);
  });

  const flawsOf = (group: string, options: unknown): readonly string[] => {
    const validate = validators.get(group);
    if (validate === undefined) return [`there is no group ${group}`];
    validate(options);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };

  it('the schema has every function and every kind of field', () => {
    expect([...validators.keys()]).toEqual(
      expect.arrayContaining(['resource', 'relation', 'endpoint', 'job', 'config', 'environment']),
    );
    expect(fieldKinds.filter((kind) => !validators.has(`field.${kind}`))).toEqual([]);
  });

  it('the schema accepts every option of the examples', () => {
    const groups = new Set(given.map(({ group }) => group));
    expect([...groups]).toEqual(
      expect.arrayContaining([
        'resource',
        'relation',
        'endpoint',
        'job',
        'config',
        'field.string',
        'field.reference',
      ]),
    );
    expect(given.length).toBeGreaterThan(60);
    expect(
      given.flatMap(({ group, options }) => flawsOf(group, options).map((flaw) => `${group}: ${flaw}`)),
    ).toEqual([]);
  });

  it('the schema refuses an option that no function has, wherever the examples give options', () => {
    for (const { group, options } of given)
      expect(flawsOf(group, { ...(options as object), titel: 1 }), group).toContainEqual(
        expect.stringContaining('titel'),
      );
  });

  it.each([
    ['resource', {}, 'required'],
    ['resource', { fields: {}, permissions: 'reads' }, '/permissions'],
    ['resource', { fields: {}, auth: ['password'] }, '/auth'],
    ['resource', { fields: {}, isolation: { raed: true } }, '/isolation'],
    ['field.string', { max: '10' }, '/max'],
    ['endpoint', { method: 'FETCH', path: '/x', handle: 1 }, '/method'],
    ['config', { limits: { orders: { max: 5 } } }, '/limits/orders'],
    ['provider', { issuer: 'https://id.example' }, 'required'],
  ])('the schema refuses a wrong value of %s: %j', (group, options, where) => {
    expect(flawsOf(group, options).join('\n')).toContain(where);
  });

  it('prints the options as text, of all groups or of one', async () => {
    const { stdout } = await run(['options']);
    expect(stdout).toMatch(/^resource: defineResource\(name, options\)/);
    expect(stdout).toContain('\n  PORT: string (default 3000)\n');
    const one = await run(['options', 'field.decimal']);
    expect(one.stdout).toContain('  scale: number\n');
    expect(one.stdout).not.toContain('defineResource');
    const part = JSON.parse((await run(['options', 'job', '--json'])).stdout);
    expect(new Ajv2020({ strict: false }).compile(part)({ attempts: 3, handle: 1 })).toBe(true);
    const wrong = await run(['options', 'resouce']);
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringContaining(`no group 'resouce': the nearest is "resource"`),
    ]);
  });
});
