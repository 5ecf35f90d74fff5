import { describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import { defineResource } from './define-resource.ts';
import type { ResourceDefinition } from './definition.ts';
import { DefinitionError } from './definition-error.ts';
import { pluralOf } from './inflect.ts';
import { collectModels, referencedTable } from './models.ts';
import { reservedPaths, reservedTables, snakeOf } from './names.ts';
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

/** What a JavaScript file could say, which the compiler would not let pass. */
const loosely = (name: string, definition: object) =>
  defineResource(name, definition as ResourceDefinition<FieldDefinitions>);

describe('defineResource', () => {
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
      rules: { permissions: 'none', isolation: false, ownership: false, publicRead: undefined },
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
        isolation: true,
        ownership: true,
        publicRead: [{ column: 'published', value: true }],
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
      /views\.list names the unknown field "titel"/,
    ],
    ['view', 'Memo', { fields: { title }, views: { list: [] } }, /views\.list has no fields/],
    ['view', 'Memo', { fields: { title }, views: { list: ['id', 'id'] } }, /twice/],
    ['view', 'Memo', { fields: { title }, views: { edit: ['id'] } }, /views\.edit is no view/],
    ['restricted', 'Memo', { fields: { title }, restricted: ['note'] }, /restricted names the unknown field/],
    ['restricted', 'Memo', { fields: { title }, restricted: ['id'] }, /^Memo\.id: restricted/],
    ['permissions', 'Memo', { fields: { title }, permissions: true }, /permissions is/],
    ['isolation', 'Memo', { fields: { title }, isolation: true }, /^Memo: isolation needs the field user_id/],
    ['ownership', 'Memo', { fields: { title }, ownership: true }, /^Memo: ownership needs the field user_id/],
    [
      'owner',
      'Memo',
      { fields: { author: field.owner() } },
      /^Memo\.author: the owner field is called user_id/,
    ],
    ['owners', 'Memo', { fields: { ...owned, user: field.owner() } }, /two fields have this name/],
    ['auth', 'Memo', { fields: { title }, auth: ['basic'] }, /unknown authentication method basic/],
    ['auth', 'Memo', { fields: { title }, auth: [] }, /no authentication method for list/],
    ['auth', 'Memo', { fields: { title }, auth: { lists: ['jwt'] } }, /unknown action lists/],
    ['public', 'Memo', { fields: { title }, publicRead: { where: {} } }, /publicRead\.where is empty/],
    ['public', 'Memo', { fields: { title }, publicRead: { where: { live: true } } }, /unknown field "live"/],
    ['public', 'Memo', { fields: { title }, publicRead: { where: { title: null } } }, /^Memo\.title/],
    ['public', 'Memo', { fields: { title }, publicRead: { where: { title: 1 } } }, /breaks the rule type/],
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
    ['choices', 'Memo', { fields: { state: field.enum(['a,b']) } }, /no blanks, commas/],
  ])('%s: %s', (_what, name, definition, message) => {
    const define = () => loosely(name, definition);
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
  ])('%s: %s', (singular, plural) => {
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

describe('all models together', () => {
  const comment = defineResource('Comment', { fields: { article: field.reference('Article') } });

  it('resolves references to tables', () => {
    const models = collectModels([comment, article]);
    expect([...models.keys()]).toEqual(['Comment', 'Article']);
    expect(referencedTable(models, 'Article')).toBe('articles');
    expect(referencedTable(models, 'User')).toBe('users');
  });

  it('refuses references to nothing, and names and paths that are taken', () => {
    expect(() => collectModels([comment])).toThrow(
      'Comment.article_id: it refers to Article, which is no model',
    );
    expect(() => collectModels([article, article])).toThrow('Article: another model has this name');
    const piece = defineResource('Piece', { fields: { title }, plural: 'articles' });
    expect(() => collectModels([article, piece])).toThrow('Piece: the path "articles" is that of Article');
  });

  it('reserves what the service answers and keeps', () => {
    expect([...reservedPaths]).toEqual(['auth', 'users', 'api_keys', 'payment', 'health', 'meta']);
    for (const table of reservedTables)
      expect(() => loosely('Memo', { fields: { title }, plural: table })).toThrow(/belongs to the service/);
  });
});
