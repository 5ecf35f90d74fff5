import { defineEndpoint } from 'gatewright';
import { keepImage } from '../images.ts';
import { noImage } from '../problems.ts';
import product from '../resources/product.ts';

/** Sets the picture of a product, for callers who may change it. */
export default defineEndpoint({
  method: 'POST',
  path: '/products/:id/image',
  summary: { 'zh-CN': '上传商品图片', en: 'Upload the picture of a product' },
  accepts: 'multipart',
  limits: { file: 5_000_000, files: 1 },
  output: product,
  problems: [noImage],
  handle: async ({ params, files, records, asSystem }) => {
    // Throws unless the caller may change the product.
    const { id } = await records(product).update(Number(params['id']), {});
    const [file] = files;
    const image = file && (await keepImage(file.path));
    if (image === undefined) throw noImage();
    return asSystem('picture of a product').records(product).update(id, { image });
  },
});
