import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { searchWords } from '../../../src/kernel/search-words.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { anyOf, equals, own } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

const articleFields = {
  title: field.string({ max: 400 }),
  body: field.text(),
  note: field.text(),
  status: field.enum(['draft', 'public']),
  user_id: field.owner(),
};
const search = ['title', 'body', 'note'] as const;
const taskFields = {
  title: field.string(),
  keeper: field.reference('User', { anyone: true }),
  user_id: field.owner(),
};

const article = defineResource('Article', { fields: articleFields, search: [...search], trash: true });

const models = [
  article,
  // The note is in no list, so no word of it is found.
  defineResource('Letter', {
    fields: articleFields,
    search: [...search],
    views: { list: ['id', 'title', 'body'] },
    ownership: true,
    isolation: { read: anyOf(own(), equals('status', 'public')), write: own() },
  }),
  // Its readers do not see the field by which they may read it.
  defineResource('Task', {
    fields: taskFields,
    search: ['title'],
    ownership: true,
    isolation: anyOf(own(), own('keeper_id')),
    views: { when: [[own(), ['keeper_id']]] },
  }),
  defineResource('Plain', { fields: { title: field.string(), body: field.text() } }),
];

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'articles', { fields: articleFields, search });
      await createTable(db, dialect, 'letters', { fields: articleFields, search });
      await createTable(db, dialect, 'tasks', { fields: taskFields, search: ['title'] });
      await createTable(db, dialect, 'plains', { fields: { title: field.string(), body: field.text() } });
    },
  },
};

/** The number of articles, as an application's code counts them. */
const counted = defineEndpoint({
  method: 'GET',
  path: '/counted',
  handle: async ({ records, query }) => {
    const q = query.get('q') ?? '';
    const { total = 0 } = await records(article).page({ q, page: 1, perPage: 20 });
    return { count: await records(article).count({ q }), total };
  },
});

interface Row {
  readonly id: number;
  readonly title: string;
}

