// Joins the modules of `src` into the files of `dist` that run: loading seven hundred files was half of a start.
//
// What is imported from several sides lies in a file of its own, `dist/parts/…`, so a module is the same one for the
// command and for an application that imports `gatewright`. What is loaded when it is needed stays apart. Declarations
// are the compiler's, a file for each module.
//
// Packages that every start loads go in as well, with their licences: 400 modules, a third of the start. Others stay
// where npm puts them.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });

/** What runs as a thread or process of its own. */
const programs = sources.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/programFile\('([^']+)'\)/g)].map(([, name]) => name),
);

/** What is exported, what the command runs, and the programs. */
const entries = ['index', 'testing/testing', 'cli/main', ...programs];

const sourceOf = (name) => join(root, 'src', `${name}.ts`);

/** What every process that serves loads lies in one file: eighty took a sixth of a start, and 13 MB. */
const serving = ['index', 'cli/serve', 'cli/dev/child'].map(sourceOf);

/**
 * What does without the rest of that file: threads, the process above the workers, and `init`, which begins on an older
 * Node, one without SQLite.
 */
const light = ['cli/main', 'cli/commands/init', 'cli/commands/start', 'cli/workers/primary', ...programs]
  .map(sourceOf)
  .filter((file) => !serving.includes(file));

/** Modules, all that they import, and what that imports. */
const reach = (modules, importsOf, found = new Set()) => {
  for (const id of modules) {
    if (found.has(id)) continue;
    found.add(id);
    reach(importsOf(id), importsOf, found);
  }
  return found;
};

let together = new Set();

/** Known once all modules are read, and before they are shared out among the files. */
const findTogether = {
  name: 'together',
  buildEnd() {
    const importsOf = (id) => this.getModuleInfo(id)?.importedIds ?? [];
    together = reach(serving.flatMap(importsOf), importsOf).difference(reach(light, importsOf));
  },
};

/** With all that they import themselves. */
const joined = ['@fastify/proxy-addr', 'ajv', 'croner', 'find-my-way', 'kysely', 'pino'];

/** The folder of the package that a file is part of; undefined where it is ours, wherever that lies. */
const packageOf = (file = '') =>
  file.startsWith(join(root, 'src'))
    ? undefined
    : /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];

const isExternal = (id, importer) =>
  isBuiltin(id) || !(/^[./]|^[A-Z]:/i.test(id) || joined.includes(id) || packageOf(importer) !== undefined);

/** What has to go along with a package. @throws Error where it holds no licence */
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
  plugins: [findTogether],
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
    groups: [{ name: 'service', test: (id) => together.has(id) }],
  },
  // V8 keeps the text of what it runs; whoever reads it has the sources in the maps.
  comments: { legal: true, annotation: false, jsdoc: false },
  banner: (chunk) => packagesIn(chunk).map(licenceOf).join('\n'),
});
await bundle.close();
const chunks = output.filter(({ type }) => type === 'chunk');

// One that is no longer imported would stand here for nothing.
const found = new Set(chunks.flatMap(packagesIn).map((folder) => folder.replaceAll('\\', '/')));
for (const name of joined)
  if (![...found].some((folder) => folder.endsWith(`/node_modules/${name}`)))
    throw new Error(`nothing of ${name} was joined`);

// Logs name errors by their classes. To keep the names of everything would take a twentieth of the start.
for (const { fileName, code } of chunks) {
  const [renamed] = /\bclass \w+\$\d+|\b\w+\$\d+ = class\b/.exec(code) ?? [];
  if (renamed !== undefined) throw new Error(`${fileName}: ${renamed} has the name of another class`);
}
