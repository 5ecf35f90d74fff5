/** The results of the tools for developers: from the files of the application, its database, and the documents. */

import { fileURLToPath } from 'node:url';
import { allEndpoints } from '../../app/all-endpoints.ts';
import { loadApplication } from '../../app/application.ts';
import { auditReport } from '../../app/audit-report.ts';
import type { Composed } from '../../app/compose.ts';
import { composeOffline } from '../../app/compose-offline.ts';
import { type Config, readConfig } from '../../app/config.ts';
import { endpointsOf } from '../../app/describe.ts';
import { expectsDatabase } from '../../app/known-databases.ts';
import { pendingMigrations } from '../../app/migrate.ts';
import { canonicalAccount } from '../../auth/account.ts';
import { defaultMethods } from '../../auth/registry.ts';
import { handbookTopics } from '../../console/docs.ts';
import { explainRequest } from '../../console/explain.ts';
import { openDatabase } from '../../database/open.ts';
import { databaseTarget } from '../../database/targets.ts';
import { checkedModels } from '../../http/call.ts';
import { type Json, type JsonObject, toJson } from '../../kernel/json.ts';
import { nearestHint } from '../../kernel/options.ts';
import { packageFile } from '../../kernel/package-files.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';
import { routeLines } from '../dev/routes.ts';
import type { ThreadQuestion } from './developer-tools.ts';
import type { ToolArguments } from './mcp-server.ts';

type ToolEnvironment = Readonly<Record<string, string | undefined>>;

interface Asked {
  readonly given: ToolArguments;
  readonly folder: string;
  /** In English, and without a port of metrics: this process serves nothing. */
  readonly config: Config;
}

const fieldLine = ({ name, kind, required, reference }: ModelField): string =>
  [name, kind, reference === undefined ? '' : `→ ${reference}`, required ? 'required' : '']
    .filter((word) => word !== '')
    .join(' ');

const describeModel = (model: ResourceModel, report: object, whole: boolean): JsonObject => ({
  name: model.name,
  path: `/api/v1/${model.path}`,
  table: model.table,
  fields: [...model.fields.values()].map((field) =>
    whole
      ? toJson({ name: field.name, type: field.kind, column: field.column, options: field.options })
      : fieldLine(field),
  ),
  relations: [...model.relations.keys()],
  views: toJson(model.views),
  rules: toJson(report),
});

const models = async ({ given: { name }, folder, config }: Asked): Promise<Json> => {
  const application = await loadApplication(folder);
  const { resources } = auditReport(
    await endpointsOf(application, config),
    application.models,
    undefined,
    [],
  );
  if (name !== undefined && !application.models.has(String(name)))
    throw new Error(`there is no model ${name}${nearestHint(String(name), application.models.keys())}`);
  return [...application.models.values()]
    .filter((model) => name === undefined || model.name === name)
    .map((model) => {
      const { model: _, path: __, ...report } = resources.find((each) => each.model === model.name) ?? {};
      return describeModel(model, report, name !== undefined);
    });
};

const routes = async ({ folder, config }: Asked): Promise<Json> => {
  const application = await loadApplication(folder);
  return routeLines(await endpointsOf(application, config), config.basePath).join('\n');
};

/** Runs a question on the database of the application, which it neither creates nor migrates. */
const onDatabase = async <T>(
  { folder, config }: Asked,
  work: (composed: Composed) => Promise<T>,
): Promise<T> => {
  const application = await loadApplication(folder);
  const target = databaseTarget(config.databaseUrl, application.config.serviceTables);
  await expectsDatabase(config, target);
  if (target.isEmpty()) throw new Error('there is no database yet: npx gatewright dev makes it');
  const pending = await pendingMigrations(target, application, config);
  if (pending.length > 0)
    throw new Error(`migrations are pending (${pending.join(', ')}): npx gatewright migrate applies them`);
  const database = await openDatabase(target, { poolSize: 1, prepare: config.databasePrepare });
  try {
    const composed = await composeOffline({ config, application, database });
    composed.services.routes.add(await allEndpoints(composed, application, config), config.basePath);
    return await work(composed);
  } finally {
    await database.close();
  }
};

