import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, hasStatus, same } from '../check.ts';

export const check: Check = async ({ place, add, holds }) => {
  const before = await place.start();
  try {
    for (const name of ['Ada Lovelace', 'Ludwig van Beethoven', 'Plato'])
      hasStatus(await before.admin.post('/api/v1/people', { person: { name } }), 201);
  } finally {
    await before.stop();
  }
  const applied = join(place.folder, 'migrations/0001_people.ts');
  const text = await readFile(applied, 'utf8');
  await add();
  const service = await place.start();
  try {
    await holds('the applied migration did not change', async () => {
      same((await readFile(applied, 'utf8')) === text, true, 'whether it is the same');
    });
    await holds('every record has its names', async () => {
      const { data } = await service.admin.get('/api/v1/people?sort=id');
      same(
        data?.map((each: { first_name: string; last_name: string }) => [each.first_name, each.last_name]),
        [
          ['Ada', 'Lovelace'],
          ['Ludwig', 'van Beethoven'],
          ['Plato', null],
        ],
      );
    });
    await holds('the field name is gone, and new people are stored', async () => {
      const made = await service.admin.post('/api/v1/people', { person: { first_name: 'Alan' } });
      hasStatus(made, 201);
      same('name' in made.data, false, 'whether there is a name');
    });
  } finally {
    await service.stop();
  }
  await holds('models and database agree', async () => {
    const { status, output } = await place.run(process.execPath, [
      join(place.folder, 'node_modules/gatewright/bin/gatewright.js'),
      ...['migrate', '--check'],
    ]);
    if (status !== 0) throw new Error(output);
  });
};
