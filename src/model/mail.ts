/** Mail from code: the types of `scope.mail`. */

interface Addressed {
  /** One address, without a name. */
  readonly to: string;
  /**
   * BCP 47 tag of the language. Default: that of the user with this address, else the first language of the service.
   */
  readonly locale?: string;
}

/** A message with its own texts. */
export interface OwnMail extends Addressed {
  /** One line of at most 250 characters. */
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The application escapes the values in it. Default: none. */
  readonly html?: string;
}

/** A message of a file in `mails/`. */
export interface TemplateMail extends Addressed {
  /** Name of the file. */
  readonly template: string;
  /** A value for each placeholder of the message. */
  readonly values?: Readonly<Record<string, string | number>>;
}

/** Sends mail through the configured sender. */
export interface ScopeMail {
  /**
   * Stores a job that sends a message; inside `transaction` it is stored with it, so that a rollback sends nothing.
   * Only for scopes of the system, and for endpoints with `mail: true`.
   * @throws Problem `invalid_record`; Error where the application has no `mail`, or the scope may not send any
   */
  send(message: OwnMail | TemplateMail): Promise<void>;
}
