import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import type { FieldType } from '../../src/fields/field.ts';
import { fieldTypes } from '../../src/fields/registry.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeDatabase } from '../support/databases.ts';
import { commonPassword, useService } from '../support/service.ts';

/** One field of every kind that has bounds of its own, and a model that it refers to. */
const shelf = defineResource('Shelf', { plural: 'shelves', fields: { title: field.string() } });
const fields = {
  title: field.string({ required: true, min: 2, max: 9, unique: true }),
  code: field.string({ pattern: '^[A-Z]+$', max: 8 }),
  pages: field.integer({ required: true, min: 1, max: 9 }),
  state: field.enum(['draft', 'live'], { default: 'draft' }),
  live: field.boolean(),
  day: field.date(),
  link: field.url(),
  shelf: field.reference('Shelf', { required: true }),
};
const book = defineResource('Book', { fields });

const migrations = {
  '0001_tables': {
    up: async (...[db, dialect]: Parameters<Migration['up']>) => {
      await createTable(db, dialect, shelf.table, { fields: { title: field.string() } });
      await createTable(db, dialect, book.table, { fields });
    },
  },
};

/**
 * Rules that a schema cannot express: values that others have stored, common passwords, names of an account. And
 * bytes: a schema counts characters, of which a password of 8 bytes has 2 to 8.
 */
const beyond = [
  'only_service_accounts',
  ...['unique', 'reference', 'role', 'common_password', 'own_name', 'same_password', 'wrong_password'],
  'password_length',
];

const bodies: Readonly<
  Record<string, { readonly path: string; readonly key?: string; readonly base: JsonObject }>
> = {
  adminCreateUser: {
    path: '/admin/users',
    key: 'user',
    base: { username: 'somebody', email: 'somebody@example.com', password: 'a long sentence of words' },
  },
  adminUpdateUser: { path: '/admin/users/2', key: 'user', base: {} },
  changePassword: {
    path: '/api/v1/auth/password',
    base: { current_password: commonPassword, password: 'another sentence of words' },
  },
  createApiKey: { path: '/api/v1/api_keys', key: 'api_key', base: { name: 'key' } },
  createRole: { path: '/admin/roles', key: 'role', base: { name: 'editor' } },
  createBook: { path: '/api/v1/books', key: 'book', base: { title: 'A book', pages: 3, shelf_id: 1 } },
  updateBook: { path: '/api/v1/books/1', key: 'book', base: {} },
};

const samples: readonly (Json | undefined)[] = [
  ...[undefined, null, true, 0, -1, 5, 10, '', 'x', 'ABC', 'a@b', '2024-02-30', '2024-02-29'],
  ...['x'.repeat(7), 'x'.repeat(65), 'x'.repeat(256), 'x'.repeat(1025), 'draft', 'https://example.com/a'],
  ...[[], [5], ['nobody'], Array.from({ length: 51 }, () => 'viewer'), {}],
];

type Operation = { readonly operationId: string; readonly requestBody?: JsonObject };

// The same description and the same rules on both databases; what only they know is not compared.
describeDatabase('sqlite', 'described inputs', (databases) => {
  const service = useService(databases, { application: { resources: [shelf, book], migrations } });

  const operations = async (): Promise<[string, Operation, JsonObject][]> => {
    const document = JSON.parse((await service.get('/api-docs/openapi.json?area=all')).text) as JsonObject;
    return Object.values(document['paths'] as Record<string, Record<string, Operation>>).flatMap((item) =>
      Object.entries(item).map(([method, operation]): [string, Operation, JsonObject] => [
        method.toUpperCase(),
        operation,
        document,
      ]),
    );
  };

  it('described inputs refuse what the service refuses, field by field, and nothing else', async () => {
    const token = await service.admin();
    await service.post('/api/v1/shelves', { token, body: { shelf: { title: 'one' } } });
    const first = { title: 'first', pages: 1, shelf_id: 1 };
    await service.post('/api/v1/books', { token, body: { book: first } });
    // Operations change the account and the password of this user.
    const user = await service.createUser();
    expect(user.id).toBe(2);
    const differences: string[] = [];
    for (const [method, { operationId, requestBody }, document] of await operations()) {
      const known = bodies[operationId];
      if (known === undefined) continue;
      const { path, key, base } = known;
      const ajv = new Ajv2020({ allErrors: true, strict: false });
      const types: readonly FieldType[] = Object.values(fieldTypes);
      for (const { format } of types) if (format !== undefined) ajv.addFormat(format.name, format.test);
      ajv.addSchema({ $id: 'https://description.test/', components: document['components'] });
      const body = JSON.stringify(requestBody).replaceAll('"#/', '"https://description.test/#/');
      const [{ schema }] = Object.values(
        (JSON.parse(body) as { content: Record<string, { schema: object }> }).content,
      ) as [{ schema: object }];
      const fits = ajv.compile(schema);
      const wrap = (record: JsonObject): JsonObject => (key === undefined ? record : { [key]: record });
      expect([operationId, fits(wrap(base)), fits.errors]).toEqual([operationId, true, null]);
      const names = new Set([...Object.keys(base), ...Object.keys(propertiesOf(document, schema, key))]);
      for (const name of names)
        for (const sample of samples) {
          const { [name]: _gone, ...rest } = base;
          // Whatever is right is refused for the sake of another field, so that nothing is stored.
          const record: JsonObject = { ...rest, ...(sample === undefined ? {} : { [name]: sample }) };
          const described = fits(wrap(record));
          const answer = await service.request(method, path, {
            token: operationId === 'changePassword' ? user : token,
            body: wrap(record),
          });
          if (answer.status < 300 && described) continue;
          const errors = (answer.json as { data?: { errors?: { field: string; rule: string }[] } }).data
            ?.errors;
          const own = errors?.filter((error) => error.field === name) ?? [];
          const refused = own.some(({ rule }) => !beyond.includes(rule));
          if (refused === described && !(own.length > 0 && !refused))
            differences.push(
              `${operationId} ${name}=${JSON.stringify(sample)?.slice(0, 30)}: described ${described}, ${answer.status} ${own.map(({ rule }) => rule).join()}`,
            );
        }
    }
    expect(differences).toEqual([]);
  }, 90_000);

  it('described inputs name 409 for a write only where something can collide', async () => {
    const statuses = Object.fromEntries(
      (await operations()).map(([, { operationId, ...rest }]) => [
        operationId,
        Object.keys((rest as { responses?: object }).responses ?? {}),
      ]),
    );
    const conflicts = (name: string) => statuses[name]?.includes('409');
    expect(['updateShelf', 'deleteShelf', 'createShelf'].map(conflicts)).toEqual([false, true, true]);
    expect(['updateBook', 'deleteBook', 'createBook'].map(conflicts)).toEqual([true, false, true]);
  });
});

/** Properties of the record that a body's schema describes. */
const propertiesOf = (document: JsonObject, schema: object, key: string | undefined): JsonObject => {
  const resolve = (part: JsonObject): JsonObject => {
    const reference = part['$ref'];
    if (typeof reference !== 'string') return part;
    const names = reference.replace(/^.*#\//, '').split('/');
    return resolve(names.reduce<JsonObject>((inner, name) => inner[name] as JsonObject, document));
  };
  const whole = resolve(schema as JsonObject)['properties'] as JsonObject;
  if (key === undefined) return whole;
  return resolve(whole[key] as JsonObject)['properties'] as JsonObject;
};
