import { expect, it } from 'vitest';
import { readableLog } from './log.ts';

const printed = (...lines: readonly (readonly [Record<string, unknown>, string])[]): readonly string[] => {
  const out: string[] = [];
  const log = readableLog('info', (line) => out.push(line));
  for (const [line, message] of lines) log.info(line, message);
  return out;
};

it('says of a line what a person at a terminal asks', () => {
  expect(
    printed(
      [{ method: 'GET', route: null, status: 404, milliseconds: 1.5 }, 'request'],
      [{ applied: ['0001_core', '0001_notes'] }, 'migrated'],
      [{ event: 'sign_in.failed', address: '127.0.0.1' }, 'security event'],
      [{ event: 'sign_in', address: '127.0.0.1', user: 1, username: 'admin' }, 'security event'],
      [{ port: 3000 }, 'listening'],
      [{}, 'stopping'],
    ),
  ).toEqual([
    'GET (no such path) 404  1.5 ms',
    'applied 0001_core, 0001_notes',
    'security event: sign_in.failed',
    'security event: sign_in, admin',
    'stopping',
  ]);
});
