/** `gatewright audit`: prints the audit report as tables or JSON. */

import type { Application } from '../../app/application.ts';
import { type AuditReport, auditReport, type ResourceReport } from '../../app/audit-report.ts';
import { readConfig } from '../../app/config.ts';
import { endpointsOf } from '../../app/describe.ts';
import { expectsDatabase } from '../../app/known-databases.ts';
import { outdatedDatabase, outdatedNode } from '../../app/known-fixes.ts';
import { schemaDifferences } from '../../app/schema-check.ts';
import type { Difference, MissingIndex } from '../../database/schema-differences.ts';
import { databaseTarget } from '../../database/targets.ts';
import { errorMessage } from '../../kernel/error-message.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { openApplication } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, type Io, UsageError } from '../io.ts';

interface DatabaseFindings {
  /** Differences between models and database; undefined if no database was compared. */
  readonly differences: readonly Difference[] | undefined;
  /** The program behind the database, if it lacks known fixes. */
  readonly outdated: readonly string[];
}

/**
 * Compares the database with the models and with the known fixes of its program. Nothing is found if there is no
 * database, or it does not respond, which is printed. The rest of the report needs only the model files.
 */
const lookAtDatabase = async (
  io: Pick<Io, 'env' | 'warn'>,
  { models, config: { serviceTables } }: Pick<Application, 'models' | 'config'>,
): Promise<DatabaseFindings> => {
  const none = { differences: undefined, outdated: [] };
  const config = readConfig(io.env);
  const target = databaseTarget(config.databaseUrl, serviceTables);
  try {
    await expectsDatabase(config, target);
    if (target.isEmpty()) return none;
    return await target.snapshot(async ({ ask, dialect }) => ({
      differences: await schemaDifferences(ask, dialect, models),
      outdated: await outdatedDatabase(ask, dialect),
    }));
  } catch (error) {
    io.warn(`the database was not looked at: ${errorMessage(error)}`);
    return none;
  }
};

const words = (value: Json | undefined): string => (Array.isArray(value) ? value.join(', ') : String(value));

/** The callers of an endpoint in words, from the result of `accessOf`. */
const callersOf = ({ access, roles }: JsonObject): string => {
  switch (access) {
    case 'public':
      return 'anybody';
    case 'authenticated':
      return 'any caller who authenticates';
    case 'user':
      return 'any user';
    case 'own':
      return 'any user, own only';
    case 'administrator':
      return 'super_admin, admin';
    case 'roles':
      return `super_admin, ${words(roles)}`;
    default:
      return words(access);
  }
};

/** The rules that narrow an endpoint further. */
const rulesOf = ({
  permission,
  isolation,
  manage,
  ownership,
  restricted,
  restricted_unless,
  viewed_when,
  shows,
  published,
  or_own,
  own,
}: JsonObject): string => {
  const rules: readonly (string | false)[] = [
    permission !== undefined && `permission ${words(permission)}`,
    isolation === true && 'own records only',
    isolation !== undefined && isolation !== true && 'rows by rule',
    manage !== undefined && 'deleted records by rule',
    own === true && 'own only',
    ownership === true && 'owner is the caller',
    restricted !== undefined && `restricted ${words(restricted)}`,
    restricted_unless !== undefined && 'restricted by rule',
    viewed_when !== undefined && 'fields by rule',
    shows !== undefined && `shows ${words(Object.keys(shows ?? {}))}`,
    published !== undefined && `where ${JSON.stringify(published)}`,
    or_own === true && 'or own for signed-in callers',
  ];
  return rules.filter((rule) => rule !== false).join('; ');
};

const tableOf = (rows: readonly (readonly string[])[]): string[] => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

const endpointRow = (endpoint: JsonObject): string[] => {
  const { method, path, methods, also } = endpoint;
  const credentials = Array.isArray(methods) && methods.length > 0 ? words(methods) : '-';
  return [
    also === undefined ? words(method) : `${words(method)} ${words(also)}`,
    words(path),
    credentials,
    callersOf(endpoint),
    rulesOf(endpoint),
  ];
};

/** A sentence as the end of another one. */
const tail = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

const resourceRow = ({ model, off, open_records }: ResourceReport): string[] => [
  model,
  off.length === 0 ? 'none' : words([...off]),
  open_records === undefined ? '' : `OPEN: any caller who authenticates can change ${tail(open_records)}`,
];

/** The rights of callers other than administrators, each with its rows. */
const rightsOf = ({
  isolation,
  manage,
  restricted_unless = [],
  viewed_when = [],
  shows = {},
}: ResourceReport): (readonly [right: string, rows: string])[] => {
  const sentences: (readonly [rule: string, sentence: string])[] = Object.entries(isolation ?? {});
  if (manage !== undefined) sentences.push(['manage', manage]);
  const bySentence = Map.groupBy(sentences, ([, sentence]) => sentence);
  return [
    ...[...bySentence].map(
      ([sentence, rules]) => [rules.map(([name]) => name).join(', '), sentence] as const,
    ),
    ...restricted_unless.map(({ fields, unless }) => [`write ${fields.join(', ')}`, unless] as const),
    ...viewed_when.map(({ fields, when }) => [`see ${fields.join(', ')}`, when] as const),
    ...Object.entries(shows).map(
      ([relation, fields]) => [`see ${fields.join(', ')} of ${relation}`, 'Records that they read'] as const,
    ),
  ];
};

