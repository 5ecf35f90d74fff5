import { readFileSync } from 'node:fs';
import { apiMethodNames } from '../src/auth/registry.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { hookRemarks, scopeRemarks } from './reference-code-remarks.ts';
import { code, page } from './reference-markdown.ts';
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
  table: '{ name, schema?, columns: { field: column }, types?, external?, readOnly? }',
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

interface ResourceWords {
  readonly title: string;
  readonly lead: string;
  readonly options: string;
  readonly furtherPages: (methods: string) => string;
  readonly hooks: string;
  readonly aboutHooks: string;
  readonly contextOf: (hook: string) => string;
}

const methodsIn = (locale: ServiceLocale): string =>
  new Intl.ListFormat(locale).format(apiMethodNames.map(code));

const resourceWords: Readonly<Record<ServiceLocale, ResourceWords>> = {
  en: {
    title: 'Resource options',
    lead: 'A file in `resources/` exports `defineResource(name, options)` by default. Only `fields` is required. A wrong name or type prevents the start.',
    options: 'Options',
    furtherPages: (methods) =>
      `Actions are \`list\`, \`detail\`, \`create\`, \`update\` and \`destroy\`. Methods are ${methods}. [Field types](fields.md) lists the functions of \`field\`, [Conditions](conditions.md) those of rules, [Relations](relations.md) the options of \`many\`.`,
    hooks: 'Hooks',
    aboutHooks:
      'Every hook gets the members of a [scope](scope.md) that acts for the caller of the write, and these:',
    contextOf: (hook) => `Context of ${hook}`,
  },
  'zh-CN': {
    title: '资源选项',
    lead: '`resources/` 中的文件以默认导出给出 `defineResource(name, options)`，只有 `fields` 是必需的。名称或类型不对时服务不会启动。',
    options: '选项',
    furtherPages: (methods) =>
      `操作为 \`list\`、\`detail\`、\`create\`、\`update\` 与 \`destroy\`，认证方式为 ${methods.replace(/(?<=`)和(?=`)/, ' 与 ')}。\`field\` 的函数见[字段类型](fields.zh-CN.md)，规则的函数见[条件](conditions.zh-CN.md)，\`many\` 的选项见[关联](relations.zh-CN.md)。`,
    hooks: '钩子',
    aboutHooks: '每个钩子都有[作用域](scope.zh-CN.md)的成员，该作用域以写入的调用者身份操作，此外还有：',
    contextOf: (hook) => `${hook} 的上下文`,
  },
};

/** The reference page of `defineResource`. */
export const resourcePage = (locale: ServiceLocale): string => {
  const text = resourceWords[locale];
  return page(
    text.title,
    text.lead,
    [
      `\`\`\`ts\n${example}\`\`\``,
      `## ${text.options}`,
      memberTable(members('ResourceDefinition'), optionTypes, locale),
      text.furtherPages(methodsIn(locale)),
      `## ${text.hooks}`,
      memberTable(members('TypedHooks'), {}, locale),
      ...hookRemarks[locale],
      text.aboutHooks,
      ...(
        [
          ['beforeSave', 'BeforeSaveContext'],
          ['beforeCommit', 'BeforeCommitContext'],
          ['afterCommit', 'AfterCommitContext'],
        ] as const
      ).flatMap(([hook, context]) => [
        `### ${text.contextOf(code(hook))}`,
        memberTable(
          members(context).filter(({ name }) => name !== 'principal' && !scopeNames.has(name)),
          contextTypes,
          locale,
        ),
      ]),
    ].join('\n\n'),
  );
};

const queryTypes: Readonly<Record<string, string>> = {
  include: 'names | { name: fields }',
  filter: 'conditions',
  sort: 'terms',
  records: 'records',
  jobs: 'JobQueue',
  sql: 'ScopeSql',
  aggregate: 'function',
};

type Titled = Readonly<Record<ServiceLocale, readonly [title: string, lead: string]>>;

