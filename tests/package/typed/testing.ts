import { type TestData, type TestUser, testApplication } from 'gatewright/testing';
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
  const read = await user.get(`/api/v1/orders/${made.id}`);
  const line: TestData = read.data['lines'][0];
  await app.scope().records(order).get(read.data['id']);
  const ids: readonly number[] = (await user.get('/api/v1/orders')).data.map((each) => each['id']);
  const { ran, failed } = await app.jobs.run({ all: true });
  void [none, state, line, ids, ran.length, failed];
  // @ts-expect-error: no such option
  await app.user({ role: 'viewer' });
  await app.close();
};
