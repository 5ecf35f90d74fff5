import { createHash } from 'node:crypto';

/** Number of users who send the requests of a case, each in turn. */
export const callers = 32;

const keyOf = (user: number): string => createHash('sha256').update(`caller ${user}`).digest('hex');

/** An API key of each caller, beginning with user 1. */
export const callerKeys: readonly string[] = Array.from({ length: callers }, (_, index) => keyOf(index + 1));

/** Statements that add users 2 to 32 with the role of user 1, and a key for each of the 32. `now` is SQL. */
export const callerRows = (now: string): readonly string[] => {
  const users = Array.from({ length: callers - 1 }, (_, index) => `caller${index + 2}`);
  const names = users.map(
    (name) => `('${name}', '${name}', '${name}@example.com', '${name}@example.com',
    '${name}', '-', ${now}, ${now})`,
  );
  const keys = callerKeys.map((key, index) => {
    const hash = createHash('sha256').update(key).digest('hex');
    return `(${index + 1}, 'bench', '${hash}', '${key.slice(0, 8)}', ${now})`;
  });
  return [
    `insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
     values ${names.join(', ')}`,
    `insert into user_roles (user_id, role) select id, 'super_admin' from users where id between 2 and ${callers}`,
    `insert into api_keys (user_id, name, key_hash, key_prefix, created_at) values ${keys.join(', ')}`,
  ];
};
