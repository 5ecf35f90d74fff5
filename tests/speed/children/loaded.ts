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
/** Uses of Intl, whose data takes 7 MB. */
const ofIntl: string[] = [];
const watch = (owner: object, name: string): void => {
  const real: unknown = Reflect.get(owner, name);
  if (typeof real !== 'function') return;
  const noted = new Proxy(real, {
    apply: (target, self, args) => {
      ofIntl.push(name);
      return Reflect.apply(target, self, args);
    },
    construct: (target, args) => {
      ofIntl.push(name);
      return Reflect.construct(target, args) as object;
    },
  });
  Reflect.defineProperty(owner, name, { value: noted, configurable: true, writable: true });
};
for (const name of Object.getOwnPropertyNames(Intl)) watch(Intl, name);
for (const { prototype } of [Number, Date, Array, BigInt]) watch(prototype, 'toLocaleString');
for (const name of ['localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase']) watch(String.prototype, name);

process.on('exit', () => {
  const { moduleLoadList } = process as { readonly moduleLoadList?: readonly string[] };
  writeFileSync(process.env['LOADED'] ?? '', JSON.stringify({ files, ofNode: moduleLoadList, ofIntl }));
});
