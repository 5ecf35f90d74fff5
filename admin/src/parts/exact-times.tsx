/** The tooltip with the exact time for relative times. */

import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';

interface Shown {
  readonly anchor: Element;
  readonly lines: readonly string[];
}

const selector = 'time[data-exact]';

const exactOf = (time: Element): string => time.getAttribute('data-exact') ?? '';

/** The heading of the column of a time. */
const headOf = (time: Element): string => {
  const cell = time.closest('td');
  const head = cell?.closest('table')?.tHead?.rows[0]?.cells[cell.cellIndex];
  return head?.textContent ?? '';
};

const atPointer = ({ target }: Event): Shown | undefined => {
  const time = target instanceof Element ? target.closest(selector) : null;
  return time === null ? undefined : { anchor: time, lines: [exactOf(time)] };
};

/** The focused time, or all times of the row with the focused link. */
const atFocus = ({ target }: Event): Shown | undefined => {
  if (!(target instanceof Element) || !target.matches(':focus-visible')) return undefined;
  if (target.matches(selector)) return { anchor: target, lines: [exactOf(target)] };
  const row = target.matches('a') ? target.closest('tbody tr') : null;
  const times = [...(row?.querySelectorAll(selector) ?? [])];
  const lines = times.map((time) => [headOf(time), exactOf(time)].filter((each) => each !== '').join(' · '));
  return lines.length === 0 ? undefined : { anchor: target, lines };
};

/**
 * Shows the exact time for the relative one under the pointer or the focus. One instance serves a page, as tables have
 * hundreds of times; screen readers find the exact text in the times themselves.
 */
export const ExactTimes = () => {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    const point = (event: Event): void =>
      setShown((before) => {
        const found = atPointer(event);
        return found?.anchor === before?.anchor ? before : found;
      });
    const focus = (event: Event): void => setShown(atFocus(event));
    const hide = (): void => setShown(undefined);
    const leave = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') hide();
    };
    const ways = [
      ['mouseover', point],
      ['scroll', hide],
      ['focusin', focus],
      ['focusout', hide],
      ['keydown', leave],
    ] as const;
    for (const [name, way] of ways) document.addEventListener(name, way as EventListener, true);
    return () => {
      for (const [name, way] of ways) document.removeEventListener(name, way as EventListener, true);
    };
  }, []);
  if (shown === undefined || !shown.anchor.isConnected) return null;
  const { left, right, top } = shown.anchor.getBoundingClientRect();
  const middle = Math.min(Math.max((left + right) / 2, room), document.documentElement.clientWidth - room);
  return (
    <Box role="tooltip" sx={tipStyle} style={{ left: middle, top: top - 6 }}>
      {shown.lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </Box>
  );
};

/** Pixels of half of the longest text: its middle stays so far away from the edges. */
const room = 120;

/** Placed over its element. */
const tipStyle = {
  position: 'fixed',
  translate: '-50% -100%',
  zIndex: 'tooltip',
  pointerEvents: 'none',
  px: 1,
  py: 0.5,
  width: 'max-content',
  maxWidth: '90vw',
  typography: 'caption',
  color: 'background.default',
  bgcolor: 'text.primary',
  borderRadius: 1,
} as const;
