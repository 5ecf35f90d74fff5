/** Compares the database with what the last run found, and the files with what it wrote: what a run has to do. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DescribedSchema, DescribedTable } from '../../database/described-tables.ts';
import { nearestHint } from '../../kernel/options.ts';
import { CommandError, UsageError } from '../io.ts';
import { assertNewStem } from '../scaffold/files.ts';
import { modelFile } from '../scaffold/resource-file.ts';
import {
  codeDigest,
  codeFacts,
  databaseFacts,
  type FactChange,
  factChanges,
  filePath,
  markLine,
  type Recorded,
  type RecordedModel,
  type RecordedTable,
  recordedModel,
} from './adopted-file.ts';
import { type AdoptedModel, type LeftTable, tableText } from './adopted-model.ts';
import { reasonToLeave, type TablesInUse } from './leave-table.ts';
import { type KnownModel, mapTables } from './map-tables.ts';
import { type ModelNames, saidNames, type TakenNames, takeNames } from './names.ts';
import { modelFlaw } from './table-draft.ts';

/**
 * The work of a run on a table. `new` and `changed`: its file is written. `edited`: a person changed the file, so that
 * the run names the edits. `same`: nothing. A table whose file a person deleted is passed over.
 */
export type ModelState = 'new' | 'changed' | 'edited' | 'same';

export interface PlannedModel {
  readonly state: ModelState;
  /** True if its file has to be written. */
  readonly writes: boolean;
  /** True if its file is, or will be, as `adopt` writes it. */
  readonly isOurs: boolean;
  readonly adopted: AdoptedModel;
  readonly file: string;
  readonly text: string;
  /** Differences from the last run: in the database, and in the code of the model. */
  readonly inDatabase: readonly FactChange[];
  readonly inCode: readonly FactChange[];
}

/** A table of the last run that has no model now, or is gone. */
export interface LostModel {
  readonly table: string;
  readonly file: string;
  readonly because: string;
}

export interface Plan {
  readonly models: readonly PlannedModel[];
  /** Tables without a model; `isNew`: the last run had another reason, or none. */
  readonly left: readonly (LeftTable & { readonly isNew: boolean })[];
  readonly lost: readonly LostModel[];
  /** The record that the next run compares with. */
  readonly recorded: Recorded;
}

export interface PlanRequest {
  readonly folder: string;
  readonly schema: DescribedSchema;
  /** Names of tables; undefined for all. */
  readonly only: readonly string[] | undefined;
  readonly own: TablesInUse;
  readonly recorded: Recorded;
  /** Names that models of the application have. */
  readonly taken: TakenNames;
  /** Models of the application that foreign keys can lead to. */
  readonly others: ReadonlyMap<string, KnownModel>;
  /** Columns that name the owner of a row, by the text of the table. */
  readonly owners?: ReadonlyMap<string, string>;
  /** Adds the rules of another program's policies. */
  readonly withPolicies?: (models: readonly AdoptedModel[]) => readonly AdoptedModel[];
}

