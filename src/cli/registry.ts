/** The list of all commands, each with its help text and the module that is loaded for it. */

import type { Command } from './command.ts';

interface RegistryEntry {
  /** Its line in the list of `gatewright --help`. */
  readonly summary: string;
  /** Imported on demand, so that each command loads only its own parts. */
  load(): Promise<{ readonly command: Command }>;
}

/** All commands by their names of one or two words. A new one is a file in `commands/` and an entry here. */
export const registry: ReadonlyMap<string, RegistryEntry> = new Map(
  Object.entries({
    start: { summary: 'start the service', load: () => import('./commands/start.ts') },
    'generate client': {
      summary: 'write the types that gatewright/client needs in another package',
      load: () => import('./commands/generate-client.ts'),
    },
    dev: {
      summary: 'run the application and start it again after every change',
      load: () => import('./commands/dev.ts'),
    },
    init: { summary: 'write a new application', load: () => import('./commands/init.ts') },
    'generate resource': {
      summary: 'write a resource and its migration',
      load: () => import('./commands/generate-resource.ts'),
    },
    'generate endpoint': {
      summary: 'write a sample endpoint',
      load: () => import('./commands/generate-endpoint.ts'),
    },
    'generate job': {
      summary: 'write a job to begin with',
      load: () => import('./commands/generate-job.ts'),
    },
    'generate migration': {
      summary: 'write the migration that brings the database to the models',
      load: () => import('./commands/generate-migration.ts'),
    },
    adopt: {
      summary: 'write models for the tables of an existing database',
      load: () => import('./commands/adopt.ts'),
    },
    migrate: { summary: 'apply pending migrations', load: () => import('./commands/migrate.ts') },
    backup: {
      summary: 'copy the database into a file while the service runs',
      load: () => import('./commands/backup.ts'),
    },
    restore: {
      summary: 'make the database of a backup in an empty place',
      load: () => import('./commands/restore.ts'),
    },
    move: {
      summary: 'copy everything to another database, and compare',
      load: () => import('./commands/move.ts'),
    },
    forget: {
      summary: 'remove the values of a record from its history, events and the trash',
      load: () => import('./commands/forget.ts'),
    },
    run: {
      summary: 'run your own script on the database',
      load: () => import('./commands/run.ts'),
    },
    console: {
      summary: 'type code that runs on the database',
      load: () => import('./commands/console.ts'),
    },
    'user create': { summary: 'create a user', load: () => import('./commands/user-create.ts') },
    'user import': {
      summary: 'create the users of another system',
      load: () => import('./commands/user-import.ts'),
    },
    'user set-password': {
      summary: 'set the password of a user',
      load: () => import('./commands/user-set-password.ts'),
    },
    'user reset-factor': {
      summary: "take a user's two-step verification away",
      load: () => import('./commands/user-reset-factor.ts'),
    },
    'key create': { summary: 'create an API key for a user', load: () => import('./commands/key-create.ts') },
    'key rotate': { summary: 'give an API key a new secret', load: () => import('./commands/key-rotate.ts') },
    scan: {
      summary: 'find leaked API keys in files or a git history',
      load: () => import('./commands/scan.ts'),
    },
    'app create': {
      summary: 'register an application that signs its requests',
      load: () => import('./commands/app-create.ts'),
    },
    'app rotate': {
      summary: 'give an application a new secret',
      load: () => import('./commands/app-rotate.ts'),
    },
    'app list': { summary: 'list the applications', load: () => import('./commands/app-list.ts') },
    'app remove': {
      summary: 'remove an application and its secrets',
      load: () => import('./commands/app-remove.ts'),
    },
    'credentials edit': {
      summary: 'edit the encrypted credentials in your editor',
      load: () => import('./commands/credentials-edit.ts'),
    },
    'credentials set': {
      summary: 'store a secret read from stdin in the encrypted credentials',
      load: () => import('./commands/credentials-set.ts'),
    },
    'credentials rekey': {
      summary: 'encrypt the credentials for a new key',
      load: () => import('./commands/credentials-rekey.ts'),
    },
    import: {
      summary: 'create or update records from a file',
      load: () => import('./commands/import.ts'),
    },
    export: {
      summary: 'write the records of a list to a file',
      load: () => import('./commands/export.ts'),
    },
    openapi: {
      summary: 'print the OpenAPI description of the application',
      load: () => import('./commands/openapi.ts'),
    },
    options: {
      summary: 'list every option of models, fields, endpoints, jobs and the configuration',
      load: () => import('./commands/options.ts'),
    },
    audit: {
      summary: 'list who can call which endpoint',
      load: () => import('./commands/audit.ts'),
    },
    access: {
      summary: 'print who can do what, and what has changed since the lock file',
      load: () => import('./commands/access.ts'),
    },
    sign: {
      summary: 'sign a request: its headers, or a whole curl',
      load: () => import('./commands/sign.ts'),
    },
  } satisfies Record<string, RegistryEntry>),
);
