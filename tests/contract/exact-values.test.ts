import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { openStream } from '../support/event-stream.ts';
import { startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';

const fields = {
  n: field.integer(),
  d2: field.decimal(),
  f: field.number(),
  meta: field.json(),
};

/** The values of `meta` that its hook got. */
const heard: unknown[] = [];

const thing = defineResource('Thing', { fields, history: true, trash: true, events: true });
const hooked = defineResource('Hooked', {
  fields,
  hooks: {
    beforeSave: ({ values }) => {
      heard.push(structuredClone(values.meta));
      const { meta } = values;
      if (typeof meta === 'object' && meta !== null && 'note' in meta) values.meta = { ...meta, note: 'set' };
    },
  },
});

const texts = [
  '{"id":2624710177366999063}',
  '{"b":1,"10":{"2":0.1000000000000000055511151231257828,"1":[9007199254740993]},"a":null,"2":"x"}',
  '[12345678901234567890,{"9":1,"8":2}]',
  '-9007199254740993',
];

describeEachDatabase('values of a body', (databases) => {
  const service = useService(databases, {
    env: { WEBHOOK_PRIVATE: '1' },
    times: { jobTimes: { poll: 100 }, webhookTimes: { poll: 100 } },
    application: {
      resources: [thing, hooked],
      migrations: {
        '0001_things': {
          up: async (db, dialect) => {
            await createTable(db, dialect, thing.table, { fields });
            await createTable(db, dialect, hooked.table, { fields });
          },
        },
      },
    },
  });

  const send = async (method: string, path: string, body: string) => {
    const { token } = await service.admin();
    return service.request<{ id: number }>(method, path, {
      token,
      body,
      headers: { 'content-type': 'application/json' },
    });
  };
  const read = async (path: string, headers = {}) => {
    const { token } = await service.admin();
    return (await service.get(path, { token, headers })).text;
  };

  it.each(texts)('values of a json field are kept as sent, on every way out: %s', async (text) => {
    const made = await send('POST', '/api/v1/things', `{"thing":{"meta":${text}}}`);
    expect(made.text).toContain(`"meta":${text}`);
    const { id } = made.data;
    const csv = text.replaceAll('"', '""');
    const ways = async (): Promise<readonly string[]> => [
      await read(`/api/v1/things/${id}`),
      await read(`/api/v1/things?filter[id]=${id}`),
      await read(`/api/v1/things/${id}/history`),
    ];
    for (const way of await ways()) expect(way).toContain(`"meta":${text}`);
    expect(await read(`/api/v1/things?filter[id]=${id}`, { accept: 'text/csv' })).toContain(csv);

    const { token } = await service.admin();
    await service.ok('DELETE', `/api/v1/things/${id}`, { token });
    expect(await read('/admin/records/things?trashed=true')).toContain(`"meta":${text}`);
    expect(await read(`/admin/records/things/${id}?trashed=true`)).toContain(`"meta":${text}`);
    await service.ok('POST', `/admin/records/things/${id}/restore`, { token });
    for (const way of await ways()) expect(way).toContain(`"meta":${text}`);

    await send('PATCH', `/api/v1/things/${id}`, '{"thing":{"meta":null}}');
    await send('POST', `/admin/records/things/${id}/restore`, '{"version":1}');
    expect(await read(`/api/v1/things/${id}`)).toContain(`"meta":${text}`);

    const batch = await send('POST', '/api/v1/things/batch', `{"update":[{"id":${id},"meta":[${text}]}]}`);
    expect(batch.text).toContain(`"meta":[${text}]`);
    const lines = `{"by":"id","lines":[{"line":1,"values":{"id":${id},"meta":{"v":${text}}}}]}`;
    expect((await send('POST', '/admin/records/things/import', lines)).status).toBe(200);
    expect(await read(`/api/v1/things/${id}`)).toContain(`"meta":{"v":${text}}`);
  });

  it('values of a json field are values of JavaScript for a hook, and kept unless it changes them', async () => {
    heard.length = 0;
    const [text = ''] = texts;
    const made = await send('POST', '/api/v1/hookeds', `{"hooked":{"meta":${text}}}`);
    expect(made.text).toContain(`"meta":${text}`);
    expect(heard).toEqual([{ id: Number('2624710177366999063') }]);
    const changed = await send(
      'POST',
      '/api/v1/hookeds',
      '{"hooked":{"meta":{"note":"n","3":9007199254740993}}}',
    );
    expect(changed.text).toContain('"note":"set"');
  });

  it.each([
    ['{"n":9007199254740991.4}', 'n', 'type'],
    ['{"n":4.0000000000000000001}', 'n', 'type'],
    ['{"n":9007199254740993}', 'n', 'integer_range'],
    ['{"d2":12.349999999999999999}', 'd2', 'decimal'],
    ['{"d2":9999999999999.9900000001}', 'd2', 'decimal'],
    ['{"f":1e400}', 'f', 'type'],
    ['{"meta":[1e400]}', 'meta', 'json'],
  ])('values that no column has are refused, not rounded: %s', async (text, of, rule) => {
    const answer = await send('POST', '/api/v1/things', `{"thing":${text}}`);
    expect([answer.status, answer.data]).toEqual([
      422,
      { errors: [expect.objectContaining({ field: of, rule })] },
    ]);
  });

  it('values are the nearest double in a number field, and what was meant in a decimal one', async () => {
    const text =
      '{"thing":{"f":0.1000000000000000055511151231257827,"d2":1234567890123.4500000000,"n":1e15}}';
    const answer = await send('POST', '/api/v1/things', text);
    expect(answer.data).toMatchObject({ f: 0.1, d2: '1234567890123.45', n: 1e15 });
  });

  it('values that are numbers of many digits are no objects', async () => {
    expect((await send('POST', '/api/v1/things', '{"thing":12345678901234567890}')).status).toBe(400);
    expect((await send('POST', '/api/v1/things/batch', '{"create":[12345678901234567890]}')).status).toBe(
      400,
    );
  });

  it('values of a body reach the receiver of a webhook as sent', async () => {
    const root = await service.admin();
    const receiver = await startReceiver();
    const { id: hook } = await service.ok<{ id: number }>('POST', '/admin/webhooks', {
      token: root,
      body: { webhook: { url: receiver.url, models: ['Thing'], user_id: root.id } },
    });
    for (const text of texts) await send('POST', '/api/v1/things', `{"thing":{"meta":${text}}}`);
    const bodies = () => receiver.received.map(({ body }) => body).sort();
    await expect.poll(() => bodies().length, { timeout: 10_000 }).toBe(texts.length);
    await service.ok('DELETE', `/admin/webhooks/${hook}`, { token: root });
    await receiver.close();
    for (const text of texts) expect(bodies()).toContainEqual(expect.stringContaining(`"meta":${text}`));
  });

  it('values of a body show in the event of a change that two doubles would hide', async () => {
    const { token } = await service.admin();
    const stream = await openStream(`${service.origin}/api/v1/changes?models=Thing`, {
      authorization: `Bearer ${token}`,
    });
    const made = await send('POST', '/api/v1/things', '{"thing":{"meta":9007199254740992}}');
    await send('PATCH', `/api/v1/things/${made.data.id}`, '{"thing":{"meta":9007199254740993}}');
    const event = await stream.until(2, 10_000);
    stream.close();
    expect(event.at(-1)).toMatchObject({ action: 'update', fields: ['meta'] });
  });
});
