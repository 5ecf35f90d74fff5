/** Choices that outlive the tab: language and theme, under the keys of the administration area, so that both agree. */

const prefix = 'RaStoregatewright.';

/** @typedef {'locale' | 'theme'} Setting */

export const settings = {
  /** @param {Setting} name @returns {string | undefined} */
  get: (name) => {
    try {
      const value = JSON.parse(localStorage.getItem(prefix + name) ?? 'null');
      return typeof value === 'string' ? value : undefined;
    } catch {
      return undefined;
    }
  },
  /** @param {Setting} name @param {string} value */
  set: (name, value) => {
    try {
      localStorage.setItem(prefix + name, JSON.stringify(value));
    } catch {
      // Storage is off: the choice holds for this page.
    }
  },
  /** Calls back with choices that another page of this origin made. @param {(name: Setting) => void} listener */
  onChange: (listener) =>
    addEventListener('storage', ({ key }) => {
      if (key === `${prefix}locale`) listener('locale');
      if (key === `${prefix}theme`) listener('theme');
    }),
};
