/** `gatewright adopt`: writes models for the tables of a database that another program made. */

import { loadModels } from '../../app/application.ts';
import { readConfig } from '../../app/config.ts';
import type { DescribedSchema } from '../../database/described-tables.ts';
import type { Ask } from '../../database/introspection.ts';
import { quoteName } from '../../database/quote.ts';
import { tablesOfServices } from '../../database/service-sets.ts';
import type { DatabaseTarget } from '../../database/target.ts';
import { databaseTarget } from '../../database/targets.ts';
import { keyKinds } from '../../fields/keys.ts';
import { errorMessage } from '../../kernel/error-message.ts';
import type { ResourceModel } from '../../model/resource.ts';
import {
  adoptedFiles,
  policiesOf,
  type Recorded,
  readRecorded,
  recordedText,
  recordPath,
} from '../adopt/adopted-file.ts';
import { tableText } from '../adopt/adopted-model.ts';
import type { KnownModel } from '../adopt/map-tables.ts';
import { type Plan, type PlanRequest, planAdoption } from '../adopt/plan-adoption.ts';
import { applyPolicies, type PolicyReport } from '../adopt/policies/apply-policies.ts';
import { readCallers } from '../adopt/policies/caller-option.ts';
import { policyJson, policyLines } from '../adopt/policies/policy-report.ts';
import { readPolicies } from '../adopt/policies/read-policies.ts';
import { hasChanges, reportJson, reportLines, summary } from '../adopt/report.ts';
import { applicationFolder } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { type NewFile, replaceFiles, shownPath } from '../scaffold/files.ts';

/** Exit status of `--check` where the database differs. */
const changed = 1;

/** Exit status where nothing could be read. */
const unread = 2;

const targetOf = (url: string | undefined, io: Io): DatabaseTarget => {
  if (url === undefined) return databaseTarget(readConfig(io.env).databaseUrl);
  try {
    return databaseTarget(url);
  } catch (error) {
    throw new UsageError(`--url: ${errorMessage(error)}`);
  }
};

/** The tables of a schema, and those of services among all tables, by their stored names. */
interface FoundTables {
  readonly schema: DescribedSchema;
  readonly services: ReadonlyMap<string, string>;
  /** Roles of the service; undefined where the database has none. */
  readonly roles: ReadonlySet<string> | undefined;
}

const rolesOfService = async (ask: Ask, services: FoundTables['services']): Promise<FoundTables['roles']> => {
  const [table, second] = [...services].flatMap(([stored, described]) =>
    described === 'roles' ? [stored] : [],
  );
  if (table === undefined || second !== undefined) return undefined;
  const rows = await ask<{ name: string }>(
    `select name from ${table
      .split('.')
      .map((part) => quoteName(part))
      .join('.')}`,
  );
  return new Set(rows.map(({ name }) => name));
};

/** Reads the tables in one state, in a transaction that cannot write. @throws CommandError */
const describe = async (target: DatabaseTarget, schema: string | undefined): Promise<FoundTables> => {
  const refuse = (because: string, cause?: unknown) =>
    new CommandError(`${target.place} could not be read: ${because}; nothing was written`, {
      status: unread,
      cause,
    });
  if (target.isEmpty()) throw refuse('there is no such database, or it is empty');
  try {
    return await target.snapshot(async ({ ask, dialect }) => {
      const services = await tablesOfServices(ask, dialect);
      const described = await dialect.schema.describe(ask, schema);
      // This user may have no right to read them. It is the last statement, as a refused one ends the transaction.
      const roles = await rolesOfService(ask, services).catch(() => undefined);
      return { services, roles, schema: described };
    });
  } catch (error) {
    throw refuse(errorMessage(error), error);
  }
};

const namesIn = (text: string | undefined): readonly string[] | undefined => {
  if (text === undefined) return undefined;
  const names = listed(text);
  if (names.length === 0) throw new UsageError('--only names no table');
  return [...new Set(names)];
};

/** Tables of services in a schema, with the names that describe them. */
const serviceTablesIn = ({
  schema: { schema, current, tables },
  services,
}: FoundTables): ReadonlyMap<string, string> =>
  new Map(
    tables.flatMap(({ name }): [string, string][] => {
      const described = services.get(`${schema}.${name}`) ?? (current ? services.get(name) : undefined);
      return described === undefined ? [] : [[name, described]];
    }),
  );

/** The models that the application has by itself, and what their names take. */
const surroundingsOf = async (folder: string, found: FoundTables, adopted: ReadonlySet<string>) => {
  const { schema } = found;
  const models = await loadModels(folder, adopted);
  const service = serviceTablesIn(found);
  const placed = (name: string): string => tableText({ schema: schema.schema, name });
  const others = new Map<string, KnownModel>();
  for (const [name, described] of service)
    if (described === 'users')
      others.set(placed(name), { model: 'User', key: { kind: 'integer', columns: ['id'] } });
  // Models without a schema of their own are those of the current one.
  const own = schema.current ? models : [];
  for (const { name, table, key, fields } of own) {
    const kind = keyKinds.find((each) => each === key.kind);
    others.set(placed(table), { model: name, key: { kind, columns: [fields.get('id')?.column ?? 'id'] } });
  }
  const taken = {
    models: new Set(models.map(({ name }) => name)),
    singulars: new Set(models.map(({ singular }) => singular)),
    plurals: new Set(models.map(({ path }) => path)),
  };
  const inUse = {
    service: new Set(service.keys()),
    models: new Map(own.map(({ table, name }) => [table, name])),
  };
  return { own: inUse, others, taken, models };
};

