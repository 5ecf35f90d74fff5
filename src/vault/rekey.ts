/**
 * Replaces the key of the credentials, at once or in two steps, so that no power failure leaves a file without
 * its key.
 */

import { createOnce, readIfPresent, removeDrafts, writeAtomically } from './credential-files.ts';
import type { Credentials } from './credentials.ts';
import { identitiesIn, Keyring, newIdentity } from './keyring.ts';
import { VaultError } from './vault-error.ts';

/**
 * Steps of replacing the key: all at once, where the key is a file that this process may write; or in two steps,
 * where copies of the key exist elsewhere: a new one is written to a file of its own, for which everything is also
 * encrypted, and the old one is dropped when every copy has been replaced.
 */
export type RekeyStep =
  | { readonly kind: 'at once' }
  | { readonly kind: 'give out'; readonly newKeyFile: string }
  | { readonly kind: 'drop old' };

export interface Rekeyed {
  /** The public half of the new key. */
  readonly recipient: string;
}

export interface RekeyParts {
  readonly file: string;
  readonly draftFile: string;
  readonly keyring: Keyring;
  /** Undefined where the key comes from the environment. */
  readonly keyFile: string | undefined;
  readonly current: Credentials;
  write(credentials: Credentials): Promise<void>;
}

/** Marks a key file whose first identity is to replace the others. */
const begun = '# A change of the key has begun: "gatewright credentials rekey" completes it.';

const without = ({ recipients: _, ...credentials }: Credentials): Credentials => credentials;

/** Asserts that the written file opens with this identity alone. */
const assertOpens = async ({ file, draftFile, keyring }: RekeyParts, identity: string): Promise<void> => {
  const alone = new Keyring({ keyFile: keyring.source, key: identity, production: true });
  for (const each of [file, draftFile]) {
    const bytes = await readIfPresent(each);
    if (bytes !== undefined) await alone.unseal(bytes, each);
  }
};

/** Encrypts an edit that could not be saved with the new key as well. */
const rewriteDraft = async (
  { draftFile, keyring }: RekeyParts,
  recipients: readonly string[],
): Promise<void> => {
  const bytes = await readIfPresent(draftFile);
  if (bytes === undefined) return;
  const text = await keyring.unseal(bytes, draftFile);
  await writeAtomically(draftFile, await keyring.seal(text, recipients));
};

const writeAll = async (parts: RekeyParts, recipients: readonly string[]): Promise<void> => {
  const credentials = without(parts.current);
  await parts.write(recipients.length === 0 ? credentials : { ...credentials, recipients });
  await rewriteDraft(parts, recipients);
};

/** Keeps only the first identity of the key file, which can open everything by now. */
const keepFirst = async (parts: RekeyParts, keyFile: string): Promise<void> => {
  const [first = ''] = (await parts.keyring.identities()) ?? [];
  await assertOpens(parts, first);
  const text = `# public key: ${await parts.keyring.recipient()}\n${first}\n`;
  await writeAtomically(keyFile, Buffer.from(text));
};

/**
 * Replaces the key of a key file: first the file gets both keys, then the credentials are encrypted for the new one,
 * then the old one is removed. At every moment the credentials open with the key file, and its mark tells the next
 * call where to continue.
 */
const replaceAtOnce = async (parts: RekeyParts): Promise<void> => {
  const { keyFile, current } = parts;
  if (keyFile === undefined)
    throw new VaultError(
      'the key is in CREDENTIALS_KEY: --key-out FILE says where the new one is to be written',
    );
  if (current.recipients !== undefined)
    throw new VaultError('a new key was given out: --finish drops the old one, --key-out FILE starts again');
  await removeDrafts(keyFile);
  const before = new TextDecoder().decode(await readIfPresent(keyFile));
  if (!before.includes(begun)) {
    const identities = identitiesIn(before, keyFile);
    const { identity, recipient } = await newIdentity(identities[0]);
    const text = [begun, `# public key: ${recipient}`, identity, ...identities, ''].join('\n');
    await writeAtomically(keyFile, Buffer.from(text));
  }
  await writeAll(parts, []);
  await keepFirst(parts, keyFile);
};

/** Writes the new key to a file of its own; the file of an earlier call is used again. */
const distribute = async (parts: RekeyParts, newKeyFile: string): Promise<string> => {
  const present = await parts.keyring.recipient();
  const created = await newIdentity((await parts.keyring.identities())?.[0]);
  await createOnce(newKeyFile, Buffer.from(`# public key: ${created.recipient}\n${created.identity}\n`));
  const [identity = '', ...more] = identitiesIn(
    new TextDecoder().decode(await readIfPresent(newKeyFile)),
    newKeyFile,
  );
  const given = new Keyring({ keyFile: newKeyFile, production: true });
  const recipient = await given.recipient();
  if (more.length > 0 || recipient === present)
    throw new VaultError(`${newKeyFile} is there already and holds no new key: name another file`);
  await writeAll(parts, [present, recipient]);
  await assertOpens(parts, identity);
  return recipient;
};

const dropOld = async (parts: RekeyParts): Promise<void> => {
  const { keyring, keyFile, current } = parts;
  const expected = current.recipients?.at(-1);
  if (expected === undefined) throw new VaultError('no new key was given out: begin with --key-out FILE');
  if ((await keyring.recipient()) !== expected)
    throw new VaultError(
      `${keyring.source} still holds the old key: put the new one (${expected}) in its place first`,
    );
  await writeAll(parts, []);
  if (keyFile !== undefined) await keepFirst(parts, keyFile);
  else await assertOpens(parts, (await keyring.identities())?.[0] ?? '');
};

/**
 * Takes one step of replacing the key. The caller holds the lock of all writers.
 * @throws VaultError where another step is due; nothing is changed then
 */
export const rekey = async (step: RekeyStep, parts: RekeyParts): Promise<Rekeyed> => {
  if (step.kind === 'give out') return { recipient: await distribute(parts, step.newKeyFile) };
  await (step.kind === 'at once' ? replaceAtOnce(parts) : dropOld(parts));
  return { recipient: await parts.keyring.recipient() };
};