const readText = async (folder: string, path: string): Promise<string | undefined> => {
  try {
    return await readFile(join(folder, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

const isModel = (recorded: RecordedTable | undefined): recorded is RecordedModel =>
  recorded !== undefined && 'model' in recorded;

/** Refuses names of `--only` that are no tables, or of which no model can be made. @throws UsageError, CommandError */
const assertOnly = ({ schema, only = [], own }: PlanRequest): void => {
  for (const name of only) {
    const table = schema.tables.find((each) => each.name === name);
    const place = schema.schema === undefined ? 'the database' : `the schema ${schema.schema}`;
    if (table === undefined) {
      const hint = nearestHint(
        name,
        schema.tables.map((each) => each.name),
      );
      throw new UsageError(`--only ${name}: ${place} has no such table${hint}`);
    }
    const reason = reasonToLeave(table, own, true) ?? modelFlaw(table);
    if (reason !== undefined)
      throw new CommandError(`${tableText(table)} cannot be adopted: ${reason}; nothing was written`);
  }
};

/** The tables that get a model, with the texts of their files, and those that get none. */
const sortTables = async (request: PlanRequest) => {
  const { folder, schema, only, own, recorded } = request;
  const tables: DescribedTable[] = [];
  const left: LeftTable[] = [];
  const texts = new Map<string, string | undefined>();
  for (const table of schema.tables) {
    const name = tableText(table);
    const known = recorded.get(name);
    const isNamed = only?.includes(table.name) === true;
    if (only !== undefined && !isNamed && !isModel(known)) continue;
    const because = reasonToLeave(table, own, isNamed || isModel(known)) ?? modelFlaw(table);
    if (because !== undefined) {
      left.push({ table, because });
      continue;
    }
    if (isModel(known)) {
      const text = await readText(folder, filePath(known));
      texts.set(name, text);
      if (text === undefined && !isNamed) continue;
    }
    tables.push(table);
  }
  return { tables, left, texts };
};

/** The names of a model of the last run; a person may have given it another one in its file. */
const formerNames = ({ model, singular, plural }: RecordedModel, text: string | undefined): ModelNames => {
  const said = /\bdefineResource\(\s*(['"`])([A-Z][A-Za-z0-9]*)\1/.exec(text ?? '')?.[2];
  const name = said ?? model;
  return { model: name, wanted: name, singular, plural, said: saidNames(name, singular, plural) };
};

/** The state of a file, and whether to write it. A run that was interrupted may have written it already. */
const stateOf = (
  known: RecordedModel | undefined,
  onDisk: string | undefined,
  text: string,
  isChanged: boolean,
): Pick<PlannedModel, 'state' | 'writes' | 'isOurs'> => {
  if (onDisk === undefined || known === undefined)
    return { state: 'new', writes: onDisk === undefined, isOurs: true };
  const digest = codeDigest(onDisk);
  if (digest === codeDigest(text))
    return { state: isChanged ? 'changed' : 'same', writes: false, isOurs: true };
  if (digest === known.digest) return { state: 'changed', writes: true, isOurs: true };
  return { state: isChanged ? 'edited' : 'same', writes: false, isOurs: false };
};

const fileText = ({ table, model, entries, comment }: AdoptedModel): string =>
  modelFile(model, entries, [markLine(tableText(table)), ...comment]);

const planModel = async (
  adopted: AdoptedModel,
  { folder, recorded }: PlanRequest,
  texts: ReadonlyMap<string, string | undefined>,
): Promise<PlannedModel> => {
  const name = tableText(adopted.table);
  const found = recorded.get(name);
  const known = isModel(found) ? found : undefined;
  const file = filePath(adopted);
  const text = fileText(adopted);
  const inDatabase = known === undefined ? [] : factChanges(known.database, databaseFacts(adopted));
  const inCode = known === undefined ? [] : factChanges(known.code, codeFacts(adopted));
  const onDisk = known === undefined ? await readText(folder, file) : texts.get(name);
  // A file with another extension would have the same name for the application.
  if (onDisk === undefined) await assertNewStem(folder, file);
  if (known === undefined && onDisk !== undefined && codeDigest(onDisk) !== codeDigest(text))
    throw new CommandError(
      `${file} exists already, and adopt did not write it for ${name}: rename one of them; nothing was written`,
    );
  const state = stateOf(known, onDisk, text, inDatabase.length > 0 || inCode.length > 0);
  return { ...state, adopted, file, text, inDatabase, inCode };
};

/** The names of tables that this run is about. */
const isOfSchema = ({ schema }: DescribedSchema, name: string): boolean =>
  schema === undefined || name.startsWith(`${schema}.`);

/** Models of the last run whose tables have none now. */
const lostModels = async (
  { folder, schema, only, recorded }: PlanRequest,
  left: readonly LeftTable[],
): Promise<readonly LostModel[]> => {
  const reasons = new Map(left.map(({ table, because }) => [tableText(table), because]));
  const there = new Set(schema.tables.map(tableText));
  const lost: LostModel[] = [];
  for (const [table, known] of recorded) {
    if (!isModel(known) || !isOfSchema(schema, table) || only !== undefined) continue;
    const because = there.has(table) ? reasons.get(table) : 'the table is gone';
    const file = filePath(known);
    if (because !== undefined && (await readText(folder, file)) !== undefined)
      lost.push({ table, file, because });
  }
  return lost;
};

/** Names and models that the tables of this run can neither have nor refer to by another name. */
const surroundings = ({ recorded, schema, taken, others }: PlanRequest) => {
  const there = new Set(schema.tables.map(tableText));
  const around = new Map(others);
  for (const [name, known] of recorded) {
    if (!isModel(known)) continue;
    takeNames(taken, known);
    if (!there.has(name)) around.set(name, { model: known.model, key: known.key });
  }
  return { taken, others: around };
};

/** The record that the next run compares with. */
const nextRecord = (
  { recorded, schema, only }: PlanRequest,
  models: readonly PlannedModel[],
  left: readonly LeftTable[],
  lost: readonly LostModel[],
): Recorded => {
  const there = new Set(schema.tables.map(tableText));
  const kept = new Set(lost.map(({ table }) => table));
  const next = new Map(
    [...recorded].filter(
      ([name]) => there.has(name) || kept.has(name) || only !== undefined || !isOfSchema(schema, name),
    ),
  );
  for (const { table, because } of left)
    if (!kept.has(tableText(table))) next.set(tableText(table), { left: because });
  for (const { adopted, text, isOurs } of models) {
    const name = tableText(adopted.table);
    const known = recorded.get(name);
    const record = recordedModel(adopted, text);
    // The digest of what was written last: a file that becomes as it was is no longer an edited one.
    next.set(name, !isOurs && isModel(known) ? { ...record, digest: known.digest } : record);
  }
  return next;
};

/**
 * Plans a run; nothing is written.
 * @throws UsageError for an unknown name of `--only`, CommandError for a table or file that cannot be
 */
export const planAdoption = async (request: PlanRequest): Promise<Plan> => {
  assertOnly(request);
  const { schema, only, recorded } = request;
  const { tables, left, texts } = await sortTables(request);
  const names = tables.flatMap((table): [string, ModelNames][] => {
    const name = tableText(table);
    const known = recorded.get(name);
    return isModel(known) ? [[name, formerNames(known, texts.get(name))]] : [];
  });
  const around = surroundings(request);
  for (const [, each] of names) takeNames(around.taken, each);
  const { owners = new Map(), withPolicies = (models) => models } = request;
  const mapped = withPolicies(mapTables({ schema, tables, formerNames: new Map(names), owners, ...around }));
  const models: PlannedModel[] = [];
  for (const adopted of mapped)
    if (only === undefined || only.includes(adopted.table.name))
      models.push(await planModel(adopted, request, texts));
  const lost = await lostModels(request, left);
  const isNew = ({ table, because }: LeftTable): boolean => {
    const known = recorded.get(tableText(table));
    return known === undefined || isModel(known) || known.left !== because;
  };
  return {
    models,
    left: left.map((each) => ({ ...each, isNew: isNew(each) })),
    lost,
    recorded: nextRecord(request, models, left, lost),
  };
};
