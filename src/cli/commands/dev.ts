import { applicationFolder } from '../application.ts';
import { defineCommand } from '../command.ts';
import { watchApplication } from '../dev/file-watch.ts';
import { Supervisor } from '../dev/supervisor.ts';
import { npmGone } from '../parent.ts';
import { stopSignal } from '../stop-signal.ts';

export const command = defineCommand({
  operands: [],
  options: {},
  description: [
    'Runs the application, and restarts it within a second after a change of its code. The data stays.',
    'Shows its routes with their authentication and the resources that they leave open. At start, shows and applies',
    'pending migrations. A migration that you add or change later is shown, and applied when you press Enter or save',
    'its file again unchanged. It continues when you run gatewright migrate in another terminal.',
    'A mistake in a model file is shown with its line and column; the next change tries again.',
  ],
  examples: ['gatewright dev', 'PORT=8080 LOG_LEVEL=warn gatewright dev'],
  async run(_invocation, io) {
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
