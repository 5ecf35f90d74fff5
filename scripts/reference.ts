import { mkdir, writeFile } from 'node:fs/promises';
import { clientRecords } from './client-records.ts';
import { referenceFiles } from './reference-pages.ts';

/** Writes docs/reference and the records of the client from the source: `npm run reference`. */
const folder = new URL('../docs/reference/', import.meta.url);

await mkdir(folder, { recursive: true });
for (const [name, text] of await referenceFiles()) await writeFile(new URL(name, folder), text);
await writeFile(new URL('../client/records.ts', import.meta.url), clientRecords());
