import type { FocusEvent, KeyboardEvent } from 'react';

const boxes = (scope: ParentNode): HTMLInputElement[] => [
  ...scope.querySelectorAll<HTMLInputElement>('td input'),
];

/** The Tab key enters a table at one box: the one that had the focus last, else the first. */
export const enterAt = (table: HTMLElement, box = boxes(table)[0]): void => {
  for (const each of table.querySelectorAll<HTMLInputElement>('td input[tabindex="0"]')) each.tabIndex = -1;
  if (box !== undefined) box.tabIndex = 0;
};

export const keepEntry = ({ target, currentTarget }: FocusEvent<HTMLElement>): void => {
  if (target instanceof HTMLInputElement) enterAt(currentTarget, target);
};

/** The box beside one in its row, or at the same place of a row above or below. */
const neighbour = (box: HTMLInputElement, key: string): HTMLInputElement | undefined => {
  const row = box.closest('tr');
  const body = row?.parentElement;
  if (!row || !body) return undefined;
  const inRow = boxes(row);
  const place = inRow.indexOf(box);
  if (key === 'ArrowRight') return inRow[place + 1];
  if (key === 'ArrowLeft') return inRow[place - 1];
  if (key === 'Home') return inRow[0];
  if (key === 'End') return inRow.at(-1);
  const rows = [...body.children].filter((each) => boxes(each).length > 0);
  const other = rows[rows.indexOf(row) + (key === 'ArrowDown' ? 1 : -1)];
  return other === undefined ? undefined : boxes(other)[place];
};

const keys: ReadonlySet<string> = new Set([
  ...['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End'],
]);

/** Moves the focus from box to box; the space bar toggles one, as in any form. */
export const moveByArrow = (event: KeyboardEvent<HTMLElement>): void => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (!(target instanceof HTMLInputElement) || !keys.has(key) || ctrlKey || metaKey || altKey) return;
  event.preventDefault();
  const next = neighbour(target, key);
  next?.focus({ preventScroll: true });
  // The frozen row and column hide nothing of it: they have as much scroll padding.
  next?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
};
