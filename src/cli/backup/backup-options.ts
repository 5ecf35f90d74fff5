import { jsonOption, type Options } from '../command.ts';

/** Options that `backup` and `restore` share. */
export const backupOptions = {
  'verify-url': {
    type: 'string',
    value: 'URL',
    help: 'with --verify: server of the temporary database (default: that of DATABASE_URL)',
  },
  programs: {
    type: 'string',
    value: 'FOLDER',
    help: 'folder of pg_dump and pg_restore, if they are not on the PATH or have the wrong version',
  },
  ...jsonOption,
} as const satisfies Options;
