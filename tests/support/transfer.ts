import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Application } from '../../src/app/application.ts';
import { testIo } from '../../src/cli/test-io.ts';
import { ExportCommand } from '../../src/cli/transfer/export-command.ts';
import { ImportCommand } from '../../src/cli/transfer/import-command.ts';
import { withOperations } from '../../src/cli/transfer/opened.ts';
import { formatOf } from '../../src/cli/transfer/transfer-options.ts';
import type { Service } from './service.ts';

export interface TransferRun {
  /** Standard output; where it failed, what it failed with. */
  readonly out: string;
  /** Standard error. */
  readonly stderr: string;
  readonly failed: boolean;
}

export interface ImportOptions {
  readonly resource?: string;
  readonly as?: string;
  readonly by?: string;
  readonly json?: boolean;
  readonly terminal?: boolean;
}

export interface ExportOptions {
  readonly resource?: string;
  readonly as?: string;
  readonly filters?: readonly string[];
  readonly json?: boolean;
}

/** A file that is gone after the test. */
export const fileOf = async (content: string | Uint8Array, name = 'file.csv'): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-transfer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};

const ran = async (
  service: Pick<Service, 'env'>,
  application: Application,
  work: (
    io: ReturnType<typeof testIo>['io'],
    opened: Parameters<Parameters<typeof withOperations>[1]>[0],
  ) => Promise<void>,
  terminal: boolean,
): Promise<TransferRun> => {
  const { io, written } = testIo({ env: service.env, terminal });
  try {
    await withOperations(
      io,
      (opened) => work(io, opened),
      async () => application,
    );
    const { stdout, stderr } = written();
    return { out: stdout, stderr, failed: false };
  } catch (error) {
    return {
      out: error instanceof Error ? error.message : String(error),
      stderr: written().stderr,
      failed: true,
    };
  }
};

/** `gatewright import`, in this process, beside a service of the same database. */
export const importing = (
  service: Pick<Service, 'env'>,
  application: Application,
  path: string,
  { resource = 'products', as, by, json = false, terminal = false }: ImportOptions = {},
): Promise<TransferRun> =>
  ran(
    service,
    application,
    (io, opened) =>
      new ImportCommand(io, { path, format: formatOf(path), resource, as, by, json }, opened).run(),
    terminal,
  );

/** `gatewright export`, in this process. */
export const exporting = (
  service: Pick<Service, 'env'>,
  application: Application,
  path: string,
  { resource = 'products', as, filters = [], json = false }: ExportOptions = {},
): Promise<TransferRun> =>
  ran(
    service,
    application,
    (io, opened) => {
      const format = path === '-' ? 'csv' : formatOf(path);
      return new ExportCommand(io, { path, format, resource, as, filters, json }, opened).run();
    },
    false,
  );
