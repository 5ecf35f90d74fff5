import { defineConfig } from 'gatewright';
import product from './resources/product.ts';

const shelves = [
  { sku: 'TEA-1', name: 'Green tea', price: 1250, stock: 25 },
  { sku: 'CUP-1', name: 'Cup', price: 800, stock: 40 },
  { sku: 'POT-1', name: 'Teapot', price: 4900, stock: 5 },
];

export default defineConfig({
  /** A new shop gets some products. */
  async onStart({ records }) {
    if ((await records(product).count()) > 0) return;
    for (const each of shelves) await records(product).create(each);
  },
});
