import { type TestUser, testApplication } from 'gatewright/testing';
import order from './resources/order.ts';
import product from './resources/product.ts';

/** A test of the application. */
export const check = async (): Promise<void> => {
  const app = await testApplication();
  const user: TestUser = await app.user({ roles: ['viewer'] });
  const { id, cost } = await app.scope().records(product).create({ name: 'A', stock: 1, price: 5 });
  const none: number | null = cost;
  const made = await (await app.scope(user)).records(order).create({ product_id: id, pieces: 1 });
  const state: 'open' | 'paid' = made.state;
  const { ran, failed } = await app.jobs.run({ all: true });
  void [none, state, ran.length, failed];
  // @ts-expect-error: no such option
  await app.user({ role: 'viewer' });
  await app.close();
};
