import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

/** Another process that writes: holds the write lock for some milliseconds after it has said so. */
const [, , path = '', milliseconds = '0'] = process.argv;

const database = new DatabaseSync(path, { timeout: 5_000 });
database.exec('begin immediate');
console.log('held');
await delay(Number(milliseconds));
database.exec('commit');
database.close();
