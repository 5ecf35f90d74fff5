import { defineCommand, jsonOption } from '../command.ts';
import { openCredentials } from '../credentials.ts';

export const command = defineCommand({
  operands: [],
  options: jsonOption,
  description: [
    'Lists the applications, when each got its current key, and public keys. Secrets are never shown.',
  ],
  examples: ['gatewright app list', "gatewright app list --json | jq -r '.[].app_id'"],
  async run({ values }, io) {
    const applications = (await openCredentials(io)).applications();
    if (values.json === true) return io.print(JSON.stringify(applications));
    const width = Math.max(...applications.map(({ app_id }) => app_id.length));
    for (const { app_id, public_key, rotated_at } of applications)
      io.print(`${app_id.padEnd(width)}  ${rotated_at}  ${public_key ?? ''}`.trimEnd());
  },
});
