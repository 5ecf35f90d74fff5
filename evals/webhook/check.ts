import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Check, eventually, hasStatus, same } from '../check.ts';

interface Delivery {
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A program that takes the messages. */
const receive = async () => {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    deliveries.push({ text: Buffer.concat(chunks).toString(), headers: request.headers });
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { deliveries, url: `http://127.0.0.1:${port}/`, close: () => server.close() };
};

/** True if a message has the signature of its secret (Standard Webhooks). */
const isSigned = ({ text, headers }: Delivery, secret: string): boolean => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
};

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const receiver = await receive();
  const service = await place.start({ WEBHOOK_PRIVATE: '1' });
  try {
    const user = await service.user();
    const webhook = { url: receiver.url, models: ['Parcel'], user_id: user.id };
    const added = await service.admin.post('/admin/webhooks', { webhook });
    const received = () =>
      receiver.deliveries
        .map(({ text }) => JSON.parse(text))
        .map(({ type, data }) => `${type} ${data.record?.state}`);
    const made = await user.post('/api/v1/parcels', { parcel: { code: 'P1', internal_note: 'fragile ego' } });
    const path = `/api/v1/parcels/${made.data?.id}`;
    await holds('a new parcel is sent to the webhook, with a signature', async () => {
      hasStatus(added, 201);
      hasStatus(made, 201);
      await eventually(async () => same(received(), ['Parcel.create new'], 'the messages'));
      const [first] = receiver.deliveries;
      same(first !== undefined && isSigned(first, added.data.secret), true, 'whether it is signed');
    });
    await holds('wrong steps are refused, and send nothing', async () => {
      for (const state of ['delivered', 'lost']) {
        const refused = await user.patch(path, { parcel: { state } });
        hasStatus(refused, 422);
        same(refused.data?.errors?.[0]?.field, 'state', 'the field of the error');
      }
      hasStatus(await user.patch(path, { parcel: { state: 'sent' } }), 200);
      hasStatus(await user.patch(path, { parcel: { state: 'new' } }), 422);
      await eventually(async () =>
        same(received(), ['Parcel.create new', 'Parcel.update sent'], 'the messages'),
      );
    });
    await holds('the note is in no response and in no message', async () => {
      const responses = [made, await user.get(path), await service.admin.get('/api/v1/parcels')];
      const all = JSON.stringify([responses, receiver.deliveries.map(({ text }) => text)]);
      same(all.includes('fragile ego'), false, 'whether it is there');
    });
  } finally {
    receiver.close();
    await service.stop();
  }
};