describeEachDatabase('full-text search', (databases) => {
  const service = useService(databases, {
    application: { resources: models, migrations, endpoints: [counted] },
  });
  let ann: TestUser;
  let bob: TestUser;

  const make = async (path: string, values: object, token: TestUser = ann): Promise<number> => {
    const body = { [path.slice(0, -1)]: values };
    return (await service.ok<Row>('POST', `/api/v1/${path}`, { token, body })).id;
  };
  const list = (path: string, query: Record<string, string>, token: TestUser = ann) =>
    service.ok<Row[]>('GET', `/api/v1/${path}?${new URLSearchParams(query)}`, { token });
  const titles = async (
    q: string,
    more: Record<string, string> = {},
    path = 'articles',
    token: TestUser = ann,
  ) => (await list(path, { q, ...more }, token)).map(({ title }) => title);

  const importArticles = async (articles: readonly object[]): Promise<void> => {
    for (let start = 0; start < articles.length; start += 500) {
      const lines = articles.slice(start, start + 500).map((values, index) => ({ line: index + 2, values }));
      await service.ok('POST', '/admin/records/articles/import', {
        token: await service.admin(),
        body: { lines },
      });
    }
  };

  beforeAll(async () => {
    ann = await service.createUser();
    bob = await service.createUser();
    await make('articles', { title: 'Die Übersicht', body: 'Größe und Maß der Städte' });
    await make('articles', { title: 'Crème brûlée', body: 'ΑΘΗΝΑ, Αθήνα; Ёлка; Łódź' });
    await make('articles', { title: '全文检索引擎', body: '二〇二六年：搜索的艺术' });
    await make('articles', { title: 'Category theory', body: "it isn't easy (x)" });
  });

  it('finds words without case and accents', async () => {
    for (const q of ['übersicht', 'UBERSICHT', 'die ubersicht', 'U\u0308bersicht', 'grosse', 'größe und'])
      expect(await titles(q), q).toEqual(['Die Übersicht']);
    for (const q of ['creme', 'BRÛLÉE', 'αθηνα', 'Αθήνα', 'елка', 'łodz'])
      expect(await titles(q), q).toEqual(['Crème brûlée']);
  });

  it('finds names by the letters of which theirs are made, and the other way round', async () => {
    const names = {
      Weiß: ['weiss', 'WEISS', 'weiß', 'WEIẞ'],
      Łukasz: ['lukasz', 'łukasz', 'ŁUKASZ'],
      Ødegård: ['odegard', 'Ødegard'],
      Strøm: ['strom'],
      Đukić: ['dukic', 'đukic'],
      Işık: ['isik', 'ISIK', 'ışık', 'İşik'],
      Þórður: ['thordur', 'Þorður'],
      Æsop: ['aesop', 'ǽsop'],
      Œuvre: ['oeuvre'],
      Ŧaħal: ['tahal'],
      ﬁnale: ['finale', 'FINALE'],
      Ｗｉｄｅ: ['wide'],
      'Σίσυφος ΐ': ['σισυφοσ ι', 'ΣΙΣΥΦΟΣ'],
      שָׁלוֹם: ['שלום'],
      हिन्दी: ['हिन्दी'],
    };
    for (const title of Object.keys(names)) await make('articles', { title });
    for (const [title, queries] of Object.entries(names))
      for (const q of [title, ...queries]) expect(await titles(q), q).toEqual([title]);
    await make('articles', { title: 'Strasse und Oyvind' });
    for (const q of ['straße', 'øyvind']) expect(await titles(q), q).toEqual(['Strasse und Oyvind']);
    // Kana with and without a mark are different letters.
    await make('articles', { title: 'がく' });
    expect(await titles('かく')).toEqual([]);
  });

  it('finds words only, the last one by its beginning', async () => {
    expect(await titles('cat')).toEqual(['Category theory']);
    expect(await titles('theory cat')).toEqual(['Category theory']);
    expect(await titles('cat theory')).toEqual([]);
    expect(await titles('ategory')).toEqual([]);
    expect(await titles('isn’t "easy" AND')).toEqual([]);
    expect(await titles('isn’t "easy')).toEqual(['Category theory']);
    for (const q of ['--- ***', '"', '{title} : (', '*', ':A'])
      expect(await titles(q), q).toEqual(q === ':A' ? await titles('a') : []);
  });

  it('finds Chinese by characters', async () => {
    for (const q of ['检索', '全文', '引擎 搜索', '搜', '二〇二六', '擎'])
      expect(await titles(q), q).toEqual(['全文检索引擎']);
    for (const q of ['索检', '检擎', '全检']) expect(await titles(q), q).toEqual([]);
  });

  it('returns the best match first, unless a sort is given', async () => {
    const ids = [
      await make('articles', {
        title: 'Heron',
        body: 'A bird that stands in water and waits for fish all day.',
      }),
      await make('articles', {
        title: 'Water',
        body: 'The heron and another heron: two herons, a heron pair.',
      }),
      await make('articles', {
        title: 'Birds',
        body: 'The heron is one of many birds that live near the water.',
      }),
    ];
    const best = (await list('articles', { q: 'heron' })).map(({ id }) => id);
    expect(best).toEqual([ids[0], ids[1], ids[2]]);
    const page = await service.request<Row[]>('GET', '/api/v1/articles?q=heron&per_page=2', { token: ann });
    expect(page.data.map(({ id }) => id)).toEqual(best.slice(0, 2));
    expect(page.headers['x-total-count']).toBe('3');
    expect(page.headers['link']).toContain('page=2');
    expect((await list('articles', { q: 'heron', page: '2', per_page: '2' })).map(({ id }) => id)).toEqual(
      best.slice(2),
    );
    expect((await list('articles', { q: 'heron', sort: '-id' })).map(({ id }) => id)).toEqual(
      ids.toReversed(),
    );
    expect((await list('articles', { q: 'heron', sort: 'title' })).map(({ title }) => title)).toEqual([
      'Birds',
      'Heron',
      'Water',
    ]);
    const first = await service.request<Row[]>('GET', '/api/v1/articles?q=heron&per_page=2&after=', {
      token: ann,
    });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const groups = await service.ok('GET', '/api/v1/articles/aggregate?group=title&count&q=heron', {
      token: ann,
    });
    expect(groups).toHaveLength(3);
    expect(await titles('heron', { 'filter[title]': 'Water' })).toEqual(['Water']);
  });

  it('searches fields that the caller reads, in records that the caller reads', async () => {
    const mine = { title: 'Robin', body: 'red breast', note: 'hidden magpie' };
    await make('letters', { ...mine, status: 'draft' });
    await make('letters', { ...mine, title: 'Wren', body: 'magpie', status: 'draft' }, bob);
    await make('letters', { ...mine, title: 'Owl robin', status: 'public' }, bob);
    expect(await titles('magpie', {}, 'letters')).toEqual([]);
    expect(await titles('magpie', {}, 'letters', bob)).toEqual(['Wren']);
    expect(await titles('robin', {}, 'letters')).toEqual(['Robin', 'Owl robin']);
    expect(await titles('robin', {}, 'letters', bob)).toEqual(['Owl robin']);
    expect(await titles('robin red', { per_page: '5' }, 'letters')).toEqual(['Robin', 'Owl robin']);
    expect(await titles('robin', { sort: 'id', per_page: '5' }, 'letters', bob)).toEqual(['Owl robin']);
    const page = await service.request('GET', '/api/v1/letters?q=red&per_page=1', { token: bob });
    expect(page.headers['x-total-count']).toBe('1');
  });

  it('follows every write: update, delete, trash, restore, import, SQL', async () => {
    const id = await make('articles', { title: 'Sparrow', body: 'first' });
    const update = (article: object) =>
      service.ok('PATCH', `/api/v1/articles/${id}`, { token: ann, body: { article } });
    await update({ status: 'draft' });
    expect(await titles('sparrow first')).toEqual(['Sparrow']);
    await update({ body: 'second' });
    expect(await titles('sparrow first')).toEqual([]);
    expect(await titles('sparrow second')).toEqual(['Sparrow']);
    await update({ body: null });
    expect(await titles('sparrow second')).toEqual([]);
    await service.ok('DELETE', `/api/v1/articles/${id}`, { token: ann });
    expect(await titles('sparrow')).toEqual([]);
    const admin = await service.admin();
    await service.ok('POST', `/admin/records/articles/${id}/restore`, { token: admin });
    expect(await titles('sparrow')).toEqual(['Sparrow']);
    await importArticles([
      { title: 'Kestrel', body: 'über dem Feld' },
      { title: 'Falke', body: 'hoch, höher' },
    ]);
    expect(await titles('uber feld')).toEqual(['Kestrel']);
    expect(await titles('hoher')).toEqual(['Falke']);
  });

  it('full-text search has as many results as pages show, beyond the ranked ones', async () => {
    await importArticles(
      Array.from({ length: 1203 }, (_, index) => ({
        title: `Finch ${index}`,
        body: index % 2 === 0 ? 'even' : 'odd',
      })),
    );
    expect(new Set(await titles('finch')).size).toBe(1203);
    const seen: string[] = [];
    for (let page = 1; page <= 7; page += 1)
      seen.push(...(await titles('finch', { page: String(page), per_page: '200' })));
    expect(new Set(seen).size).toBe(1203);
    // Records that are not ranked are the oldest, the newest first.
    expect(seen.slice(1000).map((title) => Number(title.slice(6)))).toEqual(
      Array.from({ length: 203 }, (_, index) => 202 - index),
    );
    expect(await titles('finch odd', { page: '4', per_page: '200' })).toHaveLength(1);
    // The total of a page counts as far as that of a list; code that counts gets the whole number.
    expect(await service.ok('GET', '/api/v1/counted?q=finch', { token: ann })).toEqual({
      count: 1203,
      total: 1000,
    });
  }, 60_000);

  it('returns the words themselves before words that begin with them, on every page', async () => {
    await importArticles(
      Array.from({ length: 1400 }, (_, index) => ({
        title: index % 2 === 0 ? `Tern ${index}` : `Ternlet ${index}`,
        body: index % 7 === 0 ? 'seventh' : 'other',
      })),
    );
    const kinds = async (query: Readonly<Record<string, string>>): Promise<readonly string[]> =>
      (await titles('tern', query)).map((title) => title.split(' ')[0] ?? '');
    for (const [query, each] of [
      [{}, 700],
      [{ 'filter[body]': 'seventh' }, 100],
    ] as const) {
      const all = await kinds(query);
      expect(all).toEqual([...Array(each).fill('Tern'), ...Array(each).fill('Ternlet')]);
      const seen: string[] = [];
      for (let page = 1; page <= (each * 2) / 200; page += 1)
        seen.push(...(await titles('tern', { ...query, page: String(page), per_page: '200' })));
      expect(new Set(seen).size).toBe(each * 2);
      expect(seen).toEqual(await titles('tern', query));
      // All of the first kind are ranked; the oldest of the second kind follow, the newest of them first.
      const rest = seen.slice(1000).map((title) => Number(title.split(' ')[1]));
      expect(rest).toEqual(rest.toSorted((one, other) => other - one));
    }
    // A total counts the first 1,000 matches, and one beyond the page: the links lead to all of them.
    const totals: string[] = [];
    const walked: string[] = [];
    const follow = async (path: string): Promise<void> => {
      const page = await service.request<{ title: string }[]>('GET', path, { token: ann });
      totals.push(String(page.headers['x-total-count']));
      walked.push(...(page.json.data ?? []).map(({ title }) => title));
      const next = /<([^>]+)>; rel="next"/.exec(String(page.headers['link']))?.[1];
      if (next !== undefined) await follow(next);
    };
    await follow('/api/v1/articles?q=tern&page=1&per_page=250');
    expect(totals).toEqual(['1000', '1000', '1000', '1001', '1251', '1400']);
    expect(walked).toEqual(await titles('tern', {}));
    for (const [q, page, total, wanted] of [
      ['tern', 1, 'estimate', ['1000', 'gte', true]],
      ['tern', 5, 'estimate', ['1251', 'gte', true]],
      ['tern', 6, 'estimate', ['1400', 'eq', false]],
      ['tern', 5, 'none', [undefined, undefined, true]],
      ['tern', 6, 'none', [undefined, undefined, false]],
      ['tern seventh', 1, 'estimate', ['100', 'eq', false]],
    ] as const) {
      const path = `/api/v1/articles?q=${encodeURIComponent(q)}&page=${page}&per_page=250&total=${total}`;
      const { headers } = await service.request('GET', path, { token: ann });
      const follows = String(headers['link']).includes('rel="next"');
      expect([headers['x-total-count'], headers['x-total-count-relation'], follows]).toEqual(wanted);
    }
  }, 60_000);

  it('finds all matches where the newest records have few of them', async () => {
    const carl = await service.createUser();
    // Half of these are carl's own, the others public: two parts of his reach.
    const database = await databases.open(service.env['DATABASE_URL'] ?? '');
    const insert = `insert into letters (title, body, status, user_id, created_at, updated_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 45000)
      select 'Heron ' || i || ' t' || (i % 20) || ' h' || (i % 33) || case when i <= 700 then ' early' else '' end
          || case when i <= 900 or i > 44700 then ' ends' else '' end
          || case when i > 44300 or i % 100 = 7 then ' often' else '' end
          || case when i > 44300 or i % 1000 = 7 then ' once' else '' end,
        case when i % 5 = 0 then 'fifth' else 'other' end, case when i % 2 = 0 then 'public' else 'draft' end,
        case when i % 2 = 0 then ${bob.id} else ${carl.id} end, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`;
    await database.execute({ sql: insert, parameters: [] });
    const all = Array.from({ length: 45_000 }, (_, index) => index + 1);
    const numbers = async (q: string, query: Record<string, string>) =>
      (await titles(q, query, 'letters', carl)).map((title) => Number(title.split(' ')[1]));
    // Found among the newest 10,000 records, the next 30,000 (often), after those by the index (once), and by the index at
    // once, as the newest 2,000 have few (t7, h21, ends, early).
    const searches: readonly (readonly [string, (i: number) => boolean, Record<string, string>])[] = [
      ['heron', () => true, {}],
      ['often', (i) => i > 44_300 || i % 100 === 7, {}],
      ['once', (i) => i > 44_300 || i % 1000 === 7, {}],
      ['often', (i) => (i > 44_300 || i % 100 === 7) && i % 5 > 0, { 'filter[body]': 'other' }],
      ['t7', (i) => i % 20 === 7, {}],
      ['h21', (i) => i % 33 === 21, {}],
      ['h21', (i) => i % 33 === 21 && i % 5 > 0, { 'filter[body]': 'other' }],
      ['ends', (i) => i <= 900 || i > 44_700, {}],
      ['early', (i) => i <= 700, {}],
      ['heron earl', (i) => i <= 700 && i % 5 === 0, { 'filter[body]': 'fifth' }],
    ];
    for (const [q, matches, query] of searches) {
      const expected = all.filter(matches);
      const found = await numbers(q, query);
      expect(
        found.toSorted((one, other) => one - other),
        q,
      ).toEqual(expected);
      const parameters = new URLSearchParams({ q, ...query, page: '1', per_page: '20' });
      const first = await service.request('GET', `/api/v1/letters?${parameters}`, { token: carl });
      expect(first.headers['x-total-count'], q).toBe(String(Math.min(1000, expected.length)));
      for (const page of [5, Math.ceil(expected.length / 200)])
        expect(await numbers(q, { ...query, page: String(page), per_page: '200' }), q).toEqual(
          found.slice((page - 1) * 200, page * 200),
        );
    }
  }, 120_000);

  it('finds records by a rule on a field that their reader does not see', async () => {
    const values = { title: 'Plover', keeper_id: bob.id };
    await make('tasks', values);
    await make('tasks', { ...values, keeper_id: null });
    for (const query of [{}, { sort: 'id' }]) {
      const [found, ...others] = await list('tasks', { q: 'plover', ...query }, bob);
      expect([found?.title, others]).toEqual(['Plover', []]);
      expect(found).not.toHaveProperty('keeper_id');
    }
    expect(await list('tasks', { q: 'plover' })).toHaveLength(2);
  });

  it('orders matches by what their reader sees: neither hidden fields nor other records count', async () => {
    const dora = await service.createUser();
    const some = ['rook', 'rook rook', 'crow', 'rook crow crow', 'gull', 'rook gull'];
    const ids: number[] = [];
    for (let nth = 0; nth < 36; nth += 1)
      ids.push(
        await make(
          'letters',
          {
            title: some[nth % 6],
            body: `${some[nth % 5]}${' and'.repeat((nth * 7) % 31)}`,
            note: nth % 2 === 0 ? null : 'rook crow '.repeat(200),
          },
          dora,
        ),
      );
    const orders = async (): Promise<unknown> => {
      const found: unknown[] = [];
      for (const q of ['rook', 'crow', 'rook crow', 'gull rook', 'ro', 'gull crow'])
        found.push(await list('letters', { q, fields: 'id' }, dora));
      return found;
    };
    const before = await orders();
    expect((before as unknown[][]).every((each) => each.length > 5)).toBe(true);
    for (const [nth, id] of ids.entries())
      await service.ok('PATCH', `/api/v1/letters/${id}`, {
        token: dora,
        body: { letter: { note: nth % 2 === 0 ? 'rook crow '.repeat(200) : null } },
      });
    for (let nth = 0; nth < 60; nth += 1)
      await make('letters', { title: 'crow', body: 'crow gull '.repeat(100), status: 'draft' }, bob);
    expect(await orders()).toEqual(before);
  });

  it('finds nothing else in a model without a search', async () => {
    await make('plains', { title: 'Category', body: 'Ünder' });
    expect(await titles('ategor', {}, 'plains')).toEqual(['Category']);
    expect(await titles('under', {}, 'plains')).toEqual([]);
  });

  it('refuses a query of too many words', async () => {
    const q = Array.from({ length: 65 }, (_, index) => `w${index}`).join(' ');
    expect(
      (await service.request('GET', `/api/v1/articles?q=${encodeURIComponent(q)}`, { token: ann })).status,
    ).toBe(400);
  });
});

