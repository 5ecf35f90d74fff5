import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineJob, field } from 'gatewright';

const say = (line: string): void => void writeSync(1, `${line}\n`);

/** Runs to its end, in spite of an abort. */
export default defineJob({
  input: { seconds: field.number({ required: true }) },
  handle: async ({ values, attempt, signal }) => {
    signal.addEventListener('abort', () => say('slow is aborted'));
    say(`slow begins, attempt ${attempt}`);
    await delay(values.seconds * 1_000);
    say('slow is done');
  },
});
