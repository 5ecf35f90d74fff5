import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Each room of `src` introduces itself: a README that names its doors, the files which other rooms import. */

const source = fileURLToPath(new URL('../../src', import.meta.url));

const rooms = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const roomOf = (file: string): string => file.split('/')[0] ?? '';

/** Paths of the files that a file imports, below `src`. */
const importsOf = (file: string): readonly string[] => {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(source, file), 'utf8'));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => normalize(join(dirname(file), fileName)));
};

/** The doors of each room: files at its top that another room or the public entry imports. */
const doors = Map.groupBy(
  new Set(
    globSync('**/*.ts', { cwd: source })
      .filter((file) => !/\.test\.ts$|\/test-[\w-]+\.ts$/.test(file))
      .flatMap((file) => importsOf(file).filter((imported) => roomOf(imported) !== roomOf(file)))
      .filter((imported) => /^[^/.]+\/[^/]+\.ts$/.test(imported)),
  ),
  roomOf,
);

/** Files beside the README to which it links, as paths from the room. */
const linkedFrom = (readme: string, folder: string): readonly string[] =>
  [...readme.matchAll(/\]\(([^)\s#]+\.ts)\)/g)].map(([, target = '']) =>
    relative(folder, normalize(join(folder, target))),
  );

/** The flaws of a room's README: doors without a link, and links to files that do not exist. */
const flawsOf = (room: string, readme: string): readonly string[] => {
  const linked = linkedFrom(readme, join(source, room));
  const names = (doors.get(room) ?? []).map((door) => door.slice(room.length + 1));
  return [
    ...names.filter((name) => !linked.includes(name)).map((name) => `${name} is a door without a link`),
    ...linked.filter((file) => !existsSync(join(source, room, file))).map((file) => `${file} does not exist`),
  ].sort();
};

describe('rooms of the code', () => {
  it.each(rooms)('src/%s has a README that names each of its doors', (room) => {
    const readme = join(source, room, 'README.md');
    expect(existsSync(readme)).toBe(true);
    expect(flawsOf(room, readFileSync(readme, 'utf8'))).toEqual([]);
  });

  it('the check knows the doors of rooms that are imported by others, and of the public entry', () => {
    expect(rooms.length).toBeGreaterThan(15);
    expect(doors.get('kernel')).toContain('kernel/problem.ts');
    expect(doors.get('app')).toContain('app/server.ts');
    expect([...doors.values()].flat().length).toBeGreaterThan(150);
  });

  it('the check finds a door that is not named, and a link to a file that is gone', () => {
    const readme = '[gone.ts](gone.ts), [entities.ts](entities.ts)';
    const flaws = flawsOf('console', readme);
    expect(flaws).toContain('about.ts is a door without a link');
    expect(flaws).toContain('gone.ts does not exist');
    expect(flaws).not.toContain('entities.ts is a door without a link');
  });
});
