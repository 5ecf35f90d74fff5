import type { Access, CollectionConfig } from 'payload';

const byClerks: Access = ({ req: { user } }) => (user as { role?: string } | null)?.role === 'clerk';

export const Products: CollectionConfig = {
  slug: 'products',
  access: { read: byClerks, create: byClerks },
  fields: [
    { name: 'name', type: 'text', required: true, maxLength: 200 },
    { name: 'description', type: 'textarea', required: true },
    { name: 'stock', type: 'number', required: true },
    { name: 'price', type: 'number', required: true },
    { name: 'rating', type: 'number', required: true },
    { name: 'active', type: 'checkbox', required: true },
    { name: 'category', type: 'select', required: true, options: ['tools', 'toys', 'books', 'food'] },
    { name: 'released_at', type: 'date', required: true },
  ],
};
