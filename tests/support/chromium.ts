import { existsSync } from 'node:fs';

/**
 * Where Debian has it; CHROMIUM names another. The headless shell, a package of its own, takes half the processor time of
 * the whole browser. Empty without a browser.
 */
export const executablePath =
  process.env['CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ??
  '';
