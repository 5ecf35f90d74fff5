import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './postgres.ts';

/** True if this machine has nginx, and openssl for its certificate; `.ci/run` sees to it. */
export const hasNginx = ['nginx', 'openssl'].every(
  (program) => spawnSync(program, ['-v']).error === undefined,
);

export interface Nginx {
  /** Its address with TLS, with a certificate of its own. */
  readonly port: number;
  /** The errors of its log. */
  complaints(): Promise<string>;
  close(): Promise<void>;
}

/** Runs the documented site with other ports, in front of the instances on `ports`. */
export const startNginx = async (site: string, ports: readonly number[]): Promise<Nginx> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-nginx-'));
  const [secure, plain] = [await freePort(), await freePort()];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=api.example.com'],
      ...['-keyout', join(directory, 'privkey.pem'), '-out', join(directory, 'fullchain.pem')],
    ],
    { stdio: 'ignore' },
  );
  const here = ports.reduce(
    (text, port, index) => text.replace(`127.0.0.1:${3001 + index} `, `127.0.0.1:${port} `),
    site
      .replace(/^.*listen \[::\].*\n/gm, '')
      .replace('listen 443 ', `listen 127.0.0.1:${secure} `)
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replaceAll('/etc/letsencrypt/live/api.example.com', directory),
  );
  await writeFile(join(directory, 'site.conf'), here);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${join(directory, name)};`,
  );
  const config = join(directory, 'nginx.conf');
  await writeFile(
    config,
    `daemon off;
${process.getuid?.() === 0 ? 'user nobody nogroup;' : ''}
worker_processes 1;
pid ${join(directory, 'pid')};
error_log ${join(directory, 'error.log')} warn;
events { worker_connections 1024; }
http {
${paths.join('\n')}
  access_log off;
  include ${join(directory, 'site.conf')};
}
`,
  );
  const child = spawn('nginx', ['-e', join(directory, 'error.log'), '-c', config], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const complaints = () => readFile(join(directory, 'error.log'), 'utf8').catch(() => '');
  for (let attempt = 0; ; attempt += 1) {
    if (child.exitCode !== null || attempt > 200) throw new Error(`nginx: ${await complaints()}`);
    const answers = await fetch(`http://127.0.0.1:${plain}/`, { redirect: 'manual' }).catch(() => undefined);
    if (answers?.status === 308) break;
    await delay(50);
  }
  return {
    port: secure,
    complaints,
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
};
