import { jsonOption, type Options } from '../command.ts';

/** Options that `backup` and `restore` share. */
export const backupOptions = {
  'verify-url': {
    type: 'string',
    value: 'URL',
    help: 'with --verify: where the temporary database is made (unless given, where DATABASE_URL is)',
  },
  programs: {
    type: 'string',
    value: 'FOLDER',
    help: 'where pg_dump and pg_restore are, if not on the PATH, or of the wrong version there',
  },
  ...jsonOption,
} as const satisfies Options;
