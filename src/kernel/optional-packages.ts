/** Packages that only some applications need: they are installed beside Gatewright, not with it. */

import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { packageFile } from './package-files.ts';

/** Optional peers of package.json that a setting or an option needs. */
export type OptionalPackage =
  | '@aws-sdk/client-s3'
  | 'jose'
  | 'nodemailer'
  | 'openid-client'
  | 'pg'
  | 'prom-client';

/** True if an import from this package finds the other one. Nothing of it is loaded. */
const isInstalled = (name: string, from: string): boolean => {
  try {
    return findPackageJSON(name, from) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
};

/** The argument of `npm install`: the major version with which this release is tested. */
const installable = (names: readonly string[]): string => {
  const { peerDependencies } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>;
  };
  return names.map((name) => `${name}@${/\d+/.exec(peerDependencies[name] ?? '')?.[0]}`).join(' ');
};

/**
 * A clause that names the missing ones of these packages and the command that installs them; undefined where all are
 * installed. @param from URL of the importing file
 */
export const missingPackages = (
  names: readonly OptionalPackage[],
  from: string = import.meta.url,
): string | undefined => {
  const missing = names.filter((name) => !isInstalled(name, from));
  if (missing.length === 0) return undefined;
  return `the package${missing.length > 1 ? 's' : ''} ${missing.join(' and ')}: npm install ${installable(missing)}`;
};
