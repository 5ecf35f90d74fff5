import type { Answer } from './http-client.ts';

/** The contents that no answer may ever hold: hashes, statements, stacks, paths of the service's own files. */
const leaks: readonly RegExp[] = [
  /\$argon2/,
  /password_hash|key_hash|session_hash|_canonical/,
  /\n\s+at |node_modules|node:internal|\.ts:\d+/,
  /SQLITE_|SQLSTATE|sqlite:|postgres:\/\//,
  /BEGIN AGE|AGE-SECRET-KEY/,
];

/** A job shows administrators where the application's own code failed: by paths from the folder of the application. */
const ofOneJob = /^GET \/admin\/jobs\/\d+$/;
const ownPlace = /at (?:[^\\"]* \()?(?!src\/|dist\/|node_modules\/)[\w.-]+(?:\/[\w.-]+)*\.ts:\d+:\d+\)?/g;

const keysOf = (value: object): readonly string[] => Object.keys(value);

/** Errors with which a caller goes on: the second factor is asked for by a ticket. */
const goesOn: ReadonlySet<number> = new Set([40_107]);

/** Requests to the service's own endpoints: endpoints of an application may answer any JSON. */
const own = /^[A-Z]+ \/(admin|api\/v1\/(api_keys|auth|health|meta|payment|users))(?![\w-])/;

const successFault = (what: string, { code, data = {} }: Answer<unknown>['json']): string | undefined => {
  if (code !== 0) return 'a success whose code is not 0';
  return own.test(what) && (data === null || typeof data !== 'object')
    ? 'data that is neither an object nor an array'
    : undefined;
};

/** The sentence of the contract that an answer breaks; undefined where it breaks none. */
const envelopeFault = (what: string, { status, json }: Answer<unknown>): string | undefined => {
  if (keysOf(json).some((key) => !['code', 'message', 'data'].includes(key)))
    return 'a key beside the envelope';
  if (!Number.isInteger(json.code)) return 'code is no integer';
  if (typeof json.message !== 'string' || json.message === '') return 'no message';
  if (status < 300) return successFault(what, json);
  if (Math.floor(json.code / 100) !== status) return `code ${json.code} does not belong to the status`;
  // A problem of the application's own has no list of fields.
  if (status !== 422 || json.code >= 42_250)
    return 'data' in json && !goesOn.has(json.code) ? 'an error with data' : undefined;
  const errors = (json.data as { errors?: readonly { message: string }[] } | undefined)?.errors ?? [];
  const joined = errors.map(({ message }) => message).join(', ');
  return errors.length > 0 && joined === json.message ? undefined : 'errors that are not the joined message';
};

/** The outcome of a write is unknown: the caller is not asked to send it again. */
const unknownOutcome = '{"code":50302,';

const headerFault = ({ status, headers, text }: Answer<unknown>): string | undefined => {
  const needed: readonly (readonly [boolean, string, RegExp])[] = [
    [true, 'cache-control', /^no-store$/],
    [true, 'x-content-type-options', /^nosniff$/],
    [true, 'x-request-id', /^[\w.:=+/@-]{1,128}$/],
    [true, 'content-type', /^application\/json; charset=utf-8$/],
    [status === 401, 'www-authenticate', /realm="gatewright"/],
    [status === 405, 'allow', /^[A-Z]+(, [A-Z]+)*$/],
    [status === 429 || (status === 503 && !text.startsWith(unknownOutcome)), 'retry-after', /^[1-9]\d*$/],
  ];
  for (const [asked, name, form] of needed)
    if (asked && !form.test(String(headers[name] ?? ''))) return `${name}: ${headers[name]}`;
  return (headers['x-powered-by'] ?? headers['server'] === undefined)
    ? undefined
    : 'the server tells its name';
};

/**
 * Demands of an answer of the API what holds for every one: the envelope, its headers, nothing of the inside. Checked
 * by `Service.request` for every request of every test.
 * @throws Error that names what is broken
 */
export const demandSound = (what: string, answer: Answer<unknown>, secrets: readonly string[]): void => {
  const { status, text } = answer;
  const complain = (fault: string): never => {
    throw new Error(`${what} answered ${status} unsoundly: ${fault}\n${text.slice(0, 500)}`);
  };
  // A refusal may repeat the name that the caller asked for.
  const shown = ofOneJob.test(what) ? text.replaceAll(ownPlace, '') : text;
  const leak = leaks.find((pattern) => pattern.test(shown) && !pattern.test(what));
  if (leak !== undefined) complain(`it shows ${leak}`);
  if (secrets.some((secret) => text.includes(secret))) complain('it shows a secret');
  const fault = status === 304 ? undefined : headerFault(answer);
  if (fault !== undefined) complain(fault);
  if (status === 304 || what.startsWith('HEAD ')) {
    if (text !== '') complain('it has a body');
    return;
  }
  const broken = envelopeFault(what, answer);
  if (broken !== undefined) complain(broken);
};
