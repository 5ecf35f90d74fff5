export interface AccountOwner {
  readonly id: number;
  readonly username?: string;
  readonly model?: string;
}

/** The username of a person, or model and id of a record. */
export const ownerName = (owner: AccountOwner | null): string =>
  owner === null ? '—' : (owner.username ?? `${owner.model ?? ''} #${owner.id}`);

export interface User {
  readonly id: number;
  readonly username: string;
  /** Null if there is none: a user of a provider. */
  readonly email: string | null;
  readonly name: string;
  readonly roles: readonly string[];
  readonly disabled: boolean;
  /** A service account has no password: it uses keys only. */
  readonly kind: 'person' | 'service';
  /** The person responsible for a service account; null for persons, and after the owner was deleted. */
  readonly owner_id: number | null;
  /** A person with a username, or a record with its model. */
  readonly owner: AccountOwner | null;
  readonly must_change_password: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  /** True while the user has no password. */
  readonly invited: boolean;
  /** End of the link for a password, also of an expired one; null if there is none. */
  readonly invitation_expires_at: string | null;
  /** User who created the link. */
  readonly invited_by: number | null;
  /** The factor that the area requires beside the password. */
  readonly second_factor: 'none' | 'totp' | 'passkeys' | 'totp_and_passkeys';
}

export const superAdmin = 'super_admin';

/** An admin can neither change nor remove a super_admin: the service refuses it, and these pages do not offer it. */
export const mayManage = (user: Pick<User, 'roles'>, own: readonly string[] | undefined): boolean =>
  own?.includes(superAdmin) === true || !user.roles.includes(superAdmin);

/** Only administrators set up a second factor. */
export const mayHaveFactor = ({ roles }: Pick<User, 'roles'>): boolean =>
  roles.includes(superAdmin) || roles.includes('admin');
