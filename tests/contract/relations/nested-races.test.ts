import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Answer, type TestUser, useService } from '../../support/service.ts';
import { migrations, resources } from './purchases.ts';

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;
type Bought = Row & { readonly items: readonly Row[] };

/** The number of runs of each race: a fault of one in a few runs shows. */
const rounds = 6;

describeEachDatabase('nested writes that race', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });
  let named = 0;
  const number = (): string => {
    named += 1;
    return `r${named}`;
  };

  /** Requests go to two instances in turn. */
  const stage = async () => {
    const ann = await service.createUser();
    const services = [service, await service.secondInstance()];
    let asked = 0;
    const ask = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, headers = {}) => {
      asked += 1;
      const at = services[asked % 2] ?? service;
      return at.request<Row>(method, `/api/v1/${path}`, { token: ann, headers, ...(body && { body }) });
    };
    const bought = async (items: readonly object[]): Promise<Bought> => {
      const answer = await ask('POST', 'purchases?include=items', { purchase: { number: number(), items } });
      expect(answer.status).toBe(201);
      return answer.data as Bought;
    };
    return { ann, ask, bought };
  };
  const itemsOf = (token: TestUser, id: number) =>
    service.ok<Row[]>('GET', `/api/v1/items?filter[purchase_id]=${id}`, { token });
  const among = (answers: readonly Answer<unknown>[], allowed: readonly number[]): readonly number[] => {
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => !allowed.includes(status))).toEqual([]);
    return statuses;
  };

  it('nested writes of which one deletes what the other changes are each written as a whole', async () => {
    const { ann, ask, bought } = await stage();
    for (let round = 0; round < rounds; round += 1) {
      const { id, items } = await bought([{ quantity: 1 }, { quantity: 2 }]);
      const [one, two] = items;
      const change = (entries: object[]) => ask('PATCH', `purchases/${id}`, { purchase: { items: entries } });
      const [changed, deleted] = among(
        await Promise.all([
          change([{ quantity: 7 }, { id: one?.id, quantity: 5 }]),
          change([
            { id: two?.id, quantity: 6 },
            { id: one?.id, _delete: true },
          ]),
        ]),
        [200, 422],
      );
      expect(deleted).toBe(200);
      const quantities = (await itemsOf(ann, id)).map(({ quantity }) => quantity);
      expect(quantities).toEqual(changed === 200 ? [6, 7] : [6]);
    }
  });

  it('nested writes race with the end of their record, or with a move of an item, and each is whole or refused', async () => {
    const { ann, ask, bought } = await stage();
    for (let round = 0; round < rounds; round += 1) {
      const [from, to] = [await bought([{ quantity: 1 }]), await bought([])];
      const change = { purchase: { items: [{ quantity: 8 }, { id: from.items[0]?.id, quantity: 9 }] } };
      const move = { item: { purchase_id: to.id } };
      const answers = await Promise.all([
        ask('PATCH', `purchases/${from.id}`, change),
        ask('PATCH', `items/${from.items[0]?.id}`, move),
      ]);
      const [changed] = among(answers, [200, 422]);
      expect(answers[1]?.status).toBe(200);
      expect((await itemsOf(ann, from.id)).length).toBe(changed === 200 ? 1 : 0);
      expect(await itemsOf(ann, to.id)).toMatchObject([{ quantity: changed === 200 ? 9 : 1 }]);
      const ended = await Promise.all([
        ask('PATCH', `purchases/${to.id}`, { purchase: { items: [{ quantity: 8 }] } }),
        ask('DELETE', `purchases/${to.id}`),
      ]);
      among(ended, [200, 204, 404]);
      expect(ended[1]?.status).not.toBe(404);
      expect(await itemsOf(ann, to.id)).toEqual([]);
    }
  });

  it('nested writes that race for the same pair leave one of each', async () => {
    const { ann, ask, bought } = await stage();
    const article = await service.ok<Row>('POST', '/api/v1/articles', {
      token: ann,
      body: { article: { name: 'tea' } },
    });
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await bought([]);
      const entry = { article_id: article.id, quantity: 3 };
      const answers = await Promise.all([
        ask('PATCH', `purchases/${id}`, { purchase: { total: 1, items: [{ quantity: 1 }, entry] } }),
        ask('PATCH', `purchases/${id}`, { purchase: { total: 2, items: [{ quantity: 1 }, entry] } }),
        ask('POST', 'items', { item: { ...entry, purchase_id: id } }),
      ]);
      const statuses = among(answers, [200, 201, 422]);
      expect(statuses.filter((status) => status !== 422)).toHaveLength(1);
      const loser = answers.slice(0, 2).find(({ status }) => status === 422);
      expect(loser?.data['errors']).toMatchObject([{ field: 'items.1.article_id', rule: 'unique' }]);
      const items = await itemsOf(ann, id);
      expect(items).toHaveLength(statuses[2] === 201 ? 1 : 2);
    }
    // In records that are only being made, the value of another table's row is what is fought for.
    for (let round = 0; round < rounds; round += 1) {
      const code = number();
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() =>
          ask('POST', 'purchases', { purchase: { number: number(), items: [{ quantity: 1, code }] } }),
        ),
      );
      const won = among(answers, [201, 422]).filter((status) => status === 201);
      expect(won).toHaveLength(1);
      for (const { status, data } of answers)
        if (status === 422)
          expect(data['errors']).toEqual([
            expect.objectContaining({ field: 'items.0.code', rule: 'unique' }),
          ]);
    }
  });

  it('nested writes that race with the same tag leave one of them', async () => {
    const { ann, ask, bought } = await stage();
    const { id } = await bought([]);
    const read = await service.request('GET', `/api/v1/purchases/${id}`, { token: ann });
    const guard = { 'If-Match': String(read.headers['etag']) };
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((quantity) =>
        ask('PATCH', `purchases/${id}`, { purchase: { items: [{ quantity }] } }, guard),
      ),
    );
    expect(among(answers, [200, 412]).filter((status) => status === 200)).toHaveLength(1);
    expect(await itemsOf(ann, id)).toHaveLength(1);
  });
});
