import { answer, defineEndpoint, Problem } from 'gatewright';
import { imageOf } from '../images.ts';
import product from '../resources/product.ts';

/** The picture of a product for sale, for anybody. */
export default defineEndpoint({
  method: 'GET',
  path: '/products/:id/image',
  summary: { 'zh-CN': '商品图片', en: 'Picture of a product' },
  auth: [],
  media: 'image/*',
  handle: async ({ params, records }) => {
    const { image: name } = await records(product).get(Number(params['id']));
    const image = name === null ? undefined : imageOf(name);
    if (image === undefined) throw new Problem('record_not_found');
    return answer({ ...image, headers: { 'Cache-Control': 'public, max-age=3600' } });
  },
});
