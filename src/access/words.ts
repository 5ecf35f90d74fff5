/** The policy and its changes in words that a product owner understands, in both languages of the service. */

import { field } from '../fields/define.ts';
import { forLocale, labelText, type ServiceLocale } from '../kernel/messages.ts';
import { defineResource } from '../model/define-resource.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { isNever, type RowExpression } from '../model/row-expression.ts';
import { everyName, rowSentence } from '../model/row-sentences.ts';
import type { AccessChange, CodeChange } from './changes.ts';
import type { CallerGroup } from './lock-file.ts';
import type { FieldVerb, RightAction } from './policy.ts';
import { modelsAsked, type Witness } from './verdict.ts';
import type { ShownValues } from './witness-values.ts';

/** The texts that differ between the languages. */
interface Phrases {
  readonly callers: Readonly<Record<'anonymous' | 'application' | 'user' | 'admin' | 'super_admin', string>>;
  readonly role: (role: string) => string;
  readonly granted: (who: string, grant: string) => string;
  readonly methods: Readonly<Record<string, string>>;
  readonly byMethods: (who: string, methods: readonly string[]) => string;
  readonly and: (parts: readonly string[]) => string;
  readonly list: (parts: readonly string[]) => string;
  readonly actions: Readonly<Record<RightAction, string>>;
  /** Where a field is seen or set. */
  readonly ways: Readonly<Record<RightAction, string>>;
  readonly recordsOf: (model: string) => string;
  readonly may: (actions: readonly string[], rows: string) => string;
  readonly mayCall: string;
  readonly mayRegister: string;
  readonly fields: Readonly<
    Record<FieldVerb, (fields: string, where: string | undefined, within: string | undefined) => string>
  >;
  readonly canNow: (who: string, actions: string, subject: string) => string;
  readonly more: (who: string, actions: string, subject: string) => string;
  readonly no: (who: string, actions: string, subject: string) => string;
  readonly fewer: (who: string, actions: string, subject: string) => string;
  readonly fieldGained: Readonly<
    Record<FieldVerb, (who: string, field: string, subject: string, actions: string) => string>
  >;
  readonly fieldLost: Readonly<
    Record<FieldVerb, (who: string, field: string, subject: string, actions: string) => string>
  >;
  readonly undecided: (who: string, actions: string, subject: string) => string;
  readonly before: (rows: string) => string;
  readonly now: (rows: string) => string;
  readonly example: (caller: string, record: string, related: readonly string[]) => string;
  readonly someUser: (id: number) => string;
  readonly notUser: string;
  readonly headings: Readonly<Record<'gained' | 'lost' | 'undecided' | 'code' | 'reworded', string>>;
  readonly unchanged: string;
  readonly codeStates: Readonly<Record<CodeChange['state'], (part: string) => string>>;
  readonly end: string;
}

const ticked = (text: string): string => `\`${text}\``;

