import { open } from 'node:fs/promises';

/**
 * Makes new and renamed entries of a directory durable over a power cut. Does nothing on Windows, which has no such
 * call.
 */
export const syncDirectory = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
