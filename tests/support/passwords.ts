/**
 * Hashes for services under test. A hash is real, and so is the answer whether a password fits it; none is computed
 * twice. Half of the processor time of a test that signs in often would go into the same few hashes.
 */
import { argon2id, type ComputeHash, createPasswords, type Passwords } from '../../src/auth/password.ts';

/** Password of every user that `createUser` makes, and of the first administrator; hashed once for all of them. */
export const commonPassword = 'tulip-anvil-47 kettle';

let commonHash: Promise<string> | undefined;

/** Results by password, salt and parameters: with these a hash is always the same. */
const computed = new Map<string, Promise<Uint8Array>>();

const once: ComputeHash = (password, hash) => {
  const { salt, tag, memory, passes, parallelism } = hash;
  const key = JSON.stringify([password, salt.toString(), tag.length, memory, passes, parallelism]);
  const found = computed.get(key) ?? argon2id(password, hash);
  computed.set(key, found);
  return found;
};

export const hashOfCommonPassword = (): Promise<string> => {
  commonHash ??= createPasswords(once).hash(commonPassword);
  return commonHash;
};

/** Passwords of one service, which wait for their turn as ever. */
export const testPasswords = (): Passwords => {
  const passwords = createPasswords(once);
  return {
    ...passwords,
    hash: (password, ticket) =>
      password === commonPassword ? hashOfCommonPassword() : passwords.hash(password, ticket),
  };
};
