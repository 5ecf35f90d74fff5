import { answer, defineEndpoint, Problem } from 'gatewright';
import { imageOf } from '../images.ts';
import product from '../resources/product.ts';

/** The picture of what is for sale, for anybody. */
export default defineEndpoint({
  method: 'GET',
  path: '/products/:id/image',
  summary: { 'zh-CN': '商品图片', en: 'Picture of a product' },
  auth: [],
  media: 'image/*',
  handle: async ({ params, records }) => {
    const { image } = await records(product).get(Number(params['id']));
    if (image === null) throw new Problem('record_not_found');
    return answer({ ...imageOf(image), headers: { 'Cache-Control': 'public, max-age=3600' } });
  },
});
