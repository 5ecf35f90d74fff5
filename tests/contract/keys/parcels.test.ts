/** Ids that are texts where others than the records' own endpoints name them: streams, tenants, clients, descriptions, commands. */
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createClient, resource } from '../../../client/index.ts';
import { createApplication } from '../../../src/app/application.ts';
import { testIo } from '../../../src/cli/test-io.ts';
import { withOperations } from '../../../src/cli/transfer/opened.ts';
import { exportPerson } from '../../../src/cli/transfer/person-command.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { openStream } from '../../support/event-stream.ts';
import { type TestUser, useService } from '../../support/service.ts';
import { exporting, fileOf, importing } from '../../support/transfer.ts';
import { type depot, migrations, type parcel, resources } from './parcels.ts';

const application = createApplication({
  resources,
  migrations,
  config: { limits: { carriers: { per: 'depot', max: 3, window: '1h' } } },
});
const ofClient = { parcels: resource<typeof parcel>('parcel'), depots: resource<typeof depot>('depot') };
const absent = '01980000-0000-7000-8000-000000000000';

interface Row {
  readonly id: string;
  readonly label: string;
}

describeEachDatabase('records with UUIDs beside others', (databases) => {
  const service = useService(databases, { application, env: { LOCALE: 'en' } });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
  });

  const record = async <Id extends number | string = string>(path: string, body: object): Promise<Id> =>
    (await service.ok<{ id: Id }>('POST', `/admin/records/${path}`, { token: root, body })).id;
  const newDepot = () => record('depots', { depot: { name: 'North' } });
  /** A new user who works in a depot. */
  const worker = async (depot_id: string): Promise<TestUser> => {
    const user = await service.createUser(undefined, { name: 'Ann Porter' });
    await record('seats', { seat: { depot_id, user_id: user.id } });
    return user;
  };
  const clientOf = ({ token }: TestUser) =>
    createClient({ baseUrl: service.origin, auth: { token }, resources: ofClient });
  const label = (): string => `P-${crypto.randomUUID().slice(0, 8)}`;

  it('streams changes with the id of the record, and names members of the same tenant', async () => {
    const [north, south] = [await newDepot(), await newDepot()];
    const [ann, bob, eve] = [await worker(north), await worker(north), await worker(south)];
    const follow = async ({ token }: TestUser) => {
      const stream = await openStream(`${service.origin}/api/v1/changes?models=Parcel`, {
        authorization: `Bearer ${token}`,
      });
      onTestFinished(() => stream.close());
      return stream;
    };
    const [ofAnn, ofEve] = [await follow(ann), await follow(eve)];
    const made = await clientOf(bob).parcels.create({ label: label(), depot_id: north });
    const others = await clientOf(eve).parcels.create({ label: label(), depot_id: south });
    const [event] = await ofAnn.until(1);
    expect(event).toMatchObject({
      model: 'Parcel',
      id: made.id,
      action: 'create',
      actor: { kind: 'user', name: 'Ann Porter' },
    });
    const [other] = await ofEve.until(1);
    expect([other?.id, ofAnn.events.length, ofEve.events.length]).toEqual([others.id, 1, 1]);
    const history = await service.ok<{ actor: { name: string | null } }[]>(
      'GET',
      `/api/v1/parcels/${made.id}/history`,
      { token: ann },
    );
    expect(history.map(({ actor }) => actor.name)).toEqual(['Ann Porter']);
    expect((await service.get(`/api/v1/parcels/${made.id}/history`, { token: eve })).status).toBe(404);
  });

  it('counts requests by a tenant whose id is a text', async () => {
    const [north, south] = [await newDepot(), await newDepot()];
    const [ann, bob, eve] = [await worker(north), await worker(north), await worker(south)];
    const ask = async (token: TestUser) => (await service.get('/api/v1/carriers', { token })).status;
    const account = await service.ok<{ id: number }>('POST', '/api/v1/service_accounts', {
      token: ann,
      body: { service_account: { name: 'ERP', owner: { model: 'Depot', id: north } } },
    });
    const { key } = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
      token: ann,
      body: { api_key: { name: 'night', service_account_id: account.id } },
    });
    const askByKey = async () => (await service.get('/api/v1/carriers', { key })).status;
    expect([await ask(ann), await ask(bob), await askByKey()]).toEqual([200, 200, 200]);
    expect([await ask(ann), await ask(bob), await askByKey(), await ask(eve)]).toEqual([429, 429, 429, 200]);
  });

  it('the client names records by their ids in every call', async () => {
    const north = await newDepot();
    const client = clientOf(await worker(north));
    const made = await client.parcels.create(
      { label: label(), depot_id: north, stamps: [{ text: 'one' }] },
      { include: ['stamps', 'depot'] },
    );
    expect([made.depot?.id, made.stamps.length, made.stamps[0]?.parcel_id]).toEqual([north, 1, made.id]);
    const begun = Promise.withResolvers<number>();
    const events = client.parcels.subscribe({ reached: begun.resolve });
    onTestFinished(async () => {
      await events.return?.();
    });
    const next = events.next();
    await begun.promise;
    const child = await client.parcels.create({ label: label(), depot_id: north, returns_id: made.id });
    expect((await next).value).toMatchObject({ id: child.id, action: 'create' });
    const { items } = await client.parcels.list({
      filter: { returns_id: made.id, 'depot.id': north },
      include: ['returns'],
      sort: ['-id'],
      per_page: 10,
    });
    expect(items.map(({ id, returns }) => [id, returns?.id])).toEqual([[child.id, made.id]]);
    expect((await client.parcels.update(made.id, { weight: 3 })).weight).toBe(3);
    expect(await client.parcels.get(made.id.toUpperCase())).toMatchObject({ id: made.id, weight: 3 });
    const batch = await client.parcels.batch({
      update: [{ id: made.id, weight: 4 }],
      delete: [child.id],
      create: [{ label: label(), depot_id: north }],
    });
    expect([batch.updated.map(({ id }) => id), batch.deleted]).toEqual([[made.id], 1]);
    const counts = await client.parcels.import([{ id: made.id, weight: 5 }], { updateBy: 'id' });
    expect(counts).toMatchObject({ updated: 1 });
    const grouped = await client.parcels.aggregate({ group: ['depot_id'], count: true });
    expect(JSON.stringify(grouped)).toContain(north);
    await client.parcels.delete(made.id);
    await expect(client.parcels.get(made.id)).rejects.toMatchObject({ status: 404 });
  });

  it('the description states the type of each id', async () => {
    interface Parameter {
      readonly name: string;
      readonly in: string;
      readonly schema: object;
    }
    const { text } = await service.get('/api-docs/openapi.json?lang=en&area=all');
    const document = JSON.parse(text) as {
      paths: Record<string, Record<string, { parameters?: (Parameter | { $ref: string })[] }>>;
      components: { parameters: Record<string, Parameter>; schemas: Record<string, { properties: object }> };
    };
    const idsOf = (path: string) =>
      Object.values(document.paths[path] ?? {}).flatMap(({ parameters = [] }) =>
        parameters
          .map((each) =>
            '$ref' in each ? document.components.parameters[each.$ref.split('/').at(-1) ?? ''] : each,
          )
          .filter((each) => each?.in === 'path')
          .map((each) => each?.schema),
      );
    const uuid = { type: 'string', format: 'uuid' };
    expect(idsOf('/api/v1/parcels/{id}')).toEqual([uuid, uuid, uuid]);
    expect(idsOf('/api/v1/parcels/{id}/history')).toEqual([uuid]);
    expect(idsOf('/api/v1/carriers/{id}')[0]).toMatchObject({ type: 'integer' });
    expect(document.components.schemas['Parcel']?.properties).toMatchObject({
      id: uuid,
      depot_id: uuid,
      carrier_id: expect.objectContaining({ type: ['integer', 'null'] }),
    });
  });

  it('a refusal counts where the record exists', async () => {
    const [north, south] = [await newDepot(), await newDepot()];
    const [ann, eve] = [await worker(north), await worker(south)];
    const { id } = await clientOf(ann).parcels.create({ label: label(), depot_id: north });
    for (const each of [id, absent])
      expect((await service.get(`/api/v1/parcels/${each}`, { token: eve })).status).toBe(404);
    await service.server.services.refusals.flush();
    const kept = await service.ok<{ path: string }[]>('GET', `/admin/refusals?filter[caller_id]=${eve.id}`, {
      token: root,
    });
    expect(kept.map(({ path }) => path)).toEqual([`/api/v1/parcels/${id}`]);
  });

  it('exports all of a person, and forgets a record', async () => {
    const ann = await service.createUser();
    const make = async (text: string) =>
      (await service.ok<Row>('POST', '/api/v1/diaries', { token: ann, body: { diary: { text } } })).id;
    const [kept, gone] = [await make('kept'), await make('gone')];
    await service.ok('DELETE', `/api/v1/diaries/${gone}`, { token: ann });
    const { io, written } = testIo({ env: service.env });
    await withOperations(
      io,
      (opened) => exportPerson(io, { path: '-', username: ann.username, json: false }, opened),
      async () => application,
    );
    const lines = written()
      .stdout.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ kind: 'record', record: expect.objectContaining({ id: kept }) }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ kind: 'trashed_record', record: expect.objectContaining({ id: gone }) }),
    );
    const versions = lines.filter(({ kind }) => kind === 'version');
    expect(versions.map(({ record_id }) => record_id)).toContain(kept);
    const { stdout } = await service.command('forget', 'Diary', gone.toUpperCase());
    expect(stdout).toBe(`forgot 2 versions and 2 events and 1 record in the trash of Diary ${gone}\n`);
    await expect(service.command('forget', 'Diary', absent)).rejects.toThrow('nothing is kept');
    const history = await service.ok<object[]>('GET', `/api/v1/diaries/${kept}/history`, { token: ann });
    expect(JSON.stringify(history)).toContain('kept');
  });

  it('an export goes on behind its last record, and comes back by the ids', async () => {
    const north = await newDepot();
    const create = Array.from({ length: 300 }, (_, weight) => ({ label: label(), depot_id: north, weight }));
    await service.ok('POST', '/admin/records/parcels/batch', { token: root, body: { create } });
    const asked = { resource: 'parcels', filters: [`depot_id=${north}`] };
    for (const name of ['file.csv', 'file.jsonl']) {
      const path = await fileOf('', name);
      expect((await exporting(service, application, path, asked)).failed).toBe(false);
      const whole = await readFile(path);
      for (const cut of [200, whole.length / 2, whole.length - 1].map(Math.floor)) {
        await rm(path, { force: true });
        await mkdir(path);
        expect((await exporting(service, application, path, asked)).failed).toBe(true);
        await rmdir(path);
        await writeFile(`${path}.part`, whole.subarray(0, cut));
        expect((await exporting(service, application, path, asked)).failed).toBe(false);
        expect([name, cut, (await readFile(path)).equals(whole)]).toEqual([name, cut, true]);
      }
      const loaded = await importing(service, application, path, { resource: 'parcels', by: 'id' });
      expect([loaded.failed, loaded.out]).toEqual([
        false,
        expect.stringContaining('0 rows created, 300 updated'),
      ]);
    }
  });
});
