import { CommandError, UsageError } from './io.ts';

interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The file from which curl reads the body; `-` is not a file. */
  readonly bodyFile: string | undefined;
}

/** One word of a POSIX shell, with any content. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const inlineBody = (body: Uint8Array): string => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    if (!text.includes('\0')) return text;
  } catch {
    // Not text: answered below, like a NUL.
  }
  throw new CommandError('a command line cannot hold this body: name it with --body-file');
};

/** Options of curl that send exactly the signed bytes. */
const bodyArguments = ({ body, bodyFile }: SignedRequest): string[] => {
  if (body.length === 0) return [];
  const type = ['--header', quote('Content-Type: application/json')];
  if (bodyFile !== undefined && bodyFile !== '-') return [...type, '--data-binary', quote(`@${bodyFile}`)];
  // --data-raw takes a leading @ as text, where --data-binary would read a file.
  return [...type, '--data-raw', quote(inlineBody(body))];
};

/** A command line for a POSIX shell that sends the request as it was signed. Throws `UsageError`, `CommandError`. */
export const curlCommand = (request: SignedRequest): string => {
  const { method, url, headers } = request;
  if (!/^[A-Z]{1,16}$/.test(method)) throw new UsageError(`'${method}' is no HTTP method`);
  if (!URL.canParse(url) || !/^https?:\/\//i.test(url) || /\s/.test(url)) {
    throw new UsageError(`'${url}' is no http or https URL`);
  }
  return [
    // No progress in a script's log, errors all the same; brackets in a query are curl's own globs unless that is off.
    'curl -sS --globoff',
    method === 'HEAD' ? '--head' : `--request ${method}`,
    quote(url),
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', quote(`${name}: ${value}`)]),
    ...bodyArguments(request),
  ].join(' ');
};
