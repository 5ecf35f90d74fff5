/** Joins the modules of a page into one file, and its style sheets into another. */

/** Text files by their names. */
export type Files = ReadonlyMap<string, string>;

const contentOf = (files: Files, name: string): string => {
  const content = files.get(name);
  if (content === undefined) throw new Error(`there is no ${name} to be joined`);
  return content;
};

const sheetImport = /^@import "(?:\.|\.\.\/[\w-]+)\/([\w-]+\.css)"(?: (print|screen))?;$/gm;

/** A style sheet with its imports in their places, each for its medium. */
export const joinSheets = (entry: string, files: Files): string =>
  contentOf(files, entry).replace(sheetImport, (_line, name: string, medium: string | undefined) => {
    const sheet = contentOf(files, name);
    return medium === undefined ? sheet : `@media ${medium} {\n${sheet}}\n`;
  });

const moduleImport = /^import \{ ([\w, ]+) \} from '(?:\.|\.\.\/[\w-]+)\/([\w-]+\.js)';$/gm;
/** Comments are for readers of the files, and a fifth of the bytes. */
const docComment = /^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm;
const moduleExport = /^export (const (\w+))/gm;

/**
 * Joins a module with those that it imports into one file, each in a scope of its own and before its importers. A
 * browser finds out what a module imports when it has it: on a slow network each file costs a way there and back, and
 * six are fetched at a time.
 *
 * Only modules that are written as the page's can be joined (`import { … } from './….js'` or from a folder beside it,
 * and `export const`, each on one line): anything else is refused, and so is a circle.
 *
 * @param apart modules that stay files of their own, and are imported
 */
export const joinModules = (entry: string, files: Files, apart: readonly string[] = []): string => {
  const variables = new Map(apart.map((name, index) => [name, `apart${index}`]));
  const parts = apart.map((name, index) => `import * as apart${index} from './${name}';\n`);
  const exportsOf = (name: string): string =>
    [...contentOf(files, name).matchAll(moduleExport)].map(([, , each]) => each).join(', ');
  const join = (name: string, importers: readonly string[]): string => {
    const known = variables.get(name);
    if (known !== undefined) return known;
    const path = [...importers, name];
    if (importers.includes(name)) throw new Error(`modules import each other: ${path.join(', ')}`);
    const body = contentOf(files, name)
      .replace(docComment, '')
      .replace(
        moduleImport,
        (_line, names: string, from: string) => `const { ${names} } = ${join(from, path)};`,
      )
      .replace(moduleExport, '$1');
    const [odd] = /^(?:import|export)\b.*/m.exec(body) ?? [];
    if (odd !== undefined) throw new Error(`${name} cannot be joined: ${odd}`);
    const variable = `module${parts.length}`;
    parts.push(`// ${name}\nconst ${variable} = (() => {\n${body}return { ${exportsOf(name)} };\n})();\n`);
    variables.set(name, variable);
    return variable;
  };
  const whole = join(entry, []);
  return `${parts.join('')}export const { ${exportsOf(entry)} } = ${whole};\n`;
};
