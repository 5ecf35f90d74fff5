import { type Check, eventually, hasStatus, same } from '../check.ts';
import type { Caller } from '../service.ts';

const lettersOf = async (caller: Caller) =>
  (await caller.get('/api/v1/letters')).data?.map(({ text }: { text: string }) => text).toSorted();

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const member = { email: 'ann@example.com', welcomed_at: '2001-01-01T00:00:00Z' };
  let path = '';
  const idle = await place.start({ JOBS: 'off' });
  try {
    await holds('a creation stores a job, and does not do its work', async () => {
      const made = await (await idle.user()).post('/api/v1/members', { member });
      hasStatus(made, 201);
      path = `/api/v1/members/${made.data.id}`;
      same(await lettersOf(idle.admin), [], 'the letters before any job ran');
      same((await idle.admin.get(path)).data?.welcomed_at, null, 'welcomed_at');
    });
  } finally {
    await idle.stop();
  }
  const service = await place.start();
  try {
    const user = await service.user();
    await holds('the job writes a letter, and the time', async () => {
      await eventually(async () => {
        same(await lettersOf(user), ['Welcome, ann@example.com'], 'the letters');
        same(
          Date.parse((await user.get(path)).data?.welcomed_at) > Date.parse('2020-01-01'),
          true,
          'the time',
        );
      });
    });
    await holds('a member that is refused gets no letter', async () => {
      hasStatus(await user.post('/api/v1/members', { member: { email: 'ann@example.com' } }), 422);
      hasStatus(await user.post('/api/v1/members', { member: { email: 'ben' } }), 422);
      hasStatus(await user.post('/api/v1/members', { member: { email: 'ben@example.com' } }), 201);
      await eventually(async () =>
        same(await lettersOf(user), ['Welcome, ann@example.com', 'Welcome, ben@example.com'], 'the letters'),
      );
    });
  } finally {
    await service.stop();
  }
};
