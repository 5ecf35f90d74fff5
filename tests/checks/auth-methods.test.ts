import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { credentials } from '../../client/credentials.ts';
import { authMethods, headersOf, isSetByProxy } from '../../src/auth/registry.ts';
import { stubPageAddress } from '../support/docs-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** True if the file is the home of a method of authentication. */
const isHome = (file: string): boolean =>
  file.startsWith('src/auth/methods/') || file === 'src/auth/registry.ts';

const keyRecord = 'an API key as a record, which is called as the method is';
const holder = 'whose credentials they are: a user, a key or an application';

/** Other files that may name a method or its headers, and why. */
const allowed: Readonly<Record<string, string>> = {
  'admin/src/access/explanation.ts': holder,
  'admin/src/access/refusal-causes.tsx': holder,
  'admin/src/access/refusal.ts': holder,
  'admin/src/access/refusals.tsx': holder,
  'admin/src/access/earlier-refusal.tsx': holder,
  'admin/src/keys/created-key.tsx': 'shows how a request with the new key is sent',
  'admin/src/keys/edit-access.tsx': keyRecord,
  'admin/src/keys/extend-key.tsx': keyRecord,
  'admin/src/keys/narrow-key.tsx': keyRecord,
  'admin/src/keys/new-key.tsx': keyRecord,
  'admin/src/keys/rename-key.tsx': keyRecord,
  'admin/src/service.ts': keyRecord,
  'admin/src/start/first-steps.tsx': 'says how a first request is sent',
  'client/client.ts': keyRecord,
  'client/credentials.ts': "the client's registry: a line for each secret",
  'client/react-admin/routes.ts': keyRecord,
  'client/sign.ts': "the client's part of a method that computes",
  'docs-page/http-signature-way.js': "the page's part of a method that computes",
  'docs-page/signature-way.js': "the page's part of a method that computes",
  'docs-page/ways.js': "the page's registry of methods that compute",
  'src/auth/method.ts': holder,
  'src/auth/http-signature.ts': 'the algorithm of the method, which the command line signs with',
  'src/auth/signature.ts': 'the algorithm of the method, which the command line signs with',
  'src/cli/dev/child.ts': 'a command to try out, with the token of a user',
  'src/cli/scaffold/resource-file.ts': 'a model file to begin with, which somebody edits',
  'src/http/administration.ts': 'what all endpoints of the administration area take',
  'src/console/explain/explain.ts': holder,
  'src/console/explain/explained-caller.ts': holder,
  'src/console/explain/view-as.ts': 'the methods by which a colleague calls the API',
  'src/http/list-endpoint.ts': 'the session by which a list is asked for',
  'src/accounts/applications/payment-endpoint.ts': 'the contract stores the timestamp that was signed',
  'src/console/explain/refusal-causes.ts': holder,
  'src/console/explain/explanation-schemas.ts': holder,
  'src/kernel/messages/catalogue.ts': holder,
  'src/kernel/messages/reasons-en.ts': holder,
  'src/kernel/messages/reasons-zh-CN.ts': holder,
  'src/database/tables/audit-tables.ts': holder,
  'src/accounts/api-keys/commands.ts': keyRecord,
  'src/accounts/api-keys/expiry-notices.ts': keyRecord,
  'src/accounts/api-keys/revoked-keys.ts': keyRecord,
  'src/accounts/api-keys/rotation.ts': keyRecord,
  'src/upkeep/refusals/entity.ts': holder,
  'src/upkeep/refusals/refusals.ts': holder,
  'src/upkeep/refusals/refused-claims.ts': holder,
  'src/accounts/security-events.ts': keyRecord,
  'src/ledger/audit-words.ts': keyRecord,
  'src/ledger/erasure.ts': keyRecord,
  'src/resources/endpoints/file-of-record.ts': 'the digest of an upload, which a signature may cover as well',
  'src/cli/transfer/person-export.ts': keyRecord,
  'src/app/stored-times.ts': 'the times of tables, named as in the schema, and of a signed request',
  'src/testing/client.ts': 'what a test of an application sends',
  'src/delivery/webhooks/send.ts': 'the methods of users, of whom one receives without a request',
};

const isCode = (file: string): boolean =>
  /\.(?:ts|tsx|js)$/.test(file) && !/(?:\.test|\/test-[a-z-]+)\.ts$/.test(file);

/** Code without its comments, and without the lists in which endpoints state what they take. */
const bare = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/\bauth: \[[^\]]*\]/g, '');

const names = authMethods.map(({ name }) => name).join('|');
const headers = [...new Set(authMethods.flatMap(headersOf))].join('|');

/** A name in quotes, as the key of a line or of `methods`; a header in quotes or as a key, in any case. */
const mentions = [
  new RegExp(
    `['"\`](?:${names})['"\`]|(?:^ *|[{,] )(?:${names}): (?![A-Z])|\\bmethods\\.(?:${names})\\b`,
    'm',
  ),
  new RegExp(`['"\`{ ](?:${headers})['"\`]?:|['"\`](?:${headers})['"\`]`, 'i'),
];

const isNaming = (text: string): boolean => mentions.some((mention) => mention.test(text));

describe('a method of authentication', () => {
  let files: readonly (readonly [file: string, text: string])[];
  beforeAll(async () => {
    const found = await Promise.all(
      ['src', 'client', 'docs-page', 'account-pages', 'admin/src'].map(async (folder) =>
        (await readdir(join(root, folder), { recursive: true })).map((name) => `${folder}/${name}`),
      ),
    );
    const code = found.flat().filter(isCode);
    files = await Promise.all(
      code.map(async (file) => [file, bare(await readFile(join(root, file), 'utf8'))] as const),
    );
  });

  it('a method of authentication is named in its own file and in the registry, and elsewhere for a reason only', () => {
    const found = files.filter(([file, text]) => !isHome(file) && isNaming(text)).map(([file]) => file);
    expect(found.sort()).toEqual(Object.keys(allowed).sort());
  });

  it.each([
    [`const x = methods.jwt;`],
    [`if (name === 'signature')`],
    ['  session: 2,'],
    [`request.header('x-api-key')`],
    ['{ Authorization: text }'],
  ])('the check finds a method of authentication in %s', (line) => {
    expect(isNaming(bare(line))).toBe(true);
  });

  it.each([[`// As 'jwt' does.`], [`auth: ['jwt', 'api_key'],`], ['  readonly session: Session;']])(
    'a method of authentication is not named by %s',
    (line) => {
      expect(isNaming(bare(line))).toBe(false);
    },
  );
});

describe.each(authMethods.map((method) => [method.name, method] as const))('%s', (name, method) => {
  const { secret, area } = method;
  const computes = secret === undefined && !isSetByProxy(method);

  it(computes ? 'has a way of its own on the documentation page' : 'needs none on the page', async () => {
    stubPageAddress();
    const page: { computed: object } = await import(new URL('../../docs-page/ways.js', import.meta.url).href);
    expect(Object.hasOwn(page.computed, name)).toBe(computes);
  });

  it.runIf(secret !== undefined && area === 'api')(
    'each method has its line in the client, which sends what the guard reads',
    async () => {
      const { option, prefix } = secret ?? { option: '', prefix: '' };
      const way = Object.entries(credentials).find(([each]) => each === option)?.[1] as
        | ((given: string) => object | Promise<object>)
        | undefined;
      expect(way, `client/credentials.ts has no ${option}`).toBeDefined();
      expect(await way?.('abc')).toEqual({ [headersOf(method)[0] ?? '']: `${prefix}abc` });
    },
  );
});
