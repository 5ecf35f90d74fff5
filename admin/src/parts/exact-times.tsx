import Paper from '@mui/material/Paper';
import Popper from '@mui/material/Popper';
import Typography from '@mui/material/Typography';
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
      ['focusin', focus],
      ['focusout', hide],
      ['keydown', leave],
    ] as const;
    for (const [name, way] of ways) document.addEventListener(name, way as EventListener);
    return () => {
      for (const [name, way] of ways) document.removeEventListener(name, way as EventListener);
    };
  }, []);
  if (shown === undefined || !shown.anchor.isConnected) return null;
  return (
    <Popper open anchorEl={shown.anchor} placement="top" sx={{ zIndex: 'tooltip', pointerEvents: 'none' }}>
      <Paper elevation={4} sx={{ px: 1.25, py: 0.75, m: 0.5, maxWidth: '90vw' }}>
        {shown.lines.map((line) => (
          <Typography key={line} variant="body2">
            {line}
          </Typography>
        ))}
      </Paper>
    </Popper>
  );
};
