import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Application, loadApplication, loadConfig } from '../app/application.ts';

/**
 * The application's folder: the current one, unless its package.json names another under `gatewright.app`. Files
 * that the environment names (DATA_DIR, CREDENTIALS_FILE) are relative to the current folder in both cases.
 */
export const applicationFolder = async (): Promise<string> => {
  try {
    const content: unknown = JSON.parse(await readFile('package.json', 'utf8'));
    const named = content as { readonly gatewright?: { readonly app?: unknown } };
    if (typeof named.gatewright?.app === 'string') return resolve(named.gatewright.app);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return process.cwd();
};

/** Loads the application that a command works on. */
export const openApplication = async (): Promise<Application> => loadApplication(await applicationFolder());

/** `serviceTables` of the application in the current folder, for a command that needs nothing else of it. */
export const configuredTables = async (): Promise<string | undefined> =>
  (await loadConfig(await applicationFolder())).serviceTables;
