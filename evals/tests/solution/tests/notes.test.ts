import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testApplication } from 'gatewright/testing';

const app = await testApplication();
after(() => app.close());

test('a note belongs to its creator, who reads it', async () => {
  const user = await app.user();
  const created = await user.post('/api/v1/notes', { note: { title: 'Tea' } });
  assert.equal(created.status, 201);
  assert.equal(created.data.user_id, user.id);
  assert.equal((await user.get(`/api/v1/notes/${created.data.id}`)).status, 200);
});

test('users see only their own notes', async () => {
  const [ann, ben] = [await app.user(), await app.user()];
  const { data } = await ann.post('/api/v1/notes', { note: { title: 'Mine' } });
  assert.equal((await ben.get(`/api/v1/notes/${data.id}`)).status, 404);
  assert.deepEqual((await ben.get('/api/v1/notes')).data, []);
});

test('a title is required', async () => {
  const user = await app.user();
  assert.equal((await user.post('/api/v1/notes', { note: {} })).status, 422);
});

test('only administrators pin', async () => {
  const user = await app.user();
  const { data } = await user.post('/api/v1/notes', { note: { title: 'Tea', pinned: true } });
  assert.equal(data.pinned, false);
  const pinned = await app.as('admin').patch(`/api/v1/notes/${data.id}`, { note: { pinned: true } });
  assert.equal(pinned.data.pinned, true);
});
