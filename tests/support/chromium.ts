import { existsSync } from 'node:fs';

/**
 * The path of the browser, Debian's unless CHROMIUM names another. The headless shell, a package of its own, takes half the processor time of
 * the whole browser. Empty without a browser.
 */
export const executablePath =
  process.env['CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ??
  '';
