// Joins the modules of `src` into the files of `dist` that run: loading seven hundred files was half of a start.
//
// Modules with several importers are in files of their own, `dist/parts/…`, so that the command and an application that
// imports `gatewright` share one instance. Lazily loaded modules stay separate. The compiler writes the declarations, a
// file for each module.
//
// Packages that every start loads are bundled as well: 400 modules, a third of the start. So is the
// one for passkeys, which would bring 25 packages to every application. The others stay where npm puts them.
// `dist/bundled.cdx.json` lists all bundled packages, for scanners that compare versions with advisories, and
// `dist/bundled-licences.txt` has their licences.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { licenceOf, manifestOf, packageOf, packagesOf } from './licences.js';

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
const serving = ['index', 'cli/serve', 'cli/dev/child', 'cli/mcp/question'].map(sourceOf);

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

/** The file of each module that a service loads at once: `service`, or one for all that the same light entries load. */
const fileOf = new Map();

/** Computed once all modules are read, and before they are assigned to files. */
const assignFiles = {
  name: 'files-of-a-service',
  buildEnd() {
    const importsOf = (id) => this.getModuleInfo(id)?.importedIds ?? [];
    const loaders = light.map((entry) => reach([entry], importsOf));
    const shared = new Map();
    for (const id of reach(serving.flatMap(importsOf), importsOf)) {
      if (light.includes(id)) continue;
      const key = loaders.flatMap((loaded, at) => (loaded.has(id) ? at : [])).join();
      if (!shared.has(key)) shared.set(key, key === '' ? 'service' : `shared-${shared.size}`);
      fileOf.set(id, shared.get(key));
    }
  },
};

/** Packages that are bundled with all their imports. */
const bundledPackages = JSON.parse(readFileSync(new URL('bundled-packages.json', import.meta.url), 'utf8'));

const isExternal = (id, importer) =>
  isBuiltin(id) ||
  !(/^[./]|^[A-Z]:/i.test(id) || bundledPackages.includes(id) || packageOf(importer) !== undefined);

/**
 * The same code in ASCII. V8 keeps the text of a file with one Chinese character in two bytes for each of its million
 * characters. Lines stay where they are, for the source maps. @throws Error where an escape would mean something else
 */
const inAscii = (code, fileName) => {
  const [raw] = /String\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(code) ?? [];
  if (raw !== undefined) throw new Error(`${fileName}: ${raw} has to be written in ASCII`);
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
};

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries.map((name) => [name, sourceOf(name)])),
  platform: 'node',
  tsconfig: false,
  external: isExternal,
  plugins: [assignFiles],
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
    groups: [{ name: (id) => fileOf.get(id) ?? null, debugName: 'files of a service' }],
  },
  // V8 keeps the text of running code; the source maps have the original.
  comments: { legal: true, annotation: false, jsdoc: false },
});
await bundle.close();
const chunks = output.filter(({ type }) => type === 'chunk');

for (const { fileName, code } of chunks) writeFileSync(join(root, 'dist', fileName), inAscii(code, fileName));

// Source maps lead to our sources, which are not shipped; a package's own text is where the package is.
for (const { fileName } of chunks.filter(({ map }) => map != null)) {
  const file = join(root, 'dist', `${fileName}.map`);
  const map = JSON.parse(readFileSync(file, 'utf8'));
  map.sourcesContent = map.sources.map((source, at) =>
    source.includes('node_modules/') ? null : map.sourcesContent[at],
  );
  writeFileSync(file, JSON.stringify(map));
}

// A package that is no longer imported must leave the list.
const bundled = packagesOf(chunks.flatMap(({ moduleIds }) => moduleIds));
const found = new Set(bundled.map((folder) => folder.replaceAll('\\', '/')));
for (const name of bundledPackages)
  if (![...found].some((folder) => folder.endsWith(`/node_modules/${name}`)))
    throw new Error(`nothing of ${name} was bundledPackages`);

/** A bundled package as a component of CycloneDX. */
const componentOf = (folder) => {
  const { name, version, license } = manifestOf(folder);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', 'bom-ref': purl, name, version, licenses: [{ license: { id: license } }], purl };
};
const components = [...new Map([...found].map(componentOf).map((each) => [each.purl, each])).values()];
components.sort((one, other) => (one.purl < other.purl ? -1 : 1));
const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components };
writeFileSync(join(root, 'dist/bundled-licences.txt'), bundled.map(licenceOf).join('\n\n'));
writeFileSync(join(root, 'dist/bundled.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);

// Logs name errors by their classes. Keeping all names would take a twentieth of the start.
for (const { fileName, code } of chunks) {
  const [renamed] = /\bclass \w+\$\d+|\b\w+\$\d+ = class\b/.exec(code) ?? [];
  if (renamed !== undefined) throw new Error(`${fileName}: ${renamed} has the name of another class`);
}
