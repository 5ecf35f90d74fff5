import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createSigner } from '../../client/sign.ts';
import type { EventView } from '../../src/delivery/events/event-view.ts';
import { openStream } from '../support/event-stream.ts';
import type { Answered, Ask, Balancer } from './clients.ts';

export const password = 'tulip-anvil-47 kettle';

interface Item {
  readonly id: number;
  readonly title: string;
  amount: number;
  version: number;
}

/** The acknowledged writes that have to be found again. */
export class Ledger {
  readonly items = new Map<number, Item>();
  readonly removed = new Set<number>();
  readonly restored = new Set<number>();
  readonly events: EventView[] = [];
  readonly wrong: string[] = [];
  /** Tokens and cookies by the phase in which they were given. */
  readonly tokens: string[] = [];
  readonly cookies: string[] = [];
  key = '';
  requests = 0;
  /** Streams of events that were opened. */
  streams = 0;
}

export interface LoadOptions {
  readonly balancer: Balancer;
  readonly ledger: Ledger;
  readonly app: { readonly app_id: string; readonly api_secret: string };
}

const last = <T>(values: readonly T[], at: number): T => {
  const value = values[at % values.length];
  if (value === undefined) throw new Error('nothing was given yet');
  return value;
};

/** Signs in, and keeps the credentials: every release must accept them later. */
export const signIn = async ({
  balancer,
  ledger,
}: Pick<LoadOptions, 'balancer' | 'ledger'>): Promise<void> => {
  const body = { account: 'admin', password };
  const token = await balancer.ask('POST', '/api/v1/auth/login', { body });
  const session = await balancer.ask('POST', '/admin/session', { body });
  if (token.status !== 200 || session.status !== 200)
    throw new Error(`signed in with ${token.status} and ${session.status}`);
  ledger.tokens.push((token.data as { token: string }).token);
  ledger.cookies.push(String(session.headers['set-cookie']).split(';')[0] ?? '');
};

/** Callers of every kind, on and on, until the signal. Resolves when the last of them has its answer. */
export const runLoad = async (options: LoadOptions, signal: AbortSignal): Promise<void> => {
  const { balancer, ledger, app } = options;
  let turns = 0;
  const turn = (): number => {
    turns += 1;
    return turns;
  };
  const bearer = (): { authorization: string } => ({
    authorization: `Bearer ${last(ledger.tokens, turn())}`,
  });
  const expectStatus = (status: number, what: string, answered: Answered): Answered => {
    ledger.requests += 1;
    if (answered.status !== status)
      ledger.wrong.push(`${what}: ${answered.status} ${JSON.stringify(answered.data)}`);
    return answered;
  };
  const ask = async (status: number, method: string, path: string, asked: Ask = {}): Promise<Answered> =>
    expectStatus(status, `${method} ${path}`, await balancer.ask(method, path, asked));
  const once = () => ({ 'idempotency-key': randomUUID() });

  const write = async (): Promise<void> => {
    const title = randomUUID();
    const body = { item: { title, amount: 1 } };
    const made = await ask(201, 'POST', '/api/v1/items', { headers: { ...bearer(), ...once() }, body });
    if (made.status !== 201) return;
    const { id } = made.data as { id: number };
    const item = { id, title, amount: 1, version: 1 };
    ledger.items.set(id, item);
    const path = `/api/v1/items/${id}`;
    // A change that sets an amount may be repeated.
    const changed = await ask(200, 'PATCH', path, { headers: bearer(), body: { item: { amount: id } } });
    if (changed.status === 200) Object.assign(item, { amount: id, version: 2 });
    if (id % 3 !== 0) return;
    const { status } = await balancer.ask('DELETE', path, { headers: bearer() });
    // The answer to the first of two may have been lost.
    if (status !== 204 && status !== 200 && status !== 404) ledger.wrong.push(`DELETE ${path}: ${status}`);
    ledger.items.delete(id);
    ledger.removed.add(id);
    if (id % 2 !== 0) return;
    const cookie = last(ledger.cookies, id);
    const back = await balancer.ask('POST', `/admin/records/items/${id}/restore`, {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body: {},
    });
    if (back.status !== 200 && back.status !== 404)
      ledger.wrong.push(`restore ${id}: ${back.status} ${JSON.stringify(back.data)}`);
    ledger.removed.delete(id);
    ledger.restored.add(id);
    ledger.items.set(id, item);
  };
  const read = async (): Promise<void> => {
    await ask(200, 'GET', '/api/v1/items?sort=-id&per_page=20', { headers: { 'x-api-key': ledger.key } });
    await ask(200, 'GET', '/api/v1/auth/me', { headers: bearer() });
    await ask(200, 'GET', '/admin/session', { headers: { cookie: last(ledger.cookies, turn()) } });
  };
  const signer = createSigner({ appId: app.app_id, apiSecret: app.api_secret });
  const sign = async (): Promise<void> => {
    const body = JSON.stringify({ n: turn() });
    const headers: Record<string, string> = { ...(await signer.headers(body)) };
    await ask(200, 'POST', '/api/v1/signed', { headers, body });
  };
  const again = async (work: () => Promise<void>, pause: number): Promise<void> => {
    while (!signal.aborted) {
      await work();
      await delay(pause);
    }
  };
  await Promise.all([again(write, 5), again(write, 5), again(write, 5), again(read, 5), again(sign, 20)]);
};

/** Follows the events, over instances that come and go, from the place that it has reached. */
export const follow = async ({ balancer, ledger }: LoadOptions, signal: AbortSignal): Promise<void> => {
  let place: number | undefined;
  while (!signal.aborted) {
    const url = `http://127.0.0.1:${await balancer.port()}/api/v1/changes?models=Item`;
    const token = last(ledger.tokens, 0);
    try {
      const stream = await openStream(url, {
        authorization: `Bearer ${token}`,
        ...(place === undefined ? {} : { 'last-event-id': String(place) }),
      });
      ledger.streams += 1;
      const close = (): void => stream.close();
      signal.addEventListener('abort', close);
      await stream.ended;
      signal.removeEventListener('abort', close);
      if (stream.status !== 200) ledger.wrong.push(`the stream: ${stream.status}`);
      ledger.events.push(...stream.events);
      place = stream.place() ?? place;
    } catch {
      // No instance is reachable at this moment.
    }
    await delay(20);
  }
};
