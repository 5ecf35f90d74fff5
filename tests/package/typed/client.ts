import { createClient, GatewrightError, resource } from 'gatewright/client';
import { createSigner } from 'gatewright/client/sign';
import type order from './resources/order.ts';
import type product from './resources/product.ts';

const client = createClient({
  baseUrl: '',
  resources: { orders: resource<typeof order>('order'), products: resource<typeof product>('product') },
});

/** Included records are typed by the models of the package's user. */
export const names = async (): Promise<(string | undefined)[]> => {
  const filter = { 'product.stock': { gte: 1 } };
  const { items } = await client.orders.list({
    include: ['product', 'user'],
    filter,
    sort: '-product.name',
    page: 1,
  });
  // @ts-expect-error: no such relation
  await client.orders.get(1, { include: ['prodcut'] });
  return items.map((each) => each.product?.name ?? each.user?.username);
};

export const use = async (): Promise<number> => {
  const { items } = await client.orders.list({ filter: { state: 'paid' }, fields: ['id', 'pieces'] });
  const signer = createSigner({ appId: 'shop', apiSecret: 'x' });
  if (items.length > 5) throw new GatewrightError({ status: 0, code: 0, message: String(signer) });
  // @ts-expect-error: no such field
  await client.orders.create({ product_id: 1, pieces: 1, peices: 1 });
  return items[0]?.pieces ?? 0;
};