/** The user with this account. @throws Error where there is none */
const accountId = async ({ services }: Composed, account: string): Promise<number> => {
  const id = await services.users.idByAccount(canonicalAccount(account));
  if (id === undefined) throw new Error(`there is no user ${account}`);
  return id;
};

const explain = (asked: Asked): Promise<Json> =>
  onDatabase(asked, async (composed) => {
    const { services } = composed;
    const { method, path, user, api_key_id } = asked.given;
    if (user !== undefined && api_key_id !== undefined)
      throw new Error('a request has one caller: either user or api_key_id');
    const query = new URLSearchParams({ method: String(method).toUpperCase(), path: String(path) });
    if (user !== undefined) query.set('user_id', String(await accountId(composed, String(user))));
    if (api_key_id !== undefined) query.set('api_key_id', String(api_key_id));
    const administrator = await services.users.firstSuperAdmin();
    if (administrator === undefined)
      throw new Error('there is no super_admin yet: npx gatewright dev makes one');
    const checked = checkedModels([...services.resources.values()].map(({ model }) => model));
    const identity = await services.identities.byUserId(administrator, checked);
    if (identity === undefined) throw new Error('the first super_admin is disabled');
    const principal = { ...identity, method: defaultMethods[0] } as const;
    try {
      return await explainRequest(services, { query: query.toString(), principal, language: 'en' });
    } catch (error) {
      if (error instanceof Problem && error.problem === 'record_not_found')
        throw new Error('there is no such caller');
      throw error;
    }
  });

const limitIn = ({ limit = 0 }: ToolArguments, usual: number, most: number): number => {
  if (limit === 0) return usual;
  if (typeof limit !== 'number' || limit < 1 || limit > most) throw new Error(`limit is 1 to ${most}`);
  return limit;
};

const refusals = (asked: Asked): Promise<Json> => {
  const limit = limitIn(asked.given, 20, 100);
  return onDatabase(asked, async ({ services }) => toJson(await services.refusals.latest(limit)));
};

/** Characters of a section in a result: the file has the rest. */
const excerptLength = 1_500;

const searchDocs = async ({ given }: Asked): Promise<Json> => {
  const limit = limitIn(given, 5, 20);
  const words = String(given['query'])
    .toLowerCase()
    .split(/[^\p{L}\p{N}_.-]+/u)
    .filter((word) => word !== '');
  if (words.length === 0) throw new Error('the query has no word');
  const scored = (await handbookTopics(false)).map((topic) => {
    const title = `${topic.title} ${topic.page}`.toLowerCase();
    const text = topic.text.toLowerCase();
    const found = words.filter((word) => title.includes(word) || text.includes(word)).length;
    const inTitle = words.filter((word) => title.includes(word)).length;
    return { topic, score: found * 10 + inTitle * 5 + (text.includes(words.join(' ')) ? 5 : 0) };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ topic: { title, page, text, file } }) => ({
      page,
      section: title,
      file: fileURLToPath(packageFile(`docs/${file}`)),
      text: text.length > excerptLength ? `${text.slice(0, excerptLength)} …` : text,
    }));
};

const questions: Readonly<Record<string, (asked: Asked) => Promise<Json>>> = {
  models,
  routes,
  explain,
  refusals,
  search_docs: searchDocs,
};

/** @throws Error with the message for the caller */
export const answerQuestion = async (
  { name, given, folder }: ThreadQuestion,
  env: ToolEnvironment,
): Promise<Json> => {
  const answer = questions[name];
  if (answer === undefined) throw new Error(`there is no tool ${name}`);
  return answer({ given, folder, config: readConfig({ ...env, LOCALE: 'en', METRICS_PORT: undefined }) });
};
