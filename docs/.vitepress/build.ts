// npm run docs: the site in docs/.vitepress/dist. With `--dev` it is served while pages are written.
import { watch } from 'node:fs';
import { join } from 'node:path';
import { build, createServer } from 'vitepress';
import { root } from './pages.ts';
import { stageAll } from './stage.ts';

await stageAll();

const site = join(root, 'docs');

if (process.argv.includes('--dev')) {
  const server = await createServer(site);
  await server.listen();
  server.printUrls();
  let due: NodeJS.Timeout | undefined;
  watch(site, { recursive: true }, (_, name) => {
    if (name === null || name.startsWith('.vitepress')) return;
    clearTimeout(due);
    due = setTimeout(stageAll, 200);
  });
} else {
  await build(site);
}
