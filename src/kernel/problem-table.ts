/**
 * Every error that the service answers, one row each. `code` is the envelope's code: HTTP status × 100 + n.
 * The texts stand in messages/zh-CN.ts and messages/en.ts; the reference page of errors is generated from here.
 */
export const problemTable = {
  bad_request: 40000,
  malformed_json: 40001,
  invalid_text: 40002,
  too_deep: 40003,
  not_an_object: 40004,
  missing_key: 40005,
  invalid_parameter: 40006,
  unusable_field: 40007,
  too_much_included: 40008,
  unauthenticated: 40100,
  invalid_token: 40101,
  invalid_key: 40102,
  invalid_signature: 40103,
  invalid_timestamp: 40104,
  login_failed: 40105,
  invalid_session: 40106,
  forbidden: 40300,
  cross_site: 40301,
  password_change_required: 40302,
  record_not_found: 40400,
  path_not_found: 40401,
  method_not_allowed: 40500,
  request_timeout: 40800,
  conflict: 40900,
  idempotency_conflict: 40901,
  still_referenced: 40902,
  built_in_role: 40903,
  role_in_use: 40904,
  last_super_admin: 40905,
  job_running: 40906,
  cascade_too_large: 40907,
  events_gone: 41000,
  stale: 41200,
  body_too_large: 41300,
  too_many_files: 41301,
  batch_too_large: 41302,
  unsupported_media_type: 41500,
  invalid_record: 42200,
  too_many_requests: 42900,
  headers_too_large: 43100,
  internal: 50000,
  database_unavailable: 50300,
  overloaded: 50301,
  outcome_unknown: 50302,
  stopping: 50303,
  handler_timeout: 50304,
  transaction_timeout: 50305,
  jobs_only: 50306,
} as const;

export type ProblemName = keyof typeof problemTable;

/** HTTP status of a problem. */
export const statusOf = (name: ProblemName): number => Math.floor(problemTable[name] / 100);
