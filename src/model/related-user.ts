import type { Condition, OrderedCondition, TextCondition } from './types/condition-types.ts';

/** A view of a model, or every field. */
export type SeenView = 'list' | 'detail' | 'saved' | 'all';

interface PublicUser {
  id: number;
  username: string;
  /** Null if the user has none. */
  email: string | null;
  name: string;
  roles: readonly string[];
}

interface WholeUser extends PublicUser {
  disabled: boolean;
  must_change_password: boolean;
  created_at: string;
  updated_at: string;
}

/** A user as the list of users shows it. */
export type UserRecord = Pick<PublicUser, keyof PublicUser>;

/** A user with the state of the account. */
export type ManagedUser = Pick<WholeUser, keyof WholeUser>;

interface UserConditions {
  readonly id: OrderedCondition<number>;
  readonly username: TextCondition;
  readonly email: TextCondition;
  readonly name: TextCondition;
  readonly disabled: Condition<boolean, 'eq' | 'ne' | 'null'>;
  readonly must_change_password: Condition<boolean, 'eq' | 'ne' | 'null'>;
  readonly created_at: OrderedCondition<string>;
  readonly updated_at: OrderedCondition<string>;
}

/**
 * Users of the service at the end of a relation: the fields that the reference shows, else those of the list of users,
 * or all that administrators see.
 */
export interface RelatedUser<View extends SeenView, Shows extends keyof PublicUser = keyof PublicUser> {
  readonly record: View extends 'all' ? WholeUser : Pick<PublicUser, 'id' | Shows>;
  readonly shown: View extends 'all' ? keyof WholeUser : 'id' | Shows;
  readonly filter: Partial<Pick<UserConditions, keyof UserConditions & this['shown']>>;
  readonly sort: keyof UserConditions & this['shown'];
  readonly relations: object;
}
