import { defineConfig } from 'vite';

/** `npx vite page` serves the page, and passes calls on to the service of `npx gatewright dev`. */
export default defineConfig({ server: { proxy: { '/api': 'http://127.0.0.1:3000' } } });
