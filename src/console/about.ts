/** The endpoint that returns the version and the settings of the service, without secrets. */

import type { SignInProvider } from '../accounts/oidc.ts';
import type { Database } from '../database/database.ts';
import type { JsonSchema } from '../fields/field.ts';
import { adminAuth, administratorOnly, adminTag } from '../http/administration.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { objectSchema, valueSchemas } from '../http/schemas.ts';
import { type ApplicationName, shownName } from '../kernel/application-name.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';

const { text, boolean } = valueSchemas;

const setting = {
  name: text,
  value: {
    type: ['string', 'number', 'boolean', 'null'],
    description: 'in force; of a secret whether there is one',
  },
  secret: boolean,
} as const satisfies Readonly<Record<string, JsonSchema>>;

const optional = { type: ['string', 'null'] } as const satisfies JsonSchema;

const schema = objectSchema('AboutService', {
  version: { type: 'string', description: 'of Gatewright' },
  application: {
    type: 'object',
    title: 'ApplicationName',
    properties: {
      name: text,
      version: { ...optional, description: 'of its package.json' },
      environment: optional,
    },
    required: ['name', 'version', 'environment'],
    additionalProperties: false,
  },
  node: text,
  database: { type: 'string', description: 'kind of database' },
  providers: {
    type: 'array',
    items: {
      type: 'object',
      title: 'ProviderState',
      properties: {
        name: text,
        issuer: text,
        error: {
          type: ['string', 'null'],
          description: 'why its discovery document cannot be read; null if it can. It is read once an hour',
        },
      },
    },
  },
  started_at: { type: 'string', format: 'date-time', description: 'of the process that responds' },
  settings: {
    type: 'array',
    items: objectSchema('Setting', setting),
  },
});

export interface About {
  readonly version: string;
  readonly settings: readonly {
    readonly name: string;
    readonly value: string | number | boolean | null;
    readonly secret: boolean;
  }[];
}

export interface AboutParts {
  readonly application: ApplicationName;
  readonly about: About;
  readonly database: Database;
  readonly clock: Clock;
  readonly providers: ReadonlyMap<string, SignInProvider>;
}

export const aboutEndpoint = ({ about, application, database, clock, providers }: AboutParts): Endpoint => {
  const started = toTimestamp(clock());
  return {
    operation: 'getService',
    method: 'GET',
    path: '/admin/service',
    auth: adminAuth,
    policy: administratorOnly,
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': '服务的版本与设置', en: 'Version and settings of the service' },
      description: {
        'zh-CN':
          '环境变量在响应此请求的进程中生效的值。机密只说明是否已设置；数据库只显示数据库的位置，不含用户、密码与参数。',
        en: 'The environment variables in force in the process that responds. A secret is only reported as set or not; a database by its place, without user, password and parameters.',
      },
      tag: adminTag,
      data: schema,
    },
    handle: async () => ({
      data: {
        version: about.version,
        application: {
          name: shownName(application),
          version: application.version ?? null,
          environment: application.environment?.label ?? null,
        },
        node: process.version,
        database: database.dialect.name,
        providers: await Promise.all(
          [...providers.values()].map(async ({ name, provider: { issuer }, client }) => ({
            name,
            issuer,
            error: (await client.flaw()) ?? null,
          })),
        ),
        started_at: started,
        settings: about.settings.map((each) => ({ ...each })),
      },
    }),
  };
};
