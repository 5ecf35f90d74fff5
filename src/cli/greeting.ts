import type { Server } from '../app/server.ts';
import type { Io } from './io.ts';

/** Prints the first steps. This is the only place where the generated password is shown. */
export const greet = ({ config, firstAdmin }: Server, io: Pick<Io, 'print'>): void => {
  io.print(`Gatewright answers on ${config.baseUrl}`);
  io.print(`  API             ${config.baseUrl}/api/v1`);
  if (config.apiDocs) io.print(`  Documentation   ${config.baseUrl}/api-docs`);
  io.print(`  Administration  ${config.baseUrl}/admin`);
  if (firstAdmin === undefined) return;
  if (firstAdmin.password === undefined)
    io.print(`  Sign in as ${firstAdmin.username} with the password of ADMIN_PASSWORD`);
  else {
    io.print(`  Sign in as ${firstAdmin.username} with the password ${firstAdmin.password}`);
    io.print('  It is shown this once: keep it, or change it with PUT /api/v1/auth/password');
  }
};
