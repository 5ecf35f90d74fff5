/** Under a test runner, and in a checkout, the sources run; else what is built of them. */
const isBuilt = !import.meta.url.endsWith('.ts');

/** The build joins modules into few files: of where this one lies only `dist` is known, or `src`. */
const folder = new URL(
  import.meta.url.slice(0, import.meta.url.lastIndexOf(isBuilt ? '/dist/' : '/src/') + 1),
);

/** A file of this package, by its path from the package's own folder. */
export const packageFile = (path: string): URL => new URL(path, folder);

/**
 * A module that runs by itself, as a thread or a process: its path in `src` without the ending. The build finds it by this
 * call, so the path is written out in it.
 */
export const programFile = (path: string): URL => packageFile(isBuilt ? `dist/${path}.js` : `src/${path}.ts`);
