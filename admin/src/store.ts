import { localStorageStore, type Store } from 'ra-core';

/** Settings of the browser rather than of the signed-in user. */
const lastingSettings = ['locale', 'theme', 'density', 'first-steps-dismissed'] as const;

/** Prefix of the columns chosen for each list: names of fields only. */
const columnsOf = 'columns.';

/** Prefix of react-admin in the storage of the browser. */
const prefix = 'RaStoregatewright.';

const base = localStorageStore('1', 'gatewright');

const lastingNames = (): readonly string[] => [
  ...lastingSettings,
  ...Object.keys(window.localStorage)
    .filter((name) => name.startsWith(prefix + columnsOf))
    .map((name) => name.slice(prefix.length)),
];

/**
 * Settings of this browser: language, theme, and the look and order of lists; no data. A sign-out removes all but
 * language, theme and the look of lists.
 */
export const store: Store = {
  ...base,
  reset: () => {
    const kept = lastingNames().map((name) => [name, base.getItem<unknown>(name)] as const);
    base.reset();
    for (const [name, value] of kept) if (value !== undefined) base.setItem(name, value);
  },
};
