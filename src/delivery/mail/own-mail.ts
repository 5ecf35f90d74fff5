/** Mail from code of the application: `scope.mail.send` checks a message and stores a job that sends it. */

import { mailboxViolation } from '../../auth/account.ts';
import { addressOf, canonicalAddress } from '../../auth/address.ts';
import type { Reader } from '../../database/database.ts';
import { field } from '../../fields/define.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import { type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import {
  fieldError,
  isLocale,
  type Label,
  type Languages,
  type Locale,
  languageOfUser,
  type OwnRule,
} from '../../kernel/messages.ts';
import { anything, checkOptions, nearestHint, type OptionTable } from '../../kernel/options.ts';
import type { Outbox } from '../../ledger/outbox.ts';
import type { CheckedInput } from '../../model/job.ts';
import type { OwnMail, TemplateMail } from '../../model/mail.ts';
import type { MailPort } from '../../resources/operations.ts';
import { filledMail, type Mails } from './define-mail.ts';
import { ownMailJob } from './mail-queue.ts';

/** @limit Events, webhooks and jobs | subject of a message of the application | characters | 422 */
const maxSubject = 250;
/** @limit Events, webhooks and jobs | text, and HTML, of a message of the application | characters | 422 */
const maxMailText = 200_000;

/** Input of the job that sends a message of the application. */
export const ownMailInput = {
  to: field.text({ required: true }),
  subject: field.text({ required: true, max: maxSubject }),
  text: field.text({ required: true, max: maxMailText }),
  html: field.text({ max: maxMailText }),
  locale: field.text({ required: true }),
  template: field.text(),
} as const;

export type OwnMailInput = CheckedInput<typeof ownMailInput>;

const oneAddress: OwnRule = {
  name: 'one_address',
  sentence: {
    'zh-CN': '{label}须为单个邮箱地址，不带姓名；请为每位收件人各发一封',
    en: '{label} must be one address, without a name: send a message to each recipient',
  },
};

const oneLineOnly: OwnRule = {
  name: 'one_line',
  sentence: {
    'zh-CN': '{label}须为一行文字，不含控制字符',
    en: '{label} must be one line without control characters',
  },
};

const languageTag: OwnRule = {
  name: 'language',
  sentence: {
    'zh-CN': '{label}须为语言标签，例如 en 或 de',
    en: '{label} must be a language tag, such as en or de',
  },
};

/** The rules of a message, for the reference of errors. */
export const mailRules: readonly OwnRule[] = [oneAddress, oneLineOnly, languageTag];

const labels = {
  to: { 'zh-CN': '收件人', en: 'To' },
  subject: { 'zh-CN': '主题', en: 'Subject' },
  locale: { 'zh-CN': '语言', en: 'Locale' },
} as const satisfies Readonly<Record<string, Label>>;

/** Anything that a mail server could read as the end of a line, or a reader could not see. */
const isOneLine = (text: unknown): boolean => typeof text !== 'string' || !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

const plainOptions = {
  to: anything,
  subject: anything,
  text: anything,
  html: anything,
  locale: anything,
} satisfies OptionTable<OwnMail>;

const templateOptions = {
  to: anything,
  template: anything,
  values: anything,
  locale: anything,
} satisfies OptionTable<TemplateMail>;

const isTemplate = (message: OwnMail | TemplateMail): message is TemplateMail => 'template' in message;

export interface OwnMailParts {
  /** False where the application sends no mail. */
  readonly isConfigured: boolean;
  readonly mails: Mails;
  readonly languages: Languages;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly wake: () => void;
  /** Reads outside a transaction. */
  readonly database: Pick<Reader, 'get'>;
  /** The language that the user with an address has chosen. */
  readonly localeOfAddress: (canonical: string, reader: Pick<Reader, 'get'>) => Promise<Locale | null>;
}

/** Checks the messages of the application, and stores them for sending. */
export class OwnMailPort implements MailPort {
  readonly #parts: OwnMailParts;
  readonly #input: ReturnType<typeof createInput>;

  constructor(parts: OwnMailParts) {
    this.#parts = parts;
    this.#input = createInput(ownMailInput, parts.languages.first);
  }

  async send(
    message: OwnMail | TemplateMail,
    shared: Parameters<MailPort['send']>[1],
  ): ReturnType<MailPort['send']> {
    const { isConfigured, outbox, wake, database } = this.#parts;
    if (!isConfigured)
      throw new Error('mail.send: the application sends no mail: set `mail` in gatewright.config.ts');
    const input = await this.#read(message, shared?.transaction ?? database);
    await outbox.add({ name: ownMailJob, key: null, input, at: undefined }, shared?.transaction);
    if (shared === undefined) wake();
    else shared.onCommit(wake);
  }

  async #read(message: OwnMail | TemplateMail, reader: Pick<Reader, 'get'>): Promise<JsonObject> {
    const { to, locale: given } = message;
    this.#refuse([
      typeof to === 'string' && mailboxViolation(to) === undefined ? undefined : ['to', oneAddress],
      given === undefined || (typeof given === 'string' && isLocale(given))
        ? undefined
        : ['locale', languageTag],
    ]);
    const address = addressOf(to) ?? to;
    const locale = given ?? (await this.#languageOf(address, reader));
    const texts = this.#textsOf(message, locale);
    this.#refuse([isOneLine(texts.subject) ? undefined : ['subject', oneLineOnly]]);
    const read = this.#input.read(withoutUndefined<Json>({ to: address, locale, ...texts }));
    refuseInvalid(read.errors);
    return read.values;
  }

  /** @throws Problem `invalid_record` where there are flaws */
  #refuse(flaws: readonly (readonly [keyof typeof labels, OwnRule] | undefined)[]): void {
    const { first } = this.#parts.languages;
    refuseInvalid(
      flaws
        .filter((flaw) => flaw !== undefined)
        .map(([name, rule]) => fieldError(first, name, labels[name], rule)),
    );
  }

  /** The language of the user who has the address; the first one of the service for any other address. */
  async #languageOf(address: string, reader: Pick<Reader, 'get'>): Promise<Locale> {
    const { languages, localeOfAddress } = this.#parts;
    const chosen = await localeOfAddress(canonicalAddress(address), reader);
    return languageOfUser(languages, chosen) ?? languages.first.locale;
  }

  #textsOf(message: OwnMail | TemplateMail, locale: Locale) {
    if (!isTemplate(message)) {
      const { subject, text, html } = checkOptions('mail.send', message, plainOptions);
      return { subject, text, html, template: undefined };
    }
    const { mails, languages } = this.#parts;
    const { template, values = {} } = checkOptions('mail.send', message, templateOptions);
    const mail = mails.get(template);
    if (mail === undefined)
      throw new Error(`mail.send: there is no file mails/${template}${nearestHint(template, mails.keys())}`);
    return { ...filledMail(template, mail, values, locale, languages.first.fallbacks), template };
  }
}
