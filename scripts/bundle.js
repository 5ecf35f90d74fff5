// Joins the modules of `src` into the files of `dist` that run: loading seven hundred files was half of a start.
//
// What is imported from several sides lies in a file of its own, `dist/parts/…`, so a module is the same one for the
// command and for an application that imports `gatewright`. What is loaded when it is needed stays apart. Declarations
// are the compiler's, a file for each module.
//
// Kysely goes in as well, with its licence: 255 modules, a fifth of the start. Other packages stay where npm puts them.
import { globSync, readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });

/** What is exported, what the command runs, and what runs as a thread or process of its own. */
const entries = [
  ...['index', 'testing', 'cli/main'],
  ...sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/programFile\('([^']+)'\)/g)].map(([, name]) => name),
  ),
];

const joined = ['kysely'];

/** Where the packages lie, and what is to go along with them. */
const packages = joined.map((name) => {
  const file = realpathSync(findPackageJSON(name, import.meta.url));
  const { version } = JSON.parse(readFileSync(file, 'utf8'));
  const text = readFileSync(join(dirname(file), 'LICENSE'), 'utf8');
  return { name, folder: join(dirname(file), sep), licence: `/*!\n${name} ${version}\n\n${text}*/` };
});

const packagesIn = ({ moduleIds }) =>
  packages.filter(({ folder }) => moduleIds.some((id) => id.startsWith(folder)));

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries.map((name) => [name, join(root, 'src', `${name}.ts`)])),
  platform: 'node',
  tsconfig: false,
  external: (id) => !/^[./]|^[A-Z]:/i.test(id) && !joined.includes(id),
  onLog: (level, { message }) => {
    if (level !== 'debug' && level !== 'info') throw new Error(message);
  },
});
const { output } = await bundle.write({
  dir: join(root, 'dist'),
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'parts/[name].js',
  minify: false,
  // V8 keeps the text of what it runs; whoever reads it has the sources in the maps.
  comments: { legal: true, annotation: false, jsdoc: false },
  banner: (chunk) =>
    packagesIn(chunk)
      .map(({ licence }) => licence)
      .join('\n'),
});
await bundle.close();
const chunks = output.filter(({ type }) => type === 'chunk');

// One that lies elsewhere, or is no longer imported, would go without its licence, or for nothing.
const found = new Set(chunks.flatMap(packagesIn));
for (const each of packages) if (!found.has(each)) throw new Error(`nothing of ${each.name} was joined`);

// Logs name errors by their classes. To keep the names of everything would take a twentieth of the start.
for (const { fileName, code } of chunks) {
  const [renamed] = /\bclass \w+\$\d+|\b\w+\$\d+ = class\b/.exec(code) ?? [];
  if (renamed !== undefined) throw new Error(`${fileName}: ${renamed} has the name of another class`);
}
