import { type Check, hasStatus, same } from '../check.ts';

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const service = await place.start();
  try {
    const [ann, ben] = [await service.user(), await service.user()];
    const made = await ann.post('/api/v1/tasks', { task: { title: 'Tea', priority: 'high' } });
    const path = `/api/v1/tasks/${made.data?.id}`;
    await holds('users create tasks, and priority is ignored', async () => {
      hasStatus(made, 201);
      const { data } = await ann.get(path);
      same([data.title, data.done, data.priority], ['Tea', false, 'normal']);
    });
    await holds('a title is required, and has at most 120 characters', async () => {
      hasStatus(await ann.post('/api/v1/tasks', { task: {} }), 422);
      hasStatus(await ann.post('/api/v1/tasks', { task: { title: 'x'.repeat(121) } }), 422);
    });
    await holds('tasks of others are neither read nor written', async () => {
      same((await ben.get('/api/v1/tasks')).data, [], 'the list of another user');
      hasStatus(await ben.get(path), 404);
      hasStatus(await ben.patch(path, { task: { done: true } }), 404);
      hasStatus(await ben.delete(path), 404);
      hasStatus(await service.anonymous.get('/api/v1/tasks'), 401);
    });
    await holds('owners change their tasks, administrators every one', async () => {
      hasStatus(await ann.patch(path, { task: { done: true } }), 200);
      hasStatus(await service.admin.patch(path, { task: { priority: 'high' } }), 200);
      same((await ann.get(path)).data.priority, 'high', 'the priority');
    });
    await holds('the list shows three fields', async () => {
      same(Object.keys((await ann.get('/api/v1/tasks')).data[0]).sort(), ['done', 'id', 'title']);
    });
  } finally {
    await service.stop();
  }
};
