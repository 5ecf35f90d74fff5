/**
 * Exact versions of all that is installed for the peers: the latest that the registry had whole on 2026-11-23. What these
 * packages depend on is as new as the day of the installation.
 */
export const versions = {
  directus: '12.4.0',
  strapi: '5.54.0',
  payload: '3.90.2',
  feathers: '5.0.50',
  nest: '12.5.1',
  nestTypeorm: '12.0.2',
  nestJwt: '12.0.2',
  typeorm: '1.1.1',
  classValidator: '0.15.1',
  classTransformer: '0.5.1',
  reflectMetadata: '0.2.2',
  rxjs: '7.8.2',
  knex: '3.3.0',
  winston: '3.19.0',
  next: '16.4.6',
  react: '19.3.1',
  graphql: '16.15.0',
  betterSqlite: '13.2.0',
  /** What TypeORM and Strapi ask for. */
  betterSqliteBefore: '12.11.1',
  /** The administration pages of Strapi are built with it. */
  reactBefore: '18.3.1',
  reactRouter: '6.30.6',
  styledComponents: '6.6.0',
  typescript: '5.9.3',
  reactTypes: '19.3.0',
  nodeTypes: '26.6.6',
  expressTypes: '5.0.6',
  /** For those whose native parts do not compile against a newer one. */
  nodeBefore: '22.23.3',
} as const;
