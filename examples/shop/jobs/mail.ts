import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defineJob, field } from 'gatewright';

/** A line of a head ends where the next one begins: nobody's name may bring one along. */
const line = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ');

/**
 * Leaves a mail where a program that sends mails finds it, as a file of its own. A job runs at least once: the name of
 * the file is made of the job's id, so that a second run writes the same file again.
 */
export default defineJob({
  input: {
    to: field.email({ required: true }),
    subject: field.string({ required: true, max: 200 }),
    text: field.text({ required: true }),
  },
  handle: async ({ id, values: { to, subject, text } }) => {
    const folder = resolve(process.env['MAIL_DIR'] ?? 'data/mail');
    const mail = `To: ${line(to)}\nSubject: ${line(subject)}\n\n${text}`;
    await mkdir(folder, { recursive: true });
    const draft = join(folder, `.${id}.eml`);
    await writeFile(draft, mail);
    await rename(draft, join(folder, `${id}.eml`));
  },
});