/** The sections of the page of the scope: title, lead and the interface whose members it lists. */
const scopeSections: readonly (readonly [Titled, string])[] = [
  [
    {
      en: ['Members', 'A hook has the same members in its context.'],
      'zh-CN': ['成员', '钩子的上下文中也有这些成员。'],
    },
    'Scope',
  ],
  [
    {
      en: [
        'Records',
        'The operations that `records(model)` returns, with policy, validation and hooks like a request.',
      ],
      'zh-CN': ['记录', '`records(model)` 返回的操作。与请求一样，每个操作都经过访问规则、校验与钩子。'],
    },
    'RecordsOf',
  ],
  [
    {
      en: [
        'Query of `list` and `page`',
        'A filter is an object: `{ status: "paid", amount: { gte: 100 } }`.',
      ],
      'zh-CN': [
        '`list` 与 `page` 的查询',
        '筛选条件是一个对象：`{ status: "paid", amount: { gte: 100 } }`。',
      ],
    },
    'ListQuery',
  ],
  [
    {
      en: ['Result of `page`', 'A page and the way to the next one.'],
      'zh-CN': ['`page` 的结果', '一页记录，以及获取下一页所需的数据。'],
    },
    'RecordPage',
  ],
  [
    {
      en: ['Options of `find` and `get`', 'All are optional. `include` is that of a query.'],
      'zh-CN': ['`find` 与 `get` 的选项', '均可省略。`include` 与查询的相同。'],
    },
    'FindOptions',
  ],
  [
    {
      en: ['Options of `update` and `remove`', '`update` also takes the `include` of a query.'],
      'zh-CN': ['`update` 与 `remove` 的选项', '`update` 还接受查询的 `include`。'],
    },
    'RecordUpdateOptions',
  ],
  [
    {
      en: [
        'Users',
        "The operations of `asSystem(reason).records('User')`, on the accounts of the service. The scope of a caller has `list` and `find` only, which return the users of `GET /api/v1/users`. There are no `include`, `update` by version, or hooks.",
      ],
      'zh-CN': [
        '用户',
        "`asSystem(reason).records('User')` 对服务账号的操作。调用者的作用域只有 `list` 与 `find`，返回 `GET /api/v1/users` 的用户。不支持 `include`、按版本的 `update` 与钩子。",
      ],
    },
    'ManagedUsers',
  ],
  [
    {
      en: [
        'Values of a user',
        'The values of `create` and `update`, with the rules of the administration area.',
      ],
      'zh-CN': ['用户的值', '`create` 与 `update` 的值，规则与管理后台相同。'],
    },
    'UserInput',
  ],
  [
    {
      en: ['SQL', 'Statements written with the tag `sql`.'],
      'zh-CN': ['SQL', '用标签 `sql` 书写的语句。'],
    },
    'ScopeSql',
  ],
  [
    {
      en: ['Jobs', '[Jobs](jobs.md#add-a-job) describes the options.'],
      'zh-CN': ['任务', '选项见[后台任务](jobs.zh-CN.md#添加任务)。'],
    },
    'JobQueue',
  ],
];

const scopeWords: Readonly<Record<ServiceLocale, { readonly title: string; readonly lead: string }>> = {
  en: {
    title: 'Scope',
    lead: 'Endpoints and hooks get a scope that acts for the caller, jobs and `onStart` one that acts for the system. [Code of your own](../guide/code.md) shows it at work.',
  },
  'zh-CN': {
    title: '作用域',
    lead: '接口与钩子的作用域以调用者身份操作，任务与 `onStart` 的以系统身份操作。用法见[编写代码](../guide/code.zh-CN.md)。',
  },
};

/** The reference page of the scope: what code of an application works with. */
export const scopePage = (locale: ServiceLocale): string => {
  const { title, lead } = scopeWords[locale];
  const sections = scopeSections.map(
    ([
      {
        [locale]: [heading, about],
      },
      name,
    ]) =>
      [
        `## ${heading}`,
        about,
        memberTable(
          members(name).filter((member) => name === 'ListQuery' || member.name !== 'include'),
          queryTypes,
          locale,
        ),
        ...(scopeRemarks[name]?.[locale] ?? []),
      ].join('\n\n'),
  );
  return page(title, lead, sections.join('\n\n'));
};
