/** Measures one process of the service: its start, its memory when idle, and after a million requests. */
import { join } from 'node:path';
import { callers, spread } from './callers.ts';
import { type Data, token } from './data.ts';
import { measure } from './measure.ts';
import { startService } from './processes.ts';
import { request } from './request.ts';

export interface ProcessFigures {
  /** Milliseconds to the first response without a cache of compiled code, and with one. */
  readonly firstStart: number;
  readonly start: number;
  /** Resident bytes after three idle seconds, and right after the requests. */
  readonly idle: number;
  readonly afterwards: number;
  readonly requests: number;
}

const settleMs = 3_000;
const million = 1_000_000;

/** Measures the default configuration: without credentials, whose decryption takes memory. */
export const measureProcess = async (data: Data, notes: number): Promise<ProcessFigures> => {
  const details = spread(3_200, notes).map((id, index) =>
    request('GET', `/api/v1/notes/${id}`, [`Authorization: Bearer ${token(1 + (index % callers))}`]),
  );
  const folder = data.service['DATA_DIR'] ?? '';
  const env = {
    CREDENTIALS_FILE: join(folder, 'none.age'),
    CREDENTIALS_KEY_FILE: join(folder, 'none.key'),
    DATA_DIR: join(folder, 'process'),
  };
  const first = await startService(data, env);
  await first.stop();
  const service = await startService(data, env);
  try {
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const idle = service.memory();
    let requests = 0;
    while (requests < million) {
      const job = { connections: 32, expect: 200, requests: details, milliseconds: 5_000 };
      requests += (await measure(service, job)).requests;
    }
    const afterwards = service.memory();
    return { firstStart: first.startup, start: service.startup, idle, afterwards, requests };
  } finally {
    await service.stop();
  }
};
