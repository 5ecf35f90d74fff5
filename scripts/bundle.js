// Joins the modules of `src` into the files of `dist` that run: loading seven hundred files was half of a start.
//
// Modules with several importers are in files of their own, `dist/parts/…`, so that the command and an application that
// imports `gatewright` share one instance. Lazily loaded modules stay separate. The compiler writes the declarations, a
// file for each module.
//
// Packages that every start loads are bundled as well, with their licences: 400 modules, a third of the start. The others
// stay where npm puts them.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });

/** Entries of threads and processes of their own. */
const programs = sources.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/programFile\('([^']+)'\)/g)].map(([, name]) => name),
);

/** Entries of the exports, of the command, and of the programs. */
const entries = ['index', 'testing/testing', 'cli/main', ...programs];

const sourceOf = (name) => join(root, 'src', `${name}.ts`);

/** Modules that every serving process loads are in one file: eighty files took a sixth of a start, and 13 MB. */
const serving = ['index', 'cli/serve', 'cli/dev/child'].map(sourceOf);

/**
 * Entries that do not need the rest of that file: threads, the process above the workers, and `init`, which starts on
 * an older Node, one without SQLite.
 */
const light = ['cli/main', 'cli/commands/init', 'cli/commands/start', 'cli/workers/primary', ...programs]
  .map(sourceOf)
  .filter((file) => !serving.includes(file));

/** Modules with all their direct and indirect imports. */
const reach = (modules, importsOf, found = new Set()) => {
  for (const id of modules) {
    if (found.has(id)) continue;
    found.add(id);
    reach(importsOf(id), importsOf, found);
  }
  return found;
};

let serviceModules = new Set();

/** Computed once all modules are read, and before they are assigned to files. */
const findServiceModules = {
  name: 'service-modules',
  buildEnd() {
    const importsOf = (id) => this.getModuleInfo(id)?.importedIds ?? [];
    serviceModules = reach(serving.flatMap(importsOf), importsOf).difference(reach(light, importsOf));
  },
};

/** Packages that are bundled with all their imports. */
const bundledPackages = ['ajv', 'croner', 'find-my-way', 'kysely', 'pino'];

/** The folder of the package that contains a file; undefined for a file of ours. */
const packageOf = (file = '') =>
  file.startsWith(join(root, 'src'))
    ? undefined
    : /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];

const isExternal = (id, importer) =>
  isBuiltin(id) ||
  !(/^[./]|^[A-Z]:/i.test(id) || bundledPackages.includes(id) || packageOf(importer) !== undefined);

/** The licence of a bundled package. @throws Error where it has none */
const licenceOf = (folder) => {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} comes without the text of its licence`);
  return `/*!\n${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').replaceAll('*/', '* /')}*/`;
};

const packagesIn = ({ moduleIds }) =>
  [...new Set(moduleIds.map(packageOf))].filter((folder) => folder !== undefined).sort();

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries.map((name) => [name, sourceOf(name)])),
  platform: 'node',
  tsconfig: false,
  external: isExternal,
  plugins: [findServiceModules],
  preserveEntrySignatures: 'allow-extension',
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
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: 'service', test: (id) => serviceModules.has(id) }],
  },
  // V8 keeps the text of running code; the source maps have the original.
  comments: { legal: true, annotation: false, jsdoc: false },
  banner: (chunk) => packagesIn(chunk).map(licenceOf).join('\n'),
});
await bundle.close();
const chunks = output.filter(({ type }) => type === 'chunk');

// A package that is no longer imported must leave the list.
const found = new Set(chunks.flatMap(packagesIn).map((folder) => folder.replaceAll('\\', '/')));
for (const name of bundledPackages)
  if (![...found].some((folder) => folder.endsWith(`/node_modules/${name}`)))
    throw new Error(`nothing of ${name} was bundledPackages`);

// Logs name errors by their classes. Keeping all names would take a twentieth of the start.
for (const { fileName, code } of chunks) {
  const [renamed] = /\bclass \w+\$\d+|\b\w+\$\d+ = class\b/.exec(code) ?? [];
  if (renamed !== undefined) throw new Error(`${fileName}: ${renamed} has the name of another class`);
}
