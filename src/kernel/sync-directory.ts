import { open } from 'node:fs/promises';

/** Makes a rename or a new name in the directory survive a power cut. Windows has no such call. */
export const syncDirectory = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
