/** The public interface: what an application's files import. Nothing inside the service imports this file. */
export type { Application, ApplicationConfig } from './application.ts';
export { createApplication, defineConfig, loadApplication } from './application.ts';
export type { Principal } from './auth/method.ts';
export type { Config } from './config.ts';
export { ConfigError, readConfig } from './config.ts';
export type { EndpointContext, EndpointDefinition } from './endpoints/define-endpoint.ts';
export { defineEndpoint } from './endpoints/define-endpoint.ts';
export type { PaymentHook } from './endpoints/services.ts';
export { field } from './fields/define.ts';
export { Problem } from './kernel/problem.ts';
export { defineResource } from './model/define-resource.ts';
export type { ResourceDefinition } from './model/definition.ts';
export { DefinitionError } from './model/definition-error.ts';
export type { ResourceModel } from './model/resource.ts';
export type { CreateOf, RecordOf, UpdateOf } from './model/types.ts';
export type { Server, ServerOptions } from './server.ts';
export { createServer } from './server.ts';
export type { Migration, MigrationDatabase } from './store/migrations/runner.ts';
