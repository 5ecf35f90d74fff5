import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { listenForScrapes } from './listener.ts';

const listening = async (text: () => Promise<string>, token?: string) => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  const listener = await listenForScrapes({ host: '127.0.0.1', port: 0, token, logger, text });
  onTestFinished(() => listener.close());
  const ask = async (authorization?: string): Promise<string> => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await fetch(`http://127.0.0.1:${listener.port}/metrics`, { headers });
    return `${answer.status} ${await answer.text()}`;
  };
  return { lines, ask };
};

it('builds one text for all simultaneous scrapes', async () => {
  const made = Promise.withResolvers<string>();
  let times = 0;
  const { ask } = await listening(() => {
    times += 1;
    return times === 1 ? made.promise : Promise.resolve('later');
  });
  const asked = Array.from({ length: 8 }, () => ask());
  await expect.poll(() => times).toBe(1);
  made.resolve('one');
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['200 one']));
  await expect.poll(() => ask()).toBe('200 later');
});

it('says 500 where the text cannot be made, and once so in the log, until it can again', async () => {
  let fails = true;
  const { ask, lines } = await listening(async () => {
    if (fails) throw new Error('no figures');
    return 'fine';
  });
  expect(await ask()).toBe('500 the metrics could not be read\n');
  expect(await ask()).toMatch(/^500 /);
  expect(lines).toHaveLength(1);
  fails = false;
  await expect.poll(() => ask()).toBe('200 fine');
});

it('asks for a token where there is one, and for none where there is none', async () => {
  const token = 'scrape-0123456789abcdef';
  const { ask } = await listening(async () => 'fine', token);
  for (const right of [`Bearer ${token}`, `bearer  ${token}`]) expect(await ask(right)).toBe('200 fine');
  for (const wrong of [
    undefined,
    '',
    token,
    `Basic ${token}`,
    `Bearer ${token}x`,
    'Bearer',
    `Bearer x ${token}`,
  ])
    expect([wrong, await ask(wrong)]).toEqual([wrong, '401 METRICS_TOKEN as a bearer token\n']);
  const open = await listening(async () => 'fine');
  expect(await open.ask('Bearer anything')).toBe('200 fine');
});
