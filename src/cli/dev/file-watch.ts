/** Watches the application's folder for changed code, also in new folders. */

import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds to wait for further changes of the same save. */
const settleMs = 50;

/** Files of the application's code. Tests, data and generated files do not count. */
const isSource = (name: string): boolean =>
  /\.[cm]?[jt]s$/.test(name) &&
  !/\.test\.[cm]?[jt]s$/.test(name) &&
  !/(^|\/)\.|(^|\/)node_modules\//.test(name);

const isWatched = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules';

const hasSource = (directory: string): boolean =>
  readdirSync(directory, { recursive: true }).some((name) => isSource(String(name)));

/** Calls `changed` after every change of the application's code, also in new folders. */
export const watchApplication = (folder: string, changed: () => void): { close(): void } => {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const onFileChange = (name: string | null): void => {
    if (name !== null && !isSource(name)) return;
    clearTimeout(timer);
    timer = setTimeout(changed, settleMs);
  };
  const drop = (name: string): void => {
    watchers.get(name)?.close();
    watchers.delete(name);
  };
  const add = (name: string): void => {
    if (watchers.has(name)) return;
    const watcher = watch(join(folder, name), { recursive: true }, (_event, file) =>
      onFileChange(file === null ? null : `${name}/${file}`),
    );
    watcher.on('error', () => drop(name));
    watchers.set(name, watcher);
  };
  const addFolders = (): void => {
    const names = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isWatched(entry.name))
      .map(({ name }) => name);
    for (const name of names) add(name);
    for (const name of watchers.keys()) if (!names.includes(name)) drop(name);
  };
  const root = watch(folder, (_event, name) => {
    const before = new Set(watchers.keys());
    addFolders();
    // A new folder may contain files that were created before it was watched.
    const added = [...watchers.keys()].filter((each) => !before.has(each));
    onFileChange(added.some((each) => hasSource(join(folder, each))) ? null : name);
  });
  addFolders();
  return {
    close: () => {
      clearTimeout(timer);
      root.close();
      for (const name of watchers.keys()) drop(name);
    },
  };
};
