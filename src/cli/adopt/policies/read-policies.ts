/** `--policies`: the source of policies by its name, with the file of those that have one. */

import { readFile, stat } from 'node:fs/promises';
import type { DescribedSchema } from '../../../database/described-tables.ts';
import { errorMessage } from '../../../kernel/error-message.ts';
import { CommandError, UsageError } from '../../io.ts';
import { readDataApiBuilder } from './data-api-builder.ts';
import { readHasura } from './hasura.ts';
import { readRowSecurity } from './row-security.ts';
import { type ReaderContext, SourceError, type SourcePolicies } from './source.ts';

/** Exit status where a source cannot be read. */
const unread = 2;

/** Most bytes of a file. */
const mostBytes = 64 * 1024 * 1024;

/** Claims and settings with the id of the caller, in lower case. */
const usualClaims = ['sub'];

const fromFiles = { hasura: readHasura, dab: readDataApiBuilder } as const;

const isOfFile = (name: string): name is keyof typeof fromFiles => Object.hasOwn(fromFiles, name);

const contentOf = async (path: string): Promise<unknown> => {
  const found = await stat(path);
  if (found.isDirectory())
    throw new SourceError(
      'it is a folder: export the metadata as JSON, with `hasura metadata export -o json`',
    );
  if (found.size > mostBytes) throw new SourceError(`it has more than ${mostBytes} bytes`);
  return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, '')) as unknown;
};

/**
 * Reads the policies of a source: `row-security`, `hasura:FILE`, `dab:FILE`.
 * @throws UsageError for another source, CommandError for a file that cannot be read
 */
export const readPolicies = async (
  text: string,
  claims: readonly string[],
  schema: DescribedSchema,
): Promise<SourcePolicies> => {
  const context: ReaderContext = {
    claims: new Set([...usualClaims, ...claims].map((each) => each.toLowerCase())),
  };
  if (text === 'row-security') {
    if (schema.schema === undefined)
      throw new UsageError('--policies row-security: the database has no row security');
    return readRowSecurity(schema, context);
  }
  const at = text.indexOf(':');
  const [name, path] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (!isOfFile(name) || path === '')
    throw new UsageError(`--policies ${text}: say row-security, hasura:FILE or dab:FILE`);
  try {
    return fromFiles[name](await contentOf(path), schema, context);
  } catch (error) {
    const isOurs =
      error instanceof SourceError ||
      error instanceof SyntaxError ||
      (error instanceof Error && 'code' in error);
    if (!isOurs) throw error;
    throw new CommandError(
      `--policies: ${path} could not be read: ${errorMessage(error)}; nothing was written`,
      {
        status: unread,
        cause: error,
      },
    );
  }
};
