import type { Io } from './io.ts';

/** Prints a secret. It is never shown again. */
export const printSecret = (io: Io, appId: string, secret: string, json: boolean | undefined): void => {
  if (json === true) {
    io.print(JSON.stringify({ app_id: appId, api_secret: secret }));
    return;
  }
  io.print(`app_id:     ${appId}`);
  io.print(`api_secret: ${secret}`);
  io.warn('Store the secret now: it is not shown again.');
};
