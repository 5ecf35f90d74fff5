import { createRequire } from 'node:module';

/**
 * `node:http` without what hangs on it: an `import` reads every member of a module, and one of this one is a WebSocket
 * client, which takes 16 MB and a tenth of the start. Whoever instruments `require` still sees it.
 */
export const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');
