import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const call = 'it lives no longer than a call';
const few = 'few come and go, and seldom';
const streams = 'streams and who listens to them last for minutes';

/** Where a `Map` or `Set` that something leaves stays one, and why it may. Anything else is a `PassingMap`. */
const allowed: Readonly<Record<string, string>> = {
  'auth/login-throttle.ts looking': 'keys of those who wait for a hash, which are texts',
  'cli/dev/watch.ts watchers': few,
  'cli/scaffold/plan-migration.ts tables': call,
  'cli/scaffold/plan-migration.ts waiting': call,
  'cli/workers/primary.ts #known': few,
  'cli/workers/primary.ts #relays': few,
  'cli/workers/primary.ts #waiting': few,
  'events/catch-up.ts #held': streams,
  'events/catch-up.ts #line': streams,
  'events/change-feed.ts #atHead': streams,
  'events/changes.ts #callers': streams,
  'events/changes.ts #streams': streams,
  'events/credential-watch.ts #known': streams,
  'events/signal.ts #hearers': streams,
  'http/routes.ts #whole': few,
  'http/upload-folders.ts #counts': 'uploads write files, which takes far longer',
  'http/upload-folders.ts inUse': few,
  'kernel/passing-map.ts #map': 'it is made anew',
  'metrics/workers.ts #last': few,
  'database/chunk-stream.ts #open': streams,
  'database/numbering.ts #known': call,
  'database/postgres/admission.ts #suspects': few,
  'database/postgres/database.ts #listeners': few,
  'database/postgres/replica-watch.ts #marks': 'positions in the log of one second, which are texts',
  'database/postgres/statement-names.ts #names': few,
  'database/sqlite/revisions.ts #written': 'names and numbers, and nothing leaves it but all at once',
  'database/sqlite/scan-pool.ts #threads': few,
  'database/sqlite/temporary.ts temporary': few,
  'database/sqlite/worker.ts streams': streams,
  'records/relations/include.ts left': call,
  'vault/changes.ts apps': call,
  'vault/vault.ts #listeners': few,
  'webhooks/unreadable.ts #seen': few,
  'webhooks/watch.ts #seen': few,
};

/** The names of what is made as a `Map` or `Set` in a file, and left by something there. */
const leftOnes = (text: string): readonly string[] =>
  [...text.matchAll(/([#\w]+)(?::[^=;\n]+)? = new (?:Map|Set)\b/g)]
    .map(([, name = '']) => name)
    .filter((name) => new RegExp(`${name}\\??\\.(?:delete|clear)\\(`).test(text));

it('is a PassingMap or PassingSet, what things come to and go from all the time', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$/.test(file));
  const found = files.flatMap((file) =>
    leftOnes(readFileSync(`${root}/${file}`, 'utf8')).map((name) => `${file.replace('src/', '')} ${name}`),
  );
  expect([...new Set(found)].sort()).toEqual(Object.keys(allowed).sort());
});
