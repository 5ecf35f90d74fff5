import { storedTimes } from '../src/app/stored-times.ts';
import { shownTimes } from '../src/database/tables.ts';
import { code, page, table } from './reference-markdown.ts';

const placeOf = (place: string): string => (place.includes('`') ? place : code(place));

export const clocksPage = (): string =>
  page(
    'Clocks',
    'This page lists every stored time that controls behaviour: how far in the future it can be, and the effect of a wrong clock. See the [guide](../guide/monitoring.md#keep-clocks-in-sync) for instructions and [decision 0022](../decisions/0022-clocks.md) for the reasons.',
    [
      'The service uses the clock of its machine. If the clock of the database differs by more than a second, the service uses that one, so that all instances agree. The log and `gatewright_clock_offset_seconds` show the difference. A time further in the future than its maximum is reset, with a line in the log. This check runs at start, whenever the clock was set back, and every ten minutes. After the clock jumps by more than an hour, or after a stop of more than an hour, removal by age waits for a day.',
      table(
        ['time', 'controls', 'maximum', 'if the clock was ahead', 'if the clock was behind'],
        storedTimes.map(({ place, decides, maxAhead: most, wasAhead, wasBehind }) => [
          placeOf(place),
          decides,
          most,
          wasAhead,
          wasBehind,
        ]),
      ),
      '## Times that control nothing',
      `They are returned as they were written: ${shownTimes.map(code).join(', ')}; \`created_at\` and \`updated_at\` of records.`,
    ].join('\n\n'),
  );
