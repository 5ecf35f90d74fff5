/** Times and dates in pages, absolute and relative. */

import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { useLanguage, useText } from '../texts/provider.ts';
import { daysAhead, daysText, type MomentFormat, momentText, relativeText } from './moment.ts';
import { catchUpWith, useNow } from './use-now.ts';
import { visuallyHidden } from './visually-hidden.ts';

export { timeZone } from './moment.ts';

/** True within a row whose link shows the times on focus: see `ExactTimes`. */
export const TimesOfRows = createContext(false);

/** Returns a time as its tooltip shows it. */
export const useExactTime = (): ((value: string) => string) => {
  const language = useLanguage();
  return (value) => momentText(language, 'exact', new Date(value));
};

interface TimeProps {
  /** ISO 8601; null shows the `otherwise` text. */
  readonly value: string | null | undefined;
  readonly format?: Exclude<MomentFormat, 'exact' | 'date'>;
  readonly otherwise?: string;
}

interface MomentProps {
  readonly value: string;
  readonly exact: string;
  /** The visible text, less precise than `exact`. */
  readonly children: ReactNode;
}

/** The visible text and the exact one: in `data-exact` for `ExactTimes`, and for screen readers. */
const Moment = ({ value, exact, children }: MomentProps) => {
  const ofRow = useContext(TimesOfRows);
  return (
    <time
      dateTime={value}
      data-exact={exact}
      {...(ofRow ? {} : { tabIndex: 0 })}
      style={{ whiteSpace: 'nowrap', position: 'relative' }}
    >
      <span aria-hidden="true">{children}</span>
      <span style={visuallyHidden}>{exact}</span>
    </time>
  );
};

/** A time in the time zone of the browser; the tooltip has the exact one with the zone. */
export const Time = ({ value, format = 'short', otherwise = '—' }: TimeProps) => {
  const language = useLanguage();
  if (value === null || value === undefined || value === '') return <span>{otherwise}</span>;
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return <span>{value}</span>;
  return (
    <Moment value={value} exact={momentText(language, 'exact', at)}>
      {momentText(language, format, at)}
    </Moment>
  );
};

/** A time this little ahead, in milliseconds, has passed: the clock of the service is ahead of the browser's. */
const aheadByClock = 5_000;

/** The distance from now in the largest unit that is at least one; the exact time on hover. */
export const RelativeTime = ({ value, otherwise }: Omit<TimeProps, 'format'>) => {
  const language = useLanguage();
  const text = useText();
  const now = useNow();
  useEffect(() => catchUpWith(value), [value]);
  if (value === null || value === undefined) return <span>{otherwise ?? text('common.never')}</span>;
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return <span>{value}</span>;
  const distance = at.getTime() - now;
  return (
    <Moment value={value} exact={momentText(language, 'exact', at)}>
      {relativeText(language, distance) ?? text(distance > aheadByClock ? 'common.atOnce' : 'common.justNow')}
    </Moment>
  );
};

/** Dates nearer than this, in days, are shown as a distance. */
const near = 14;

/** A date without a time: the distance from today if it is near, else the date. */
export const RelativeDate = ({ value }: { readonly value: string }) => {
  const language = useLanguage();
  const now = useNow();
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return <span>{value}</span>;
  const exact = momentText(language, 'date', at);
  const days = daysAhead(value, now);
  if (Math.abs(days) > near)
    return (
      <time dateTime={value} style={{ whiteSpace: 'nowrap' }}>
        {exact}
      </time>
    );
  return (
    <Moment value={value} exact={exact}>
      {daysText(language, days)}
    </Moment>
  );
};
