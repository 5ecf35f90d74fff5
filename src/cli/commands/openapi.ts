import { readConfig } from '../../config.ts';
import { describeApplication } from '../../describe.ts';
import { type Locale, locales } from '../../kernel/messages/catalogue.ts';
import { openApplication } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { UsageError } from '../io.ts';

const localeOf = (given: string | undefined): Locale | undefined => {
  const found = locales.find((locale) => locale === given);
  if (given !== undefined && found === undefined)
    throw new UsageError(`--lang is one of ${locales.join(', ')}, not '${given}'`);
  return found;
};

export const command = defineCommand({
  operands: [],
  options: {
    lang: { type: 'string', value: 'LOCALE', help: `${locales.join(' or ')} (default LOCALE)` },
    ...jsonOption,
  },
  description: [
    'Prints the OpenAPI 3.1 description of the application in the current folder.',
    'No database is opened and no secret is read. The server answers the same at /api-docs/openapi.json.',
  ],
  examples: [
    'gatewright openapi > openapi.json',
    'BASE_URL=https://api.example.com gatewright openapi --lang en',
  ],
  async run({ values }, io) {
    const locale = localeOf(values.lang);
    const config = readConfig(io.env);
    const description = await describeApplication(await openApplication(), config, locale);
    io.print(JSON.stringify(description, null, values.json === true ? undefined : 2));
  },
});
