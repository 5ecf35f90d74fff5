// npm leaves packages for other platforms out of package-lock.json where the registry at hand does not hold them (a
// partial mirror), and then refuses its own file: `npm ci` wants every optional dependency named. This names the
// missing ones, from the name by which each says its platform. Run it after a change of dependencies:
//
//     npm install && node scripts/complete-lock.js
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

/** The platform in a name like `@scope/cli-linux-arm64-musl`; undefined for a name without one. */
const platformOf = (name) => {
  const words = name.split('/').at(-1).split('-');
  const os = words.find((word) => systems.includes(word));
  const cpu = words.find((word) => processors.includes(word));
  if (os === undefined || cpu === undefined) return undefined;
  if (os !== 'linux') return { cpu: [cpu], os: [os] };
  return { cpu: [cpu], libc: [words.at(-1).startsWith('musl') ? 'musl' : 'glibc'], os: [os] };
};

/** Whether the dependency of the package at `path` is found there or in a folder above. */
const isLocked = (path, name) => {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === '') return false;
  }
};

const added = [];
for (const [path, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (isLocked(path, name)) continue;
    const platform = platformOf(name);
    if (platform === undefined || !/^\d/.test(version))
      throw new Error(`${name}@${version} is not in package-lock.json, and no package for one platform`);
    const flags = { ...(dev === true ? { dev } : {}), optional: true };
    lock.packages[`node_modules/${name}`] = { version, ...platform, ...flags };
    added.push(`${name}@${version}`);
  }
}

const byPath = ([one], [other]) => (one < other ? -1 : 1);
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byPath));
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
process.stdout.write(`${added.length} packages added\n`);
