import { storedTimes } from '../src/app/stored-times.ts';
import { shownTimes } from '../src/database/tables.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { inLanguage } from './reference-chinese.ts';
import { code, page, table } from './reference-markdown.ts';

const words = {
  en: {
    title: 'Clocks',
    lead: 'This page lists every stored time that controls behaviour: how far in the future it can be, and the effect of a wrong clock. See the [guide](../guide/monitoring.md#keep-clocks-in-sync) for instructions.',
    about:
      'The service uses the clock of its machine. If the clock of the database differs by more than a second, the service uses that one, so that all instances agree. The log and `gatewright_clock_offset_seconds` show the difference. A time further in the future than its maximum is reset, with a line in the log. This check runs at start, whenever the clock was set back, and every ten minutes. After the clock jumps by more than an hour, or after a stop of more than an hour, removal by age waits for a day.',
    columns: ['time', 'controls', 'maximum', 'if the clock was ahead', 'if the clock was behind'],
    kept: '## Times by which old entries are removed',
    aboutKept:
      'Their maximum is now. If the clock was ahead, the entries are kept longer by as much; if it was behind, they are removed sooner by as much.',
    others: '## Times that control nothing',
    shown: (times: readonly string[]) =>
      `They are returned as they were written: ${times.join(', ')}; \`created_at\` and \`updated_at\` of records.`,
  },
  'zh-CN': {
    title: '时钟',
    lead: '本页列出每个影响行为的存储时间：最多可以在多远的未来，以及时钟有误时的影响。操作方法见[指南](../guide/monitoring.zh-CN.md#保持时钟同步)。',
    about:
      '服务使用本机的时钟。若数据库的时钟与之相差超过一秒，则以数据库的时钟为准，使所有实例一致。日志与 `gatewright_clock_offset_seconds` 显示差值。超过其上限的未来时间会被重置，并在日志中留下一行。启动时、时钟被拨回时以及每十分钟检查一次。时钟跳变超过一小时，或停止超过一小时之后，按存放时间的移除先等待一天。',
    columns: ['时间', '决定', '上限', '当时的时钟偏快', '当时的时钟偏慢'],
    kept: '## 用于移除旧条目的时间',
    aboutKept: '其上限为当前时间。当时的时钟偏快时，条目多保留相应的时间；偏慢时，提前相应的时间移除。',
    others: '## 不影响行为的时间',
    shown: (times: readonly string[]) =>
      `这些时间按写入的值返回：${times.join('、')}；以及记录的 \`created_at\` 与 \`updated_at\`。`,
  },
} as const;

const placeOf = (place: string, locale: ServiceLocale): string =>
  place.includes('`') ? inLanguage(place, locale) : code(place);

const units = { d: '天', h: '小时', min: '分钟', s: '秒' } as const;

const isUnit = (name: string): name is keyof typeof units => Object.hasOwn(units, name);

/** A maximum in a language: a length of time, or words. */
const maximum = (text: string, locale: ServiceLocale): string => {
  const [, count, unit = ''] = /^(\d+) (\w+)$/.exec(text) ?? [];
  if (locale === 'en' || !isUnit(unit)) return inLanguage(text, locale);
  return `${count} ${units[unit]}`;
};

/** True for a time whose only effect is how long entries are kept. */
const keeps = ({ wasAhead, wasBehind, maxAhead }: (typeof storedTimes)[number]): boolean =>
  maxAhead === 'now' && wasAhead === 'kept longer by as much' && wasBehind === 'removed sooner by as much';

export const clocksPage = (locale: ServiceLocale): string => {
  const text = words[locale];
  const kept = storedTimes
    .filter(keeps)
    .map(({ place, decides }) => [placeOf(place, locale), inLanguage(decides, locale)]);
  return page(
    text.title,
    text.lead,
    [
      text.about,
      table(
        text.columns,
        storedTimes
          .filter((time) => !keeps(time))
          .map(({ place, decides, maxAhead: most, wasAhead, wasBehind }) => [
            placeOf(place, locale),
            inLanguage(decides, locale),
            maximum(most, locale),
            inLanguage(wasAhead, locale),
            inLanguage(wasBehind, locale),
          ]),
      ),
      text.kept,
      text.aboutKept,
      table(text.columns.slice(0, 2), kept),
      text.others,
      text.shown(shownTimes.map(code)),
    ].join('\n\n'),
  );
};
