import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Answer, type TestUser, useService } from '../../support/service.ts';

/** Sets of values that are unique: of an order and its product, of an owner and a name. */

const orderFields = { number: field.string(), user_id: field.owner() };
const lineFields = {
  order: field.reference('Order', { required: true }),
  product: field.integer({ required: true, min: 1, label: { 'zh-CN': '产品', en: 'Product' } }),
  colour: field.string(),
  sku: field.string({ unique: true }),
  code: field.string({ max: 20 }),
  shelf: field.string({ max: 20 }),
  secret: field.string(),
  only: field.reference('Order', { unique: true }),
};
const bookmarkFields = {
  slug: field.string({ unique: 'owner', required: true }),
  order: field.reference('Order', { unique: 'owner' }),
  user_id: field.owner(),
};
const noteFields = { slug: field.string({ unique: 'owner' }), user_id: field.owner() };

const seatFields = { user_id: field.owner({ unique: true }) };
const profileFields = { name: field.string(), user_id: field.owner() };

/** Out of reach for others than their owners. */
const order = defineResource('Order', { fields: orderFields, isolation: true, ownership: true });
const line = defineResource('Line', {
  fields: lineFields,
  unique: [
    ['order_id', 'product', 'colour'],
    ['code', 'shelf'],
    ['secret', 'code'],
  ],
  restricted: ['secret'],
});
const bookmark = defineResource('Bookmark', {
  fields: bookmarkFields,
  isolation: true,
  ownership: true,
  auth: ['jwt', 'signature'],
});
/** The body says whose it is. */
const note = defineResource('Note', { fields: noteFields });
/** One of each user, said in both forms. */
const seat = defineResource('Seat', { fields: seatFields, ownership: true });
const profile = defineResource('Profile', { fields: profileFields, unique: [['user_id']], ownership: true });
const resources = [order, line, bookmark, note, seat, profile];
const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'orders', { fields: orderFields });
      await createTable(db, dialect, 'lines', { fields: lineFields, unique: line.unique });
      await createTable(db, dialect, 'bookmarks', { fields: bookmarkFields });
      await createTable(db, dialect, 'notes', { fields: noteFields });
      await createTable(db, dialect, 'seats', { fields: seatFields });
      const user_id = field.owner({ unique: true });
      await createTable(db, dialect, 'profiles', { fields: { ...profileFields, user_id } });
    },
  },
};

interface Errors {
  readonly errors: readonly { readonly field: string; readonly rule: string; readonly message: string }[];
}
type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const errorsOf = (answer: Answer<unknown>) => {
  expect(answer.status).toBe(422);
  return (answer.data as Errors).errors;
};
const named = (answer: Answer<unknown>) => errorsOf(answer).map(({ field: of, rule }) => `${of} ${rule}`);
const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

