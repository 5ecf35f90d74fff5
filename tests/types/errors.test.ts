import { expect, it } from 'vitest';
import { createProject } from '../client/typescript.ts';

/** Mistakes in a model file, and a part of what the compiler says of each. */
const mistakes: readonly (readonly [mistake: string, message: string])[] = [
  [`isolation: own('asignee')`, `Did you mean '"a reference to User named assignee"'?`],
  [`isolation: own()`, `"a reference to User named user_id"`],
  [`manage: via('projct', own('assignee'))`, `Did you mean '"a reference named project"'?`],
  [`publicRead: { where: { lve: true } }`, `Did you mean to write 'live'?`],
  [`isolation: equals('live', 'yes')`, `Type 'string' is not assignable to type 'NonNullable<boolean`],
  [`restricted: [{ fields: ['titel'], unless: member('team', { of: 'Seat' }) }]`, `"a field named team"`],
  [`views: { when: [[own('assignee'), ['titel']]] }`, `Did you mean '"title"'?`],
  [`views: { lst: ['title'] }`, `Did you mean to write 'list'?`],
  [
    `fields: { ...fields, team: field.reference('Team', { shows: ['name'] }) }`,
    `"only references to User show fields"`,
  ],
  [`relations: { lines: many('Line', { by: 'task', wriet: true }) }`, `"there is no option wriet"`],
];

const head = `import { defineResource, equals, field, many, member, own, via } from 'gatewright';
export const used = [equals, many, member, own, via];
const fields = {
  title: field.string(),
  live: field.boolean(),
  assignee: field.reference('User'),
  project: field.reference('Project'),
};
`;

it('the compiler says in words what is wrong in a model', async () => {
  const project = await createProject({ types: ['node'], lib: ['esnext.iterator'] });
  const models = mistakes.map(([mistake], index) => {
    const definition = mistake.startsWith('fields') ? mistake : `fields, ${mistake}`;
    return `export const m${index} = defineResource('Task', { ${definition} });\n`;
  });
  await project.write('models.ts', head + models.join(''));
  const errors = (await project.compile()).split(/\n(?=\S)/);
  for (const [index, [mistake, message]] of mistakes.entries()) {
    const line = head.split('\n').length + index;
    expect(errors.filter((error) => error.includes(`models.ts(${line},`)).join('\n'), mistake).toContain(
      message,
    );
  }
});
