import { createClient, GatewrightError, resource } from 'gatewright/client';
import { createSigner } from 'gatewright/client/sign';
import type order from './resources/order.ts';

const client = createClient({ baseUrl: '', resources: { orders: resource<typeof order>('order') } });

export const use = async (): Promise<number> => {
  const { items } = await client.orders.list({ filter: { state: 'paid' }, fields: ['id', 'pieces'] });
  const signer = createSigner({ appId: 'shop', apiSecret: 'x' });
  if (items.length > 5) throw new GatewrightError({ status: 0, code: 0, message: String(signer) });
  // @ts-expect-error: no such field
  await client.orders.create({ product_id: 1, pieces: 1, peices: 1 });
  return items[0]?.pieces ?? 0;
};