const letters = [
  ...'aAbBeEuzZ019',
  ...'äÄßéÉñøçÅ',
  ...'αΑάΆσςΣ',
  ...'еЕёЁйЙ',
  ...'中文搜索引擎〇の가',
  ...' \n.,;:!?"\'*()-_+#@/\\&|<>^~{}[]=%$§²½—…。，',
  'e\u0301',
];
const text = fc.array(fc.constantFrom(...letters), { maxLength: 40 }).map((parts) => parts.join(''));

/** The words of a text as an independent reading of the documentation: runs of letters, single characters and pairs. */
const wordsIn = (value: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const runs =
    value
      .normalize('NFC')
      .match(/[中文搜索引擎〇の가]+|[\p{L}\p{Nd}](?:(?![中文搜索引擎〇の가])[\p{L}\p{Nd}])*/gu) ?? [];
  const plain = (run: string): string =>
    run
      .toLowerCase()
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll('ς', 'σ')
      .replaceAll('ß', 'ss')
      .replaceAll('ø', 'o')
      .normalize('NFC');
  for (const run of runs) {
    if (!/[中文搜索引擎〇の가]/u.test(run)) found.add(plain(run));
    else
      for (const [index, character] of [...run].entries()) {
        found.add(character);
        const next = [...run][index + 1];
        if (next !== undefined) found.add(character + next);
      }
  }
  return found;
};

