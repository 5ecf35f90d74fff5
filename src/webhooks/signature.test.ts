import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newMessageId, newWebhookSecret, signedHeaders } from './signature.ts';

describe('signatures of webhooks', () => {
  const now = Math.floor(Date.now() / 1000);
  const body = '{"type":"Order.update","text":"é 中"}';

  it('are those that the stock package verifies, for each secret that counts', () => {
    const [one, two, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const headers = signedHeaders([one, two], newMessageId(), now, body);
    for (const secret of [one, two])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(one).verify(`${body} `, headers)).toThrow('No matching signature');
    const later = { ...headers, 'webhook-timestamp': String(now + 1) };
    expect(() => new Webhook(one).verify(body, later)).toThrow('No matching signature');
  });

  it('is the one of the specification', () => {
    const headers = signedHeaders(
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});
