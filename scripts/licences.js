/** Bundled packages and the texts of their licences, for the bundle of the service and that of the administration area. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of the package that contains a file; undefined for a file outside `node_modules`. The innermost one counts:
 * a package may bring packages of its own.
 */
export const packageOf = (file = '') =>
  /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(file)?.[0];

export const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The licence of a bundled package. @throws Error where it has none */
export const licenceOf = (folder) => {
  const { name, version } = manifestOf(folder);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} comes without the text of its licence`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
};

/** The folders of the packages that contain these files, sorted. */
export const packagesOf = (files) =>
  [...new Set(files.map(packageOf))].filter((folder) => folder !== undefined).sort();
