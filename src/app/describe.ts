import type { Database } from '../database/database.ts';
import { defaultDialect } from '../database/default-dialect.ts';
import type { DescriptionArea } from '../http/describe.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages.ts';
import { allEndpoints, documentationOf } from './all-endpoints.ts';
import { type Application, inLanguages } from './application.ts';
import type { Composed } from './compose.ts';
import { composeOffline } from './compose-offline.ts';
import type { Config } from './config.ts';

const absent = (): never => {
  throw new Error('there is no database here: endpoints are only described');
};

/** Database of a description: statements are compiled for it, none is run. */
const noDatabase: Database = {
  dialect: defaultDialect,
  all: absent,
  get: absent,
  scan: absent,
  stream: absent,
  execute: absent,
  write: absent,
  ping: absent,
  interrupt: () => {},
  close: async () => {},
};

/** The parts of a server that is never started. */
const composeDry = (application: Application, config: Config): Promise<Composed> =>
  composeOffline({ config, application, database: noDatabase });

/**
 * The description of an application, as `GET /api-docs/openapi.json` of its server would return it: of all endpoints,
 * or of one area.
 */
export const describeApplication = async (
  given: Application,
  config: Config,
  locale: Locale = config.locale,
  area: DescriptionArea = 'all',
): Promise<JsonObject> => {
  const application = inLanguages(given, config);
  const composed = await composeDry(application, config);
  const { describe } = await documentationOf(composed, application, config);
  return describe(locale, area, config.apiDocs);
};

/** Every endpoint of the application's server, to be read, not run. */
export const endpointsOf = async (given: Application, config: Config): Promise<readonly Endpoint[]> => {
  const application = inLanguages(given, config);
  return allEndpoints(await composeDry(application, config), application, config);
};
