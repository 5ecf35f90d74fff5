/** The option `accounts`: rights of users over their account, the way on from the pages, and own pages. */

import { flag, type OptionCheck, type OptionTable, objectOf } from '../kernel/options.ts';

/** Accounts of the users of an application. */
export interface AccountOptions {
  /**
   * Address of the application, to which the pages of the service lead on, such as `https://app.example/`. Default:
   * they lead to the sign-in of the administration area.
   */
  readonly home?: string;
  /**
   * Address below which the application has pages of its own for the links in mails, such as
   * `https://app.example/auth`. Default: the pages of the service.
   */
  readonly pages?: string;
  /** Users delete their own account: `DELETE /api/v1/auth/me`. Default: `false`. */
  readonly remove?: boolean;
  /** Users change their own name: `PATCH /api/v1/auth/me`. Default: `false`. */
  readonly rename?: boolean;
}

/** An address without credentials and fragment: a link adds its token as the fragment. */
const address: OptionCheck = (value, path) => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    return `${path} must be an address such as https://app.example/`;
  return url.username === '' && url.password === '' && !url.href.includes('#')
    ? undefined
    : `${path} must have neither a user name nor a fragment`;
};

const addressOfFolder: OptionCheck = (value, path) =>
  address(value, path) ??
  (String(value).includes('?')
    ? `${path} must have no parameters: the names of the pages follow it`
    : undefined);

const accountOptions = {
  home: address,
  pages: addressOfFolder,
  remove: flag,
  rename: flag,
} satisfies OptionTable<AccountOptions>;

/** Check of the option `accounts`. */
export const accountsOption: OptionCheck = objectOf(accountOptions);
