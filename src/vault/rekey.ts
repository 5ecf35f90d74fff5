import type { Credentials } from './credentials.ts';
import { createOnce, readIfPresent, removeDrafts, writeAtomically } from './files.ts';
import { identitiesIn, Keyring, newIdentity } from './keyring.ts';
import { VaultError } from './vault-error.ts';

/**
 * How far the key is replaced: all of it at once, where the key is a file that this process may write; or in two steps,
 * where others hold copies of the key: a new one is given out in a file of its own, for which everything is encrypted
 * besides, and the old one is dropped when everybody has the new one.
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
  /** Undefined where the key came with the environment. */
  readonly keyFile: string | undefined;
  readonly current: Credentials;
  write(credentials: Credentials): Promise<void>;
}

/** Stands in a key file whose first identity is to replace the others. */
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

/** An edit that could not be saved is encrypted with the new key as well. */
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

/** Leaves the first identity of the key file, which opens everything by now, as its only one. */
const leaveFirst = async (parts: RekeyParts, keyFile: string): Promise<void> => {
  const [first = ''] = (await parts.keyring.identities()) ?? [];
  await assertOpens(parts, first);
  const text = `# public key: ${await parts.keyring.recipient()}\n${first}\n`;
  await writeAtomically(keyFile, Buffer.from(text));
};

/**
 * First both keys lie in the key file, then the credentials are encrypted for the new one, then the old one goes: at every
 * moment the file opens with what lies there, and the mark in the key file tells the next call where to go on.
 */
const atOnce = async (parts: RekeyParts): Promise<void> => {
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
  await leaveFirst(parts, keyFile);
};

/** The new key in a file of its own; one that a call before left there is taken. */
const giveOut = async (parts: RekeyParts, newKeyFile: string): Promise<string> => {
  const present = await parts.keyring.recipient();
  const made = await newIdentity((await parts.keyring.identities())?.[0]);
  await createOnce(newKeyFile, Buffer.from(`# public key: ${made.recipient}\n${made.identity}\n`));
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
  if (keyFile !== undefined) await leaveFirst(parts, keyFile);
  else await assertOpens(parts, (await keyring.identities())?.[0] ?? '');
};

/**
 * Takes one step of replacing the key. The caller holds the lock of all writers.
 * @throws VaultError where it is not the step that is due; then nothing was changed
 */
export const rekey = async (step: RekeyStep, parts: RekeyParts): Promise<Rekeyed> => {
  if (step.kind === 'give out') return { recipient: await giveOut(parts, step.newKeyFile) };
  await (step.kind === 'at once' ? atOnce(parts) : dropOld(parts));
  return { recipient: await parts.keyring.recipient() };
};
