import { readFile } from 'node:fs/promises';
import { packageFile } from '../kernel/package-files.ts';

/** This package's version, `1.2.3`. */
export const packageVersion = async (): Promise<string> => {
  const text = await readFile(packageFile('package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
};

/** The major version of this package, whose changes may be incompatible. */
export const majorVersion = async (): Promise<number> => Number((await packageVersion()).split('.')[0]);
