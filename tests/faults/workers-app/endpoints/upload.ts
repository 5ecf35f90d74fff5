import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defineEndpoint, field } from 'gatewright';

/** Keeps an uploaded file for a while; says at the end whether it is still there. */
export default defineEndpoint({
  method: 'POST',
  path: '/upload',
  auth: [],
  accepts: 'multipart',
  limits: { file: 1_000_000, files: 1 },
  input: { milliseconds: field.integer({ required: true }) },
  handle: async ({ values, files }) => {
    const path = files[0]?.path ?? '';
    console.log(JSON.stringify({ msg: 'uploaded', pid: process.pid, folder: dirname(path) }));
    await delay(values.milliseconds);
    await access(path);
    return { pid: process.pid };
  },
});
