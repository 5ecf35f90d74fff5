/** The door to mail: its options, the queue, and the sender. */

export type { MailDefinition, Mails, MailTemplateValues } from './mail/define-mail.ts';
export { collectMails, defineMail, filledMail, isMailDefinition } from './mail/define-mail.ts';
export type {
  MailOption,
  MailTemplate,
  MailTexts,
  MailValues,
  OutgoingMail,
  RegistrationOptions,
  SmtpOptions,
} from './mail/mail-options.ts';
export { mailOption, registrationOption } from './mail/mail-options.ts';
export type { AccountChange, MailLink, MailQueue, MailTemplateName } from './mail/mail-queue.ts';
export { accountLinkJob, createMailQueue, mailJob, mailTemplates } from './mail/mail-queue.ts';
export { mailRules, OwnMailPort } from './mail/own-mail.ts';
export { createMailSender, mailTexts, mailValues } from './mail/sender.ts';
