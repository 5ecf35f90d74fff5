/** Keyboard navigation in the permission table and the table of scopes. */

import type { FocusEvent, KeyboardEvent } from 'react';

/** Focusable elements of the table; the Tab key stops at one of them at a time. */
const focusable = 'th a, th button, td input, td button';

const all = (scope: ParentNode, selector: string): HTMLElement[] => [
  ...scope.querySelectorAll<HTMLElement>(selector),
];

/** Makes one element the stop of the Tab key: the last focused one, else the first box. */
export const enterAt = (table: HTMLElement, place = all(table, 'td input, td button')[0]): void => {
  for (const each of all(table, ':is(th, td) [tabindex="0"]')) each.tabIndex = -1;
  if (place !== undefined) place.tabIndex = 0;
};

export const keepEntry = ({ target, currentTarget }: FocusEvent<HTMLElement>): void => {
  if (target instanceof HTMLElement && target.matches(focusable)) enterAt(currentTarget, target);
};

/** A line of the table: its head and its boxes. The actions of a column are boxes too. */
interface Line {
  readonly lead: readonly HTMLElement[];
  readonly boxes: readonly HTMLElement[];
}

const linesOf = (table: HTMLElement): readonly Line[] => [
  { lead: [], boxes: all(table, 'thead .head button') },
  { lead: [], boxes: all(table, 'thead .actions button') },
  ...all(table, 'tbody tr').map((row) => ({
    lead: all(row, 'th a, th button'),
    boxes: all(row, 'td input, td button'),
  })),
];

/** The actions of a column for the menu of its resource, and the other way round. */
const inColumn = (place: HTMLElement, selector: string): HTMLElement | undefined => {
  const head = place.closest('thead th');
  return head === null ? undefined : all(head, selector)[0];
};

const vertical = (lines: readonly Line[], at: number, place: HTMLElement, by: 1 | -1) => {
  if (at === 0) return by === 1 ? inColumn(place, '.actions button') : undefined;
  if (at === 1 && by === -1) return inColumn(place, '.head button');
  const inLead = lines[at]?.lead.indexOf(place) ?? -1;
  const index = inLead >= 0 ? inLead : (lines[at]?.boxes.indexOf(place) ?? 0);
  for (let next = at + by; next > 0 && next < lines.length; next += by) {
    const found = inLead >= 0 ? lines[next]?.lead[index] : lines[next]?.boxes[index];
    if (found !== undefined) return found;
  }
  return undefined;
};

const neighbour = (table: HTMLElement, place: HTMLElement, key: string): HTMLElement | undefined => {
  const lines = linesOf(table);
  const at = lines.findIndex(({ lead, boxes }) => lead.includes(place) || boxes.includes(place));
  const line = lines[at];
  if (line === undefined) return undefined;
  if (key === 'ArrowUp' || key === 'ArrowDown')
    return vertical(lines, at, place, key === 'ArrowDown' ? 1 : -1);
  if (key === 'Home') return line.boxes[0];
  if (key === 'End') return line.boxes.at(-1);
  const whole = [...line.lead, ...line.boxes];
  return whole[whole.indexOf(place) + (key === 'ArrowRight' ? 1 : -1)];
};

const keys: ReadonlySet<string> = new Set(['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End']);

/** Moves the focus through the table; the space bar toggles a box, as in any form. */
export const moveByArrow = (event: KeyboardEvent<HTMLElement>): void => {
  const { target, currentTarget, key, ctrlKey, metaKey, altKey } = event;
  if (!(target instanceof HTMLElement) || !target.matches(focusable)) return;
  if (!keys.has(key) || ctrlKey || metaKey || altKey) return;
  event.preventDefault();
  const next = neighbour(currentTarget, target, key);
  next?.focus({ preventScroll: true });
  // The frozen row and column do not cover it: they have as much scroll padding.
  next?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
};