describeEachDatabase('full-text search beside an oracle', (databases) => {
  const service = useService(databases, {
    application: { resources: models, migrations },
    env: { LOG_LEVEL: 'warn' },
  });

  it('finds the same as the words of each text', async () => {
    const ann = await service.createUser();
    const texts = fc.sample(fc.record({ title: text, body: text }), { numRuns: 150, seed: 7 });
    const ids = new Map<number, ReadonlySet<string>>();
    for (const article of texts) {
      const { id } = await service.ok<Row>('POST', '/api/v1/articles', { token: ann, body: { article } });
      ids.set(id, new Set([...wordsIn(article.title), ...wordsIn(article.body)]));
    }
    const queries = [
      ...fc.sample(
        text.map((each) => each.slice(0, 6)),
        { numRuns: 150, seed: 11 },
      ),
      ...texts.map(({ body }, index) => body.slice(index % 7, (index % 7) + 5)),
    ];
    let found = 0;
    for (const q of queries) {
      const wanted = [...wordsIn(q)];
      expect(
        [...searchWords(q)].filter((word) => !wanted.includes(word)),
        JSON.stringify(q),
      ).toEqual([]);
      const last = searchWords(q).at(-1);
      const matching = [...ids].filter(
        ([, words]) =>
          last !== undefined &&
          searchWords(q).every((word) =>
            word === last ? [...words].some((each) => each.startsWith(word)) : words.has(word),
          ),
      );
      const rows =
        q === ''
          ? matching.map(([id]) => ({ id }))
          : await service.ok<Row[]>('GET', `/api/v1/articles?q=${encodeURIComponent(q)}`, { token: ann });
      const got = rows.map(({ id }) => id).sort((a, b) => a - b);
      expect(got, JSON.stringify(q)).toEqual(matching.map(([id]) => id));
      found += got.length;
    }
    expect(found).toBeGreaterThan(500);
  }, 120_000);
});
