import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { createPostgres, type PostgresServer } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers the URL of PostgreSQL; the first request starts the server. */
    postgresBroker: string;
  }
}

/**
 * One PostgreSQL for the whole run, started when the first test asks for it: a run that needs none pays nothing.
 * A `DATABASE_URL` of PostgreSQL is used instead; its role must be allowed to create databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  let server: Promise<PostgresServer> | undefined;
  const start = async (): Promise<PostgresServer> => {
    const created = await createPostgres();
    await created.start();
    return created;
  };
  const url = async (): Promise<string> => {
    if (given !== undefined && /^postgres(?:ql)?:/.test(given)) return given;
    server ??= start();
    return (await server).url;
  };
  const broker = createServer((_request, response) => {
    url().then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const address = broker.address();
  if (typeof address !== 'object' || address === null) throw new Error('The broker has no port');
  project.provide('postgresBroker', `http://127.0.0.1:${address.port}`);
  return async () => {
    broker.closeAllConnections();
    broker.close();
    await (await server)?.remove();
  };
}
