/**
 * The sender of mail: a queued message gets its texts and leaves by SMTP, by the log, or by a function of the
 * application.
 */

import type { Logger } from 'pino';
import { mailboxViolation } from '../../auth/account.ts';
import { accountLinkLifetime, invitationLifetime, type LinkPlace, linkUrl } from '../../auth/link-token.ts';
import type { SecretBox } from '../../auth/secret-box.ts';
import { field } from '../../fields/define.ts';
import { type Clock, parseTimestamp } from '../../kernel/clock.ts';
import type { CheckedInput } from '../../model/job.ts';
import {
  type MailOption,
  type MailTexts,
  type MailValues,
  type OutgoingMail,
  type SmtpOptions,
  senderOf,
} from './mail-options.ts';
import { accountChanges, mailTemplates } from './mail-queue.ts';
import type { OwnMailInput } from './own-mail.ts';
import { standardTexts, validityWords } from './templates.ts';

/** Input of the job that sends a message. */
export const mailInput = {
  template: field.enum(mailTemplates, { required: true }),
  to: field.text({ required: true }),
  locale: field.text({ required: true }),
  username: field.text(),
  name: field.text(),
  path: field.text(),
  sealed_token: field.text(),
  expires_at: field.datetime(),
  change: field.enum(accountChanges),
  changed: field.text(),
  keys: field.integer(),
  linked_accounts: field.integer(),
} as const;

export interface MailSenderParts {
  readonly mail: MailOption;
  /** Name of the application, as messages mention it. */
  readonly service: string;
  readonly linkPlace: LinkPlace;
  /** The credential `smtp_password`, as it is now. */
  readonly password: () => string | undefined;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives every message in place of SMTP and log, for tests of an application. */
  readonly capture?: ((mail: OutgoingMail) => void) | undefined;
}

/** Sends messages of the queue. The id is the same for each attempt: the receiver recognises a repeated message. */
export interface MailSender {
  /** Sends a message of the service. */
  readonly send: (input: CheckedInput<typeof mailInput>, id: number) => Promise<void>;
  /** Sends a message of the application. */
  readonly sendOwn: (input: OwnMailInput, id: number) => Promise<void>;
}

/** Milliseconds for each step of a connection; the job has a timeout for all of them. */
const stepMs = 10_000;

const isThisMachine = (host: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);

type Deliver = (mail: OutgoingMail, id: number) => Promise<unknown>;

const smtpDelivery = (
  { smtp, from, tls }: SmtpOptions,
  { password, linkPlace }: MailSenderParts,
): Deliver => {
  const { protocol, hostname, port, username } = new URL(smtp);
  const sender = senderOf(from);
  if (sender === undefined) throw new Error('the option from has been checked');
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  return async ({ to, subject, text, html }, id) => {
    const user = decodeURIComponent(username);
    const pass = password();
    if (user !== '' && pass === undefined)
      throw new Error(
        'the credentials have no smtp_password: store it with `gatewright credentials set smtp_password`',
      );
    // Most processes send no mail: the package is loaded with the first message.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      host,
      secure,
      port: port === '' ? (secure ? 465 : 587) : Number(port),
      requireTLS: !secure && tls !== false && !isThisMachine(hostname),
      auth: user === '' || pass === undefined ? undefined : { user, pass },
      connectionTimeout: stepMs,
      greetingTimeout: stepMs,
      socketTimeout: stepMs,
      dnsTimeout: stepMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail({
        from: sender,
        to: { name: '', address: to },
        // The delivery does not depend on how the headers are read.
        envelope: { from: sender.address, to: [to] },
        messageId: `<gatewright-${id}@${new URL(linkPlace.baseUrl).hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        subject,
        text,
        html,
      });
    } finally {
      transport.close();
    }
  };
};

const deliveryOf = (parts: MailSenderParts): Deliver => {
  const { mail, logger, capture } = parts;
  if (capture !== undefined)
    return async (message) => {
      capture(message);
      if (typeof mail === 'function') await mail(message);
    };
  if (mail === 'log')
    return async ({ to, subject, text }) => logger.info({ to, subject }, `mail that is not sent:\n${text}`);
  if (typeof mail === 'function') return async (message) => mail(message);
  return smtpDelivery(mail, parts);
};

type MailInput = CheckedInput<typeof mailInput>;

/** The input from which the values of a message are made, beside its token. */
type MailFacts = Pick<MailInput, 'template' | 'locale'> &
  Partial<Pick<MailInput, 'username' | 'name' | 'path' | 'change' | 'changed' | 'keys' | 'linked_accounts'>>;

/** The values of a message; `token` is the opened one. */
export const mailValues = (
  input: MailFacts,
  token: string,
  { service, linkPlace }: Pick<MailSenderParts, 'service' | 'linkPlace'>,
): MailValues => {
  const { template, locale, username, name, path, change, changed, keys, linked_accounts: accounts } = input;
  const seconds = template === 'invitation' ? invitationLifetime : accountLinkLifetime;
  return {
    template,
    locale,
    token,
    service,
    name: name ?? '',
    username: username ?? '',
    change: change ?? '',
    changed: changed ?? '',
    keys: keys ?? 0,
    linkedAccounts: accounts ?? 0,
    url: token === '' ? '' : linkUrl(linkPlace, path ?? '', token),
    validity: token === '' ? '' : validityWords(seconds, locale),
  };
};

/** The texts of a message, by the application's template or the service's own. */
export const mailTexts = (mail: MailOption, values: MailValues): MailTexts => {
  const own = typeof mail === 'object' ? mail.templates?.[values.template] : undefined;
  return own === undefined ? standardTexts(values) : own(values);
};

export const createMailSender = (parts: MailSenderParts): MailSender => {
  const { mail, secrets, clock } = parts;
  const deliver = deliveryOf(parts);
  const sendOwn: MailSender['sendOwn'] = async ({ to, subject, text, html, locale, template }, id) => {
    const message = { to, subject, text, locale, template: template ?? undefined };
    await deliver(html == null ? message : { ...message, html }, id);
  };
  const send: MailSender['send'] = async (input, id) => {
    const { template, to, locale, sealed_token: sealed, expires_at: expiresAt } = input;
    if (expiresAt != null && (parseTimestamp(expiresAt) ?? 0) <= clock())
      throw new Error('the link has expired before the message was sent: request another one');
    if (mailboxViolation(to) !== undefined)
      throw new Error('the address is not one to which mail can be sent');
    const token = sealed == null ? '' : secrets.open(sealed);
    if (token === undefined)
      throw new Error(
        'the link was encrypted with a server secret that is no longer known: request another one',
      );
    const texts = mailTexts(mail, mailValues(input, token, parts));
    await deliver({ to, template, locale, ...texts }, id);
  };
  return { send, sendOwn };
};
