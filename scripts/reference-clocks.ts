import { shownTimes, storedTimes } from '../src/app/stored-times.ts';
import { code, page, table } from './reference-markdown.ts';

const placeOf = (place: string): string => (place.includes('`') ? place : code(place));

export const clocksPage = (): string =>
  page(
    'Clocks',
    'Every stored time that decides something, how far ahead of now it lies at most, and what becomes of one that was written while the clock was wrong. [Decision 0022](../decisions/0022-clocks.md) says why, the [guide](../guide/production.md#clocks) what to do.',
    [
      'The clock of the service is that of its machine. Where the clock of the database differs by more than a second, the database’s counts, so that it is the same for all instances; the log and `gatewright_clock_offset_seconds` tell by how much. A time further ahead than it can be is void and is set again, with a line in the log: at the start, whenever the clock was set back, and every ten minutes. What is removed by age does not follow a clock that leaps by more than an hour, or a stop of more than an hour, until a day later.',
      table(
        ['time', 'decides', 'ahead of now at most', 'the clock was ahead', 'the clock was behind'],
        storedTimes.map(({ place, decides, most, wasAhead, wasBehind }) => [
          placeOf(place),
          decides,
          most,
          wasAhead,
          wasBehind,
        ]),
      ),
      '## Times that decide nothing',
      `They are shown as they were written: ${shownTimes.map(code).join(', ')}; \`created_at\` and \`updated_at\` of records.`,
    ].join('\n\n'),
  );
