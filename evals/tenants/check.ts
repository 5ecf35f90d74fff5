import { type Check, hasStatus, same } from '../check.ts';

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const service = await place.start();
  try {
    const { admin } = service;
    const [reader, editor, stranger] = [await service.user(), await service.user(), await service.user()];
    const company = async (name: string): Promise<number> => {
      const made = await admin.post('/api/v1/companies', { company: { name } });
      hasStatus(made, 201);
      return made.data.id;
    };
    const join = async (company_id: number, user_id: number, role: string): Promise<void> =>
      hasStatus(await admin.post('/api/v1/memberships', { membership: { company_id, user_id, role } }), 201);
    const [tea, coffee] = [await company('Tea'), await company('Coffee')];
    await join(tea, reader.id, 'reader');
    await join(tea, editor.id, 'editor');
    await join(coffee, stranger.id, 'editor');
    const write = (by: typeof reader, company_id: number) =>
      by.post('/api/v1/documents', { document: { company_id, title: 'Plan' } });
    const made = await write(editor, tea);
    const path = `/api/v1/documents/${made.data?.id}`;
    await holds('editors create documents of their company, and of no other', async () => {
      hasStatus(made, 201);
      for (const [by, of] of [
        [editor, coffee],
        [reader, tea],
      ] as const) {
        const { status } = await write(by, of);
        if (status !== 403 && status !== 422) throw new Error(`a foreign document is created: ${status}`);
      }
    });
    await holds('members read the documents of their company, others do not', async () => {
      hasStatus(await reader.get(path), 200);
      hasStatus(await stranger.get(path), 404);
      same((await stranger.get('/api/v1/documents')).data, [], 'the list of a stranger');
      same((await reader.get('/api/v1/documents')).data?.length, 1, 'the number of documents');
    });
    await holds('readers do not write, and strangers find nothing to write', async () => {
      const { status } = await reader.patch(path, { document: { title: 'Mine' } });
      if (status !== 403 && status !== 404) throw new Error(`a reader changes a document: ${status}`);
      hasStatus(await stranger.delete(path), 404);
      hasStatus(await editor.patch(path, { document: { title: 'New' } }), 200);
    });
    await holds('a document does not move to a company that its writer does not edit', async () => {
      const { status } = await editor.patch(path, { document: { company_id: coffee } });
      if (status < 400) throw new Error(`the document moved: ${status}`);
      same((await editor.get(path)).data?.company_id, tea, 'the company');
    });
    await holds(
      'memberships and companies are seen by their members, and written by administrators',
      async () => {
        same((await reader.get('/api/v1/memberships')).data?.length, 1, 'the number of memberships');
        same((await reader.get('/api/v1/companies')).data?.length, 1, 'the number of companies');
        const wished = { company_id: coffee, user_id: reader.id, role: 'editor' };
        const { status } = await reader.post('/api/v1/memberships', { membership: wished });
        if (status < 400) throw new Error(`a reader joins a company: ${status}`);
      },
    );
  } finally {
    await service.stop();
  }
};
