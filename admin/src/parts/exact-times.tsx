import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';

interface Shown {
  readonly anchor: Element;
  readonly lines: readonly string[];
}

const selector = 'time[data-exact]';

const exactOf = (time: Element): string => time.getAttribute('data-exact') ?? '';

/** The name of a time's column. */
const headOf = (time: Element): string => {
  const cell = time.closest('td');
  const head = cell?.closest('table')?.tHead?.rows[0]?.cells[cell.cellIndex];
  return head?.textContent ?? '';
};

const atPointer = ({ target }: Event): Shown | undefined => {
  const time = target instanceof Element ? target.closest(selector) : null;
  return time === null ? undefined : { anchor: time, lines: [exactOf(time)] };
};

/** Of a time that has the focus, or of all times of the row whose link has it. */
const atFocus = ({ target }: Event): Shown | undefined => {
  if (!(target instanceof Element) || !target.matches(':focus-visible')) return undefined;
  if (target.matches(selector)) return { anchor: target, lines: [exactOf(target)] };
  const row = target.matches('a') ? target.closest('tbody tr') : null;
  const times = [...(row?.querySelectorAll(selector) ?? [])];
  const lines = times.map((time) => [headOf(time), exactOf(time)].filter((each) => each !== '').join(' · '));
  return lines.length === 0 ? undefined : { anchor: target, lines };
};

/**
 * Tells the exact moment of whatever relative time is pointed at or has the focus: one place for all of a page, as a
 * table has hundreds. The text for screen readers is in the times themselves.
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

/** Pixels that half of the longest moment takes: nearer to an edge its middle does not come. */
const room = 120;

/** Over the element that it is about. */
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
