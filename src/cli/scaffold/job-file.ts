import { textCode } from './code.ts';

const added = `  // Input of the job, checked like the fields of a resource.
  input: { name: field.string({ required: true, max: 100 }) },
`;

/**
 * The file of a job that says that it has run, to be changed into what it is for. `every` is the cron expression of one
 * that runs by itself.
 */
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
