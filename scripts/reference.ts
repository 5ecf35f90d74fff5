import { mkdir, writeFile } from 'node:fs/promises';
import { clientRecords } from './client-records.ts';
import { llmsFiles } from './llms.ts';
import { indexFiles } from './page-indexes.ts';
import { referenceFiles } from './reference-pages.ts';

/** Writes docs/reference, the records of the client, and the documents for machines: `npm run reference`. */
const docs = new URL('../docs/', import.meta.url);
const folder = new URL('reference/', docs);

await mkdir(folder, { recursive: true });
for (const [name, text] of await referenceFiles()) await writeFile(new URL(name, folder), text);
await writeFile(new URL('../client/records.ts', import.meta.url), clientRecords());
// Made of the pages, those above included.
for (const [name, text] of indexFiles()) await writeFile(new URL(name, docs), text);
for (const [name, text] of llmsFiles()) await writeFile(new URL(name, docs), text);
