/** True if the built package runs, and not the sources, as under a test runner or in a checkout. */
const isBuilt = !import.meta.url.endsWith('.ts');

/** The folder of the package. As the build bundles modules, this file is somewhere below `dist` or `src`. */
const folder = new URL(
  import.meta.url.slice(0, import.meta.url.lastIndexOf(isBuilt ? '/dist/' : '/src/') + 1),
);

/** Returns a file of this package, by its path from the folder of the package. */
export const packageFile = (path: string): URL => new URL(path, folder);

/**
 * Returns the entry module of a thread or process, by its path in `src` without extension. The build finds entry
 * modules by this call, so the path has to be a literal.
 */
export const programFile = (path: string): URL => packageFile(isBuilt ? `dist/${path}.js` : `src/${path}.ts`);
