import { sql } from 'kysely';
import { describe, expectTypeOf, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import { defineProblem } from '../../src/model/define-problem.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import type { Scope } from '../../src/model/scope.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';

const book = defineResource('Book', {
  fields: {
    title: field.string({ required: true }),
    pages: field.integer({ min: 1 }),
    state: field.enum(['new', 'sold'], { required: true, default: 'new' }),
    author: field.reference('User', { required: true }),
    cost: field.decimal({}),
  },
  views: { list: ['id', 'title'], detail: ['id', 'title', 'pages', 'state', 'author_id'] },
  hooks: {
    beforeCommit({ action, before, after, records, addError }) {
      expectTypeOf(action).toEqualTypeOf<'create' | 'update' | 'destroy'>();
      expectTypeOf(before?.title).toEqualTypeOf<string | undefined>();
      expectTypeOf(after?.cost).toEqualTypeOf<string | null | undefined>();
      expectTypeOf(records).toEqualTypeOf<Scope['records']>();
      addError('author_id', 'no');
      addError(undefined, 'no');
      // @ts-expect-error: no such field
      addError('author', 'no');
    },
    beforeSave({ before, values }) {
      expectTypeOf(before?.state).toEqualTypeOf<'new' | 'sold' | undefined>();
      expectTypeOf(values.pages).toEqualTypeOf<number | null | undefined>();
    },
  },
});

/** Never run: what is said here, the compiler holds. */
const uses = async (scope: Scope) => {
  const books = scope.records(book);
  const [first] = await books.list({ filter: { pages: { gte: 5 }, state: 'new' }, sort: ['-pages', 'id'] });
  const made = await books.create({ title: 'A', author_id: 1 });
  const whole = await scope.asSystem('why').records(book).get(1);
  const row = await scope.sql.get(sql<{ n: number }>`select 1 as n`);
  const kept = await scope.transaction(async ({ records }) => records(book).find(1, { lock: true }));
  await books.update(1, { cost: '1.00' }, { version: 1 });
  // @ts-expect-error: a new book needs its author
  await books.create({ title: 'A' });
  // @ts-expect-error: no such field
  await books.update(1, { titel: 'A' });
  // @ts-expect-error: the detail view does not show it
  await books.list({ filter: { cost: '1' } });
  await scope
    .asSystem('why')
    .records(book)
    .list({ filter: { cost: '1' }, sort: 'cost' });
  // @ts-expect-error: no such operator of a number
  await books.list({ filter: { pages: { like: '5' } } });
  // @ts-expect-error: no such value
  await books.count({ filter: { state: 'lost' } });
  // @ts-expect-error: no such option
  await books.list({ per_page: 5 });
  // @ts-expect-error: not shown
  void made.cost;
  const groups = await books.aggregate({
    group: ['state', 'author_id'],
    count: true,
    sum: ['pages'],
    sort: '-sum_pages',
    perPage: 5,
  });
  const [costs] = await scope
    .asSystem('why')
    .records(book)
    .aggregate({ sum: ['cost'] });
  // @ts-expect-error: the detail view does not show it
  await books.aggregate({ sum: ['cost'] });
  // @ts-expect-error: a text has no sum
  await books.aggregate({ sum: ['title'] });
  // @ts-expect-error: no such option
  await books.aggregate({ count: true, per_page: 5 });
  const named = await scope.records('Book').get(1);
  const name: string = 'Book';
  await scope.records(name).get(1);
  const [user] = await scope.records('User').list();
  const username: string | undefined = user?.username;
  // @ts-expect-error: a caller changes no users
  scope.records('User').create({ username: 'ann', email: 'ann@example.com' });
  // @ts-expect-error: a caller does not see it
  const off: boolean | undefined = user?.disabled;
  const all = scope.asSystem('why').records('User');
  const managed: boolean = (await all.disable(1)).disabled;
  // @ts-expect-error: an email is needed
  await all.create({ username: 'ann' });
  // @ts-expect-error: it may be users
  scope.asSystem('why').records('User' as 'User' | 'Book');
  return { first, made, whole, row, kept, groups, costs, named, username, off, managed };
};

describe('types of a scope', () => {
  it('types of a scope are those of the model file', () => {
    type Used = Awaited<ReturnType<typeof uses>>;
    interface Shown {
      id: number;
      title: string;
      pages: number | null;
      state: 'new' | 'sold';
      author_id: number;
    }
    expectTypeOf<Used['first']>().toEqualTypeOf<Shown | undefined>();
    expectTypeOf<Used['made']>().toEqualTypeOf<Shown>();
    expectTypeOf<Used['kept']>().toEqualTypeOf<Shown | undefined>();
    expectTypeOf<Used['whole']['cost']>().toEqualTypeOf<string | null>();
    expectTypeOf<Used['row']>().toEqualTypeOf<{ n: number } | undefined>();
    expectTypeOf<Used['groups'][number]>().toEqualTypeOf<{
      state: 'new' | 'sold';
      author_id: number;
      count: number;
      sum_pages: string | number | null;
    }>();
    expectTypeOf<Used['costs']>().toEqualTypeOf<{ sum_cost: string | null } | undefined>();
    expectTypeOf<Used['named']['id']>().toEqualTypeOf<number>();
  });

  it('an endpoint has the scope, and its required input is never undefined', () => {
    defineEndpoint({
      method: 'POST',
      path: '/x',
      input: {
        email: field.email({ required: true }),
        size: field.enum(['s', 'm'], { default: 's' }),
        note: field.text(),
      },
      handle: ({ values, records, transaction, principal }) => {
        expectTypeOf(values.email).toEqualTypeOf<string>();
        expectTypeOf(values.size).toEqualTypeOf<'s' | 'm' | null>();
        expectTypeOf(values.note).toEqualTypeOf<string | null | undefined>();
        expectTypeOf(records).toEqualTypeOf<Scope['records']>();
        expectTypeOf(transaction).toEqualTypeOf<Scope['transaction']>();
        expectTypeOf(principal.kind).toEqualTypeOf<'user' | 'application' | 'nobody'>();
        return undefined;
      },
    });
  });

  it('an endpoint may answer nothing, unless it says that it answers a record', () => {
    const path = '/x';
    defineEndpoint({
      method: 'POST',
      path,
      handle: async ({ records }) => {
        await records(book).remove(1);
      },
    });
    defineEndpoint({ method: 'POST', path, handle: ({ transaction }) => transaction(async () => {}) });
    defineEndpoint({ method: 'POST', path, output: book, handle: ({ records }) => records(book).get(1) });
    // @ts-expect-error: where is the book?
    defineEndpoint({ method: 'POST', path, output: book, handle: async () => {} });
  });

  it('a problem asks for what its message says', () => {
    const left = defineProblem({
      status: 409,
      number: 50,
      message: { en: 'Only {left} left', 'zh-CN': '仅剩 {left}' },
    });
    const plain = defineProblem({ status: 409, number: 51, message: 'No' });
    const shown = defineProblem({ status: 422, number: 52, message: 'lines must be {"id": 1}, not {what}' });
    left({ left: 3 });
    plain();
    shown({ what: 'that' });
    // @ts-expect-error: the first braces stand for themselves
    shown();
    // @ts-expect-error: how many are left?
    left();
    // @ts-expect-error: the message has no such place
    left({ right: 3 });
  });
});
