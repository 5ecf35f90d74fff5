import type { Application } from '../../app/application.ts';
import { type Config, readConfig } from '../../app/config.ts';
import { describeApplication } from '../../app/describe.ts';
import { type DescriptionArea, descriptionAreas } from '../../http/describe.ts';
import { createLanguages, type Locale, locales } from '../../kernel/messages.ts';
import { openApplication } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { UsageError } from '../io.ts';

/** @throws UsageError for a language that neither the service nor the application has */
const checkLocale = (given: Locale, config: Config, { catalogues: own }: Application): void => {
  const { catalogues } = createLanguages(config, own);
  if (!catalogues.has(given))
    throw new UsageError(`--lang is one of ${[...catalogues.keys()].join(', ')}, not '${given}'`);
};

const areaOf = (given: string): DescriptionArea => {
  const found = descriptionAreas.find((area) => area === given);
  if (found === undefined)
    throw new UsageError(`--area is one of ${descriptionAreas.join(', ')}, not '${given}'`);
  return found;
};

export const command = defineCommand({
  operands: [],
  options: {
    lang: {
      type: 'string',
      value: 'LOCALE',
      help: `${locales.join(', ')}, or a language of the application (default LOCALE)`,
    },
    area: { type: 'string', value: 'AREA', help: `${descriptionAreas.join(', ')} (default api)` },
    ...jsonOption,
  },
  description: [
    'Prints the OpenAPI 3.1 description of the application in the current folder.',
    'It opens no database and reads no secret. The server returns the same at /api-docs/openapi.json.',
    'The administration area (admin) is described separately from the API; all is both in one.',
  ],
  examples: [
    'gatewright openapi > openapi.json',
    'BASE_URL=https://api.example.com gatewright openapi --lang en',
    'gatewright openapi --area admin > admin.json',
  ],
  async run({ values }, io) {
    const area = areaOf(values.area ?? 'api');
    const config = readConfig(io.env);
    const application = await openApplication();
    if (values.lang !== undefined) checkLocale(values.lang, config, application);
    const description = await describeApplication(application, config, values.lang, area);
    io.print(JSON.stringify(description, null, values.json === true ? undefined : 2));
  },
});
