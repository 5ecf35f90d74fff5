import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/databases.ts';
import type { RequestOptions } from '../../support/http-client.ts';
import { useService } from '../../support/service.ts';
import { Random } from '../resources/row-rules/random.ts';
import { migrations, resources } from './purchases.ts';

type Values = Readonly<Record<string, unknown>>;
type Row = { readonly id: number } & Values;

/** A body at random, in names of what it is about: the two ways give these the ids of their own records. */
interface Item {
  readonly task: 'create' | 'update' | 'delete';
  /** The index among the record's items, or `far` for one of another record, or `none`. */
  readonly target: number | 'far' | 'none';
  readonly values: Values;
  readonly parts: readonly Values[];
}

interface Case {
  readonly isNew: boolean;
  readonly own: Values;
  readonly items: readonly Item[];
  readonly remarks: readonly Values[];
}

interface Caller {
  readonly name: string;
  readonly options: RequestOptions;
  readonly root: string;
}

/** Records of one of the two ways, made alike. */
interface Twin {
  readonly purchase: number;
  readonly items: readonly Row[];
  readonly far: Row;
  readonly prefix: string;
}

interface Outcome {
  readonly status: number;
  readonly errors: readonly string[];
  readonly record: unknown;
}

const rounds = 70;

type Refused = { readonly errors?: readonly { readonly field: string; readonly rule: string }[] };
/** An answer, or what stands for one where none was asked for. */
type Reply = { readonly status: number; readonly json: { readonly data?: unknown } };

const missing: Reply = { status: 404, json: {} };

const errorsOf = ({ status, json }: Reply) => (status === 422 ? ((json.data as Refused).errors ?? []) : []);

