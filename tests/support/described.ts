import type { Application } from '../../src/app/application.ts';
import type { Config } from '../../src/app/config.ts';
import { describeApplication } from '../../src/app/describe.ts';
import { type Conformance, conformance, type Exchange } from './conformance.ts';

/** Descriptions by their text, of all test files of a process: their schemas are compiled once. */
const compiled = new Map<string, Conformance>();

const describe = async (application: Application, config: Config): Promise<Conformance> => {
  const document = await describeApplication(application, config);
  const { pathname } = new URL(config.baseUrl);
  const described = { ...document, servers: [{ url: `http://service.test${pathname}` }] };
  const text = JSON.stringify(described);
  const found = compiled.get(text) ?? conformance(described);
  compiled.set(text, found);
  return found;
};

/** Settings that each service under test has for itself, and that no description depends on but for its servers. */
const ofOneService = new Set([
  'port',
  'baseUrl',
  'databaseUrl',
  'dataDir',
  'credentialsFile',
  'credentialsKeyFile',
  'jwtSecret',
]);

/** The settings that a description may depend on, as a text. */
const settingsIn = (config: Config): string =>
  JSON.stringify([
    new URL(config.baseUrl).pathname,
    ...Object.entries(config).filter(([name]) => !ofOneService.has(name)),
  ]);

/** Descriptions by what their applications were made of, then by settings. */
const known = new WeakMap<object, Map<string, Promise<Conformance>>>();

/**
 * The description of an application, ready to check responses. A file starts the same application many times: it is
 * described once. `source` is what the application was made of, the same object each time.
 */
export const describedBy = (
  source: object,
  application: Application,
  config: Config,
): Promise<Conformance> => {
  const bySettings = known.get(source) ?? new Map<string, Promise<Conformance>>();
  known.set(source, bySettings);
  const settings = settingsIn(config);
  const found = bySettings.get(settings) ?? describe(application, config);
  bySettings.set(settings, found);
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
