import { localStorageStore, type Store } from 'react-admin';

/** What belongs to the browser and not to whoever is signed in. */
const lasting = ['locale', 'theme'] as const;

const base = localStorageStore('1', 'gatewright');

/**
 * Settings of this browser: language, theme, how lists were sorted. Nothing of the data is kept. Signing out forgets
 * everything but the language and the theme.
 */
export const store: Store = {
  ...base,
  reset: () => {
    const kept = lasting.map((name) => [name, base.getItem<unknown>(name)] as const);
    base.reset();
    for (const [name, value] of kept) if (value !== undefined) base.setItem(name, value);
  },
};
