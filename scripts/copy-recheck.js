// Puts the checker of patterns into `dist`, with its licence: one file of plain JavaScript. Depending on the package
// would bring 50 MB of its programs for other platforms to every machine that runs the service.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const folder = dirname(createRequire(import.meta.url).resolve('recheck/package.json'));
const own = (file) => readFileSync(join(folder, file), 'utf8');

const { version } = JSON.parse(own('package.json'));
const notice = `recheck ${version}\n\n${own('LICENSE')}`;
const code = own(join('lib', 'browser.js'));
writeFileSync(new URL('../dist/recheck.cjs', import.meta.url), `/*\n${notice}*/\n${code}`);
