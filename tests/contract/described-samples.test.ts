import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Makes the samples of the documentation page; it is plain JavaScript of that page. */
const page = (await import(new URL('../../docs-page/description.js', import.meta.url).href)) as {
  readonly sampleOf: (schema: Schema, resolve: (part: Schema) => Schema) => Readonly<Record<string, unknown>>;
};

/** The schemas of the fields of a record in a body. */
const fieldsIn = (body: Schema, resolve: (part: Schema) => Schema): Readonly<Record<string, Schema>> => {
  const { thing = {} } = body['properties'] as Readonly<Record<string, Schema>>;
  return resolve(thing)['properties'] as Readonly<Record<string, Schema>>;
};

const fields = {
  number: field.string({ required: true, unique: true, pattern: '^[A-Z]{2}-\\d{4}$' }),
  slug: field.string({ required: true, pattern: '^[a-z][a-z0-9-]*$', max: 10 }),
  total: field.decimal({ required: true }),
  weight: field.decimal({ scale: 0, min: 5, max: 50 }),
  rate: field.decimal({ scale: 8 }),
  pages: field.integer({ min: 3, max: 4 }),
  ratio: field.number({ max: 0.5 }),
  opens_at: field.time(),
  day: field.date(),
  moment: field.datetime(),
  mail: field.email(),
  site: field.url(),
  code: field.uuid(),
  state: field.enum(['open', 'paid']),
  done: field.boolean(),
  data: field.json(),
  body: field.text(),
};

describeEachDatabase('samples of the documentation page', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [defineResource('Thing', { fields })],
      migrations: { '0001_things': { up: (db, dialect) => createTable(db, dialect, 'things', { fields }) } },
    },
  });

  it('samples are typed by field, and are created as they stand', async () => {
    const answer = await fetch(`${service.origin}/api-docs/openapi.json`);
    const document = (await answer.json()) as {
      readonly paths: Readonly<
        Record<
          string,
          {
            readonly post: {
              readonly requestBody: {
                readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
              };
            };
          }
        >
      >;
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    };
    const resolve = (part: Schema): Schema => {
      const { $ref: reference } = part;
      if (typeof reference !== 'string') return part;
      return document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
    };
    const schema =
      document.paths['/api/v1/things']?.post.requestBody.content['application/json']?.schema ?? {};
    const sample = page.sampleOf(schema, resolve);
    expect(sample).toEqual({ thing: { number: 'AB-1234', slug: expect.any(String), total: '10.00' } });
    // Each optional field by itself, as where it is the required one.
    const whole = Object.fromEntries(
      Object.entries(fieldsIn(schema, resolve)).map(([name, part]) => [name, page.sampleOf(part, resolve)]),
    );
    expect(whole).toMatchObject({ pages: 3, ratio: 0.5 });
    expect(Date.parse(String(whole['moment']))).toBeGreaterThan(Date.now());
    const every = await service.post('/api/v1/things', {
      token: await service.admin(),
      body: { thing: { ...whole, number: 'ZZ-1234' } },
    });
    expect([every.status, every.text]).toEqual([201, expect.any(String)]);
    const created = await service.post('/api/v1/things', { token: await service.admin(), body: sample });
    expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  });
});
