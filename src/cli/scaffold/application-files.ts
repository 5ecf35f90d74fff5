/** The text of every file of a new application. */

import { applicationPolicy } from '../../access/application-policy.ts';
import { lockText } from '../../access/lock-file.ts';
import { createApplication } from '../../app/application.ts';
import { defineResource } from '../../model/define-resource.ts';
import { collectModels } from '../../model/models.ts';
import { readFields } from './field-arguments.ts';
import type { NewFile } from './files.ts';
import { migrationFile } from './migration-file.ts';
import { projectFiles } from './project-files.ts';
import { resourceFile } from './resource-file.ts';

export interface NewApplication {
  /** Name in package.json. */
  readonly name: string;
  /** The dependency on this package, by version or file. */
  readonly dependency: string;
  /** Version ranges of packages that its settings will need. */
  readonly chosen: Readonly<Record<string, string>>;
  /** Version ranges of its development dependencies. */
  readonly developed: Readonly<Record<'@types/node' | 'typescript', string>>;
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const packageJson = ({ name, dependency, chosen, developed }: NewApplication): string =>
  json({
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      dev: 'gatewright dev',
      start: 'gatewright start',
      migrate: 'gatewright migrate',
      test: 'node --test',
      types: 'tsc',
    },
    // Gatewright brings the Node that runs it, as an optional dependency for each platform.
    dependencies: { gatewright: dependency, ...chosen },
    devDependencies: developed,
  });

const tsconfig = json({
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
});

const gitignore = `node_modules/
# The database and generated secrets.
data/
# The key that opens the encrypted credentials; config/credentials.age itself can be committed.
config/credentials.key
*.lock
!access.lock
*.draft
`;

const config = `import { defineConfig } from 'gatewright';

/** Ports, databases and secrets come from the environment, everything else from this file. */
export default defineConfig({});
`;

const test = `import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testApplication } from 'gatewright/testing';

const app = await testApplication();
after(() => app.close());

test('authenticated users create notes and list them', async () => {
  const created = await app.as('viewer').post('/api/v1/notes', { note: { title: 'Hello' } });
  assert.equal(created.status, 201);
  const list = await app.as('admin').get('/api/v1/notes');
  assert.deepEqual(list.data, [created.data]);
});

test('a note needs a title', async () => {
  const refused = await app.as('viewer').post('/api/v1/notes', { note: {} });
  assert.equal(refused.status, 422);
});

test('callers without credentials are rejected', async () => {
  assert.equal((await app.anonymous.get('/api/v1/notes')).status, 401);
});
`;

const readme = ({ name, chosen }: NewApplication): string => `# ${name}

A JSON API made with Gatewright. The documentation is in \`node_modules/gatewright/docs\`.

\`\`\`bash
npm install
npm run dev
\`\`\`

\`npm run dev\` prints the address, the password of the first administrator (once), every route, and a \`curl\` that
works. It starts again after every change.

| where | what |
|---|---|
| \`resources/\` | a file for each model: its fields and rules |
| \`endpoints/\` | your own endpoints |
| \`jobs/\` | background jobs, also on a schedule |
| \`migrations/\` | steps of the database, in the order of their names |
| \`tests/\` | tests against the application itself, on a throw-away database |
| \`access.lock\` | who can do what: \`npx gatewright access\` prints it in words |
| \`gatewright.config.ts\` | hooks: for payments, at start and at stop |
| \`AGENTS.md\`, \`.mcp.json\`, \`.editorconfig\`, \`.github/\` | for assistants, editors and continuous integration; nothing needs them |

\`\`\`bash
npx gatewright generate resource Book title:string:required pages:integer author:reference=User
npx gatewright generate migration book_pages   # after a change of a model
npx gatewright generate endpoint checkout
npx gatewright generate job send-mail
npm test
\`\`\`

In production: \`NODE_ENV=production JWT_SECRET=… ADMIN_PASSWORD=… npm start\`, with \`DATABASE_URL=postgres://…\` for
PostgreSQL${Object.hasOwn(chosen, 'pg') ? '' : ', after `npm install pg@8`'}.
`;

const note = (): readonly NewFile[] => {
  const fields = readFields(['title:string:required:max=200', 'body:text']);
  const model = defineResource('Note', {
    fields: Object.fromEntries(fields.map(({ name, definition }) => [name, definition])),
  });
  const policy = applicationPolicy(createApplication({ resources: [model] }));
  return [
    {
      path: 'resources/note.ts',
      text: resourceFile(model, fields, { production: false, plural: undefined, unique: [] }),
    },
    {
      path: 'migrations/0001_notes.ts',
      text: migrationFile([{ kind: 'create', model }], collectModels([model])),
    },
    { path: 'access.lock', text: lockText(policy) },
  ];
};

export const applicationFiles = (application: NewApplication): readonly NewFile[] => [
  { path: 'package.json', text: packageJson(application) },
  { path: 'tsconfig.json', text: tsconfig },
  { path: '.gitignore', text: gitignore },
  { path: 'README.md', text: readme(application) },
  { path: 'gatewright.config.ts', text: config },
  ...note(),
  { path: 'tests/notes.test.ts', text: test },
  // Last, as the application works without them.
  ...projectFiles(application.name),
];
