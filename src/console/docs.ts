/** The door to the documentation page, the handbook, and previews of mails. */

export type { Documentation } from './docs/docs.ts';
export { createDocumentation } from './docs/docs.ts';
export { handbookTopics } from './docs/handbook.ts';
export { mailPreviewEndpoints } from './docs/mail-preview.ts';
