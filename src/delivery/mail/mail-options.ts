/** The options `mail` and `registration` of an application, their types and their checks. */

import { mailboxViolation } from '../../auth/account.ts';
import { domainName } from '../../auth/address.ts';
import type { Locale } from '../../kernel/messages.ts';
import { missingPackages } from '../../kernel/optional-packages.ts';
import {
  code,
  filledListOf,
  listOf,
  mapOf,
  type OptionCheck,
  type OptionTable,
  objectOf,
  oneNamed,
  oneOf,
  textual,
} from '../../kernel/options.ts';
import { administrators } from '../../policy/rule.ts';
import { type AccountChange, type MailTemplateName, mailTemplates } from './mail-queue.ts';

/** Data of a message, for its template. */
export interface MailValues {
  readonly template: MailTemplateName;
  readonly locale: Locale;
  /** Name of the application, `Shop` or `Shop (staging)`; the host of `BASE_URL` where it has none. */
  readonly service: string;
  /** The recipient's name; empty in a message to an address that was not verified. */
  readonly name: string;
  readonly username: string;
  /** The link of the message, and its token, for an application with pages of its own. Empty if there is none. */
  readonly url: string;
  readonly token: string;
  /** Minutes or hours for which the link is valid, in words; empty if there is no link. */
  readonly validity: string;
  /** The change that `account_changed` reports; empty in any other message. */
  readonly change: AccountChange | '';
  /** Name of the provider or of the API key that `change` concerns; empty if it concerns neither. */
  readonly changed: string;
  /** API keys and linked accounts that still work after `password_changed`; 0 in any other message. */
  readonly keys: number;
  readonly linkedAccounts: number;
}

/** The texts of a message. */
export interface MailTexts {
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** Default: none. */
  readonly html?: string;
}

export type MailTemplate = (values: MailValues) => MailTexts;

/** A message that is ready to be sent. */
export interface OutgoingMail extends MailTexts {
  readonly to: string;
  /** Name of the service's message or of a file in `mails/`; undefined for a message with its own texts. */
  readonly template: string | undefined;
  readonly locale: Locale;
}

export interface SmtpOptions {
  /** `smtps://user@host` (TLS, port 465) or `smtp://user@host` (STARTTLS, port 587); the password is a credential. */
  readonly smtp: string;
  /** `Name <address>` or an address. */
  readonly from: string;
  /**
   * `false` permits `smtp://` without encryption, for a relay in a private network. Default: required, except for a
   * server on this machine.
   */
  readonly tls?: false;
  /** Texts that replace those of the service. */
  readonly templates?: { readonly [Name in MailTemplateName]?: MailTemplate };
}

/**
 * How mail is sent: by SMTP, to the log (`'log'`, in development), or by a function. A function that throws is called
 * again later.
 */
export type MailOption = SmtpOptions | 'log' | ((mail: OutgoingMail) => unknown);

/** Users who register themselves. */
export interface RegistrationOptions {
  /** Roles of the new users, at least one, none of an administrator. Default: `viewer`. */
  readonly roles?: readonly string[];
  /**
   * Domains of the addresses that may register, and to which users may change their own. A domain is compared by its
   * A-labels; a subdomain is another domain. Default: all.
   */
  readonly domains?: readonly string[];
  /** Always `true`: a user is created once its address is verified. */
  readonly verified?: true;
}

export interface SmtpSender {
  readonly name: string;
  readonly address: string;
}

/** Splits `Name <address>`; undefined for a text of another form. */
export const senderOf = (from: string): SmtpSender | undefined => {
  const [, name = '', address = ''] = /^(?:([^<>"\r\n]*)<)?([^<>\s"]+@[^<>\s"]+)>?$/.exec(from) ?? [];
  return address !== '' &&
    mailboxViolation(address) === undefined &&
    from.includes('<') === from.endsWith('>')
    ? { name: name.trim(), address }
    : undefined;
};

const smtpUrl: OptionCheck = (value, path) => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    return `${path} must be smtp://user@host or smtps://user@host`;
  if (url.password !== '')
    return `${path} must not contain the password: store it with \`gatewright credentials set smtp_password\``;
  return `${url.pathname.replace('/', '')}${url.search}${url.hash}` === ''
    ? undefined
    : `${path} has no path and no parameters`;
};

const sender: OptionCheck = (value, path) =>
  typeof value === 'string' && senderOf(value) !== undefined
    ? undefined
    : `${path} must be \`Name <address>\` or an address`;

const templates: OptionCheck = (value, path) =>
  mapOf(code)(value, path) ??
  Object.keys(value as object)
    .map((name) => oneNamed('message', mailTemplates)(name, path))
    .find((flaw) => flaw !== undefined);

const smtpOptions = {
  smtp: smtpUrl,
  from: sender,
  tls: oneOf(false),
  templates,
} satisfies OptionTable<SmtpOptions>;

/** Check of the option `mail`. */
export const mailOption: OptionCheck = (value, path) => {
  if (value === 'log' || typeof value === 'function') return undefined;
  if (typeof value !== 'object') return `${path} must be 'log', { smtp, from } or a function`;
  const flaw = objectOf(smtpOptions)(value, path);
  if (flaw !== undefined) return flaw;
  const { smtp, from } = value as Partial<SmtpOptions>;
  if (smtp === undefined || from === undefined) return `${path} needs smtp and from`;
  const missing = missingPackages(['nodemailer']);
  return missing === undefined ? undefined : `${path} needs ${missing}`;
};

const domain: OptionCheck = (value, path) =>
  typeof value === 'string' && /^[^@\s]+\.[^@\s.]+$/.test(value) && domainName(value) !== undefined
    ? undefined
    : `${path} must be a domain, such as 'example.com'`;

const registrationOptions = {
  roles: filledListOf(textual),
  domains: listOf(domain),
  verified: oneOf(true),
} satisfies OptionTable<RegistrationOptions>;

/** Check of the option `registration`. */
export const registrationOption: OptionCheck = (value, path) => {
  if (value === false) return undefined;
  const flaw = objectOf(registrationOptions)(value, path);
  if (flaw !== undefined) return flaw;
  const { roles = [], domains } = value as RegistrationOptions;
  const high = roles.find((role) => administrators.some((each) => each === role));
  if (high !== undefined) return `${path}.roles: users cannot register as ${high}`;
  return domains?.length === 0 ? `${path}.domains is empty: no address could register` : undefined;
};
