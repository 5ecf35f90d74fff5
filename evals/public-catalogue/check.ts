import { type Check, hasStatus, same } from '../check.ts';

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const service = await place.start();
  try {
    const user = await service.user();
    const create = (product: object, by = service.admin) => by.post('/api/v1/products', { product });
    const shown = await create({ name: 'Tea', price: '12.50', published: true });
    const hidden = await create({ name: 'Coffee', price: '9.00' });
    const pathOf = ({ data }: typeof shown) => `/api/v1/products/${data?.id}`;
    await holds('everybody reads published products, and no others', async () => {
      hasStatus(shown, 201);
      const names = (await service.anonymous.get('/api/v1/products')).data;
      same(
        names?.map(({ name, price }: { name: string; price: string }) => [name, price]),
        [['Tea', '12.50']],
      );
      hasStatus(await service.anonymous.get(pathOf(shown)), 200);
      hasStatus(await service.anonymous.get(pathOf(hidden)), 404);
      hasStatus(await user.get(pathOf(hidden)), 404);
    });
    await holds('a price is not negative', async () => {
      hasStatus(await create({ name: 'Air', price: '-1.00' }), 422);
    });
    await holds('writes need a permission', async () => {
      hasStatus(await create({ name: 'Milk', price: '1.00' }, user), 403);
      hasStatus(await user.patch(pathOf(shown), { product: { price: '0.01' } }), 403);
      hasStatus(await user.delete(pathOf(shown)), 403);
      hasStatus(await service.anonymous.post('/api/v1/products', { product: {} }), 401);
      await service.grant('Product', 'create');
      hasStatus(await create({ name: 'Milk', price: '1.00' }, user), 201);
    });
    await holds('administrators publish', async () => {
      hasStatus(await service.admin.patch(pathOf(hidden), { product: { published: true } }), 200);
      hasStatus(await service.anonymous.get(pathOf(hidden)), 200);
    });
  } finally {
    await service.stop();
  }
};
