/** Loaded before a process's own program: at the end it writes what the process has loaded, as JSON, to the file `LOADED`. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const files: string[] = [];
registerHooks({
  load: (url, context, next) => {
    if (url.startsWith('file:') && url !== import.meta.url) files.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  const { moduleLoadList } = process as { readonly moduleLoadList?: readonly string[] };
  writeFileSync(process.env['LOADED'] ?? '', JSON.stringify({ files, ofNode: moduleLoadList }));
});
