import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import {
  createPostgres,
  createPostgresDatabase,
  dropPostgresDatabase,
  type PostgresServer,
} from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * Address of a server that returns the URL of PostgreSQL, and at `/template` the URL of a database there that holds the
     * service's own tables and nothing else. The first request makes what it asks for.
     */
    postgresBroker: string;
  }
}

/** Makes a database with the service's own migrations applied. */
const createTemplate = async (server: string): Promise<string> => {
  // The service is loaded only in a run that needs the template.
  const { makeOwnTables } = await import('./template.ts');
  const url = await createPostgresDatabase(server);
  await makeOwnTables(url);
  return url;
};

/**
 * One PostgreSQL for the whole run, started when the first test asks for it: a run that needs none pays nothing.
 * A `DATABASE_URL` of PostgreSQL is used instead; its role must be allowed to create databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  let server: Promise<PostgresServer> | undefined;
  let template: Promise<string> | undefined;
  const start = async (): Promise<PostgresServer> => {
    const created = await createPostgres();
    await created.start();
    return created;
  };
  const serverUrl = async (): Promise<string> => {
    if (given !== undefined && /^postgres(?:ql)?:/.test(given)) return given;
    server ??= start();
    return (await server).url;
  };
  const templateUrl = (): Promise<string> => {
    template ??= serverUrl().then(createTemplate);
    return template;
  };
  const broker = createServer((request, response) => {
    (request.url === '/template' ? templateUrl() : serverUrl()).then(
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
    if (template !== undefined) await dropPostgresDatabase(await serverUrl(), await template);
    await (await server)?.remove();
  };
}
