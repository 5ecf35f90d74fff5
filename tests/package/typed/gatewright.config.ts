import { type ApplicationConfig, defineConfig } from 'gatewright';
import product from './resources/product.ts';

export const onStart: NonNullable<ApplicationConfig['onStart']> = async ({ records }) => {
  if ((await records(product).count()) === 0)
    await records(product).create({ name: 'A', stock: 1, price: '9.99' });
};

export default defineConfig({
  onStart,
  onStop: () => {},
  onPayment: async ({ appId, body }, { records }) => {
    await records('Order').update(Number(body['order_no']), { paid_by: appId });
  },
});

// @ts-expect-error: no such option
export const wrong = () => defineConfig({ onStrat: onStart });
