import { type Check, hasStatus, same } from '../check.ts';

const recipes = [
  { title: 'Soup', steps: 'Cook the noodles, then add the stock', cuisine: 'chinese' },
  { title: 'Fried noodles', steps: 'Fry them', cuisine: 'chinese' },
  { title: 'Carbonara', steps: 'Boil the spaghetti', cuisine: 'italian' },
];

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const service = await place.start();
  try {
    const user = await service.user();
    for (const recipe of recipes) hasStatus(await user.post('/api/v1/recipes', { recipe }), 201);
    const found = async (query: string) => {
      const response = await user.get(`/api/v1/recipes?${query}`);
      hasStatus(response, 200);
      return response.data.map(({ title }: { title: string }) => title);
    };
    await holds('words are found, the title first', async () => {
      same(await found('q=noodles'), ['Fried noodles', 'Soup']);
      same(await found('q=spag'), ['Carbonara']);
    });
    await holds('parts of words are not found', async () => {
      same(await found('q=oodle'), []);
    });
    await holds('results are filtered, and come in pages', async () => {
      same(await found('q=boil&filter[cuisine]=chinese'), []);
      same(await found('q=noodles&page=2&per_page=1'), ['Soup']);
    });
  } finally {
    await service.stop();
  }
};
