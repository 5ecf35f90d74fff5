/** The public interface of `gatewright/client`. */
export type { GroupOf, GroupTerm } from '#model';
export type { AggregateQuery } from './aggregate.ts';
export type { Auth, Login, Session } from './authenticator.ts';
export type { Client, ClientOptions } from './client.ts';
export { createClient } from './client.ts';
export type { EndpointCalls, EndpointName, EndpointNames, EndpointShape } from './endpoint.ts';
export type { FieldError } from './error.ts';
export { GatewrightError } from './error.ts';
export type {
  Metadata,
  MetadataField,
  MetadataRelation,
  NewApiKey,
  Receipt,
  RotatedApiKey,
} from './fixed.ts';
export type { ImportCounts, ImportOptions, ImportSource } from './import.ts';
export type { SignInStorage } from './long-sign-in.ts';
export type { OperationCalls, OperationName, OperationNames, OperationShape } from './operation.ts';
export type { ApiKey, User } from './records.ts';
export type { CreateOptions, ResourceClient, WriteOptions } from './resource.ts';
export { etagOf } from './resource.ts';
export type { EachQuery, ListQuery, Page, ResourceName, ResourceShape } from './shape.ts';
export { resource } from './shape.ts';
export type { ChangeActor, ChangeEvent, SubscribeOptions } from './subscribe.ts';
export type { Answer, CallOptions, RequestOptions, RetryOptions } from './transport.ts';
export type { StoredFile, UploadOptions, UploadProgress } from './upload.ts';