describeEachDatabase('a body with records within', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });

  const drawn = (random: Random, articles: readonly number[], isNew: boolean): Case => {
    const one = <T>(values: readonly T[]): T => random.pick(values);
    const some = <T>(below: number, make: () => T): T[] => Array.from({ length: random.below(below) }, make);
    const valuesOf = (): Values => ({
      ...(random.below(8) > 0 ? { quantity: one([1, 2, 3, 4, 5, 50, 50, 0, 13, 'x']) } : {}),
      ...(random.below(3) > 0 ? { article_id: one([...articles, ...articles, 999_999, null]) } : {}),
      ...(random.below(4) > 0 ? {} : { code: one(['a', 'b']) }),
      ...(random.below(4) > 0 ? {} : { granted: 7 }),
    });
    const seen = new Set<number | string>();
    const part = (): Values => one([{ name: 'p' }, { name: 'q' }, {}]);
    const items = some(5, (): Item => {
      const task = isNew ? 'create' : one(['create', 'update', 'update', 'delete'] as const);
      const target = one([0, 0, 1, 2, 2, 'far', 'none'] as const);
      // One that is named twice is a matter of form, which other tests look at.
      if (task === 'create' || seen.has(target))
        return { task: 'create', target: 'none', values: valuesOf(), parts: some(2, () => part()) };
      seen.add(target);
      return { task, target, values: valuesOf(), parts: task === 'update' ? some(2, () => part()) : [] };
    });
    return {
      isNew,
      own: {
        ...(random.below(5) > 0 ? {} : { total: one([1, 'x']) }),
        ...(random.below(5) > 0 ? {} : { rebate: 3 }),
      },
      items,
      remarks: random.below(4) > 0 ? [] : some(3, () => one([{ text: 'r' }, { text: 's' }, {}])),
    };
  };

  const stage = async () => {
    const [ann, ben, root] = [await service.createUser(), await service.createUser(), await service.admin()];
    await service.ok('POST', '/admin/roles', { token: root, body: { role: { name: 'talker' } } });
    await service.ok('PUT', '/admin/permissions/talker/Remark/create', { token: root });
    const talker = await service.createUser(['talker']);
    const { key } = await service.createKey(ann);
    const article = async (token: typeof ann) =>
      (await service.ok<Row>('POST', '/api/v1/articles', { token, body: { article: { name: 'a' } } })).id;
    const articles = [await article(ann), await article(ann), await article(talker), await article(ben)];
    const api = '/api/v1';
    const callers: readonly (Caller & { readonly owner: typeof ann })[] = [
      { name: 'viewer', options: { token: ann }, root: api, owner: ann },
      { name: 'key', options: { key }, root: api, owner: ann },
      { name: 'talker', options: { token: talker }, root: api, owner: talker },
      { name: 'stranger', options: { token: ben }, root: api, owner: ann },
      { name: 'administrator', options: { token: root }, root: api, owner: ann },
      { name: 'in the area', options: { token: root }, root: '/admin/records', owner: ann },
      { name: 'nobody', options: {}, root: api, owner: ann },
    ];
    return { callers, articles, root };
  };

  let made = 0;
  const coded = (values: Values, { prefix }: Twin): Values =>
    values['code'] === undefined ? values : { ...values, code: prefix + String(values['code']) };

  /** A purchase of three items, the last of which is held by another record, and one that is somebody's as well. */
  const twinOf = async (owner: RequestOptions['token']): Promise<Twin> => {
    made += 1;
    const buy = async (items: readonly Values[]): Promise<Row & { items: Row[] }> =>
      service.ok('POST', '/api/v1/purchases?include=items', {
        token: owner,
        body: { purchase: { number: `t${made}-${items.length}`, items } },
      });
    const { id: purchase, items } = await buy([{ quantity: 1 }, { quantity: 2 }, { quantity: 3 }]);
    const [far] = (await buy([{ quantity: 4 }])).items;
    const held = { hold: { item_id: items[2]?.id } };
    await service.ok('POST', '/api/v1/holds', { token: owner, body: held });
    return { purchase, items, far: far as Row, prefix: `${made}` };
  };

  const idOf = ({ target }: Item, { items, far }: Twin): number =>
    target === 'far' ? far.id : target === 'none' ? 999_999 : (items[target]?.id ?? 0);

  /** The purchase in the end, without the values that differ between the two ways. */
  const recordOf = async (id: number, root: RequestOptions['token'], { prefix }: Twin): Promise<unknown> => {
    const path = `/admin/records/purchases/${id}?include=items.parts,remarks`;
    const data = await service.ok<Row>('GET', path, { token: root });
    const items = (data['items'] as Row[]).map(({ article_id, quantity, code, granted, parts }) => ({
      ...{ article_id, quantity, granted, parts: (parts as Row[]).map(({ name }) => name) },
      code: typeof code === 'string' ? code.slice(prefix.length) : code,
    }));
    const remarks = (data['remarks'] as Row[]).map(({ text }) => text);
    return { total: data['total'], rebate: data['rebate'], items, remarks };
  };

  const asked = (caller: Caller, method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    service.request<Row>(method, `${caller.root}/${path}`, { ...caller.options, ...(body && { body }) });

  const nested = async (
    caller: Caller,
    { isNew, own, items, remarks }: Case,
    twin: Twin,
    root: RequestOptions['token'],
  ) => {
    const body = {
      ...own,
      ...(isNew ? { number: `n${twin.prefix}` } : {}),
      items: items.map((item) => ({
        ...coded(item.values, twin),
        ...(item.task === 'create' ? {} : { id: idOf(item, twin) }),
        ...(item.task === 'delete' ? { _delete: true } : {}),
        ...(item.parts.length === 0 ? {} : { parts: item.parts }),
      })),
      remarks,
    };
    const path = isNew ? 'purchases' : `purchases/${twin.purchase}`;
    const answer = await asked(caller, isNew ? 'POST' : 'PATCH', path, { purchase: body });
    const [found] = await service.ok<Row[]>(
      'GET',
      `/admin/records/purchases?filter[number]=n${twin.prefix}`,
      { token: root },
    );
    const id = isNew ? found?.id : twin.purchase;
    const errors = errorsOf(answer).map(({ field, rule }) => `${field} ${rule}`);
    return {
      status: answer.status,
      errors: errors.sort(),
      record: id === undefined ? undefined : await recordOf(id, root, twin),
    };
  };

  /** The same by the endpoints of each model, one after the other, and what all of it comes to. */
  const oneByOne = async (
    caller: Caller,
    { isNew, own, items, remarks }: Case,
    twin: Twin,
    root: RequestOptions['token'],
  ): Promise<Outcome> => {
    const refused = { status: 0, errors: [] as string[], record: undefined };
    const isRefused = async (path: string, task: Item['task']): Promise<boolean> => {
      const [method, at, body] = (
        {
          create: ['POST', path, { [path.slice(0, -1)]: {} }],
          update: ['PATCH', `${path}/999999`, { [path.slice(0, -1)]: {} }],
          delete: ['DELETE', `${path}/999999`, undefined],
        } as const
      )[task];
      return [401, 403].includes((await asked(caller, method, at, body)).status);
    };
    const start = isNew
      ? await asked(caller, 'POST', 'purchases', { purchase: { ...own, number: `o${twin.prefix}` } })
      : await asked(caller, 'PATCH', `purchases/${twin.purchase}`, { purchase: own });
    if (start.status === 401) return { ...refused, status: 401 };
    for (const task of new Set(items.map((item) => item.task)))
      if (await isRefused('items', task)) return { ...refused, status: 403 };
    if (remarks.length > 0 && (await isRefused('remarks', 'create'))) return { ...refused, status: 403 };
    if (start.status === 404) return { ...refused, status: 404 };
    const isBad = start.status === 422;
    const errors = errorsOf(start).map(({ field, rule }) => `${field} ${rule}`);
    // The records within a refused record are checked all the same.
    const spare = isNew && isBad;
    const purchase = spare
      ? (await asked(caller, 'POST', 'purchases', { purchase: { number: `s${twin.prefix}` } })).data.id
      : isNew
        ? start.data.id
        : twin.purchase;
    let status = isBad ? 422 : 200;
    const note = (answer: Reply, place: string): void => {
      if (answer.status === 404) errors.push(`${place}.id reference`);
      for (const { field, rule } of errorsOf(answer))
        if (
          field !== 'purchase_id' &&
          field !== 'item_id' &&
          !(spare && (rule === 'custom' || rule === 'unique'))
        )
          errors.push(`${place}.${field} ${rule}`);
      if (answer.status === 409) status = 409;
      else if (answer.status >= 400 && status === 200) status = 422;
    };
    const withParts = async (item: Item, id: number, place: string): Promise<void> => {
      for (const [index, values] of item.parts.entries())
        note(
          await asked(caller, 'POST', 'parts', { part: { ...values, item_id: id } }),
          `${place}.parts.${index}`,
        );
    };
    /** True if an id is one of this record's: the endpoint of the items reaches items of others as well. */
    const isOwn = ({ target }: Item): boolean => typeof target === 'number';
    const steps = (task: Item['task']) =>
      [...items.entries()].filter(([, item]) => item.task === task).map(([index, item]) => ({ index, item }));
    for (const { index, item } of steps('delete'))
      note(
        isOwn(item) ? await asked(caller, 'DELETE', `items/${idOf(item, twin)}`) : missing,
        `items.${index}`,
      );
    if (status === 409) return { ...refused, status };
    if (items.some(({ parts }) => parts.length > 0) && (await isRefused('parts', 'create')))
      return { ...refused, status: 403 };
    for (const { index, item } of steps('update')) {
      const place = `items.${index}`;
      const body = { item: coded(item.values, twin) };
      const answer = isOwn(item) ? await asked(caller, 'PATCH', `items/${idOf(item, twin)}`, body) : missing;
      note(answer, place);
      if (isOwn(item)) await withParts(item, idOf(item, twin), place);
    }
    for (const { index, item } of steps('create')) {
      const place = `items.${index}`;
      const body = { item: { ...coded(item.values, twin), purchase_id: purchase } };
      const answer = await asked(caller, 'POST', 'items', body);
      note(answer, place);
      // The parts of an item that was refused are still looked at.
      const id = answer.status === 201 ? answer.data.id : twin.far.id;
      await withParts(item, id, place);
    }
    for (const [index, values] of remarks.entries())
      note(
        await asked(caller, 'POST', 'remarks', { remark: { ...values, purchase_id: purchase } }),
        `remarks.${index}`,
      );
    if (isNew && status === 200) status = 201;
    return { status, errors: errors.sort(), record: await recordOf(purchase, root, twin) };
  };

  /** The end that a write of several records asks for: values by record; undefined for a record that it removes. */
  type End = ReadonlyMap<number, string | undefined>;

  it('a body with records within is judged by its end, whatever the order of its items, as a batch is', async () => {
    const root = await service.admin();
    const random = new Random(20261129);
    const seen: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1) {
      const base = `e${round}-`;
      const spots = ['a', 'b', 'c', 'd', 'e'];
      const { id, items } = await service.ok<Row & { items: Row[] }>(
        'POST',
        '/api/v1/purchases?include=items',
        {
          token: root,
          body: {
            purchase: {
              number: base,
              items: spots.slice(0, 4).map((code) => ({ quantity: 1, code: base + code })),
            },
          },
        },
      );
      const stored = new Map(items.map((item) => [item.id, String(item['code'])]));
      const asks: End = new Map(
        random.some(items, 0.8, 2).map((item) => {
          const code = base + random.pick(spots);
          return [item.id, random.chance(0.1) ? undefined : code];
        }),
      );
      const end = [...stored].flatMap(([each, code]) => {
        const next = asks.has(each) ? asks.get(each) : code;
        return next === undefined ? [] : [[each, next] as const];
      });
      const isLegal = new Set(end.map(([, code]) => code)).size === end.length;
      const isBatch = random.chance(0.5);
      const update = [...asks].flatMap(([each, code]) => (code === undefined ? [] : [{ id: each, code }]));
      const gone = [...asks].flatMap(([each, code]) => (code === undefined ? [each] : []));
      const within = [...asks].map(([each, code]) =>
        code === undefined ? { id: each, _delete: true } : { id: each, code },
      );
      const kept = items.filter((item) => !asks.has(item.id)).map((item) => ({ id: item.id }));
      const answer = isBatch
        ? await service.request('POST', '/api/v1/items/batch', {
            token: root,
            body: { update, delete: gone },
          })
        : await service.request('PATCH', `/api/v1/purchases/${id}`, {
            token: root,
            body: { purchase: { items: [...within, ...kept] } },
          });
      const way = isBatch ? 'batch' : 'nested';
      const what = `round ${round}, ${way}: ${JSON.stringify([...asks])} of ${JSON.stringify([...stored])}`;
      expect(answer.status, `${what} ${answer.text}`).toBe(isLegal ? 200 : 422);
      const found = await service.ok<Row[]>('GET', `/admin/records/items?filter[purchase_id]=${id}&sort=id`, {
        token: root,
      });
      const wanted = isLegal ? end : [...stored];
      expect(
        found.map((item) => [item.id, item['code']]),
        what,
      ).toEqual(wanted.toSorted(([one], [two]) => one - two));
      const kind = `${way} ${answer.status}`;
      seen[kind] = (seen[kind] ?? 0) + 1;
    }
    expect(Object.keys(seen).sort()).toEqual(['batch 200', 'batch 422', 'nested 200', 'nested 422']);
  }, 120_000);

  it('a body with records within is what its steps would be by their own endpoints, and all or nothing', async () => {
    const { callers, articles, root } = await stage();
    const random = new Random(20261122);
    const seen: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1) {
      const caller = callers[round % callers.length] as (typeof callers)[number];
      const asks = drawn(random, articles, random.below(3) === 0);
      const [one, two] = [await twinOf(caller.owner), await twinOf(caller.owner)];
      const before = await recordOf(one.purchase, root, one);
      const expected = await oneByOne(caller, asks, two, root);
      const found = await nested(caller, asks, one, root);
      const what = `round ${round}, ${caller.name}: ${JSON.stringify(asks)}`;
      expect(found.status, what).toBe(expected.status);
      expect(found.errors, what).toEqual(expected.errors);
      const isDone = found.status < 300;
      expect(found.record, what).toEqual(isDone ? expected.record : asks.isNew ? undefined : before);
      const kind = `${asks.isNew ? 'new' : 'old'} ${found.status}`;
      seen[kind] = (seen[kind] ?? 0) + 1;
    }
    // All of this has come about.
    expect(Object.keys(seen)).toEqual(
      expect.arrayContaining(['new 201', 'new 401', 'new 403', 'new 422', 'old 200', 'old 403', 'old 404']),
    );
    expect(Object.keys(seen)).toEqual(expect.arrayContaining(['old 401', 'old 409', 'old 422']));
  }, 120_000);
});
