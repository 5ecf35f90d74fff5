/** The door to an application's own endpoints: their definition, and the endpoints that it becomes. */

export type { AnswerOptions } from './application/answer.ts';
export { answer, RawAnswer } from './application/answer.ts';
export type { ApplicationEndpointParts } from './application/application-endpoints.ts';
export {
  applicationEndpoints,
  endpointAccess,
  keyScopesOf,
  pathOf,
  requiredFields,
} from './application/application-endpoints.ts';
export type { EndpointContext, EndpointDefinition, EndpointOptions } from './application/define-endpoint.ts';
export { definedIn, defineEndpoint, fileOf, isEndpointDefinition } from './application/define-endpoint.ts';
export type { BodyKind, BodyLimits } from './application/endpoint-body.ts';
export { bodyKinds } from './application/endpoint-body.ts';
