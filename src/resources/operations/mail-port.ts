import type { OwnMail, TemplateMail } from '../../model/mail.ts';
import type { SharedTransaction } from './transaction.ts';

/** The sending of mail, implemented in `src/delivery/mail`. */
export interface MailPort {
  /** Checks the message and stores the job that sends it, in the given transaction. @throws Problem `invalid_record` */
  send(message: OwnMail | TemplateMail, shared: SharedTransaction | undefined): Promise<void>;
}
