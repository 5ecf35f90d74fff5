/** Files of a new application for editors, assistants and continuous integration; the service needs none of them. */

import type { NewFile } from './files.ts';

const docs = 'node_modules/gatewright/docs';

const agents = (name: string): string => `# ${name}

A JSON API made with Gatewright: TypeScript, which Node runs without a build. The pages below \`${docs}\`
are the truth about this version. Read the page of a subject before you write code for it.

## Commands

| command | what it does |
|---|---|
| \`npm run dev\` | runs the application at http://127.0.0.1:3000 and restarts it after every change |
| \`npx gatewright generate resource Book title:string:required\` | writes a model and its migration |
| \`npx gatewright generate migration NAME\` | writes the migration for changed models |
| \`npx gatewright migrate --check\` | fails if migrations are pending, or if models and database differ |
| \`npm run types\` and \`npm test\` | type check, then the tests in \`tests/\` |
| \`npx gatewright audit --strict --allow Note\` | lists who can call what, and fails if a model is open |
| \`npx gatewright access --check\` | says who gained and lost what since \`access.lock\`; \`--lock\` accepts it |
| \`npx gatewright options\` | every option of models, fields, endpoints, jobs and the configuration |

## Files

| file | what it is | reference |
|---|---|---|
| \`resources/*.ts\` | a model: fields, views, rules, hooks | \`reference/resource.md\`, \`reference/fields.md\`, \`guide/modelling.md\` |
| \`endpoints/*.ts\` | an endpoint of your own | \`reference/endpoints.md\`, \`reference/scope.md\` |
| \`jobs/*.ts\` | a background job, also on a schedule | \`reference/jobs.md\` |
| \`migrations/*.ts\` | a step of the database, in the order of names | \`reference/migrations.md\` |
| \`tests/*.test.ts\` | tests with \`gatewright/testing\` | \`reference/testing.md\` |
| \`gatewright.config.ts\` | limits, mail, providers, hooks at start and stop | \`reference/configuration.md\` |

\`${docs}/llms.txt\` has a line for each page, \`${docs}/llms-full.txt\` the reference in one file.

## Rules

1. Every change of a model's fields needs a migration. Never edit a migration that was applied: write another one.
2. Write the rules of a model (\`permissions\`, \`isolation\`, \`restricted\`) before anything that uses it.
3. Read and write through the scope that an endpoint, hook or job receives. SQL of your own skips every rule.
4. Use \`asSystem\` only where the caller's rights must not count, and give the reason.
5. End with \`npm run types\`, \`npm test\` and \`npx gatewright audit\`. Add a test for each rule: who may, and who may not.
`;

const editorconfig = `root = true

[*]
charset = utf-8
end_of_line = lf
indent_style = space
indent_size = 2
insert_final_newline = true
trim_trailing_whitespace = true
`;

const workflow = `name: test

on: [push, pull_request]

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npm run types
      - run: npm test
      # On an empty database: the migrations must lead to the models.
      - run: npx gatewright migrate
      # Fails if a model lets every caller change its records. The example does: remove --allow together with it.
      - run: npx gatewright audit --strict --allow Note
      # Fails if somebody gained or lost access since access.lock: gatewright access --lock accepts it.
      - run: npx gatewright access --check
      # A pull request says who gains and loses what.
      - if: github.event_name == 'pull_request'
        run: |
          git fetch --depth=1 origin "$GITHUB_BASE_REF"
          git show FETCH_HEAD:access.lock > "$RUNNER_TEMP/access.lock" || exit 0
          npx gatewright access --check --against "$RUNNER_TEMP/access.lock" >> "$GITHUB_STEP_SUMMARY" || true
`;

const mcp = `${JSON.stringify({ mcpServers: { gatewright: { command: 'npx', args: ['gatewright', 'dev', '--mcp'] } } }, undefined, 2)}\n`;

export const projectFiles = (name: string): readonly NewFile[] => [
  { path: 'AGENTS.md', text: agents(name) },
  { path: '.mcp.json', text: mcp },
  { path: '.editorconfig', text: editorconfig },
  { path: '.github/workflows/test.yml', text: workflow },
];