/** The rows that callers other than administrators reach, one sentence per line. */
const rowLines = (resources: readonly ResourceReport[]): string[] => {
  const rows = resources.flatMap((resource) =>
    rightsOf(resource).map(([right, sentence], index) => [
      index === 0 ? resource.model : '',
      right,
      tail(sentence),
    ]),
  );
  if (rows.length === 0) return [];
  return ['', ...tableOf([['RESOURCE', 'RIGHT', 'ROWS, EXCEPT FOR super_admin AND admin'], ...rows])];
};

const indexText = ({ table, columns }: MissingIndex): string => `${table} (${columns.join(', ')})`;

const indexLines = (missing: readonly MissingIndex[]): string[] => {
  if (missing.length === 0) return [];
  const rows = missing.map((index) => [indexText(index), index.unique ? 'unique' : '']);
  return ['', ...tableOf([['MISSING INDEX', ''], ...rows])];
};

const warningLines = (resources: readonly ResourceReport[]): string[] => {
  const warnings = resources.flatMap((resource) => resource.warnings);
  return warnings.length === 0 ? [] : ['', ...tableOf([['WARNING'], ...warnings.map((each) => [each])])];
};

const differenceLines = (differences: readonly string[]): string[] =>
  differences.length === 0 ? [] : ['', 'MODELS AND DATABASE DIFFER', ...differences];

const outdatedLines = (sentences: readonly string[]): string[] =>
  sentences.length === 0 ? [] : ['', 'KNOWN FIXES ARE MISSING', ...sentences];

const print = ({ endpoints, resources, differences, missing_indexes, outdated }: AuditReport): string[] => [
  ...tableOf([['METHOD', 'PATH', 'CREDENTIALS', 'WHO', 'RULES'], ...endpoints.map(endpointRow)]),
  '',
  ...tableOf([['RESOURCE', 'RECOMMENDED RULES THAT ARE OFF', ''], ...resources.map(resourceRow)]),
  ...rowLines(resources),
  ...warningLines(resources),
  ...differenceLines(differences ?? []),
  ...indexLines(missing_indexes ?? []),
  ...outdatedLines(outdated),
];

/** The errors of a strict run, a sentence each. `allow`: names of models that are open on purpose. */
const failuresOf = (
  { resources, differences, missing_indexes }: AuditReport,
  allow: readonly string[],
): readonly string[] => {
  const failures: string[] = [];
  const open = resources.filter((resource) => resource.open && !allow.includes(resource.model));
  if (open.length > 0) failures.push(`left open: ${open.map(({ model }) => model).join(', ')}`);
  if (differences !== null && differences.length > 0)
    failures.push(`models and database differ: ${differences.join(', ')}`);
  const missing = (missing_indexes ?? []).map(indexText).join(', ');
  if (missing !== '') failures.push(`no index: ${missing}; gatewright generate migration NAME writes it`);
  return failures;
};

export const command = defineCommand({
  operands: [],
  options: {
    strict: {
      type: 'boolean',
      help: 'exit with 1 if a resource is open or models and database differ, see above',
    },
    allow: {
      type: 'string',
      multiple: true,
      value: 'MODEL',
      help: 'a resource that is open on purpose (repeatable)',
    },
    ...jsonOption,
  },
  description: [
    'Lists every endpoint of the application with its callers, and for each resource the rules recommended for production',
    'that are off.',
    'A resource is open if neither a permission check nor isolation limits who changes its records, for example without',
    'any rules, or with a row rule that does not depend on the caller.',
    'If the database exists, it is compared with the models, and missing indexes are listed.',
    'It warns about references between models of one tenant that lack same.',
    'It names a Node or a database below its known security fixes, as the log does at a start.',
  ],
  examples: [
    'gatewright audit',
    'gatewright audit --strict --allow Note',
    'gatewright audit --json | jq .resources',
  ],
  async run({ values }, io) {
    const application = await openApplication();
    const { allow = [] } = values;
    const stranger = allow.find((name) => !application.models.has(name));
    if (stranger !== undefined) throw new UsageError(`--allow ${stranger}: there is no such model`);
    const endpoints = await endpointsOf(application, readConfig(io.env));
    const { differences, outdated } = await lookAtDatabase(io, application);
    const programs = [...outdatedNode(), ...outdated];
    const report = auditReport(endpoints, application.models, differences, programs);
    if (values.json === true) io.print(JSON.stringify(report));
    else for (const line of print(report)) io.print(line);
    const failures = failuresOf(report, allow);
    if (values.strict === true && failures.length > 0) throw new CommandError(failures.join('; '));
  },
});
