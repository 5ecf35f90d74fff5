import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own, of few megabytes. */
export interface SmallDisk {
  readonly path: string;
  /** Leaves no room for a single block more. */
  fill(): Promise<void>;
  /** Gives back what `fill` took. */
  empty(): Promise<void>;
  /** Removes the file system with all that is on it. */
  close(): Promise<void>;
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOSPC';

/** Only root may mount one. */
export const hasSmallDisks = process.getuid?.() === 0;

export const createSmallDisk = async (megabytes: number): Promise<SmallDisk> => {
  const path = await mkdtemp(join(tmpdir(), 'gatewright-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  await chmod(path, 0o755);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: async () => {
      const file = await open(ballast, 'a');
      try {
        for (const size of [1_048_576, 4_096])
          for (let isRoom = true; isRoom; )
            await file.write(Buffer.alloc(size)).then(
              ({ bytesWritten }) => {
                isRoom = bytesWritten === size;
              },
              (error: unknown) => {
                if (!isFull(error)) throw error;
                isRoom = false;
              },
            );
      } finally {
        await file.close();
      }
    },
    empty: () => rm(ballast),
    close: async () => {
      execFileSync('umount', ['--lazy', path]);
      await rm(path, { recursive: true });
    },
  };
};
