import { type IncomingMessage, request } from 'node:http';
import type { EventView } from '../../src/delivery/events/event-view.ts';

/** A stream of events as it comes over the wire. */
export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: readonly EventView[];
  /** Everything that has come, as text. */
  readonly text: () => string;
  /** Number of the last `id`; undefined before one has come. */
  readonly place: () => number | undefined;
  /** Resolves when the service has ended the stream, with the time that has passed since it was opened. */
  readonly ended: Promise<number>;
  /** Waits until so many events have come. */
  until(count: number, timeoutMs?: number): Promise<readonly EventView[]>;
  /** Waits until something holds, which is asked whenever something comes. */
  settled(holds: () => boolean, timeoutMs?: number): Promise<void>;
  close(): void;
}

/** Opens a stream; resolves when its status is known, of a stream when it has begun. */
export const openStream = (
  url: string,
  headers: Readonly<Record<string, string>>,
  { read = true, method = 'GET' } = {},
): Promise<EventStream> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    const sent = request(url, { method, headers: { accept: 'text/event-stream', ...headers }, agent: false });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const events: EventView[] = [];
      let text = '';
      let rest = '';
      let place: number | undefined;
      const hearers = new Set<() => void>();
      const take = (block: string): void => {
        const lines = block.split('\n');
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const id = field('id');
        if (id !== undefined) place = Number(id);
        const data = field('data');
        if (data !== undefined) events.push(JSON.parse(data));
      };
      const ended = new Promise<number>((done) => {
        answer.on('close', () => {
          done(performance.now() - begun);
          for (const hear of [...hearers]) hear();
        });
      });
      answer.on('error', () => {});
      const settled: EventStream['settled'] = (holds, timeoutMs = 10_000) =>
        new Promise((done, fail) => {
          const timer = setTimeout(
            () => fail(new Error(`nothing of it came in ${timeoutMs} ms: ${text.slice(-500)}`)),
            timeoutMs,
          );
          const hear = (): void => {
            if (!holds()) return;
            clearTimeout(timer);
            hearers.delete(hear);
            done();
          };
          hearers.add(hear);
          hear();
        });
      const stream: EventStream = {
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        events,
        text: () => text,
        place: () => place,
        ended,
        settled,
        until: async (count, timeoutMs) => {
          await settled(() => events.length >= count, timeoutMs);
          return events;
        },
        close: () => void sent.destroy(),
      };
      if (!read) {
        answer.pause();
        resolve(stream);
        return;
      }
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
        rest += piece;
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        if (answer.statusCode === 200) for (const block of blocks) take(block);
        for (const hear of [...hearers]) hear();
      });
      resolve(stream);
    });
    sent.end();
  });
