import { localStorageStore, type Store } from 'ra-core';

/** Settings of the browser rather than of the signed-in user. */
const lasting = ['locale', 'theme', 'density', 'first-steps-dismissed'] as const;

/** Which columns each list shows: names of fields, and nothing of what is in them. */
const columnsOf = 'columns.';

/** As react-admin names them in the browser's own storage. */
const prefix = 'RaStoregatewright.';

const base = localStorageStore('1', 'gatewright');

const lastingNames = (): readonly string[] => [
  ...lasting,
  ...Object.keys(window.localStorage)
    .filter((name) => name.startsWith(prefix + columnsOf))
    .map((name) => name.slice(prefix.length)),
];

/**
 * Settings of this browser: language, theme, how lists look and were sorted. Nothing of the data is kept. Signing out
 * forgets everything but the language, the theme and how lists look.
 */
export const store: Store = {
  ...base,
  reset: () => {
    const kept = lastingNames().map((name) => [name, base.getItem<unknown>(name)] as const);
    base.reset();
    for (const [name, value] of kept) if (value !== undefined) base.setItem(name, value);
  },
};
