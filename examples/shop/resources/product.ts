import { defineResource, field } from 'gatewright';

/** Products for sale are public; roles decide who manages them. */
export default defineResource('Product', {
  label: { 'zh-CN': '商品', en: 'Product' },
  fields: {
    sku: field.string({ required: true, unique: true, max: 40, label: { 'zh-CN': '货号', en: 'SKU' } }),
    name: field.string({ required: true, max: 200, label: { 'zh-CN': '名称', en: 'Name' } }),
    /** In minor units: cents, fen. */
    price: field.integer({ required: true, min: 0, label: { 'zh-CN': '价格', en: 'Price' } }),
    stock: field.integer({ required: true, min: 0, label: { 'zh-CN': '库存', en: 'Stock' } }),
    active: field.boolean({ default: true, index: true, label: { 'zh-CN': '在售', en: 'For sale' } }),
    /** Name of the file. */
    image: field.string({ max: 100, label: { 'zh-CN': '图片', en: 'Image' } }),
  },
  publicRead: { where: { active: true } },
  permissions: 'writes',
  trash: true,
  hooks: {
    // A caller never chooses the name of a file: `POST /products/:id/image` sets it as the application.
    beforeSave({ values, principal }) {
      if (principal.kind !== 'system') delete values.image;
    },
  },
});
