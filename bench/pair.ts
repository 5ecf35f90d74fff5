/** The service and a handwritten server on the data of one application, as processes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwtSecret, root } from './data.ts';
import { type Place, placeOn } from './place.ts';
import { type Running, start } from './processes.ts';

/** The service with an application, and a handwritten server that does the same. */
export interface Pair {
  readonly service: Running;
  readonly bare: Running;
  readonly place: Place;
  remove(): Promise<void>;
}

interface Sides {
  /** Folder of the application. */
  readonly application: string;
  /** Statements that fill its tables, as in `placeOn`. */
  readonly rows: (now: string) => readonly string[];
  /** Further settings of the service. */
  readonly env?: Readonly<Record<string, string>>;
  /** File of the handwritten server. */
  readonly bare: string;
  /** True if the handwritten server gets a copy of the database. */
  readonly copies?: boolean;
  /** Folder of the service's checkout; this one unless given. */
  readonly checkout?: string;
}

/** Starts both servers. */
export const startPair = async (database: string, sides: Sides): Promise<Pair> => {
  const { application, rows, env = {}, copies = false, checkout = root } = sides;
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-pair-'));
  const place = await placeOn(database, { directory, application, rows, maker: checkout });
  const bareDatabase = copies ? await place.copy() : place.database;
  const command = ['--max-semi-space-size=8', join(checkout, 'bin/gatewright.js'), 'start'];
  const service = await start('gatewright', command, { ...place.env, ...env }, application);
  const bare = await start('bare', [sides.bare], { DATABASE: bareDatabase, JWT_SECRET: jwtSecret });
  return {
    service,
    bare,
    place,
    remove: async () => {
      await Promise.all([service.stop(), bare.stop()]);
      await place.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
