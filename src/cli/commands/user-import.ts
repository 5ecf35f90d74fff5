/** `gatewright user import`: creates the users of another system, with the hashes of their passwords. */

import { defineCommand, jsonOption } from '../command.ts';
import { withTables } from '../tables.ts';
import { countText } from '../transfer/progress.ts';
import { formatOf } from '../transfer/transfer-options.ts';
import { UserImport } from '../transfer/user-import.ts';

export const command = defineCommand({
  operands: ['FILE'],
  options: {
    check: { type: 'boolean', help: 'check the file only, and create no user' },
    'skip-existing': { type: 'boolean', help: 'pass over lines whose username or address a user has' },
    ...jsonOption,
  },
  description: [
    'Creates the users of FILE: CSV with a header line (.csv), or one JSON object per line (.jsonl, .ndjson).',
    'Columns: username (made from the address if absent), email, name, roles (default viewer), password_hash, disabled,',
    'must_change_password. Hashes of bcrypt, scrypt, PBKDF2 and argon2 are verified at the sign-in, which replaces them.',
    'Without a hash, a user sets a password by mail. A refused line ends the command before any user is created.',
  ],
  examples: [
    'gatewright user import users.csv --check',
    'gatewright user import users.jsonl --skip-existing --json',
  ],
  async run({ operands: [path = ''], values }, io) {
    const { check = false, 'skip-existing': skipExisting = false, json = false } = values;
    const asked = { path, format: formatOf(path), check, skipExisting };
    const { created, skipped } = await withTables(io, (context) => new UserImport(io, asked, context).run());
    if (json) return io.print(JSON.stringify(check ? { valid: created, skipped } : { created, skipped }));
    const users = `${countText(created)} ${created === 1 ? 'user' : 'users'}`;
    const passedOver = skipped === 0 ? '' : `, ${countText(skipped)} passed over`;
    io.print(check ? `${users} can be created${passedOver}` : `${users} created${passedOver}`);
  },
});
