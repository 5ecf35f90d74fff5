import ts from 'typescript';
import { page, table } from './reference-markdown.ts';
import { parse } from './reference-types.ts';

/** The value of an expression of numbers and constants; undefined where it is something else. */
const numberOf = (node: ts.Expression, names: ReadonlyMap<string, ts.Expression>): number | undefined => {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return numberOf(node.expression, names);
  if (ts.isIdentifier(node)) {
    const initial = names.get(node.text);
    return initial && numberOf(initial, names);
  }
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [numberOf(node.left, names), numberOf(node.right, names)];
  if (left === undefined || right === undefined) return undefined;
  if (node.operatorToken.kind === ts.SyntaxKind.AsteriskToken) return left * right;
  return node.operatorToken.kind === ts.SyntaxKind.PlusToken ? left + right : undefined;
};

/** Constants of a source file, by name; `limits.items` for a property of one. */
const constantsOf = (path: string): ReadonlyMap<string, ts.Expression> =>
  new Map(
    parse(path)
      .statements.filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .flatMap(({ name, initializer }): [string, ts.Expression][] => {
        if (initializer === undefined) return [];
        const value = ts.isAsExpression(initializer) ? initializer.expression : initializer;
        if (!ts.isObjectLiteralExpression(value)) return [[name.getText(), value]];
        return value.properties
          .filter(ts.isPropertyAssignment)
          .map((property) => [`${name.getText()}.${property.name.getText()}`, property.initializer]);
      }),
  );

/** A constant of the source. @throws Error where the file has none of this name, so that a renamed one is noticed */
const constant = (path: string, name: string): number => {
  const names = constantsOf(path);
  const initial = names.get(name);
  const value = initial && numberOf(initial, names);
  if (value === undefined)
    throw new Error(`src/${path} has no number ${name}: see scripts/reference-limits.ts`);
  return value;
};

type Unit = 'count' | 'bytes' | 'characters' | 'ms' | 's' | 'days';

const spanOf = (seconds: number): string => {
  if (seconds % 86_400 === 0 && seconds > 86_400) return `${seconds / 86_400} days`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
};

const bytesOf = (bytes: number): string => {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1_024 === 0 ? `${bytes / 1_024} KiB` : `${bytes.toLocaleString('en')} bytes`;
};

const format: Readonly<Record<Unit, (value: number) => string>> = {
  count: (value) => value.toLocaleString('en'),
  bytes: bytesOf,
  characters: (value) => `${value.toLocaleString('en')} characters`,
  ms: (value) => spanOf(value / 1_000),
  s: spanOf,
  days: (value) => `${value} days`,
};

/** A limit: its text, the constant in the source, and the response beyond it. */
type Limit = readonly [text: string, path: string, name: string, unit: Unit, beyond: string];