describeEachDatabase('sets of unique fields', (databases) => {
  const service = useService(databases, {
    application: { resources, migrations },
    env: { LOCALE: 'en' },
    apps: ['shop'],
  });

  const post = (key: string, values: object, token: TestUser) =>
    service.post<Row>(`/api/v1/${key}s`, { token, body: { [key]: values } });
  const made = async (key: string, values: object, token: TestUser) => {
    const answer = await post(key, values, token);
    expect(answer.status).toBe(201);
    return answer.data;
  };
  const patch = (key: string, id: number, values: object, token: TestUser) =>
    service.request<Row>('PATCH', `/api/v1/${key}s/${id}`, { token, body: { [key]: values } });
  const setUp = async () => {
    const token = await service.createUser();
    const [one, two] = [await made('order', {}, token), await made('order', {}, token)];
    return { token, one: one.id, two: two.id };
  };

  it('sets of unique fields are one record of each user where the owner field is unique, by itself or as a set of one', async () => {
    for (const key of ['seat', 'profile']) {
      const token = await service.createUser();
      await made(key, {}, token);
      expect(await post(key, {}, token)).toMatchObject({
        status: 422,
        data: { errors: [{ field: 'user_id', rule: 'unique' }] },
      });
      await made(key, {}, await service.createUser());
      const raced = await service.createUser();
      const answers = await times(4, () => post(key, {}, raced));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
    }
  });

  it('unique fields are named each with the others, in their order, beside every other message', async () => {
    const { token, one, two } = await setUp();
    await made('line', { order_id: one, product: 7, colour: 'red', sku: `a${one}` }, token);
    const again = await post('line', { order_id: one, product: 7, colour: 'red', sku: `a${one}` }, token);
    expect(errorsOf(again)).toEqual([
      {
        field: 'order_id',
        rule: 'unique',
        message: 'Order is already taken in combination with Product and Colour',
      },
      {
        field: 'product',
        rule: 'unique',
        message: 'Product is already taken in combination with Order and Colour',
      },
      {
        field: 'colour',
        rule: 'unique',
        message: 'Colour is already taken in combination with Order and Product',
      },
      { field: 'sku', rule: 'unique', message: 'Sku is already taken' },
    ]);
    expect(again.json.message).toBe(
      errorsOf(again)
        .map(({ message }) => message)
        .join(', '),
    );
    const long = { order_id: one, product: 7, colour: 'red', code: 'c'.repeat(21) };
    expect(named(await post('line', long, token))).toEqual([
      'order_id unique',
      'product unique',
      'colour unique',
      'code max_length',
    ]);
    await made('line', { order_id: two, product: 7, colour: 'red' }, token);
    await made('line', { order_id: one, product: 8, colour: 'red' }, token);
  });

  it('collide with nothing where one of them is null', async () => {
    const { token, one } = await setUp();
    const values = { order_id: one, product: 1 };
    const first = await made('line', values, token);
    await made('line', { ...values, colour: null }, token);
    await made('line', { ...values, colour: 'red' }, token);
    expect(named(await patch('line', first.id, { colour: 'red' }, token))).toHaveLength(3);
    expect((await patch('line', first.id, { product: 1 }, token)).status).toBe(200);
  });

  it('sets of unique fields are compared with what the record has where an update sends only some of them', async () => {
    const { token, one, two } = await setUp();
    const red = await made('line', { order_id: one, product: 1, colour: 'red' }, token);
    const blue = await made('line', { order_id: one, product: 1, colour: 'blue' }, token);
    await made('line', { order_id: two, product: 2, colour: 'blue' }, token);
    expect(named(await patch('line', blue.id, { colour: 'red' }, token))).toEqual([
      'order_id unique',
      'product unique',
      'colour unique',
    ]);
    expect(named(await patch('line', blue.id, { order_id: two, product: 2 }, token))).toHaveLength(3);
    // An invalid value is in no set, nor is the record's own in its place.
    const wrong = await patch('line', red.id, { order_id: 'x', product: 1, colour: 'blue' }, token);
    expect(named(wrong)).toEqual(['order_id type']);
    expect((await patch('line', red.id, { colour: 'red', product: 1 }, token)).status).toBe(200);
    expect((await patch('line', blue.id, { order_id: two }, token)).status).toBe(200);
    expect((await patch('line', 999_999, { colour: 'red' }, token)).status).toBe(404);
  });

  it('name only fields that the caller may write', async () => {
    const { token, one } = await setUp();
    const admin = await service.admin();
    const values = { order_id: one, product: 1 };
    const [secret, code] = [`s${one}`, `c${one}`];
    const theirs = await made('order', {}, admin);
    await made('line', { ...values, order_id: theirs.id, secret, code }, admin);
    const mine = await made('line', { ...values, order_id: theirs.id, secret }, admin);
    const refused = await patch('line', mine.id, { code }, token);
    expect(errorsOf(refused)).toEqual([{ field: 'code', rule: 'unique', message: 'Code is already taken' }]);
    expect(named(await patch('line', mine.id, { code }, admin))).toEqual(['code unique', 'secret unique']);
  });

  it('sets of unique fields tell nothing of a reference that is out of reach', async () => {
    const { one } = await setUp();
    const admin = await service.admin();
    const stranger = await service.createUser();
    await made('line', { order_id: one, product: 5, colour: 'red', only_id: one }, admin);
    for (const product of [5, 6]) {
      const guess = await post('line', { order_id: one, product, colour: 'red' }, stranger);
      expect(named(guess)).toEqual(['order_id reference']);
    }
    const own = await made('order', {}, stranger);
    const alone = await post('line', { order_id: own.id, product: 1, only_id: one }, stranger);
    expect(named(alone)).toEqual(['only_id reference']);
  });

  it('sets of unique fields hold against any number of writers at once, by one message', async () => {
    const { token, one, two } = await setUp();
    const second = await service.secondInstance();
    const values = { order_id: one, product: 3, colour: 'red' };
    const created = await times(12, (index) =>
      (index % 2 === 0 ? service : second).post<Row>('/api/v1/lines', { token, body: { line: values } }),
    );
    expect(created.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of created.filter(({ status }) => status !== 201))
      expect(named(answer)).toEqual(['order_id unique', 'product unique', 'colour unique']);

    const lines = await times(8, (index) =>
      made('line', { ...values, order_id: two, colour: `${index}` }, token),
    );
    const updated = await times(8, (index) => patch('line', lines[index]?.id ?? 0, { colour: 'one' }, token));
    expect(updated.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of updated.filter(({ status }) => status !== 200))
      expect(named(answer)).toHaveLength(3);
  });

  it('unique: owner makes a set of the owner and the field', async () => {
    const { token, one } = await setUp();
    const other = await service.createUser();
    const [first] = [await made('bookmark', { slug: 'a', order_id: one }, token)];
    await made('bookmark', { slug: 'a' }, other);
    const second = await made('bookmark', { slug: 'b' }, token);
    const again = await post('bookmark', { slug: 'a', order_id: one }, token);
    expect(errorsOf(again)).toEqual([
      { field: 'slug', rule: 'unique', message: 'Slug is already taken' },
      { field: 'order_id', rule: 'unique', message: 'Order is already taken' },
    ]);
    expect(named(await patch('bookmark', second.id, { slug: 'a' }, token))).toEqual(['slug unique']);
    expect((await patch('bookmark', first.id, { slug: 'a' }, token)).status).toBe(200);
    const racing = await times(8, () => post('bookmark', { slug: 'c' }, token));
    expect(racing.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
    for (const answer of racing.filter(({ status }) => status === 422))
      expect(named(answer)).toEqual(['slug unique']);
  });

  it('unique fields are named with the owner where the body says who that is', async () => {
    const { token } = await setUp();
    const other = await service.createUser();
    const mine = await made('note', { slug: 'a', user_id: token.id }, token);
    const theirs = await made('note', { slug: 'a', user_id: other.id }, token);
    await made('note', { slug: 'a' }, token);
    await made('note', { slug: 'a' }, token);
    const moved = await patch('note', theirs.id, { user_id: token.id }, token);
    expect(errorsOf(moved)).toEqual([
      { field: 'slug', rule: 'unique', message: 'Slug is already taken in combination with User' },
      { field: 'user_id', rule: 'unique', message: 'User is already taken in combination with Slug' },
    ]);
    expect((await patch('note', mine.id, { user_id: null }, token)).status).toBe(200);
  });

  it('sets of unique fields hold in the administration area, and stand in metadata and description', async () => {
    const { one } = await setUp();
    const token = await service.admin();
    const values = { order_id: one, product: 9, colour: 'red' };
    await made('line', values, token);
    const again = await service.post('/admin/records/lines', { token, body: { line: values } });
    expect(named(again)).toHaveLength(3);
    const meta = async (model: string, as: TestUser) =>
      (
        await service.get<{ unique: string[][]; fields: { name: string; unique: unknown }[] }>(
          `/api/v1/meta/${model}`,
          { token: as },
        )
      ).data;
    expect((await meta('Line', token)).unique).toEqual(line.unique);
    const bookmarks = await meta('Bookmark', token);
    expect(bookmarks.unique).toEqual([
      ['user_id', 'slug'],
      ['user_id', 'order_id'],
    ]);
    expect(bookmarks.fields.find(({ name }) => name === 'slug')?.unique).toBe('owner');
    const { paths } = JSON.parse((await service.get('/api-docs/openapi.json')).text);
    expect(paths['/api/v1/lines'].post.description).toContain(
      'Must be unique: `sku`, `only_id`, `order_id` + `product` + `colour`, `code` + `shelf`, `secret` + `code`',
    );
    expect(paths['/api/v1/orders'].post.description).not.toContain('There is only one');
  });
});
