import { readFileSync } from 'node:fs';
import { code, page, table } from './reference-markdown.ts';
import { interfacesIn, membersOf, memberTable } from './reference-types.ts';

const interfaces = interfacesIn([
  'model/definition.ts',
  'model/hooks.ts',
  'model/scope.ts',
  'model/job.ts',
  'model/types/group-types.ts',
]);
const members = (name: string) => membersOf(interfaces, name);

const optionTypes: Readonly<Record<string, string>> = {
  views: '{ list?, detail?, saved?, when? }',
  isolation: 'boolean | condition | { read?, write?, create?, update?, destroy? }',
  manage: 'condition',
  search: 'names',
  restricted: 'names of fields, or { fields, unless: condition }',
  publicRead: '{ where, orOwn? }',
  auth: 'methods | { action: methods }',
  hooks: '{ beforeSave?, beforeCommit?, afterCommit? }',
  problems: 'problems of defineProblem',
  indexes: 'lists of names',
  unique: 'lists of names',
  fields: '{ name: field }',
  relations: '{ name: many(…) }',
};

/** The example, as an application writes it. */
const example = readFileSync(new URL('./reference-example.ts', import.meta.url), 'utf8').replace(
  '../src/index.ts',
  'gatewright',
);

const contextTypes: Readonly<Record<string, string>> = {
  action: "'create' | 'update' | 'destroy'",
  before: 'record | undefined',
  after: 'record | undefined',
  record: 'record',
  values: 'values',
};

const scopeNames: ReadonlySet<string> = new Set(members('Scope').map(({ name }) => name));

/** The reference page of `defineResource`. */
export const resourcePage = (): string =>
  page(
    'Resource options',
    'A file in `resources/` exports `defineResource(name, options)` by default. Only `fields` is required. A name that does not exist, or a value of the wrong type, stops the start with the file, the option and the nearest name.',
    [
      `\`\`\`ts\n${example}\`\`\``,
      '## Options',
      memberTable(members('ResourceDefinition'), optionTypes),
      'Actions are `list`, `detail`, `create`, `update` and `destroy`; methods are `jwt`, `bearer`, `api_key` and `signature`. [Field types](fields.md) lists the functions of `field`, [Modelling](../guide/modelling.md#limit-rows-by-conditions) the conditions, [Relations](relations.md) the options of `many`.',
      '## Hooks',
      memberTable(members('TypedHooks')),
      'Every hook gets the members of a [scope](scope.md) that acts for the caller of the write, and these:',
      ...(
        [
          ['beforeSave', 'BeforeSaveContext'],
          ['beforeCommit', 'BeforeCommitContext'],
          ['afterCommit', 'AfterCommitContext'],
        ] as const
      ).flatMap(([hook, context]) => [
        `### Context of ${code(hook)}`,
        memberTable(
          members(context).filter(({ name }) => name !== 'principal' && !scopeNames.has(name)),
          contextTypes,
        ),
      ]),
    ].join('\n\n'),
  );

const queryTypes: Readonly<Record<string, string>> = {
  include: 'names | { name: fields }',
  filter: 'conditions',
  sort: 'terms',
  group: 'terms',
  count: 'boolean',
  sum: 'names of fields',
  avg: 'names of fields',
  min: 'names of fields',
  max: 'names of fields',
  records: 'records',
  jobs: 'JobQueue',
  sql: 'ScopeSql',
  aggregate: 'function',
};

/** The reference page of the scope: what code of an application works with. */
export const scopePage = (): string => {
  const section = (title: string, lead: string, ...names: readonly string[]): string =>
    [
      `## ${title}`,
      lead,
      memberTable(
        names.flatMap((name) => members(name)),
        queryTypes,
      ),
    ].join('\n\n');
  return page(
    'Scope',
    'Code of an application works with a scope: endpoints and hooks get one that acts for the caller, jobs and `onStart` one that acts for the system. [Code of your own](../guide/code.md) shows it at work.',
    [
      section('Members', 'A hook has the same members in its context.', 'Scope'),
      section(
        'Records',
        'The operations that `records(model)` returns. Each goes through policy, validation and hooks like a request.',
        'RecordsOf',
      ),
      section(
        'Query of `list` and `page`',
        'A filter is an object: `{ status: "paid", amount: { gte: 100 } }`.',
        'ListQuery',
      ),
      section('Result of `page`', 'A page and the way to the next one.', 'RecordPage'),
      section('Query of `aggregate`', 'See [Aggregates](aggregates.md) for the results.', 'GroupQuery'),
      section('Options of `find` and `get`', 'Both are optional.', 'FindOptions'),
      section('Options of `update` and `remove`', '`remove` takes `version` only.', 'RecordUpdateOptions'),
      section(
        'Users',
        "The operations of `asSystem(reason).records('User')`, on the accounts of the service. The scope of a caller has `list` and `find` only, which return the users of `GET /api/v1/users`: administrators read all of them, other users themselves. There are no `include`, `update` by version, or hooks.",
        'ManagedUsers',
      ),
      section(
        'Values of a user',
        'The values of `create` and `update`, with the rules of the administration area.',
        'UserInput',
      ),
      section('SQL', 'Statements written with the tag `sql`.', 'ScopeSql'),
      section(
        'Jobs',
        'In a transaction a job is stored with it, and runs only if the transaction commits.',
        'JobQueue',
      ),
      section('Options of `jobs.add`', 'Both are optional.', 'JobOptions'),
      '## Problems',
      'Problems that most operations throw; [Errors](errors.md) lists all.',
      table(
        ['problem', 'thrown when'],
        [
          [code('invalid_record'), 'a value breaks a rule; 422'],
          [code('forbidden'), 'a role lacks the grant; 403'],
          [code('record_not_found'), 'the record does not exist or is out of reach; 404'],
          [code('stale'), 'the record has another version; 412'],
        ],
      ),
    ].join('\n\n'),
  );
};
