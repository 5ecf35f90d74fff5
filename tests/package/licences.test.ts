import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { beforeAll, expect, it } from 'vitest';

interface BuiltFile {
  readonly type: string;
  readonly fileName: string;
  readonly source?: string | Uint8Array;
  readonly map?: {
    readonly sources: readonly string[];
    readonly sourcesContent: readonly (string | null)[];
  } | null;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The locked version of each package at the top of `node_modules` or below another one, by its place. */
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
};

let files: readonly BuiltFile[] = [];
let notices = '';

beforeAll(async () => {
  const built = (await build({
    root: `${root}admin`,
    configFile: `${root}admin/vite.config.ts`,
    logLevel: 'silent',
    build: { write: false, sourcemap: true },
  })) as { readonly output: readonly BuiltFile[] };
  files = built.output;
  notices = String(files.find(({ fileName }) => fileName === 'THIRD-PARTY.txt')?.source);
}, 120_000);

/** `name version` of each package with a notice: the line before the first blank one of its licence. */
const noticed = (): readonly string[] =>
  [...notices.matchAll(/^((?:@[\w-]+\/)?[a-z][\w.-]*) (\d+\.\d+\.\d+\S*)\n\n/gm)].map(
    ([, name, version]) => `${name} ${version}`,
  );

/** `name version` of a package by its place in the lock file: `node_modules/react`. */
const namedBy = (place: string): string =>
  `${place.replace(/^.*node_modules\//, '')} ${packages[place]?.version}`;

it('the scripts of the administration area contain exactly the packages whose licences stand beside them', () => {
  // The source maps name the modules of which code was written: another way to the same list. A module that the build
  // replaces has another text there than in its package.
  const places = new Set(
    files.flatMap(({ map }) =>
      (map?.sources ?? []).flatMap((source, at) => {
        const [, file = ''] = /(node_modules\/.*)$/.exec(source) ?? [];
        if (file === '' || readFileSync(`${root}${file}`, 'utf8') !== map?.sourcesContent[at]) return [];
        return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [];
      }),
    ),
  );
  expect(places.size).toBeGreaterThan(20);
  expect([...new Set(noticed())].toSorted()).toEqual([...places].map(namedBy).toSorted());
});

it('each notice has the text of a licence, and the fonts have theirs', () => {
  const texts = notices.split(/^(?:@[\w-]+\/)?[a-z][\w.-]* \d+\.\d+\.\d+\S*\n\n/gm).slice(1);
  expect(texts.length).toBe(noticed().length);
  expect(
    texts.filter(
      (text) => !/Permission (?:is hereby granted|to use)|Apache License|Redistribution and use/.test(text),
    ),
  ).toEqual([]);
  expect(files.filter(({ fileName }) => fileName.endsWith('.woff2'))).toHaveLength(2);
  expect(notices).toContain(readFileSync(`${root}docs-page/OFL.txt`, 'utf8'));
});
