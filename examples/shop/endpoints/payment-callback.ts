import { createHmac, timingSafeEqual } from 'node:crypto';
import { answer, defineEndpoint, field } from 'gatewright';
import { wrongAmount, wrongSignature } from '../problems.ts';
import order from '../resources/order.ts';

/** The provider signs the bytes of its form with a shared secret: `PAY_SECRET`. */
const isSigned = (bytes: Uint8Array, signature = ''): boolean => {
  const secret = process.env['PAY_SECRET'];
  if (secret === undefined || secret === '') return false;
  const expected = createHmac('sha256', secret).update(bytes).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
};

/** Called by the payment provider repeatedly until it reads `success`. */
export default defineEndpoint({
  method: 'POST',
  path: '/payment-callback',
  summary: { 'zh-CN': '支付回调', en: 'Callback of the payment provider' },
  auth: [],
  accepts: 'form',
  input: { order: field.integer({ required: true }), amount: field.integer({ required: true }) },
  media: 'text/plain',
  problems: [wrongSignature, wrongAmount],
  handle: async ({ bytes, header, values, asSystem }) => {
    if (!isSigned(bytes, header('x-pay-signature'))) throw wrongSignature();
    await asSystem('paid, says the payment provider').transaction(async ({ records }) => {
      const { status, total } = await records(order).get(values.order, { lock: true });
      if (total !== values.amount) throw wrongAmount();
      // A second call for a payment changes nothing; the order refuses a payment for a cancelled order.
      if (status !== 'paid' && status !== 'shipped')
        await records(order).update(values.order, { status: 'paid' });
    });
    return answer({ type: 'text/plain', body: 'success' });
  },
});