const limits: Readonly<Record<string, readonly Limit[]>> = {
  Lists: [
    ['versions of a page of the history', 'records/history/history-page.ts', 'maxPerPage', 'count', '400'],
    [
      'records that a search for references asks about',
      'resources/references.ts',
      'maxAsked',
      'count',
      '400',
    ],
    ['text of a search in the administration area', 'console/search.ts', 'maxWords', 'characters', '400'],
    ['query string', 'records/list/query-string.ts', 'maxQueryLength', 'characters', '400'],
    ['filters of a request', 'records/list/parameters.ts', 'maxFilters', 'count', '400'],
    ['value of a filter', 'records/list/query-string.ts', 'maxValueLength', 'characters', '400'],
    ['words of `q` in a full-text search', 'kernel/search-words.ts', 'mostWords', 'count', '400'],
    [
      'searched characters of a record',
      'kernel/search-words.ts',
      'searchedCharacters',
      'characters',
      'not searched',
    ],
    [
      'ranked and counted matches of a search',
      'database/search.ts',
      'rankedMatches',
      'count',
      'follow, those with the words themselves first, of each kind the newest',
    ],
    ['values of one `in`', 'records/list/query-string.ts', 'maxInValues', 'count', '400'],
    ['terms of `sort`', 'records/list/sort.ts', 'maxTerms', 'count', '400'],
    [
      'relations before the field of a filter or sort',
      'records/relations/related.ts',
      'maxSteps',
      'count',
      '400',
    ],
    [
      'fields of each of `group`, `sum`, `avg`, `min`, `max`',
      'records/aggregate/aggregate-parameters.ts',
      'maxFields',
      'count',
      '400',
    ],
  ],
  'Related records': [
    ['relations of one `include`', 'records/relations/include.ts', 'maxIncluded', 'count', '400'],
    [
      'related records of one record',
      'records/relations/include.ts',
      'maxRelated',
      'count',
      '400 `too_much_included`',
    ],
    [
      'a response with related records',
      'records/relations/include.ts',
      'maxAnswerBytes',
      'bytes',
      '400 `too_much_included`',
    ],
    ['items of one nested list in a body', 'model/nested-schema.ts', 'nestedLimits.items', 'count', '422'],
    ['nested records in a body', 'model/nested-schema.ts', 'nestedLimits.records', 'count', '422'],
    ['levels of nested records', 'model/nested-schema.ts', 'nestedLimits.levels', 'count', '422'],
  ],
  Bodies: [
    ['nesting of a JSON body', 'http/body.ts', 'maxDepth', 'count', '400 `too_deep`'],
    ['progress of a body in 30 s, at least', 'http/incoming.ts', 'minProgressBytes', 'bytes', '408'],
    ['fields of a form', 'http/form.ts', 'maxFields', 'count', '400'],
    ['records of a batch', 'resources/operations/batch.ts', 'maxBatch', 'count', '413 `batch_too_large`'],
    [
      'records that a deletion takes along',
      'resources/operations/cascade-links.ts',
      'cascadeLimits.records',
      'count',
      '409 `cascade_too_large`',
    ],
    [
      'references that a deletion follows, one behind the other',
      'resources/operations/cascade-links.ts',
      'cascadeLimits.levels',
      'count',
      '409 `cascade_too_large`',
    ],
    [
      'hooks that lead to one another by their writes',
      'resources/operations/writing.ts',
      'maxHookDepth',
      'count',
      '500',
    ],
    [
      'requests of a process whose files are on the disk',
      'http/uploads.ts',
      'maxFolders',
      'count',
      '503 `overloaded`',
    ],
    ['such requests of one caller', 'http/uploads.ts', 'maxFoldersPerCaller', 'count', '503 `overloaded`'],
    [
      'such requests of all anonymous callers',
      'http/uploads.ts',
      'maxUnidentifiedFolders',
      'count',
      '503 `overloaded`',
    ],
    [
      'pipelined requests of a connection',
      'http/connections.ts',
      'maxUnanswered',
      'count',
      'the connection is closed',
    ],
  ],
  Fields: [
    ['conditions of `views.when`', 'model/rules/rules.ts', 'viewConditions', 'count', 'no start'],
    ['a text without `max`', 'fields/values.ts', 'maxCharacters', 'characters', '422'],
    ['a URL', 'fields/url.ts', 'maxLength', 'characters', '422'],
    ['an email address', 'fields/email.ts', 'maxLength', 'characters', '422'],
    ['digits of a decimal', 'fields/decimal.ts', 'maxDigits', 'count', '422'],
    ['nesting of a `json` field', 'fields/json.ts', 'maxLevels', 'count', '422'],
    ['a choice of an `enum`', 'fields/enum.ts', 'maxChoiceLength', 'characters', 'no start'],
    ['a name of a model or field', 'model/names.ts', 'maxNameLength', 'characters', 'no start'],
  ],
  'Accounts and credentials': [
    ['a token', 'auth/jwt.ts', 'tokenLifetime', 's', '401'],
    ['a session of the administration area', 'auth/session.ts', 'sessionLifetime', 's', '401'],
    ['such a session without a request', 'auth/session.ts', 'sessionIdleTime', 's', '401'],
    ['difference of a signature’s timestamp', 'auth/signature.ts', 'timestampTolerance', 's', '401'],
    ['a token for the documentation page', 'auth/jwt.ts', 'sessionTokenLifetime', 's', '401'],
    [
      'a response of an identity provider',
      'accounts/oidc/bounded-fetch.ts',
      'maxResponseBytes',
      'bytes',
      '401 `provider_refused`',
    ],
    ['the signing secret, at least', 'auth/jwt.ts', 'minSecretBytes', 'bytes', 'no start'],
    [
      'between password and second factor',
      'auth/sign-in-ticket.ts',
      'ticketLifetime',
      's',
      '401 `second_factor_expired`',
    ],
    [
      'the setup of a second factor',
      'database/tables/second-factor-tables.ts',
      'setupLifetime',
      's',
      '410 `second_factor_setup_ended`',
    ],
    [
      'requests of a limit in a window, and of a quota',
      'auth/rate-limit.ts',
      'maxRequests',
      'count',
      'no start, 422',
    ],
    ['the window of a limit', 'auth/rate-limit.ts', 'maxWindow', 's', 'no start, 422'],
    ['requests of a limit in a second', 'auth/rate-limit.ts', 'maxPerSecond', 'count', 'no start, 422'],
    ['time in which a bucket is full again', 'auth/rate-limit.ts', 'maxFilling', 's', 'no start, 422'],
    [
      'overlap of two secrets of a key, an application or a webhook',
      'database/tables/api-key-tables.ts',
      'maxOverlapSeconds',
      's',
      '422',
    ],
    ['an invitation link', 'auth/link-token.ts', 'invitationLifetime', 's', '410'],
    ['a sign-in at a provider', 'accounts/oidc/pending.ts', 'providerSignInLifetime', 's', '401'],
    [
      'the one-time code of a sign-in',
      'database/tables/provider-tables.ts',
      'providerCodeLifetime',
      's',
      '401',
    ],
    ['a link that was requested by mail', 'auth/link-token.ts', 'accountLinkLifetime', 's', '410'],
    [
      'open links of one purpose, mailbox and requester',
      'accounts/users/account-links.ts',
      'maxOpenLinks',
      'count',
      'a newer one ends the oldest',
    ],
    [
      'messages with links of one purpose to a mailbox within 30 min, by one requester',
      'accounts/users/account-links.ts',
      'maxMessagesOfRequester',
      'count',
      'no further message',
    ],
    [
      'the same, by all requesters',
      'accounts/users/account-links.ts',
      'maxMessagesOfAll',
      'count',
      'no further message',
    ],
    [
      'failed sign-ins to one account from one address per period',
      'auth/login-throttle.ts',
      'accountLimit',
      'count',
      '429',
    ],
    ['failed sign-ins from one address per period', 'auth/login-throttle.ts', 'addressLimit', 'count', '429'],
    ['the period', 'auth/login-throttle.ts', 'throttleWindow', 'ms', ''],
    [
      'wrong codes of two-step verification per period',
      'auth/login-throttle.ts',
      'codeLimit',
      'count',
      '429',
    ],
    ['a password, at least', 'auth/password-rules.ts', 'passwordLimits.min', 'characters', '422'],
    ['a password, at most', 'auth/password-rules.ts', 'passwordLimits.max', 'bytes', '422'],
    ['a username', 'auth/account.ts', 'maxUsernameLength', 'characters', '422'],
    ['a person’s name', 'accounts/users/user-input.ts', 'maxName', 'characters', '422'],
    ['roles of a user', 'accounts/users/user-input.ts', 'maxRoles', 'count', '422'],
    [
      'entries of the permission table in one request',
      'accounts/roles/commands.ts',
      'maxPermissions',
      'count',
      '422',
    ],
    [
      'scopes of an API key, and its networks',
      'policy/key-scope.ts',
      'maxRestrictions',
      'count',
      '422 `too_many`',
    ],
    ['saved views of a user', 'accounts/views/commands.ts', 'maxViews', 'count', '422 `too_many`'],
    ['a saved view', 'accounts/views/commands.ts', 'maxQueryBytes', 'bytes', '422 `view_query`'],
  ],
  'Events, webhooks and jobs': [
    [
      'streams of `/changes` of one caller in one process',
      'delivery/events/changes.ts',
      'maxStreamsPerCaller',
      'count',
      '429',
    ],
    [
      'webhooks that a user makes for managed records',
      'delivery/webhooks/commands.ts',
      'maxManagedWebhooks',
      'count',
      '422 `too_many`',
    ],
    [
      'test messages and repeated deliveries of a user’s own webhooks in a minute',
      'delivery/webhooks/own-webhooks.ts',
      'maxMessagesPerMinute',
      'count',
      '429',
    ],
    ['a webhook’s URL', 'delivery/webhooks/send.ts', 'maxUrlLength', 'characters', '422'],
    ['deliveries are kept for', 'delivery/webhooks/delivery-administration.ts', 'deliveryDays', 'days', ''],
    [
      'longest wait that a receiver can ask for',
      'database/tables/webhook-tables.ts',
      'maxRetryAfterMs',
      'ms',
      'shortened',
    ],
    ['default attempts of a job', 'delivery/jobs/define-job.ts', 'defaultAttempts', 'count', 'failed'],
    [
      'default timeout of an attempt of a job',
      'delivery/jobs/define-job.ts',
      'defaultTimeout',
      's',
      'failed',
    ],
    ['longest `timeout` of a job', 'delivery/jobs/define-job.ts', 'maxTimeoutSeconds', 's', 'no start'],
    ['a job’s `key`', 'delivery/jobs/job-service.ts', 'maxKeyLength', 'characters', 'an error'],
    ['an `Idempotency-Key` is kept for', 'ledger/idempotency.ts', 'idempotencyLifetime', 'ms', ''],
  ],
};

/** The constants of the page: the path of each in `src`, and its name. */
export const limitConstants: ReadonlySet<string> = new Set(
  Object.values(limits).flatMap((rows) => rows.map(([, path, name]) => `${path} ${name}`)),
);

/** The reference page of limits. */
export const limitsPage = (): string =>
  page(
    'Limits',
    'These limits are fixed. For limits with a variable (`BODY_LIMIT`, `BODY_MEMORY`, `MAX_CONNECTIONS`, `HANDLER_TIMEOUT`, `TRANSACTION_TIMEOUT`) see [Configuration](configuration.md), for error codes see [Errors](errors.md).',
    Object.entries(limits)
      .map(
        ([title, rows]) =>
          `## ${title}\n\n${table(
            ['limit', 'value', 'beyond it'],
            rows.map(([text, path, name, unit, beyond]) => [
              text,
              format[unit](constant(path, name)),
              beyond,
            ]),
          )}`,
      )
      .join('\n\n'),
  );
