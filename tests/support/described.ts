import type { Application } from '../../src/app/application.ts';
import type { Config } from '../../src/app/config.ts';
import { describeApplication } from '../../src/app/describe.ts';
import { type Conformance, conformance, type Exchange } from './conformance.ts';

/**
 * The description of an application by its key; a test file starts the same one several times, on a port of its own
 * each.
 */
const known = new Map<string, Conformance>();

/** The description of an application, ready to check responses; its schemas are compiled once in a test file. */
export const describedBy = async (application: Application, config: Config): Promise<Conformance> => {
  const document = await describeApplication(application, config);
  const { pathname } = new URL(config.baseUrl);
  const described = { ...document, servers: [{ url: `http://service.test${pathname}` }] };
  const text = JSON.stringify(described);
  const found = known.get(text) ?? conformance(described);
  known.set(text, found);
  return found;
};

/**
 * Paths beside the API that are no operations of it: the pages of the administration area, of end users and of the
 * documentation, which are files (the page of /api-docs itself is described), and a browser's question whether it may
 * ask (CORS).
 */
const isNoOperation = ({ method, path, status, headers }: Exchange): boolean =>
  /\/(admin|account|api-docs|api-docs\.md|llms(-full)?\.txt)(\/|$|\?)/.test(path) &&
  !/^application\/json/.test(String(headers['content-type']))
    ? status < 400
    : method === 'OPTIONS' && status === 204;

/**
 * Demands that the description has the answer for the request: status, headers, media type and body, with nothing
 * besides.
 * @throws Error that names every difference
 */
export const demandDescribed = (described: Conformance, exchange: Exchange): void => {
  if (isNoOperation(exchange)) return;
  const differences = described.check(exchange);
  if (differences.length > 0)
    throw new Error(`not as described:\n${differences.join('\n')}\n${exchange.text.slice(0, 500)}`);
};
