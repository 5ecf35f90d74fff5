// Users with a role, and the rows; prints what the connection says of itself.
import { readFileSync } from 'node:fs';
import config from '@payload-config';
import { getPayload } from 'payload';

const payload = await getPayload({ config });
const { client } = payload.db as unknown as {
  client: { execute(sql: string): Promise<{ rows: Record<string, unknown>[] }> };
};
const pragma = async (name: string) => (await client.execute(`pragma ${name}`)).rows[0]?.[name];
const durability = { journal_mode: await pragma('journal_mode'), synchronous: await pragma('synchronous') };
await client.execute('pragma synchronous = off');
for (const { email, password } of JSON.parse(process.env.USERS_OF_BENCH ?? ''))
  await payload.create({ collection: 'users', data: { email, password, role: 'clerk' } as never });
for (const data of JSON.parse(readFileSync(process.env.ROWS ?? '', 'utf8')))
  await payload.create({ collection: 'products', data: data as never });
process.stdout.write(`\n${JSON.stringify(durability)}\n`, () => process.exit(0));
