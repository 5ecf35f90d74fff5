import { setTimeout as sleep } from 'node:timers/promises';
import type { OutgoingMail } from '../../src/delivery/mail/mail-options.ts';

/** Milliseconds for which a message is awaited. */
const longestMs = 10_000;

/** The token in the link of a message. */
export const linkToken = ({ text }: Pick<OutgoingMail, 'text'>): string => {
  const token = /#(\S+)/.exec(text)?.[1];
  if (token === undefined) throw new Error(`no link in: ${text}`);
  return token;
};

/** Receives the messages of an application: `mail: mailbox.receive`. */
export class Mailbox {
  readonly messages: OutgoingMail[] = [];
  #taken = 0;
  /** Thrown by the next messages. */
  failure: Error | undefined;

  readonly receive = async (mail: OutgoingMail): Promise<void> => {
    if (this.failure !== undefined) throw this.failure;
    this.messages.push(mail);
  };

  /** Returns the next message that was not taken yet. */
  async next(): Promise<OutgoingMail> {
    for (const end = performance.now() + longestMs; performance.now() < end; await sleep(10)) {
      const message = this.messages[this.#taken];
      if (message === undefined) continue;
      this.#taken += 1;
      return message;
    }
    throw new Error('no message within 10 s');
  }

  /** Forgets all messages. */
  clear(): void {
    this.messages.length = 0;
    this.#taken = 0;
  }
}
