/** The queue of outgoing mail: a message becomes a job in the transaction that causes it. */

import type { SecretBox } from '../../auth/secret-box.ts';
import type { Transaction } from '../../database/database.ts';
import { withoutUndefined } from '../../kernel/json.ts';
import { type Languages, type Locale, languageOfUser } from '../../kernel/messages.ts';
import type { Outbox } from '../../ledger/outbox.ts';

/** The messages of the service, by their names. */
export const mailTemplates = [
  'password_reset',
  'password_changed',
  'email_change',
  'email_changed',
  'address_in_use',
  'registration',
  'invitation',
  'account_changed',
] as const;

export type MailTemplateName = (typeof mailTemplates)[number];

/** Changes of an account that `account_changed` reports to its user. */
export const accountChanges = [
  'identity_linked',
  'identity_removed',
  'second_factor_added',
  'key_created',
] as const;

export type AccountChange = (typeof accountChanges)[number];

/** Name of the job that sends a message. */
export const mailJob = 'account-mail';

/** Name of the job that sends a message of the application. */
export const ownMailJob = 'application-mail';

/** Name of the job that finds the recipient of a requested link. */
export const accountLinkJob = 'account-link';

/** A link with a token, on a page of the service. */
export interface MailLink {
  /** Path below `BASE_URL`. */
  readonly path: string;
  readonly token: string;
  /** Timestamp. */
  readonly expiresAt: string;
}

/** A message to be sent. */
export interface Mail {
  readonly template: MailTemplateName;
  /** Nothing is sent if it is empty: the user has no address. */
  readonly to: string;
  /** The language that its user has chosen; null for none. */
  readonly chosen?: Locale | null | undefined;
  /** The language where the user has chosen none: that of the request. Default: the language of the service. */
  readonly locale?: Locale | undefined;
  /** Username and name of the recipient; absent in a message to an address that was not verified. */
  readonly user?: { readonly username: string; readonly name: string } | undefined;
  readonly link?: MailLink | undefined;
  /** In `account_changed`: the change, and the name of its provider or key. */
  readonly change?: AccountChange;
  readonly changed?: string;
  /** In `password_changed`: the API keys and linked accounts that still work. */
  readonly keys?: number | undefined;
  readonly linkedAccounts?: number | undefined;
}

export interface MailQueueParts {
  readonly outbox: Pick<Outbox, 'add'>;
  /** Makes the workers look for jobs. */
  readonly wake: () => void;
  /** Seals the tokens of links: administrators can read the input of a job. */
  readonly secrets: SecretBox;
  readonly languages: Languages;
}

/** The language of a message: that of its user where the service still has it, else that of the request. */
const languageOfMail = ({ chosen = null, locale }: Mail, languages: Languages): Locale =>
  languageOfUser(languages, chosen) ?? locale ?? languages.first.locale;

export const createMailQueue = ({ outbox, wake, secrets, languages }: MailQueueParts) => ({
  add: async (transaction: Transaction, mail: Mail): Promise<void> => {
    const { template, to, user, link, change, changed, keys, linkedAccounts } = mail;
    if (to === '') return;
    const input = withoutUndefined({
      template,
      to,
      locale: languageOfMail(mail, languages),
      username: user?.username,
      name: user?.name,
      path: link?.path,
      sealed_token: link && secrets.seal(link.token),
      expires_at: link?.expiresAt,
      change,
      changed: change && (changed ?? ''),
      keys,
      linked_accounts: linkedAccounts,
    });
    await outbox.add({ name: mailJob, key: null, input, at: undefined }, transaction);
  },
  /** Called after the commit: otherwise a message waits for the next poll, some seconds. */
  wake,
});

export type MailQueue = ReturnType<typeof createMailQueue>;
