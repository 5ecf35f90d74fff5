import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../kernel/package-files.ts';

/** This package: its folder, and what its package.json says. */
export interface OwnPackage {
  readonly folder: string;
  readonly version: string;
  /** Ranges of the packages that it was developed with. */
  readonly developed: Readonly<Record<string, string>>;
}

export const ownPackage = async (): Promise<OwnPackage> => {
  const folder = fileURLToPath(packageFile('.')).replace(/[/\\]$/, '');
  const { version, devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    version: string;
    devDependencies: Record<string, string>;
  };
  return { folder, version, developed: devDependencies };
};

/** Where npm took this package from, if that was a file: `npx ./gatewright-1.0.0.tgz init …`. */
const installedFrom = async (folder: string): Promise<string | undefined> => {
  const root = dirname(dirname(folder));
  try {
    const text = await readFile(join(root, 'node_modules', '.package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as { packages?: Record<string, { resolved?: string }> };
    const resolved = packages?.['node_modules/gatewright']?.resolved ?? '';
    return resolved.startsWith('file:') ? `file:${resolve(root, resolved.slice('file:'.length))}` : undefined;
  } catch {
    // No such list: it was put there by another tool, which the registry will do for.
    return undefined;
  }
};

/**
 * The entry of this package in the new application's package.json: what `--from` names, the tarball or checkout that
 * this command runs from, else this version of the registry.
 */
export const dependencySpec = async (own: OwnPackage, from: string | undefined): Promise<string> => {
  if (from !== undefined) return existsSync(from) ? `file:${resolve(from)}` : from;
  if (!own.folder.split(sep).includes('node_modules')) return `file:${own.folder}`;
  return (await installedFrom(own.folder)) ?? `^${own.version}`;
};
