import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { registry } from '../registry.ts';
import { projectFiles } from './project-files.ts';

const files = new Map(projectFiles('my-api').map(({ path, text }) => [path, text]));
const textOf = (path: string): string => files.get(path) ?? '';

/** The command lines of a text that call this package, each as its words. */
const calls = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/npx gatewright ([^`\n]+)/g)].map(([, words = '']) => words.split(' '));

describe('files for assistants, editors and continuous integration', () => {
  const agents = textOf('AGENTS.md');

  it('AGENTS.md is a page of about forty lines', () => {
    expect(agents.split('\n').length).toBeGreaterThan(30);
    expect(agents.split('\n').length).toBeLessThan(50);
    expect(agents.match(/^\d\. /gm)).toHaveLength(5);
  });

  it('every document that AGENTS.md names is in the package', () => {
    const named = [
      ...agents.matchAll(/`(?:node_modules\/gatewright\/docs\/)?([\w-]+\/[\w-]+\.md|llms[\w-]*\.txt)`/g),
    ];
    expect(named.length).toBeGreaterThan(8);
    const docs = new URL('../../../docs/', import.meta.url);
    expect(
      named.map(([, path = '']) => path).filter((path) => !existsSync(fileURLToPath(new URL(path, docs)))),
    ).toEqual([]);
  });

  it('every command of AGENTS.md and of the workflow exists, with its options', async () => {
    const all = [...calls(agents), ...calls(textOf('.github/workflows/test.yml'))];
    expect(all.length).toBeGreaterThan(6);
    for (const words of all) {
      const name = [`${words[0]} ${words[1]}`, `${words[0]}`].find((each) => registry.has(each));
      const entry = registry.get(name ?? '');
      if (entry === undefined) throw new Error(`there is no command ${words.join(' ')}`);
      const { command } = await entry.load();
      for (const word of words.filter((each) => each.startsWith('--')))
        expect(Object.keys(command.options), words.join(' ')).toContain(word.slice(2));
    }
  });

  it('.mcp.json starts a command that exists', async () => {
    const { mcpServers } = JSON.parse(textOf('.mcp.json'));
    expect(mcpServers).toEqual({ gatewright: { command: 'npx', args: ['gatewright', 'dev', '--mcp'] } });
    expect(Object.keys((await registry.get('dev')?.load())?.command.options ?? {})).toContain('mcp');
  });

  it('the workflow has steps, and may only read', () => {
    const workflow = parse(textOf('.github/workflows/test.yml'));
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const runs = workflow.jobs.test.steps.flatMap(({ run }: { run?: string }) => run ?? []);
    expect(runs).toEqual(
      expect.arrayContaining(['npm ci', 'npm run types', 'npm test', 'npx gatewright migrate']),
    );
  });
});