const en: Phrases = {
  callers: {
    anonymous: 'callers who are not signed in',
    application: 'applications that sign their requests',
    user: 'all signed-in users',
    admin: 'administrators (`admin`)',
    super_admin: 'users with the role `super_admin`',
  },
  role: (role) => `users with the role \`${role}\``,
  granted: (who, grant) => `${who === 'all signed-in users' ? 'users' : who} with the grant \`${grant}\``,
  methods: {
    jwt: 'token',
    api_key: 'API key',
    session: 'session',
    signature: 'request signature',
    http_signature: 'HTTP message signature',
  },
  byMethods: (who, methods) => `${who} (${methods.join(', ')})`,
  and: (parts) =>
    parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`,
  list: (parts) => parts.join(', '),
  actions: {
    list: 'list',
    detail: 'read',
    history: 'read former versions of',
    create: 'create',
    update: 'change',
    destroy: 'delete',
    trash: 'restore deleted',
    call: 'call',
    register: 'register as',
  },
  ways: {
    list: 'in lists',
    detail: 'in single records',
    history: 'in former versions',
    create: 'when they create',
    update: 'when they change',
    destroy: 'when they delete',
    trash: 'in deleted records',
    call: 'when they call',
    register: 'when they register',
  },
  recordsOf: (model) => `records of ${model}`,
  may: (actions, rows) => `may ${actions.join(', ')}: ${rows}`,
  mayCall: 'may call it; what the code then does is not decided here',
  mayRegister: 'may register',
  fields: {
    reads: (fields, where, within) =>
      `see${within ?? ''}: ${fields}${where === undefined ? '' : `, only in ${where}`}`,
    writes: (fields, where, within) =>
      `set${within ?? ''}: ${fields}${where === undefined ? '' : `, only in ${where}`}`,
    names: (fields, where, within) =>
      `may name any existing record${within ?? ''} in: ${fields}${where === undefined ? '' : `, only in ${where}`}`,
    becomes: (fields) => `get the roles: ${fields}`,
  },
  canNow: (who, actions, subject) => `${who} can now ${actions} ${subject}`,
  more: (who, actions, subject) => `${who} can now ${actions} ${subject} that they could not before`,
  no: (who, actions, subject) => `${who} can no longer ${actions} ${subject}`,
  fewer: (who, actions, subject) => `${who} can no longer ${actions} some ${subject}`,
  fieldGained: {
    reads: (who, field, subject, actions) =>
      `${who} now see the field ${field} of ${subject} where they did not before, ${actions}`,
    writes: (who, field, subject, actions) =>
      `${who} can now set the field ${field} of ${subject} where they could not before, ${actions}`,
    names: (who, field, subject) =>
      `${who} can now name records that they cannot read in ${field} of ${subject}`,
    becomes: (who, field) => `${who} who register now get the role ${field}`,
  },
  fieldLost: {
    reads: (who, field, subject, actions) =>
      `${who} no longer see the field ${field} of some ${subject}, ${actions}`,
    writes: (who, field, subject, actions) =>
      `${who} can no longer set the field ${field} of some ${subject}, ${actions}`,
    names: (who, field, subject) =>
      `${who} can no longer name records that they cannot read in ${field} of ${subject}`,
    becomes: (who, field) => `${who} who register no longer get the role ${field}`,
  },
  undecided: (who, actions, subject) =>
    `${who}, ${actions} ${subject}: the conditions are too large to be decided`,
  before: (rows) => `before: ${rows}`,
  now: (rows) => `now: ${rows}`,
  example: (caller, record, related) =>
    `for example ${caller} and ${record}${related.length === 0 ? '' : `, where there is ${related.join(' and ')}`}`,
  someUser: (id) => `user ${id}`,
  notUser: 'a caller who is no user',
  headings: {
    gained: 'Gained',
    lost: 'Lost',
    undecided: 'Not decided: too large',
    code: 'Not decided: code',
    reworded: 'The same in other words',
  },
  unchanged: 'No access was gained or lost.',
  codeStates: {
    same: (part) => `${part} (as before)`,
    changed: (part) => `${part} was changed`,
    added: (part) => `${part} is new`,
    removed: (part) => `${part} is gone`,
  },
  end: '.',
};

const zh: Phrases = {
  callers: {
    anonymous: '任何人（无需登录）',
    application: '为请求签名的应用',
    user: '每个已登录的用户',
    admin: '管理员（`admin`）',
    super_admin: '角色为 `super_admin` 的用户',
  },
  role: (role) => `角色为 \`${role}\` 的用户`,
  granted: (who, grant) => `拥有授权 \`${grant}\` 的${who === '每个已登录的用户' ? '用户' : who}`,
  methods: {
    jwt: '令牌',
    api_key: 'API 密钥',
    session: '会话',
    signature: '请求签名',
    http_signature: 'HTTP 消息签名',
  },
  byMethods: (who, methods) => `${who}（${methods.join('、')}）`,
  and: (parts) => (parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join('、')}和${parts.at(-1)}`),
  list: (parts) => parts.join('、'),
  actions: {
    list: '列出',
    detail: '读取',
    history: '读取历史版本',
    create: '新增',
    update: '修改',
    destroy: '删除',
    trash: '恢复已删除的',
    call: '调用',
    register: '注册为',
  },
  ways: {
    list: '列表',
    detail: '单条记录',
    history: '历史版本',
    create: '新增时',
    update: '修改时',
    destroy: '删除时',
    trash: '已删除的记录',
    call: '调用时',
    register: '注册时',
  },
  recordsOf: (model) => `${model} 记录`,
  may: (actions, rows) => `可${actions.join('、')}：${rows}`,
  mayCall: '可调用；其代码之后所做的不在此判定',
  mayRegister: '可注册',
  fields: {
    reads: (fields, where, within) =>
      `可见${within ?? ''}：${fields}${where === undefined ? '' : `，仅限${where}`}`,
    writes: (fields, where, within) =>
      `可设置${within ?? ''}：${fields}${where === undefined ? '' : `，仅限${where}`}`,
    names: (fields, where, within) =>
      `可在以下字段中引用任何已有记录${within ?? ''}：${fields}${where === undefined ? '' : `，仅限${where}`}`,
    becomes: (fields) => `获得角色：${fields}`,
  },
  canNow: (who, actions, subject) => `${who}现在可以${actions} ${subject}`,
  more: (who, actions, subject) => `${who}现在可以${actions}此前不能操作的 ${subject}`,
  no: (who, actions, subject) => `${who}不再能${actions} ${subject}`,
  fewer: (who, actions, subject) => `${who}不再能${actions}某些 ${subject}`,
  fieldGained: {
    reads: (who, field, subject, actions) =>
      `${who}现在可以看到此前看不到的 ${subject} 的字段 ${field}（${actions}）`,
    writes: (who, field, subject, actions) =>
      `${who}现在可以设置此前不能设置的 ${subject} 的字段 ${field}（${actions}）`,
    names: (who, field, subject) => `${who}现在可以在 ${subject} 的 ${field} 中引用自己不可读的记录`,
    becomes: (who, field) => `注册的${who}现在获得角色 ${field}`,
  },
  fieldLost: {
    reads: (who, field, subject, actions) => `${who}不再能看到某些 ${subject} 的字段 ${field}（${actions}）`,
    writes: (who, field, subject, actions) => `${who}不再能设置某些 ${subject} 的字段 ${field}（${actions}）`,
    names: (who, field, subject) => `${who}不再能在 ${subject} 的 ${field} 中引用自己不可读的记录`,
    becomes: (who, field) => `注册的${who}不再获得角色 ${field}`,
  },
  undecided: (who, actions, subject) => `${who}${actions} ${subject}：条件过大，无法判定`,
  before: (rows) => `此前：${rows}`,
  now: (rows) => `现在：${rows}`,
  example: (caller, record, related) =>
    `例如${caller}与 ${record}${related.length === 0 ? '' : `，且存在 ${related.join('、')}`}`,
  someUser: (id) => `用户 ${id} `,
  notUser: '非用户的调用者',
  headings: {
    gained: '新增的权限',
    lost: '失去的权限',
    undecided: '未判定：条件过大',
    code: '未判定：代码',
    reworded: '含义不变，写法不同',
  },
  unchanged: '没有人获得或失去任何权限。',
  codeStates: {
    same: (part) => `${part}（未变）`,
    changed: (part) => `${part} 已修改`,
    added: (part) => `${part} 为新增`,
    removed: (part) => `${part} 已移除`,
  },
  end: '。',
};

const phrases: Readonly<Record<ServiceLocale, Phrases>> = { 'zh-CN': zh, en };

/** Stands for a model that is gone: conditions of an earlier version may name it. */
const goneModel = (name: string): ResourceModel => ({
  ...defineResource('Gone', { fields: { name: field.string() } }),
  name,
  label: name,
  fields: new Map(),
});

/** The words of one language, for the models of the later version. */
export class AccessWords {
  readonly #models: Models;
  readonly #locale: ServiceLocale;
  readonly phrases: Phrases;

  constructor(models: Models, locale: ServiceLocale) {
    this.#models = models;
    this.#locale = locale;
    this.phrases = forLocale(phrases, locale);
  }

  subject(name: string): string {
    const model = this.#models.get(name);
    const label = model === undefined ? name : labelText(model.label, this.#locale);
    const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
    return plain(label) === plain(name) ? ticked(name) : `${label} ${ticked(name)}`;
  }

  #who(kind: string): string {
    const { callers, role, granted } = this.phrases;
    const [, plain = '', grant = ''] = /^(\S+) with (.+)$/.exec(kind) ?? [];
    if (grant !== '') return granted(this.#who(plain), grant.replace('.', ' '));
    if (kind.startsWith('role ')) return role(kind.slice('role '.length));
    return callers[kind as keyof typeof callers] ?? kind;
  }

  callers(groups: readonly CallerGroup[]): string {
    const { and, byMethods, methods: names } = this.phrases;
    return and(
      groups.map(({ kinds, methods }) => {
        const who = and(kinds.map((kind) => this.#who(kind)));
        return methods.length === 0
          ? who
          : byMethods(
              who,
              methods.map((method) => names[method] ?? method),
            );
      }),
    );
  }

  ways(actions: readonly RightAction[]): string {
    return this.phrases.and(actions.map((action) => this.phrases.ways[action]));
  }

  actions(actions: readonly RightAction[]): string {
    return this.phrases.and(actions.map((action) => this.phrases.actions[action]));
  }

  /** The records that a condition admits, as the end of another sentence. */
  rows(subject: string, expression: RowExpression): string {
    const missing = [subject, ...modelsAsked(expression)].filter((name) => !this.#models.has(name));
    const all = new Map([...this.#models, ...missing.map((name) => [name, goneModel(name)] as const)]);
    const model = all.get(subject) ?? goneModel(subject);
    const sentence = rowSentence(expression, model, everyName(all), this.#locale);
    return sentence.charAt(0).toLowerCase() + sentence.slice(1);
  }

  #shown(record: ShownValues): string {
    const values = Object.entries(record).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return `{ ${values.join(', ')} }`;
  }

  example(subject: string, { record, caller, related }: Witness<ShownValues>): string {
    const { example, someUser, notUser } = this.phrases;
    return example(
      caller === null ? notUser : someUser(caller),
      `${subject} ${this.#shown(record)}`,
      related.map(({ model, record: other }) => `${model} ${this.#shown(other)}`),
    );
  }

  /** Says in one sentence what somebody gained or lost. */
  sentence(change: AccessChange, actions: readonly RightAction[], side: 'gained' | 'lost'): string {
    const { canNow, more, no, fewer, fieldGained, fieldLost, undecided, end } = this.phrases;
    const who = this.callers(change.callers);
    const isModel = this.#models.has(change.subject) || !change.subject.includes(' ');
    const name = this.subject(change.subject);
    const what = isModel && change.action !== 'register' ? this.phrases.recordsOf(name) : name;
    const done = change.field === undefined ? this.actions(actions) : this.ways(actions);
    const upper = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
    if (change.judgement.verdict === 'undecided') return upper(undecided(who, done, what));
    if (change.field !== undefined) {
      const by = side === 'gained' ? fieldGained : fieldLost;
      return upper(by[change.field.verb](who, ticked(change.field.name), what, done));
    }
    if (side === 'gained') return upper((isNever(change.before) ? canNow : more)(who, done, what));
    return upper((isNever(change.after) ? no : fewer)(who, done, what));
  }
}
