/** `gatewright dev`: runs the application while it is written, or serves a coding assistant. */

import { packageVersion } from '../../app/version.ts';
import { applicationFolder } from '../application.ts';
import { defineCommand } from '../command.ts';
import { watchApplication } from '../dev/file-watch.ts';
import { Supervisor } from '../dev/supervisor.ts';
import type { Io } from '../io.ts';
import { askThread, developerTools } from '../mcp/developer-tools.ts';
import { McpServer } from '../mcp/mcp-server.ts';
import { npmGone } from '../parent.ts';
import { stopSignal } from '../stop-signal.ts';

const instructions =
  'The application in this folder, made with Gatewright. Read AGENTS.md first. Use search_docs before you write code for a subject, and models and routes to see what the files define now.';

/** Serves an assistant over stdin and stdout until stdin ends. */
const serveAssistant = async (io: Io): Promise<void> => {
  const folder = await applicationFolder();
  const server = new McpServer(
    { input: process.stdin, write: io.write },
    {
      version: await packageVersion(),
      instructions,
      tools: developerTools,
      call: (name, given, signal) => askThread({ name, given, folder }, io.show, signal),
    },
  );
  await server.serve();
};

export const command = defineCommand({
  operands: [],
  options: {
    mcp: {
      type: 'boolean',
      help: 'serve a coding assistant over stdin and stdout (Model Context Protocol); reads only, opens no port',
    },
  },
  description: [
    'Runs the application, and restarts it within a second after a change of its code. The data stays.',
    'Shows its routes with their authentication and the resources that they leave open. At start, shows and applies',
    'pending migrations. A migration that you add or change later is shown, and applied when you press Enter or save',
    'its file again unchanged.',
    'With --mcp it does not run the application: editors start it beside, as .mcp.json says. Its tools are models, routes,',
    'explain, refusals and search_docs.',
  ],
  examples: ['gatewright dev', 'PORT=8080 LOG_LEVEL=warn gatewright dev', 'gatewright dev --mcp'],
  async run({ values }, io) {
    if (values.mcp === true) return serveAssistant(io);
    const stopped = stopSignal();
    const folder = await applicationFolder();
    const supervisor = new Supervisor(folder, io.env, () =>
      io.warn('gatewright: the application has ended; the next change starts it again'),
    );
    const watcher = watchApplication(folder, () => void supervisor.restart());
    if (io.interactive) {
      // Reads lines: reading single keys would disable Ctrl-C. Stdin keeps no process alive.
      process.stdin.on('data', () => supervisor.agree()).unref();
    }
    await supervisor.restart();
    await Promise.race([stopped, npmGone(io.env)]);
    watcher.close();
    await supervisor.close();
  },
});
