import type { JsonObject } from '../../kernel/json.ts';

/** A user as it is written; the canonical forms are what look-ups and uniqueness go by. */
export interface UserValues {
  readonly username: string;
  readonly usernameCanonical: string;
  readonly email: string;
  readonly emailCanonical: string;
  readonly name: string;
  /** Empty where there is none: the user is invited. */
  readonly passwordHash: string;
  readonly disabled: boolean;
  /** Asks that the password be changed before anything else; off unless given. */
  readonly mustChangePassword?: boolean;
  readonly roles: readonly string[];
}

export type UserChange = Partial<UserValues>;

/** The columns of a change's fields. */
export const changedColumns = (change: UserChange) => ({
  ...(change.username === undefined ? {} : { username: change.username }),
  ...(change.usernameCanonical === undefined ? {} : { username_canonical: change.usernameCanonical }),
  ...(change.email === undefined ? {} : { email: change.email }),
  ...(change.emailCanonical === undefined ? {} : { email_canonical: change.emailCanonical }),
  ...(change.name === undefined ? {} : { name: change.name }),
  ...(change.passwordHash === undefined ? {} : { password_hash: change.passwordHash }),
  ...(change.disabled === undefined ? {} : { disabled: change.disabled }),
  ...(change.mustChangePassword === undefined ? {} : { must_change_password: change.mustChangePassword }),
});

/** Names of what a change touches, for the audit log; the values of secrets are not among them. */
export const changedFields = (change: UserChange): string[] => [
  ...(['username', 'email', 'name', 'disabled', 'roles'] as const).filter(
    (field) => change[field] !== undefined,
  ),
  ...(change.passwordHash === undefined ? [] : ['password']),
  ...(change.mustChangePassword === undefined ? [] : ['must_change_password']),
];

/** Values of a change that stand in the audit log. */
export const auditDetail = ({ roles, disabled, mustChangePassword }: UserChange): JsonObject => ({
  ...(roles === undefined ? {} : { roles }),
  ...(disabled === undefined ? {} : { disabled }),
  ...(mustChangePassword === undefined ? {} : { must_change_password: mustChangePassword }),
});
