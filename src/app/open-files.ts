import { readFileSync } from 'node:fs';

/** Files that a process has open beside its connections: database, threads, log, modules. */
const others = 64;

/** The system's limit of open files for this process; undefined where the system does not report it (Linux does). */
const openFilesLimit = (): number | undefined => {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
};

/**
 * Connections that may be open within the system's limit of open files. Beyond it the system would refuse a
 * connection before an idle one could be closed for it.
 */
export const connectionsWithin = (
  { maxConnections, databasePool }: { readonly maxConnections: number; readonly databasePool: number },
  files = openFilesLimit(),
): number =>
  files === undefined ? maxConnections : Math.max(1, Math.min(maxConnections, files - others - databasePool));
