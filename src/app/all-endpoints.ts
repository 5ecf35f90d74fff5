/** All endpoints of a service, in each of its languages, and the documentation that is made of them. */

import { managedUserEntity } from '../accounts/users.ts';
import { createDocumentation, type Documentation, mailPreviewEndpoints } from '../console/docs.ts';
import { type AdminMetaParts, adminMetaEndpoints } from '../console/meta.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { withRateLimits } from '../http/rate-limits.ts';
import { nameInMail } from '../kernel/application-name.ts';
import type { Locale } from '../kernel/messages.ts';
import { publicUserEntity } from '../records/user-entity.ts';
import { adminArea } from '../resources/admin-area.ts';
import { type ApplicationEndpointParts, applicationEndpoints } from '../resources/application-endpoints.ts';
import { apiArea } from '../resources/area.ts';
import { metaEndpoints } from '../resources/meta.ts';
import { cascadeLimits, maxBatch, type ServedResource } from '../resources/operations.ts';
import { resourceEndpoints } from '../resources/resource-endpoints.ts';
import type { Application } from './application.ts';
import type { Composed } from './compose.ts';
import type { Config } from './config.ts';
import { type FixedEndpointParts, fixedEndpoints } from './endpoints.ts';

/** Parts of all endpoints. */
type EndpointParts = FixedEndpointParts & ApplicationEndpointParts & AdminMetaParts;

/** The endpoints of the service, of its resources, and the application's own. */
const ownEndpoints = (services: EndpointParts, application: Application): Endpoint[] => {
  const generated = [...services.resources.values()].flatMap((resource) => [
    ...resourceEndpoints(resource, apiArea, services.baseUrl),
    ...resourceEndpoints(resource, adminArea, services.baseUrl),
  ]);
  const all = [
    ...fixedEndpoints(services),
    ...generated,
    ...metaEndpoints(application.models, generated, services.languages),
    ...adminMetaEndpoints(services, application.models, generated),
    ...applicationEndpoints(services, application.endpoints),
  ];
  const { config, tenancies } = application;
  return withRateLimits(all, config.limits ?? {}, { tenancies, database: services.database });
};

/** The same services in another language. Endpoints that are built with them are for reading, not for running. */
const servicesIn = (services: EndpointParts, locale: Locale): EndpointParts => {
  if (locale === services.locale) return services;
  const catalogue = services.languages.catalogues.get(locale);
  if (catalogue === undefined) throw new Error(`no language ${locale}`);
  const resourceIn = (resource: ServedResource): ServedResource => ({
    ...resource,
    context: { ...resource.context, locale },
  });
  return {
    ...services,
    locale,
    catalogue,
    resources: new Map([...services.resources].map(([name, resource]) => [name, resourceIn(resource)])),
  };
};

/** The documentation of all endpoints. */
export const documentationOf = (
  { services }: Composed,
  application: Application,
  config: Config,
): Promise<Documentation> =>
  createDocumentation({
    languages: services.languages,
    models: application.models,
    users: { api: publicUserEntity.schema, admin: managedUserEntity.schema },
    application: application.about,
    baseUrl: config.baseUrl,
    bodyLimit: config.bodyLimit,
    writeLimits: { batch: maxBatch, cascade: cascadeLimits },
    positions: config.databaseReadUrl !== undefined,
    endpoints: (locale) => ownEndpoints(servicesIn(services, locale), application),
  });

/**
 * All endpoints of the service, including its own description unless that is off.
 * @param development whether the pages of `gatewright dev` are among them
 */
export const allEndpoints = async (
  composed: Composed,
  application: Application,
  config: Config,
  development = false,
): Promise<Endpoint[]> => {
  const { mails, config: options } = application;
  const { languages, linkPlace } = composed.services;
  const place = { service: nameInMail(application.about, config.baseUrl), linkPlace };
  const previewed = development && !config.production;
  const preview = previewed ? mailPreviewEndpoints({ mail: options.mail, mails, languages, place }) : [];
  const documentation = config.apiDocs ? await documentationOf(composed, application, config) : undefined;
  return [...ownEndpoints(composed.services, application), ...preview, ...(documentation?.endpoints ?? [])];
};
