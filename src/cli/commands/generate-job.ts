/** `gatewright generate job`: writes the file of a job. */

import { loadApplication } from '../../app/application.ts';
import { collectJobs, defineJob } from '../../delivery/jobs.ts';
import { DefinitionError } from '../../model/definition-error.ts';
import { applicationFolder } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { UsageError } from '../io.ts';
import { textCode } from '../scaffold/code.ts';
import { assertFileName, assertNewStem, shownPath, writeNewFiles } from '../scaffold/files.ts';

const added = `  // Input of the job, checked like the fields of a resource.
  input: { name: field.string({ required: true, max: 100 }) },
`;

/** The file of a job that logs its runs, as a starting point. `every`: the cron expression of a recurring job. */
export const jobFile = (every: string | undefined): string => {
  const repeated = every !== undefined;
  const what = repeated
    ? `  // UTC; name another timeZone beside it.\n  every: ${textCode(every)},\n`
    : added;
  const name = repeated ? '' : `\${values.name}, `;
  const said = `job \${id}: ${name}attempt \${attempt}`;
  return `import { defineJob${repeated ? '' : ', field'} } from 'gatewright';

export default defineJob({
${what}  // Runs before it counts as failed, and the seconds that one may take.
  attempts: 8,
  timeout: 60,
  // It runs at least once, so what it does twice must do no harm: \`id\` is the same for every attempt.
  // There is also records(model), transaction, jobs and sql, on behalf of the system.
  handle: ({ ${repeated ? '' : 'values, '}id, attempt }) => {
    console.log(\`${said}\`);
  },
});
`;
};

/** Refuses an invalid name or time, as the application would. @throws UsageError */
const assertJob = (name: string, every: string | undefined): void => {
  const handle = () => {};
  try {
    collectJobs({ [name]: defineJob(every === undefined ? { handle } : { every, handle }) });
  } catch (error) {
    throw error instanceof DefinitionError ? new UsageError(error.message) : error;
  }
};

/** `send-mail` as the name of a variable: `sendMail`. */
const variableOf = (name: string): string =>
  name.replace(/[-_]+(\w)/g, (_, letter: string) => letter.toUpperCase());

export const command = defineCommand({
  operands: ['NAME'],
  options: {
    every: { type: 'string', value: 'CRON', help: `schedule, such as '0 3 * * *' (UTC)` },
    ...jsonOption,
  },
  description: [
    'Writes jobs/NAME.ts: a job with that name that runs as it is. Existing files are not overwritten.',
    'node_modules/gatewright/docs/reference/jobs.md describes when jobs run and how failures are retried.',
  ],
  examples: ['gatewright generate job send-mail', `gatewright generate job report --every '0 3 * * *'`],
  async run({ values, operands: [name = ''] }, io) {
    assertFileName(name);
    assertJob(name, values.every);
    const folder = await applicationFolder();
    // An application that does not load now would not start with the new file either.
    await loadApplication(folder);
    const path = `jobs/${name}.ts`;
    await assertNewStem(folder, path);
    await writeNewFiles(folder, [{ path, text: jobFile(values.every) }]);
    const written = shownPath(folder, path);
    if (values.json === true) return io.print(JSON.stringify({ written: [written] }));
    const variable = variableOf(name);
    io.print(`wrote ${written}`);
    io.print('Next:');
    if (values.every === undefined) {
      io.print(`  import ${variable} from '../jobs/${name}.ts';    in an endpoint, a hook or another job`);
      io.print(
        `  await jobs.add(${variable}, { name: 'Ada' });    adds one, with the transaction that it stands in`,
      );
    } else io.print(`  it runs at each tick of ${values.every} from the next start on`);
    io.print('  await app.jobs.run();    runs in a test what waits');
  },
});
