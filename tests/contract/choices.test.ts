import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const choices = ['deep red', 'sea, dark', 'a\\b', '50 % & more'] as const;
const fields = { shade: field.enum(choices) };
const paint = defineResource('Paint', { fields });

const migrations = {
  '0001_paints': {
    up: async (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) =>
      createTable(db, dialect, 'paints', { fields }),
  },
};

describeEachDatabase('choices with blanks and commas', (databases) => {
  const service = useService(databases, { application: { resources: [paint], migrations } });

  beforeAll(async () => {
    const token = await service.admin();
    for (const shade of choices)
      await service.ok('POST', '/api/v1/paints', { token, body: { paint: { shade } } });
  });

  const found = async (query: Readonly<Record<string, string>>) => {
    const path = `/api/v1/paints?${new URLSearchParams({ ...query, sort: 'id' })}`;
    const { status, data } = await service.get<{ shade: string }[]>(path, { token: await service.admin() });
    expect(status).toBe(200);
    return data.map(({ shade }) => shade);
  };

  it.each(choices)('a filter finds the records with %s alone', async (shade) => {
    expect(await found({ 'filter[shade]': shade })).toEqual([shade]);
  });

  it('a filter by several values takes those whose commas are escaped', async () => {
    const escaped = (text: string) => text.replaceAll(/[\\,]/g, '\\$&');
    expect(await found({ 'filter[shade][in]': choices.map(escaped).join(',') })).toEqual([...choices]);
    expect(await found({ 'filter[shade][in]': 'sea\\, dark' })).toEqual(['sea, dark']);
  });

  it('any other text is refused', async () => {
    const token = await service.admin();
    const refused = await service.post('/api/v1/paints', { token, body: { paint: { shade: 'sea' } } });
    expect(refused.status).toBe(422);
  });
});
