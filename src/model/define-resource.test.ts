import { describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import type { StringOptions } from '../fields/string.ts';
import { defineResource } from './define-resource.ts';
import { pluralOf } from './definition/inflect.ts';
import type { ResourceDefinition } from './definition.ts';
import { DefinitionError } from './definition-error.ts';
import { collectModels, referencedTable } from './models.ts';
import { reservedPaths, reservedTables, snakeOf } from './names.ts';
import { equals, own } from './row-rule.ts';
import type { FieldDefinitions } from './types.ts';

const title = field.string({ required: true, max: 200 });

const article = defineResource('Article', {
  fields: {
    title,
    body: field.text(),
    published: field.boolean({ default: false }),
    editor: field.reference('User', { label: { 'zh-CN': '编辑', en: 'Editor' } }),
    user_id: field.owner(),
  },
  views: { list: ['id', 'title'], detail: ['id', 'title', 'editor_id'] },
  permissions: 'writes',
  isolation: true,
  ownership: true,
  restricted: ['editor_id'],
  publicRead: { where: { published: true } },
  auth: { create: ['jwt', 'api_key'], destroy: ['jwt'] },
  indexes: [['published', 'created_at']],
});

/** A definition of a JavaScript file, which the compiler would not accept. */
const loosely = (name: string, definition: object) =>
  defineResource(name, definition as ResourceDefinition<FieldDefinitions>);

describe('defineResource', () => {
  it('refuses to search a field that is read under a condition', () => {
    const fields = { title, note: field.text(), open: field.boolean() };
    const views = { when: [[equals('open', true), ['note']]] };
    expect(() => loosely('Ticket', { fields, views, search: ['title', 'note'] })).toThrow(
      'a field of views.when cannot be searched',
    );
    expect(loosely('Ticket', { fields, views, search: ['title'] }).search).toEqual(['title']);
  });

  it('fills in everything of a resource without options', () => {
    const note = defineResource('BlogPost', { fields: { title, body: field.text() } });
    const all = ['id', 'title', 'body', 'created_at', 'updated_at'];
    expect(note).toMatchObject({
      name: 'BlogPost',
      path: 'blog_posts',
      table: 'blog_posts',
      singular: 'blog_post',
      plural: 'blog_posts',
      label: 'Blog post',
      owner: undefined,
      views: { list: all, detail: all, saved: all },
      rules: { permissions: 'none', isolation: undefined, ownership: false, publicRead: undefined },
      auth: { list: ['jwt'], detail: ['jwt'], create: ['jwt'], update: ['jwt'], destroy: ['jwt'] },
      indexes: [],
    });
    expect([...note.fields.keys()]).toEqual(all);
    expect([...note.fields.values()].filter((one) => one.serverSet).map((one) => one.name)).toEqual([
      'id',
      'created_at',
      'updated_at',
    ]);
    expect(note.rules.restricted.size).toBe(0);
    expect(Object.isFrozen(note) && Object.isFrozen(note.views) && Object.isFrozen(note.rules)).toBe(true);
  });

  it('keeps every rule that was switched on', () => {
    expect(article).toMatchObject({
      owner: 'user_id',
      views: {
        list: ['id', 'title'],
        detail: ['id', 'title', 'editor_id'],
        saved: ['id', 'title', 'editor_id'],
      },
      rules: {
        permissions: 'writes',
        isolation: { byOwner: true, read: { words: 'user_id = caller' } },
        ownership: true,
        publicRead: [{ column: 'published', value: true, said: 'true' }],
      },
      auth: { list: ['jwt'], create: ['jwt', 'api_key'], destroy: ['jwt'] },
    });
    expect([...article.rules.restricted]).toEqual(['editor_id']);
  });

  it('names references by their column and indexes them', () => {
    expect(article.fields.get('editor_id')).toMatchObject({ kind: 'reference', reference: 'User' });
    expect(article.fields.has('editor')).toBe(false);
    expect(article.indexes).toEqual([
      { columns: ['editor_id'], unique: false },
      { columns: ['user_id'], unique: false },
      { columns: ['published', 'created_at'], unique: false },
    ]);
  });

  it.each<[string, object, unknown]>([
    ['OrderLine', {}, 'Order lines'],
    ['Medium', { plural: 'mediums' }, 'Mediums'],
    ['Medium', { plural: 'mediums', label: 'medium' }, 'Mediums'],
    ['Staff', { plural: 'staff_members' }, 'Staff members'],
    ['Order', { label: 'Purchase order' }, 'Purchase orders'],
    ['Order', { label: 'FAQ' }, 'FAQs'],
    ['Order', { label: 'Person' }, 'People'],
    ['Order', { label: 'Sub-Category' }, 'Sub-Categories'],
    ['Order', { label: 'Settings' }, 'Settings'],
    ['Order', { label: 'Traffic' }, 'Traffic'],
    ['Order', { label: 'Build 19' }, 'Build 19'],
    ['Order', { label: '订单' }, '订单'],
    [
      'Order',
      { label: { 'zh-CN': '订单', en: 'Order', de: 'Bestellung' } },
      { 'zh-CN': '订单', en: 'Orders', de: 'Bestellung' },
    ],
    ['Order', { label: 'Point of sale', pluralLabel: 'Points of sale' }, 'Points of sale'],
    [
      'Order',
      { pluralLabel: { 'zh-CN': '全部订单', en: 'Purchases' } },
      { 'zh-CN': '全部订单', en: 'Purchases' },
    ],
  ])('names several records: %s %j is %j', (name, options, expected) => {
    expect(defineResource(name, { fields: { title: field.string() }, ...options }).pluralLabel).toEqual(
      expected,
    );
  });

  it('labels fields by option, by the words of the service, or by their name', () => {
    expect(article.fields.get('editor_id')?.label).toEqual({ 'zh-CN': '编辑', en: 'Editor' });
    expect(article.fields.get('created_at')?.label).toEqual({ 'zh-CN': '创建时间', en: 'Created at' });
    expect(article.fields.get('published')?.label).toBe('Published');
  });

  it('shows no more in a view that was not named than in detail', () => {
    const hidden = defineResource('Memo', {
      fields: { title, secret: field.string() },
      views: { detail: ['id', 'title'] },
    });
    expect(Object.values(hidden.views).flat()).not.toContain('secret');
  });

  it('keeps a field that is called like something of Object.prototype out of it', () => {
    const plain = defineResource('Memo', { fields: { has_own: field.string(), select: field.string() } });
    expect(plain.fields.has('select')).toBe(true);
    expect(() => loosely('Memo', { fields: { constructor: field.string() } })).toThrow(DefinitionError);
  });
});

describe('mistakes in a model file', () => {
  const owned = { title, user_id: field.owner() };
  it.each<[string, string, object, RegExp]>([
    ['name', 'blogPost', { fields: { title } }, /^blogPost: the name of a model/],
    ['name', 'Blog Post', { fields: { title } }, /the name of a model/],
    ['path', 'User', { fields: { title } }, /^User: the path "users" belongs to the service/],
    ['path', 'Memo', { fields: { title }, plural: 'meta' }, /the path "meta"/],
    ['path of changes', 'Change', { fields: { title } }, /the path "changes"/],
    ['table', 'Session', { fields: { title } }, /the table "sessions" belongs/],
    ['table', 'PgClass', { fields: { title } }, /the table "pg_classes" belongs/],
    ['plural', 'News', { fields: { title } }, /^News: cannot tell the plural of "news"/],
    ['plural', 'Memo', { fields: { title }, plural: 'Memos; drop' }, /plural "Memos; drop" must be/],
    ['singular', 'Memo', { fields: { title }, singular: '__proto__' }, /singular/],
    ['no fields', 'Memo', { fields: {} }, /^Memo: it has no fields/],
    ['own field', 'Memo', { fields: { id: title } }, /^Memo\.id: the service sets/],
    ['own field', 'Memo', { fields: { version: title } }, /^Memo\.version: the service sets/],
    ['field name', 'Memo', { fields: { 'ti"tle': title } }, /^Memo\.ti"tle: the name of a field/],
    ['field name', 'Memo', { fields: { Title: title } }, /^Memo\.Title/],
    ...['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid', 'CTID'].map(
      (name): [string, string, object, RegExp] => [
        'system column',
        'Memo',
        { fields: { [name]: title } },
        new RegExp(`^Memo\\.${name}: PostgreSQL has a column of its own by this name`),
      ],
    ),
    [
      'field of the trash',
      'Memo',
      { fields: { deleted_at: title }, trash: true },
      /^Memo\.deleted_at: the trash tells by this name/,
    ],
    ['trash', 'Memo', { fields: { title }, trash: 30 }, /^Memo: trash must be/],
    ['system column', 'Memo', { fields: { rowid: title } }, /^Memo\.rowid: SQLite has a column of its own/],
    ['system column', 'Memo', { fields: { _rowid_: title } }, /^Memo\._rowid_: SQLite has a column/],
    ['table', 'Memo', { fields: { title }, plural: 'json_each' }, /the table "json_each" belongs/],
    ['table', 'Memo', { fields: { title }, plural: 'pragma_index_list' }, /belongs to the service or to/],
    ['table', 'Memo', { fields: { title }, plural: 'sqlite_sequence' }, /belongs to the service or to/],
    ['field name', 'Memo', { fields: { ['x'.repeat(49)]: title } }, /at most 48 characters/],
    [
      'same name',
      'Memo',
      { fields: { a: field.reference('User'), a_id: title } },
      /^Memo\.a_id: two fields have this name/,
    ],
    [
      'view',
      'Memo',
      { fields: { title }, views: { list: ['titel'] } },
      /views\.list names the unknown field "titel": the nearest is "title"/,
    ],
    ['view', 'Memo', { fields: { title }, views: { list: [] } }, /views\.list has no fields/],
    ['view', 'Memo', { fields: { title }, views: { list: ['id', 'id'] } }, /twice/],
    [
      'view',
      'Memo',
      { fields: { title }, views: { edit: ['id'] } },
      /^Memo: there is no option "views\.edit": the nearest is "list"$/,
    ],
    ['restricted', 'Memo', { fields: { title }, restricted: ['note'] }, /restricted names the unknown field/],
    ['restricted', 'Memo', { fields: { title }, restricted: ['id'] }, /^Memo\.id: restricted/],
    [
      'restricted',
      'Memo',
      { fields: { title }, restricted: ['title', { fields: ['title'], unless: equals('title', 'x') }] },
      /^Memo\.title: restricted names the field twice/,
    ],
    [
      'conditional views',
      'Memo',
      { fields: { title }, views: { when: [[equals('title', 'x'), ['note']]] } },
      /views\.when names the unknown field "note"/,
    ],
    [
      'conditional views',
      'Memo',
      { fields: { title }, views: { when: [[equals('title', 'x'), ['id']]] } },
      /^Memo\.id: views\.when: every reader sees the id/,
    ],
    [
      'conditional views',
      'Memo',
      {
        fields: { title },
        views: {
          when: [
            [equals('title', 'x'), ['title']],
            [equals('title', 'y'), ['title']],
          ],
        },
      },
      /^Memo\.title: views\.when names the field twice: join its conditions by anyOf/,
    ],
    [
      'conditional views',
      'Memo',
      {
        fields: { title },
        views: { when: Array.from({ length: 5 }, () => [equals('title', 'x'), ['title']]) },
      },
      /^Memo: views\.when has more than 4 conditions/,
    ],
    [
      'permissions',
      'Memo',
      { fields: { title }, permissions: true },
      /permissions must be "writes" or "all", not true/,
    ],
    ['isolation', 'Memo', { fields: { title }, isolation: true }, /^Memo: isolation needs the field user_id/],
    ['ownership', 'Memo', { fields: { title }, ownership: true }, /^Memo: ownership needs the field user_id/],
    [
      'owner',
      'Memo',
      { fields: { author: field.owner() } },
      /^Memo\.author: the owner field is called user_id/,
    ],
    ['owners', 'Memo', { fields: { ...owned, user: field.owner() } }, /two fields have this name/],
    ['auth', 'Memo', { fields: { title }, auth: ['basic'] }, /auth\[0\] must be "jwt" or .*, not "basic"/],
    ['auth', 'Memo', { fields: { title }, auth: [] }, /no authentication method for list/],
    [
      'auth',
      'Memo',
      { fields: { title }, auth: { lists: ['jwt'] } },
      /there is no option "auth\.lists": the nearest is "list"/,
    ],
    ['public', 'Memo', { fields: { title }, publicRead: { where: {} } }, /publicRead\.where is empty/],
    [
      'public',
      'Memo',
      { fields: { title }, publicRead: { where: { title: 'x' }, orOwn: true } },
      /publicRead\.orOwn needs isolation/,
    ],
    ['public', 'Memo', { fields: { title }, publicRead: { where: { live: true } } }, /unknown field "live"/],
    ['public', 'Memo', { fields: { title }, publicRead: { where: { title: null } } }, /^Memo\.title/],
    ['public', 'Memo', { fields: { title }, publicRead: { where: { title: 1 } } }, /breaks the rule type/],
    ...(
      [
        [
          { columns: { titel: 'x' } },
          /^Memo: table\.columns names the unknown field "titel": the nearest is "title"/,
        ],
        [
          { columns: { title: 'NOTE', note: 'note' } },
          /^Memo: table\.columns: title and note have one column/,
        ],
        [{ columns: { title: 'note' } }, /title and note have one column, "note"/],
        [{ columns: { title: 'version' } }, /title and version have one column/],
        [{ columns: { title: 'a"b' } }, /table\.columns\.title "a\\"b" has a quote/],
        [{ columns: { title: 'a\0b' } }, /has a character that no database accepts/],
        [{ columns: { title: 'é'.repeat(32) } }, /is longer than 63 bytes/],
        [{ columns: { title: ' ' } }, /is empty/],
        [{ columns: { title: 'XMIN' } }, /PostgreSQL has a column "XMIN" of its own/],
        [{ columns: { id: 'memo_id' } }, /table\.columns\.id: the service makes this column itself/],
        [{ name: 'Users' }, /the table "Users" belongs to the service/],
        [{ name: 'gatewright_jobs' }, /belongs to the service/],
        [{ name: 'a'.repeat(64) }, /table\.name .* is longer than 63 bytes/],
        [{ schema: 'shop' }, /only an external table has a schema/],
        [{ nmae: 'x' }, /there is no option "table\.nmae": the nearest is "name"/],
      ] as const
    ).map(([table, message]): [string, string, object, RegExp] => [
      'table',
      'Memo',
      { fields: { title, note: title }, table },
      message,
    ]),
    ['index', 'Memo', { fields: { title }, indexes: [['titel']] }, /indexes names the unknown field/],
    ['index', 'Memo', { fields: { body: field.text({ unique: true }) } }, /^Memo\.body: an index takes/],
    ['index', 'Memo', { fields: { code: field.string({ index: true, max: 2_000 }) } }, /^Memo\.code/],
    [
      'default',
      'Memo',
      { fields: { size: field.integer({ min: 1, default: 0 }) } },
      /^Memo\.size: its default breaks the rule minimum/,
    ],
    ['bounds', 'Memo', { fields: { size: field.integer({ min: 2, max: 1 }) } }, /min 2 is above max 1/],
    ['bounds', 'Memo', { fields: { size: field.integer({ max: 2 ** 60 }) } }, /2\^53/],
    ['pattern', 'Memo', { fields: { code: field.string({ pattern: '(' }) } }, /^Memo\.code: pattern/],
    ['choices', 'Memo', { fields: { state: field.enum([]) } }, /^Memo\.state: it has no choices/],
    ['choices', 'Memo', { fields: { state: field.enum(['a', 'a']) } }, /named twice/],
    ['choices', 'Memo', { fields: { state: field.enum(['a ']) } }, /nor with a blank at an end/],
    ['choices', 'Memo', { fields: { state: field.enum(['']) } }, /must be a text, not ""/],
    ['choices', 'Memo', { fields: { state: field.enum(['a\nb']) } }, /it is one line/],
  ])('refuses a model with a mistake: %s, %s', (_what, name, definition, message) => {
    const define = () => loosely(name, definition);
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(message);
  });
});

describe('options that do not exist, and values of the wrong type', () => {
  const fields = { title, user_id: field.owner() };
  const wrong = (options: object) => ({ fields: { title: field.string(options as StringOptions) } });
  it.each<[string, object, string]>([
    ['resource', { fields, permisions: 'writes' }, 'no option "permisions": the nearest is "permissions"'],
    ['resource', { fields, isolatoin: true }, 'no option "isolatoin": the nearest is "isolation"'],
    ['resource', { fields, constructor: 1 }, 'no option "constructor"'],
    ['resource', { fields, permissions: 'write' }, 'permissions must be "writes" or "all", not "write"'],
    ['resource', { fields, permissions: undefined }, 'permissions must be "writes" or "all", not undefined'],
    ['resource', { fields, isolation: 'yes' }, 'isolation must be true, false, or conditions'],
    ['resource', { fields, ownership: 1 }, 'ownership must be true or false, not 1'],
    ['resource', { fields, restricted: 'title' }, 'restricted must be a list, not "title"'],
    [
      'field',
      { fields: { a: field.reference('Note', { shows: ['name'] } as never) } },
      'shows is for references to User, not to Note',
    ],
    [
      'field',
      { fields: { user_id: field.owner({ shows: ['roles'] as never }) } },
      'shows[0] must be "username" or "email" or "name"',
    ],
    ['field', { fields: { user_id: field.owner({ shows: [] }) } }, 'shows is empty: say what is shown'],
    [
      'resource',
      { fields, views: { when: [own()] } },
      'views.when[0] must be a pair: a condition, and a list of fields',
    ],
    ['resource', { fields, views: { when: [['staff', ['title']]] } }, 'views.when[0][0] must be made by own'],
    ['resource', { fields, views: { when: [[own(), []]] } }, 'views.when[0] has no fields'],
    ['resource', { fields, restricted: [true] }, 'restricted[0] must be a text, not true'],
    ['resource', { fields, restricted: [{ fields: [], unless: own() }] }, 'restricted[0] has no fields'],
    [
      'resource',
      { fields, restricted: [{ fields: ['title'] }] },
      'restricted[0] has no condition: say unless',
    ],
    [
      'resource',
      { fields, restricted: [{ fields: ['title'], unless: 'staff' }] },
      'restricted[0].unless must be made by own',
    ],
    [
      'resource',
      { fields, label: { zh_CN: '备忘', en: 'Memo' } },
      'no option "label.zh_CN": a text per language is named by language',
    ],
    ['resource', { fields, label: {} }, 'label has no text in any language'],
    ['resource', { fields, pluralLabel: 5 }, 'pluralLabel must be an object, not 5'],
    ['resource', { fields, pluralLabel: {} }, 'pluralLabel has no text in any language'],
    ['resource', { fields, labelPlural: 'Memos' }, 'there is no option "labelPlural"'],
    ['resource', { fields, plural: ['memos'] }, 'plural must be a text, not a list'],
    ['resource', { fields, views: ['title'] }, 'views must be an object, not a list'],
    ['resource', { fields, views: { list: 'title' } }, 'views.list must be a list, not "title"'],
    ['resource', { fields, publicRead: true }, 'publicRead must be an object, not true'],
    ['resource', { fields, publicRead: {} }, 'publicRead has no where'],
    ['resource', { fields, publicRead: { were: {} } }, 'no option "publicRead.were": the nearest is "where"'],
    ['resource', { fields, auth: 'jwt' }, 'auth must be an object, not "jwt"'],
    ['resource', { fields, auth: { create: 'jwt' } }, 'auth.create must be a list, not "jwt"'],
    [
      'resource',
      { fields, hooks: { beforesave: () => {} } },
      '"hooks.beforesave": the nearest is "beforeSave"',
    ],
    ['resource', { fields, hooks: { beforeSave: true } }, 'hooks.beforeSave must be a function, not true'],
    [
      'resource',
      {
        fields,
        hooks: new (class {
          beforeSave() {}
        })(),
      },
      'hooks must be an object',
    ],
    ['resource', { fields, indexes: ['title'] }, 'indexes[0] must be a list, not "title"'],
    ['resource', { fields: { title: 'string' } }, 'fields.title must be made by a function of `field`'],
    ['unique', { fields, unique: ['title'] }, 'unique[0] must be a list, not "title"'],
    ['unique', { fields, unique: [[]] }, 'Memo: unique: each set names one field or several, each once'],
    ['unique', { fields, unique: [['title', 'title']] }, 'each set names one field or several, each once'],
    [
      'unique',
      { fields, unique: [['title', 'titel']] },
      'Memo: unique names the unknown field "titel": the nearest is "title"',
    ],
    [
      'unique',
      { fields, unique: [['title', 'created_at']] },
      'Memo.created_at: unique: the service sets this field itself',
    ],
    [
      'unique',
      wrong({ unique: 'owner' }),
      "Memo.title: unique: 'owner' needs the field user_id: field.owner()",
    ],
    [
      'unique',
      {
        fields: { title: field.string({ unique: 'owner' }), user_id: field.owner() },
        unique: [['title', 'user_id']],
      },
      'Memo: unique: user_id, title are named twice',
    ],
    [
      'unique',
      { fields: { a: field.text(), b: field.string() }, unique: [['a', 'b']] },
      'Memo: an index takes at most 2600 bytes',
    ],
    ['resource', { feilds: fields }, 'no option "feilds": the nearest is "fields"'],
    ['resource', {}, 'it has no fields'],
    [
      'field',
      wrong({ requird: true }),
      'Memo.title: there is no option "requird": the nearest is "required"',
    ],
    ['field', wrong({ required: 'no' }), 'required must be true or false, not "no"'],
    ['field', wrong({ unique: 1 }), 'unique must be true or false or "owner", not 1'],
    ['field', wrong({ max: '200' }), 'max must be a number, not "200"'],
    ['field', wrong({ pattern: /^a$/ }), 'pattern must be a text, not an object'],
    ['field', wrong({ scale: 2 }), 'no option "scale"'],
    ['field', wrong('required' as never), 'must be an object, not "required"'],
    [
      'choices',
      { fields: { state: field.enum('draft,live' as never) } },
      'Memo.state: the list of choices must be a list, not "draft,live"',
    ],
    [
      'colors',
      { fields: { state: field.enum(['paid'], { colors: { paid: 'greeen' } } as never) } },
      'Memo.state: colors.paid: there is no colour "greeen": the nearest is "green" (grey, red, orange',
    ],
    [
      'colors',
      { fields: { state: field.enum(['paid'], { colors: { payd: 'green' } } as never) } },
      'Memo.state: color for payd, which is not a choice: the nearest is "paid"',
    ],
    ['group', wrong({ group: {} as never }), 'Memo.title: group has no text in any language'],
    ['icon', { fields: { title }, icon: 'boook' }, 'icon: there is no icon "boook": the nearest is "book"'],
    ['menu', { fields: { title }, menu: 5 }, 'menu must be'],
    [
      'labels',
      { fields: { state: field.enum(['a'], { labels: { a: {} } } as never) } },
      'Memo.state: labels.a has no text in any language',
    ],
    [
      'argument',
      { fields: { author: field.reference('User', { to: 'Author' } as never) } },
      'Memo.author_id: there is no option "to"',
    ],
    [
      'argument',
      { fields: { author: field.reference(undefined as never) } },
      'the name of the model must be',
    ],
    [
      'onDelete',
      { fields: { author: field.reference('User', { onDelete: 'delete' } as never) } },
      'Memo.author_id: onDelete must be "restrict" or "null" or "cascade", not "delete"',
    ],
    [
      'onDelete',
      { fields: { author: field.reference('User', { required: true, onDelete: 'null' } as never) } },
      'Memo.author_id: onDelete: a required reference cannot become null, so it is "restrict" or "cascade"',
    ],
    [
      'owner',
      { fields: { user_id: field.owner({ required: true } as never) } },
      'Memo.user_id: there is no option "required": the nearest is "unique"',
    ],
  ])('refuses wrong options of a %s: %j', (_what, definition, message) => {
    const define = () => loosely('Memo', definition);
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(message);
  });
});

describe('plurals', () => {
  it.each([
    ['category', 'categories'],
    ['key', 'keys'],
    ['box', 'boxes'],
    ['status', 'statuses'],
    ['address', 'addresses'],
    ['alias', 'aliases'],
    ['branch', 'branches'],
    ['epoch', 'epochs'],
    ['person', 'people'],
    ['sales_person', 'sales_people'],
    ['child', 'children'],
    ['analysis', 'analyses'],
    ['index', 'indexes'],
    ['quiz', 'quizzes'],
    ['day', 'days'],
    ['hero', 'heroes'],
    ['photo', 'photos'],
    ['roof', 'roofs'],
    ['soliloquy', 'soliloquies'],
    ['constructor', 'constructors'],
    ['news', undefined],
    ['series', undefined],
    ['orders', undefined],
    ['metadata', undefined],
    ['sheep', undefined],
  ])('the plural of %s is %s', (singular, plural) => {
    expect(pluralOf(singular)).toBe(plural);
  });

  it.each([
    ['BlogPost', 'blog_post'],
    ['HTTPLog', 'http_log'],
    ['Oauth2Token', 'oauth2_token'],
    ['A', 'a'],
  ])('%s is %s', (name, snake) => {
    expect(snakeOf(name)).toBe(snake);
  });

  it('takes the model at its word', () => {
    const news = defineResource('News', { fields: { title }, plural: 'news', singular: 'news_item' });
    expect([news.path, news.table, news.singular]).toEqual(['news', 'news', 'news_item']);
  });
});

describe('all models', () => {
  const comment = defineResource('Comment', { fields: { article: field.reference('Article') } });

  it('resolves references to tables', () => {
    const models = collectModels([comment, article]);
    expect([...models.keys()]).toEqual(['Comment', 'Article']);
    expect(referencedTable(models, 'Article')).toBe('articles');
    expect(referencedTable(models, 'User')).toBe('users');
  });

  it('refuses references to nothing, and names and paths that are taken', () => {
    expect(() => collectModels([comment])).toThrow(
      'Comment.article_id: it refers to Article, which is not a model',
    );
    expect(() => collectModels([article, article])).toThrow('Article: another model has this name');
    const piece = defineResource('Piece', { fields: { title }, plural: 'articles' });
    expect(() => collectModels([article, piece])).toThrow('Piece: the path "articles" is that of Article');
    const shared = defineResource('Piece', { fields: { title }, table: { name: 'Articles' } });
    expect(() => collectModels([article, shared])).toThrow('Piece: the table "Articles" is that of Article');
    const session = defineResource('Session', { fields: { title }, table: { name: 'T_SESSIONS' } });
    expect([session.path, session.table]).toEqual(['sessions', 'T_SESSIONS']);
  });

  it('refuses same unless both models have a required reference of this name to the same model', () => {
    const required = { required: true } as const;
    const tenant = field.reference('Clinic', required);
    const clinic = defineResource('Clinic', { fields: { title } });
    const doctor = (fields: FieldDefinitions) => loosely('Doctor', { fields });
    const visit = (fields: FieldDefinitions, same = 'clinic') =>
      loosely('Visit', { fields: { ...fields, doctor: field.reference('Doctor', { same }) } });
    const collect = (of: () => ReturnType<typeof visit>, other = doctor({ clinic: tenant })) => {
      return () => collectModels([clinic, other, of()]);
    };
    expect(
      collect(() => visit({ clinic: tenant }))()
        .get('Visit')
        ?.fields.get('doctor_id')?.same,
    ).toBe('clinic_id');
    expect(collect(() => visit({ clinic: tenant }, 'clinic_id'))).not.toThrow();
    for (const [of, message] of [
      [() => visit({ title }), 'Visit: same of doctor_id names the unknown field'],
      [() => visit({ title }, 'title'), 'Visit.doctor_id: same names title, which is not a reference'],
      [() => visit({ title }, 'doctor'), 'Visit.doctor_id: same names the field itself'],
      [
        () => visit({ clinic: field.reference('Clinic') }),
        'Visit.doctor_id: same names clinic_id, which may be null: make it required',
      ],
    ] as const)
      expect(collect(of)).toThrow(message);
    for (const [other, message] of [
      [doctor({ title }), 'Visit.doctor_id: same: Doctor has no field clinic_id'],
      [
        doctor({ clinic: field.reference('User', required) }),
        'Visit.doctor_id: same: clinic_id of Doctor does not refer to Clinic as well',
      ],
      [
        doctor({ clinic: field.reference('Clinic') }),
        'Visit.doctor_id: same: clinic_id of Doctor may be null: make it required',
      ],
    ] as const)
      expect(collect(() => visit({ clinic: tenant }), other)).toThrow(message);
    expect(() => visit({ clinic: tenant }, '')).toThrow('Visit');
  });

  it('reserves what the service answers and keeps', () => {
    expect([...reservedPaths]).toEqual(['auth', 'changes', 'users', 'api_keys', 'payment', 'health', 'meta']);
    for (const table of reservedTables)
      expect(() => loosely('Memo', { fields: { title }, plural: table })).toThrow(/belongs to the service/);
  });
});
