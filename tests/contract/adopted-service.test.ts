/** Adopted tables beside two workers, and when the service moves to another database. */

import { expect, it, onTestFinished } from 'vitest';
import { adoptInto, asAnother, loadShape, serveShape } from '../support/adopted.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startService } from '../support/service.ts';

describeEachDatabase('a service over adopted tables', (databases) => {
  const isSqlite = databases.dialect === 'sqlite';
  const shape = isSqlite ? 'chinook.sqlite' : 'chinook';
  const [artist, name] = isSqlite ? ['"Artist"', '"Name"'] : ['artist', 'name'];

  it('two workers see each write at once, and one of two writes of the same version is refused', async () => {
    const url = await databases.create();
    await loadShape(url, shape);
    const { application } = await adoptInto(url);
    const service = await startService(databases, {
      url,
      application,
      workers: 2,
      env: { NEW_DATABASE: '1' },
    });
    onTestFinished(() => service.close());
    const token = await service.admin();
    const path = '/api/v1/artists';
    for (let round = 0; round < 5; round += 1) {
      const made = await service.request('POST', path, { token, body: { artist: { name: `new ${round}` } } });
      expect(made.status).toBe(201);
      const own = `${path}/${made.data['id']}`;
      // Requests go to the workers in turn.
      const [one, other] = [await service.get(own, { token }), await service.get(own, { token })];
      expect([one.status, other.status, other.data]).toEqual([200, 200, made.data]);
      const etag = String(one.headers['etag']);
      expect(other.headers['etag']).toBe(etag);
      const writes = await Promise.all(
        ['first', 'second'].map((text) =>
          service.request('PATCH', own, {
            token,
            body: { artist: { name: `${text} ${round}` } },
            headers: { 'if-match': etag },
          }),
        ),
      );
      expect(writes.map(({ status }) => status).sort()).toEqual([200, 412]);
      const kept = writes.find(({ status }) => status === 200)?.data;
      expect((await service.get(own, { token })).data).toEqual(kept);
      await asAnother(
        url,
        `update ${artist} set ${name} = 'theirs ${round}' where ${name} like '% ${round}'`,
      );
      for (const _ of [1, 2])
        expect((await service.get(own, { token })).data).toMatchObject({ name: `theirs ${round}` });
      const late = await service.request('DELETE', own, { token, headers: { 'if-match': etag } });
      expect(late.status).toBe(412);
    }
  });

  it('a move takes the service along, and leaves the tables of the other program as they are', async () => {
    const [url, to] = [await databases.create(), await databases.create()];
    await loadShape(url, shape);
    const served = await serveShape(databases, url);
    const made = await served.asked('POST', 'artists', { artist: { name: 'Nina' } });
    expect(made.status).toBe(201);
    const rows = `select * from ${artist} order by 1`;
    const before = await asAnother(url, rows);
    await served.service.close();
    const { env } = served.service;
    const moved = await served.command(['move'], { ...env, DATABASE_URL: url, TO_DATABASE_URL: to });
    expect([moved.status, moved.stderr]).toEqual([0, expect.any(String)]);
    expect(await asAnother(url, rows)).toEqual(before);
    await expect(asAnother(to, rows)).rejects.toThrow();
    // Only the service's own tables refuse writes now.
    await asAnother(url, `insert into ${artist} (${name}) values ('later')`);
    expect((await asAnother(url, rows)).length).toBe(before.length + 1);
    const { application } = await adoptInto(url);
    const start = () => startService(databases, { url: to, application });
    await expect(start()).rejects.toThrow(/the database has no table .*rtist, which is external/);
    await loadShape(to, shape);
    const after = await start();
    onTestFinished(() => after.close());
    const token = await after.admin();
    expect((await after.get('/api/v1/artists', { token })).data).toEqual([{ id: 1, name: 'The Examples' }]);
  });
});
