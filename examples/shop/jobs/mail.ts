import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defineJob, field } from 'gatewright';

/** Removes line breaks, so that a name cannot add a line to the header. */
const line = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ');

/**
 * Writes a mail as a file of its own, for a program that sends mails. A job runs at least once: the name of the file
 * is derived from the job's id, so that a second run writes the same file again.
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
