/** The keyboard shortcuts of pages. */

import { useEffect } from 'react';
import type { ShortcutKey } from '../parts/link.tsx';

/** True if the target takes typed text: letters are then no shortcuts. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type=checkbox]), textarea, select, [role=combobox]'));

/** True if a dialog or menu covers the page and has the keyboard. */
const isPageCovered = (): boolean => document.querySelector('[role=dialog], [role=menu]') !== null;

/** The rows of the list on the page, by their links. */
const rowLinks = (): HTMLAnchorElement[] =>
  [...document.querySelectorAll('main tbody tr, main ul > li')].flatMap((row) => {
    const link = row.querySelector<HTMLAnchorElement>('a[href]');
    return link === null ? [] : [link];
  });

/** Focuses the next or the previous row. */
const step = (by: 1 | -1): void => {
  const links = rowLinks();
  const place = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next = place < 0 ? (by === 1 ? 0 : links.length - 1) : place + by;
  const link = links[next];
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: 'nearest' });
};

const press = (key: ShortcutKey): void =>
  document.querySelector<HTMLElement>(`main [data-shortcut="${key}"]`)?.click();

interface Places {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

/** The shortcuts of a page. They work unless text is typed or something covers the page. */
export const useShortcuts = ({ openPalette, openHelp }: Places): void => {
  useEffect(() => {
    const keys: Readonly<Record<string, () => void>> = {
      '/': () => {
        const search = document.querySelector<HTMLElement>('main [data-search]');
        if (search === null) openPalette();
        else search.focus();
      },
      j: () => step(1),
      k: () => step(-1),
      c: () => press('c'),
      e: () => press('e'),
      '?': openHelp,
    };
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented)
        return;
      const act = keys[event.key];
      if (act === undefined || isTyping(event.target) || isPageCovered()) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [openPalette, openHelp]);
};
