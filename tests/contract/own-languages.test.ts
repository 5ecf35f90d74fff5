import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApplication, loadApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { createServer } from '../../src/app/server.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineLocale, type LocaleDefinition } from '../../src/model/define-locale.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const fields = {
  name: field.string({ required: true }),
  title: field.string({ max: 5, label: { 'zh-CN': '标题', en: 'Title', de: 'Titel' } }),
  state: field.enum(['new', 'old'], { label: 'State', labels: { new: { 'zh-CN': '新', en: 'Fresh' } } }),
};

const ware = defineResource('Ware', { label: { 'zh-CN': '商品', en: 'Ware' }, fields });

const migrations = {
  '0001_wares': {
    up: (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) =>
      createTable(db, dialect, 'wares', { fields }),
  },
};

const german = defineLocale({
  success: 'Erfolgreich',
  problems: { path_not_found: 'Diesen Pfad gibt es nicht', missing_key: 'Das Objekt {key} fehlt' },
  rules: {
    required: '{label} fehlt',
    max_length: '{label}: höchstens {max} Zeichen',
    type: '{label}: {type} erwartet',
  },
  types: { string: 'Text' },
  labels: { name: 'Name der Sache', password: 'Passwort' },
  models: {
    Ware: {
      label: 'Artikel',
      pluralLabel: 'Alle Artikel',
      fields: { state: { label: 'Zustand', choices: { new: 'neu', old: 'alt' } } },
    },
  },
});

const application = { resources: [ware], migrations, locales: { de: german } };

describeEachDatabase('a catalogue of the application', (databases) => {
  const service = useService(databases, { application, env: { LOCALE: 'auto' } });
  const de = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' };

  it('a catalogue of the application has the messages of its language, and English for missing ones', async () => {
    const unknown = await service.get('/api/v1/nothing', { headers: de });
    expect([unknown.json.message, unknown.headers['content-language']]).toEqual([
      ...['Diesen Pfad gibt es nicht', 'de'],
    ]);
    expect((await service.get('/api/v1/health', { headers: de })).json.message).toBe('Erfolgreich');
    expect((await service.get('/api/v1/wares', { headers: de })).json.message).toBe('Not authenticated');
    expect((await service.get('/api/v1/nothing')).json.message).toBe('路径不存在');
  });

  it('a catalogue of the application has the labels of models and of the service in validation errors', async () => {
    const { token } = await service.admin();
    const create = (ware: object, headers: Record<string, string>) =>
      service.post('/api/v1/wares', { token, body: { ware }, headers });
    const wrong = { title: 'too long', state: 'x' };
    expect((await create(wrong, de)).json.message).toBe(
      'Name der Sache fehlt, Titel: höchstens 5 Zeichen, Zustand must be one of: new, old',
    );
    expect((await create(wrong, { 'accept-language': 'en' })).json.message).toBe(
      'Name must not be blank, Title must have at most 5 characters, State must be one of: new, old',
    );
    const login = await service.post('/api/v1/auth/login', {
      body: { account: 1, password: 1 },
      headers: de,
    });
    expect(login.json.message).toBe('Account: Text erwartet, Passwort: Text erwartet');
  });

  it('describes models and the API in its language', async () => {
    const { token } = await service.admin();
    const { data } = await service.get<{ fields: { label: string; choices?: object }[] }>(
      '/api/v1/meta/Ware?lang=de',
      { token },
    );
    expect(data).toMatchObject({ label: 'Artikel', plural_label: 'Alle Artikel' });
    expect(data.fields.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['Name der Sache', 'Titel', 'Zustand']),
    );
    expect(JSON.stringify(data)).toContain('"label":"neu"');
    const { text } = await service.get('/api-docs/openapi.json', { headers: de });
    expect(JSON.parse(text).components.schemas.Ware.title).toBe('Artikel');
  });
});

describeEachDatabase('LOCALE=de', (databases) => {
  const service = useService(databases, { application, env: { LOCALE: 'de' } });

  it('responds in the language of the catalogue only', async () => {
    const { json, headers } = await service.get('/api/v1/nothing', { headers: { 'accept-language': 'en' } });
    expect([json.message, headers['content-language']]).toEqual(['Diesen Pfad gibt es nicht', undefined]);
  });
});

it('a language that names one record only says the same of several', () => {
  const one = defineLocale({ models: { Ware: { label: 'Artikel' } } });
  const of = (locales: Readonly<Record<string, LocaleDefinition>>) =>
    createApplication({ resources: [ware], locales }).models.get('Ware')?.pluralLabel;
  expect(of({ de: one })).toEqual({ 'zh-CN': '商品', en: 'Wares', de: 'Artikel' });
  expect(of({})).toEqual({ 'zh-CN': '商品', en: 'Wares' });
});

describe('a mistake in a catalogue', () => {
  it.each<[definition: object, message: string]>([
    [{ problem: {} }, 'there is no option "problem": the nearest is "problems"'],
    [
      { problems: { path_not_fund: 'x' } },
      'there is no option "problems.path_not_fund": the nearest is "path_not_found"',
    ],
    [{ problems: { missing_key: '{kee} fehlt' } }, 'problems.missing_key has no placeholder {kee} ({key})'],
    [{ problems: { forbidden: '{name}' } }, 'problems.forbidden has no placeholder {name}'],
    [{ rules: { required: 5 } }, 'rules.required must be a text'],
    [{ labels: { nothing: 'x' } }, 'there is no option "labels.nothing"'],
    [{ success: '{x}', models: [] }, 'models must be an object'],
  ])('%j is refused by name', (definition, message) => {
    expect(() => defineLocale(definition as LocaleDefinition)).toThrow(message);
  });

  it.each<[locale: string, definition: LocaleDefinition, message: string]>([
    ['de', { models: { Ware: { fields: { nam: 'x' } } } }, 'there is no field "nam": the nearest is "name"'],
    ['de', { models: { Wares: {} } }, 'there is no model "Wares": the nearest is "Ware"'],
    [
      'de',
      { models: { Ware: { fields: { state: { choices: { neu: 'x' } } } } } },
      'there is no choice "neu"',
    ],
    ['de', { models: { Ware: { relations: { lines: 'x' } } } }, 'there is no relation "lines"'],
    ['de', { models: { Ware: { menu: 'x' } } }, 'the model has no menu'],
    ['deutsch_', {}, 'a language tag such as de or pt-BR'],
    ['en', {}, 'the service has the texts of this language itself'],
  ])('%s %j is refused at start', (locale, definition, message) => {
    const locales = { [locale]: defineLocale(definition) };
    expect(() => createApplication({ resources: [ware], locales })).toThrow(message);
  });

  it('names the file, and a language without one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatewright-locales-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'locales'));
    await writeFile(join(folder, 'locales', 'fr.js'), 'export default { success: "Bien" };\n');
    await expect(loadApplication(folder)).rejects.toThrow(
      /locales\/fr\.js: expected `export default defineLocale/,
    );
    await rm(join(folder, 'locales', 'fr.js'));
    const config = readConfig({
      LOCALE: 'fr',
      DATA_DIR: folder,
      DATABASE_URL: `sqlite:${join(folder, 'x.db')}`,
      JWT_SECRET: 's'.repeat(32),
      ADMIN_PASSWORD: 'tulip-anvil-47 kettle',
    });
    const start = createServer({ config, application: createApplication({}) });
    await expect(start).rejects.toThrow('LOCALE=fr: there is no such language');
  });
});
