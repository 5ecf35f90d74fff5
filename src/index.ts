/** The public interface: what an application's files import. Nothing inside the service imports this file. */
export { sql } from 'kysely';
export type { AccountOptions } from './accounts/account-options.ts';
export type { PaymentHook } from './accounts/applications.ts';
export type { OidcOptions, OidcProvider, RoleMapping } from './accounts/oidc.ts';
export { oidc } from './accounts/oidc.ts';
export type { SessionOptions } from './accounts/sessions.ts';
export type { Application, ApplicationConfig } from './app/application.ts';
export { createApplication, defineConfig, loadApplication } from './app/application.ts';
export type { Config } from './app/config.ts';
export { ConfigError, readConfig } from './app/config.ts';
export type { Server, ServerOptions } from './app/server.ts';
export { createServer } from './app/server.ts';
export type { Principal } from './auth/principal.ts';
export type { Rate, RateLimit } from './auth/rate-limit.ts';
export type { HistoryFill, TableAlteration, TableDefinition } from './database/application-migrations.ts';
export {
  alterTable,
  createTable,
  dropTable,
  fillHistory,
  followColumns,
  followTable,
  renameTable,
} from './database/application-migrations.ts';
export { ConstraintError } from './database/database.ts';
export type { Migration, MigrationDatabase } from './database/migrations.ts';
export type { JobContext, JobDefinition } from './delivery/jobs.ts';
export { defineJob } from './delivery/jobs.ts';
export type {
  MailDefinition,
  MailOption,
  MailTemplate,
  MailTemplateValues,
  MailTexts,
  MailValues,
  OutgoingMail,
  RegistrationOptions,
  SmtpOptions,
} from './delivery/mail.ts';
export { defineMail } from './delivery/mail.ts';
export type { BooleanOptions } from './fields/boolean.ts';
export type { ChoiceColour } from './fields/colours.ts';
export type { DateOptions } from './fields/date.ts';
export type { DatetimeOptions } from './fields/datetime.ts';
export type { DecimalOptions } from './fields/decimal.ts';
export { field } from './fields/define.ts';
export type { EmailOptions } from './fields/email.ts';
export type { EnumOptions } from './fields/enum.ts';
export type { Decimal, DecimalInput, Rounding } from './fields/exact-decimal.ts';
export { decimalOf as decimal } from './fields/exact-decimal.ts';
export type { Assigned, FieldDefinition, JsonSchema } from './fields/field.ts';
export type { FileOptions, FileValue } from './fields/file.ts';
export type { IntegerOptions } from './fields/integer.ts';
export type { JsonOptions } from './fields/json.ts';
export type { NumberOptions } from './fields/number.ts';
export type { ReferenceOptions } from './fields/reference.ts';
export type { SequenceOptions } from './fields/sequence.ts';
export type { StringOptions } from './fields/string.ts';
export type { TextOptions } from './fields/text.ts';
export type { TimeOptions } from './fields/time.ts';
export type { UrlOptions } from './fields/url.ts';
export type { UuidOptions } from './fields/uuid.ts';
export type { UploadedFile } from './http/uploads.ts';
export type { Json, JsonObject } from './kernel/json.ts';
export type { ProblemDetails } from './kernel/problem.ts';
export { Problem } from './kernel/problem.ts';
export type { FieldTexts, LocaleDefinition, ModelTexts } from './model/define-locale.ts';
export { defineLocale } from './model/define-locale.ts';
export type { MakeProblem, ProblemDefinition } from './model/define-problem.ts';
export { defineProblem } from './model/define-problem.ts';
export { defineResource } from './model/define-resource.ts';
export type { ResourceDefinition } from './model/definition.ts';
export { DefinitionError } from './model/definition-error.ts';
export type { IconName } from './model/describe.ts';
export type { AfterCommitContext, BeforeCommitContext, BeforeSaveContext } from './model/hooks.ts';
export type { CheckedInput, Job, JobOptions, JobQueue, SentInput } from './model/job.ts';
export type { ManagedUser, UserRecord } from './model/related-user.ts';
export type { ManyOptions, ManyRelation } from './model/relation.ts';
export { many } from './model/relation.ts';
export type { HookPrincipal, ResourceModel } from './model/resource.ts';
export type { MemberOptions, RowRule, RowRules, ViaOptions } from './model/row-rule.ts';
export { allOf, anyOf, equals, member, own, via } from './model/row-rule.ts';
export type {
  AggregateQuery,
  CountQuery,
  FileSource,
  FindOptions,
  FindRecords,
  ListQuery,
  ManagedUsers,
  NamedAggregateQuery,
  NamedRecords,
  OpenedFile,
  ReadableUsers,
  RecordPage,
  Records,
  Scope,
  ScopeSql,
  ScriptContext,
  UploadedName,
  UserInput,
  VersionOptions,
} from './model/scope.ts';
export type {
  CreateOf,
  DetailOf,
  FilterOf,
  ListItemOf,
  RecordOf,
  Resource,
  SavedOf,
  SortOf,
  UpdateOf,
} from './model/types.ts';
export type {
  AnswerOptions,
  BodyKind,
  BodyLimits,
  EndpointContext,
  EndpointDefinition,
  EndpointOptions,
  RawAnswer,
} from './resources/application-endpoints.ts';
export { answer, defineEndpoint } from './resources/application-endpoints.ts';
export { versionOf } from './resources/operations.ts';
