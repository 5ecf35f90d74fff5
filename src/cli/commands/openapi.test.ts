import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../test-io.ts';

describe('gatewright openapi', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatewright-openapi-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const env = () => ({
    DATA_DIR: join(directory, 'data'),
    CREDENTIALS_FILE: join(directory, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
    NODE_ENV: 'production',
    LOCALE: 'en',
  });

  it('prints the description and leaves nothing behind, in production too', async () => {
    const { status, stdout, stderr } = await run(['openapi'], { env: env() });
    expect([status, stderr]).toEqual([0, '']);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://127.0.0.1:3000' }] });
    expect(document.paths['/api-docs/openapi.json'].get.summary).toBe('API description (OpenAPI 3.1)');
    expect(await readdir(directory)).toEqual([]);
  });

  it('prints one line, in another language, when asked', async () => {
    const { stdout } = await run(['openapi', '--lang', 'zh-CN', '--json'], { env: env() });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout).paths['/api/v1/health'].get.summary).toBe('健康检查');
  });

  it('prints the API, and the administration area when asked', async () => {
    const paths = async (...options: string[]): Promise<string[]> =>
      Object.keys(JSON.parse((await run(['openapi', ...options], { env: env() })).stdout).paths);
    const [api, admin] = [await paths(), await paths('--area', 'admin')];
    expect(api.filter((path) => path.startsWith('/admin'))).toEqual([]);
    expect(admin.filter((path) => !path.startsWith('/admin/'))).toEqual([]);
    expect((await paths('--area', 'all')).length).toBe(api.length + admin.length);
    const { status, stderr } = await run(['openapi', '--area', 'x'], { env: env() });
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("--area is one of api, admin, all, not 'x'"),
    ]);
  });

  it('refuses a language that there is none of', async () => {
    const { status, stderr } = await run(['openapi', '--lang', 'fr'], { env: env() });
    expect([status, stderr]).toEqual([2, expect.stringContaining("--lang is one of zh-CN, en, not 'fr'")]);
  });

  describe('for an application with languages of its own', () => {
    const home = process.cwd();
    beforeEach(async () => {
      const service = JSON.stringify(new URL('../../index.ts', import.meta.url).href);
      const files = {
        'locales/de.js': `import { defineLocale } from ${service};
          export default defineLocale({
            labels: { created_at: 'Angelegt am' },
            models: { Note: { label: 'Notiz', fields: { title: 'Titel' } } },
          });`,
        'locales/pt-BR.js': `import { defineLocale } from ${service};
          export default defineLocale({ success: 'Sucesso' });`,
        'resources/note.js': `import { defineResource, field } from ${service};
          export default defineResource('Note', { fields: { title: field.string() } });`,
      };
      for (const [path, code] of Object.entries(files)) {
        await mkdir(join(directory, path, '..'), { recursive: true });
        await writeFile(join(directory, path), code);
      }
      process.chdir(directory);
    });
    afterEach(() => process.chdir(home));

    it('prints the description in one of them', async () => {
      const { status, stdout, stderr } = await run(['openapi', '--lang', 'de'], { env: env() });
      expect([status, stderr]).toEqual([0, '']);
      const { Note } = JSON.parse(stdout).components.schemas;
      expect([Note.properties.title.title, Note.properties.created_at.title]).toEqual([
        'Titel',
        'Angelegt am',
      ]);
    });

    it('refuses another language, and names all that there are', async () => {
      const { status, stdout, stderr } = await run(['openapi', '--lang', 'fr'], { env: env() });
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain("--lang is one of zh-CN, en, de, pt-BR, not 'fr'");
    });
  });
});
