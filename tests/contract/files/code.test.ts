import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { own } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

const reportFields = {
  title: field.string({ required: true, max: 40 }),
  pdf: field.file({ types: ['application/pdf'] }),
  user_id: field.owner(),
};
const report = defineResource('Report', {
  fields: reportFields,
  isolation: { read: own(), write: own() },
  ownership: true,
});
const migrations: Migrations = {
  '0001_reports': { up: (db, dialect) => createTable(db, dialect, 'reports', { fields: reportFields }) },
};

/** Makes the document of a report, as its caller. */
const print = defineEndpoint({
  method: 'POST',
  path: '/reports/:id/print',
  output: report,
  handle: async ({ params, records }) => {
    const id = Number(params['id']);
    const pages = async function* () {
      yield Buffer.from('%PDF-1.7 ');
      yield Buffer.from(`report ${id}`);
    };
    await records(report).upload(id, 'pdf', pages(), { name: `../report ${id}.pdf` });
    return records(report).get(id);
  },
});

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

describeEachDatabase('files in code of the application', (databases) => {
  const service = useService(databases, {
    application: { resources: [report], migrations, endpoints: [print] },
  });
  const newReport = (token: TestUser) =>
    service.ok<Row>('POST', '/api/v1/reports', { token, body: { report: { title: 'R' } } });

  it('an endpoint stores a file by the rights of its caller', async () => {
    const [ann, bea] = [await service.createUser(), await service.createUser()];
    const { id } = await newReport(ann);
    expect((await service.post(`/api/v1/reports/${id}/print`, { token: bea })).status).toBe(404);
    const printed = await service.request<Row>('POST', `/api/v1/reports/${id}/print`, { token: ann });
    expect(printed.data['pdf']).toMatchObject({ name: `report ${id}.pdf`, type: 'application/pdf' });
  });

  it('a scope of the system stores and reads files, and refuses what the API would refuse', async () => {
    const ann = await service.createUser();
    const { id } = await newReport(ann);
    const scope = service.server.services.systemScope('a test');
    const reports = scope.records(report);
    const stored = await reports.upload(id, 'pdf', Buffer.from('%PDF-1.7 by code'));
    expect(stored).toMatchObject({ name: 'pdf.pdf', size: 16 });
    const opened = await reports.download(id, 'pdf');
    expect(opened).toMatchObject(stored);
    expect(opened && (await text(opened.body))).toBe('%PDF-1.7 by code');
    expect(await reports.download(999_999, 'pdf')).toBeUndefined();
    const page = reports.upload(id, 'pdf', Buffer.from('<html>'));
    await expect(page).rejects.toMatchObject({ errors: [{ field: 'pdf', rule: 'file_type' }] });
    await expect(reports.upload(999_999, 'pdf', Buffer.from('%PDF-'))).rejects.toThrow('record_not_found');
    const named = scope.records('Report').upload(id, 'title', Buffer.from('x'));
    await expect(named).rejects.toThrow('upload: Report has no file title');
    const within = scope.transaction(({ records }) =>
      records(report).upload(id, 'pdf', Buffer.from('%PDF-')),
    );
    await expect(within).rejects.toThrow('store files outside of a transaction');
  });
});
