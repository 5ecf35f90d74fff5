/** Loaded before a process's own program: at a SIGURG it collects all that can be collected. */
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

const collect = async (): Promise<void> => {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
};

if (isMainThread) process.on('SIGURG', collect);
