import { removeApplication } from '../../vault/changes.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { applicationEntry, changeCredentials, openCredentials } from '../credentials.ts';

export const command = defineCommand({
  operands: ['ID'],
  options: jsonOption,
  description: [
    'Removes an application with all of its secrets. A running service rejects its signatures within a second.',
  ],
  examples: ['gatewright app remove shop'],
  async run({ values, operands: [appId = ''] }, io) {
    const vault = await openCredentials(io);
    await changeCredentials(io, vault, (current) => removeApplication(current, appId), {
      entry: applicationEntry('app.remove', appId),
    });
    io.print(values.json === true ? JSON.stringify({ app_id: appId }) : `removed ${appId}`);
  },
});
