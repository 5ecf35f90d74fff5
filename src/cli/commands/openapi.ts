import { readConfig } from '../../app/config.ts';
import { describeApplication } from '../../app/describe.ts';
import { type Locale, locales } from '../../kernel/messages/catalogue.ts';
import { type DescriptionArea, descriptionAreas } from '../../openapi/area.ts';
import { openApplication } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { UsageError } from '../io.ts';

const localeOf = (given: string | undefined): Locale | undefined => {
  const found = locales.find((locale) => locale === given);
  if (given !== undefined && found === undefined)
    throw new UsageError(`--lang is one of ${locales.join(', ')}, not '${given}'`);
  return found;
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
    lang: { type: 'string', value: 'LOCALE', help: `${locales.join(' or ')} (default LOCALE)` },
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
    const locale = localeOf(values.lang);
    const area = areaOf(values.area ?? 'api');
    const config = readConfig(io.env);
    const description = await describeApplication(await openApplication(), config, locale, area);
    io.print(JSON.stringify(description, null, values.json === true ? undefined : 2));
  },
});
