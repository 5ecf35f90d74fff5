/** Whether everyone answers the same content, before anything is measured. */
import { expectStatus } from './answers.ts';
import type { Headers, Page, Peer, Wanted } from './peer.ts';
import { createdProduct, expectSame, productOf, rowCount } from './product.ts';

/** Who is asked, and with what. */
export interface Signed {
  readonly peer: Peer;
  readonly port: number;
  /** Headers of the first user. */
  readonly headers: Headers;
}

const get = (path: string) => ({ method: 'GET', path }) as const;

/** What is wrong, with the name of the peer. */
const of = async (peer: Peer, what: string, look: () => Promise<void>): Promise<void> => {
  try {
    await look();
  } catch (error) {
    throw new Error(`${peer.name}, ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const readPage = async ({ peer, port, headers }: Signed, wanted: Wanted, path: string): Promise<Page> => {
  const answered = await expectStatus(port, get(path), headers);
  const page = peer.pageOf(answered.body, answered.headers);
  if (page.records.length === wanted.size) return page;
  throw new Error(`${page.records.length} records, not ${wanted.size}`);
};

const checkPage = async (signed: Signed, wanted: Wanted): Promise<void> => {
  const path = signed.peer.page(wanted);
  if (path === undefined) return;
  const { records, total } = await readPage(signed, wanted, path);
  if (wanted.total && total !== rowCount) throw new Error(`the total is ${total} and not ${rowCount}`);
  for (const [index, record] of records.entries()) {
    const id = (wanted.page - 1) * wanted.size + index + 1;
    expectSame(`record ${index + 1}`, record, { id, ...productOf(id) });
  }
};

/** What paths name the records by that have these ids. */
export const keysOf = async (
  signed: Signed,
  ids: readonly number[],
): Promise<readonly (string | number)[]> => {
  const { peer } = signed;
  const keyOf = peer.keyOf?.bind(peer);
  if (keyOf === undefined) return ids;
  const size = 20;
  const keyOfId = async (id: number): Promise<string> => {
    const wanted = { page: Math.ceil(id / size), size, total: true };
    const { records } = await readPage(signed, wanted, peer.page(wanted) ?? '');
    return keyOf(records[(id - 1) % size]);
  };
  return Promise.all(ids.map(keyOfId));
};

const refuseStrangers = async ({ peer, port }: Signed, path: string): Promise<void> => {
  await expectStatus(port, get(path), {}, (status) => [401, 403].includes(status));
  const created = peer.create(productOf(1));
  await expectStatus(port, created, {}, (status) => [401, 403].includes(status));
};

/**
 * Reads records and pages, and creates one: all eight fields, the ids, their order and the total have to be those of the
 * model; strangers have to be refused.
 *
 * @throws Error that names the server and the fields in which it differs
 */
export const checkAnswers = async (
  signed: Signed,
  pages: readonly Wanted[],
  ids: readonly number[],
): Promise<void> => {
  const { peer, port, headers } = signed;
  const keys = await keysOf(signed, ids);
  await of(peer, 'detail', async () => {
    for (const [index, id] of ids.entries()) {
      const { body } = await expectStatus(port, get(peer.detail(keys[index] ?? id)), headers);
      expectSame(`record ${id}`, peer.recordOf(body), { id, ...productOf(id) });
    }
  });
  for (const wanted of pages) await of(peer, `page ${wanted.page}`, () => checkPage(signed, wanted));
  await of(peer, 'a stranger', () => refuseStrangers(signed, peer.detail(keys[0] ?? 1)));
  await of(peer, 'create', async () => {
    const product = { ...createdProduct, name: 'Created 000000000' };
    const { status, body } = await expectStatus(port, peer.create(product), headers);
    if (status !== peer.created) throw new Error(`${status} and not ${peer.created}`);
    expectSame('the new record', peer.recordOf(body), { id: rowCount + 1, ...product });
  });
};