/** The names in an option that takes several. */
const listed = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

interface PolicyOptions {
  readonly policies?: string | undefined;
  readonly caller?: string | undefined;
  readonly claim?: string | undefined;
}

/** A run with policies needs them again: without them it would open what they close. @throws UsageError */
const assertPolicies = ({ policies, caller, claim }: PolicyOptions, recorded: Recorded): void => {
  if (policies !== undefined) return;
  if (caller !== undefined || claim !== undefined)
    throw new UsageError('--caller and --claim are for --policies');
  const former = [...recorded].find(([, table]) => policiesOf(table) !== undefined);
  if (former !== undefined)
    throw new UsageError(
      `the model of ${former[0]} has rules from --policies ${policiesOf(former[1])}: say it again; nothing was written`,
    );
};

/** Plans with the rules of policies, if there are some, and reports what became of these. */
const planWithPolicies = async (
  options: PolicyOptions,
  request: Omit<PlanRequest, 'owners' | 'withPolicies'>,
  models: readonly ResourceModel[],
): Promise<{ readonly plan: Plan; readonly report: PolicyReport | undefined }> => {
  if (options.policies === undefined) return { plan: await planAdoption(request), report: undefined };
  const { schema, others } = request;
  const source = await readPolicies(options.policies, listed(options.claim), schema);
  const callers = readCallers(options.caller, { schema, models, others });
  let report: PolicyReport | undefined;
  const plan = await planAdoption({
    ...request,
    owners: callers.owners,
    withPolicies: (adopted) => {
      const applied = applyPolicies(adopted, {
        source,
        callerColumns: callers.columns,
        callerModel: callers.model,
      });
      ({ report } = applied);
      return applied.models;
    },
  });
  return { plan, report };
};

/** The files that a plan writes; the record is the last of them. */
const filesOf = (plan: Plan, before: string): readonly NewFile[] => {
  const files = plan.models.filter(({ writes }) => writes).map(({ file, text }) => ({ path: file, text }));
  const record = recordedText(plan.recorded);
  return record === before ? files : [...files, { path: recordPath, text: record }];
};

export const command = defineCommand({
  operands: [],
  options: {
    url: { type: 'string', value: 'URL', help: 'the database to read; DATABASE_URL unless given' },
    schema: {
      type: 'string',
      value: 'NAME',
      help: 'its schema; the current one of the connection unless given',
    },
    only: { type: 'string', value: 'TABLE,TABLE', help: 'these tables; all of the schema unless given' },
    policies: {
      type: 'string',
      value: 'SOURCE',
      help: 'take over row rules: row-security, hasura:FILE or dab:FILE',
    },
    caller: {
      type: 'string',
      value: 'NAME.COLUMN',
      help: 'with --policies: the column, beside a user, with the id that policies call the caller',
    },
    claim: {
      type: 'string',
      value: 'NAME,NAME',
      help: 'with --policies: more claims and settings with the id of the caller',
    },
    'dry-run': { type: 'boolean', help: 'print the files and write nothing' },
    check: { type: 'boolean', help: 'write nothing; exit with 1 if the database differs from the last run' },
    ...jsonOption,
  },
  description: [
    'Writes resources/NAME.ts for each table of a database that another program made. The database is only read.',
    'It says of every table and column what became of it, or why it was left out.',
    'resources/adopted.json keeps what was found: the next run shows and writes only changes. A file that was edited',
    'is not written again; the edits that it needs are printed. A model whose file was deleted comes back with --only.',
    '--policies writes the row rules of another program as conditions; what no condition says stays closed, by name.',
    'Exit status 1: --check found a change, or files could not be written. 2: wrong usage, or no database was read.',
  ],
  examples: [
    'gatewright adopt --url postgres://reader@localhost/shop --dry-run',
    'gatewright adopt --schema sales --only orders,order_lines',
    'gatewright adopt --policies row-security --caller Person.auth_id',
    'gatewright adopt --check',
  ],
  async run({ values }, io) {
    const only = namesIn(values.only);
    const target = targetOf(values.url, io);
    const folder = await applicationFolder();
    const recorded = await readRecorded(folder);
    const found = await describe(target, values.schema);
    const { schema } = found;
    const around = await surroundingsOf(folder, found, await adoptedFiles(folder, recorded));
    assertPolicies(values, recorded);
    const { models, ...surroundings } = around;
    const request = { folder, schema, only, recorded, ...surroundings };
    const { plan, report } = await planWithPolicies(values, request, models);
    const files = filesOf(plan, recordedText(recorded));
    const writes = values['dry-run'] !== true && values.check !== true;
    if (writes) await replaceFiles(folder, files);
    const paths = writes ? files.map(({ path }) => shownPath(folder, path)) : [];
    if (values.json === true) {
      const policies = report && policyJson(report, found.roles);
      io.print(JSON.stringify(reportJson(plan, paths, policies)));
    } else {
      for (const line of reportLines(plan)) io.print(line);
      if (report !== undefined) for (const line of policyLines(report, found.roles)) io.print(line);
      if (values['dry-run'] === true)
        for (const { path, text } of files)
          if (path !== recordPath) io.print(`\n// ${shownPath(folder, path)}\n${text}`);
      for (const path of paths) io.print(`wrote ${path}`);
      io.print(summary(plan));
    }
    if (values.check === true && hasChanges(plan))
      throw new CommandError('the database differs from the last run of gatewright adopt', {
        status: changed,
      });
  },
});
