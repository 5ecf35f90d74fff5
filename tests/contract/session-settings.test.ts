import { expect, it, onTestFinished } from 'vitest';
import { applyMigrations } from '../../src/app/migrate.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { describeDatabase } from '../support/databases.ts';
import { moveApplication, moveTo } from '../support/move-application.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { type Answer, type Service, startService } from '../support/service.ts';

/** The settings of PostgreSQL that change results, each with a value that would do so. */
const other = {
  timezone: 'Asia/Tokyo',
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  extra_float_digits: '0',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  quote_all_identifiers: 'on',
  transform_null_equals: 'on',
  array_nulls: 'off',
  gin_fuzzy_search_limit: '1',
  default_transaction_isolation: 'repeatable read',
  exit_on_error: 'on',
};

const ratios = [0.1 + 0.2, 1.7976931348623157e308, 5e-324, 0.3, 0.1 + 0.7, 2 / 3, 1e21, 123456789.12345679];

/** The records of `ratios`, in every form in which a caller sees them. */
const seen = async (service: Service, token: string) => {
  const read = (path: string, headers = {}) => service.get(`/api/v1/samples${path}`, { token, headers });
  const walked: unknown[] = [];
  for (let path: string | undefined = '/api/v1/samples?sort=ratio&per_page=1'; path !== undefined; ) {
    const page: Answer<Record<string, unknown>> = await service.get(path, { token });
    const { headers } = page;
    walked.push(...JSON.parse(page.text).data.map(({ ratio }: { ratio: number }) => ratio));
    const link: string | undefined = /<([^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
    path = link?.replace(service.origin, '');
    expect(walked.length).toBeLessThanOrEqual(ratios.length);
  }
  return {
    page: (await read('?sort=id')).text,
    details: await Promise.all(ratios.map(async (_, at) => (await read(`/${at + 1}`)).text)),
    csv: (await read('?sort=id', { accept: 'text/csv' })).text,
    found: (await read(`?filter[ratio]=${0.1 + 0.2}`)).text,
    history: (await read('/1/history')).text,
    groups: (await read('/aggregate?group=ratio')).text,
    words: (await read('?q=a%5Cb')).text,
    walked,
  };
};

describeDatabase('postgres', 'results', (databases) => {
  const adverse = async (url: string, by: 'database' | 'role') => {
    const direct = await databases.open(url);
    const subject =
      by === 'role'
        ? `role "${new URL(url).username}" in database ${new URL(url).pathname.slice(1)}`
        : `database ${new URL(url).pathname.slice(1)}`;
    for (const [name, value] of Object.entries(other))
      await direct.execute({ sql: `alter ${subject} set ${name} = '${value}'`, parameters: [] });
    await direct.close();
  };

  const fill = async (url: string) => {
    const service = await startService(databases, {
      application: moveApplication(),
      url,
      env: { JOBS: 'off', DATABASE_URL: url },
    });
    onTestFinished(() => service.close());
    const { token } = await service.admin();
    for (const ratio of ratios)
      await service.ok('POST', '/api/v1/samples', {
        token,
        body: { sample: { ratio, title: 'a\\b', day: '2026-02-01' } },
      });
    return { service, token };
  };

  it.each(['database', 'role'] as const)('results do not depend on the settings of the %s', async (by) => {
    const [usual, unusual] = [await databases.create(), await databases.create()];
    await adverse(unusual, by);
    const [one, two] = [await fill(usual), await fill(unusual)];
    const timeless = (texts: unknown) => JSON.stringify(texts).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
    const shown = await seen(two.service, two.token);
    expect(shown.walked).toEqual(ratios.toSorted((a, b) => a - b));
    expect(shown.details.map((text) => JSON.parse(text).data.ratio)).toEqual(ratios);
    expect(timeless(shown)).toBe(timeless(await seen(one.service, one.token)));
    const { token } = two;
    await two.service.ok('DELETE', '/api/v1/samples/1', { token });
    await two.service.ok('POST', '/admin/records/samples/1/restore', { token });
    const direct = await databases.open(unusual);
    const stored = await direct.all({
      sql: `select count(*) as n from samples where ratio = '${ratios[0]}'::float8`,
      parameters: [],
    });
    expect(stored).toEqual([{ n: 1 }]);
  });

  it('results move as they are to a database with other settings, and from one', {
    timeout: 180_000,
  }, async () => {
    const [source, destination] = [await databases.create(), await databases.create()];
    for (const url of [source, destination]) await adverse(url, 'database');
    const { service, token } = await fill(source);
    const before = await seen(service, token);
    await moveTo(source, destination, service.env['DATA_DIR'] ?? '');
    await service.server.close();
    const moved = await startService(databases, {
      application: moveApplication(),
      url: destination,
      env: { ...service.env, DATABASE_URL: destination },
    });
    onTestFinished(() => moved.close());
    expect(await seen(moved, token)).toEqual(before);
  });

  if (hasPgBouncer || process.env['CI'] !== undefined)
    it('settings are demanded behind a pooler that passes none on', async () => {
      const url = await databases.create();
      await adverse(url, 'database');
      const pooler = await startPgBouncer(url);
      onTestFinished(() => pooler.close());
      const demanded = new RegExp(
        Object.keys(other)
          .map((name) => `alter role … set ${name} = '[^']+'`)
          .join('.*'),
        'is',
      );
      const target = databaseTarget(pooler.url);
      await expect(databases.open(pooler.url, { prepare: false })).rejects.toThrow(demanded);
      await expect(Promise.resolve(target.findUnreachable?.())).rejects.toThrow(demanded);
      await expect(target.snapshot(async () => {})).rejects.toThrow(demanded);
      await expect(target.load(async () => {})).rejects.toThrow(demanded);
      await expect(applyMigrations(target, moveApplication())).rejects.toThrow(demanded);
    });
});
