import {
  type Answer,
  ask,
  dataOf,
  note,
  type Playing,
  recordFault,
  refusalFault,
  statusFault,
} from './asking.ts';
import { someBody, someId } from './bodies.ts';
import { compareIds, type Id, inPath, missing } from './ids.ts';
import { playBatch, playImport } from './many.ts';
import { created, destroyed, isRefused, keep, type Refused, takeAway, updated, viewedRow } from './oracle.ts';
import { playEvents, playHistory } from './past.ts';
import type { Asking } from './people.ts';
import type { ModelPlan } from './plan.ts';
import { playDetail, playExplanation, playList, somePages } from './reads.ts';
import { playScope, refusalOfScope, writeByScope } from './scopes.ts';
import { firstVersion, putRow, tableFaults } from './tables.ts';
import { playDeleted } from './trash.ts';

const noteRefusal = (
  playing: Playing,
  what: string,
  answer: Answer,
  wanted: Refused,
  caller: Asking,
  byScope: boolean,
): void => {
  const refusal = byScope ? refusalOfScope(wanted, caller) : wanted;
  note(playing, byScope ? `${what}, by a scope` : what, refusalFault(answer, refusal));
};

const playCreate = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<string> => {
  const body = someBody(playing, plan, caller);
  const wanted = created(playing, plan, caller, body);
  const what = `${caller.name}: create ${plan.name} ${JSON.stringify(body)}`;
  const id = plan.key === 'text' ? {} : { id: missing[plan.key] };
  const values = { ...body, ...id, version: 7, created_at: 'never' };
  const byScope = playing.random.chance(0.25);
  const answer = await (byScope
    ? writeByScope(playing, caller, plan, { action: 'create', values })
    : ask(playing, caller, 'create', `/api/v1/${plan.path}`, { body: { [plan.singular]: values } }));
  if (isRefused(wanted)) noteRefusal(playing, what, answer, wanted, caller, byScope);
  else {
    note(playing, what, statusFault(answer, 201));
    if (answer.status !== 201) return what;
    const { id } = dataOf(answer) as { id: Id };
    const isOld = (known: Id) => compareIds(plan.key, id, known) <= 0;
    if (plan.key !== 'text' && [...playing.state.table(plan.name).keys()].some(isOld))
      note(playing, what, `id ${id} again`);
    const row = { ...wanted, id };
    keep(playing, plan, row, caller, await firstVersion(playing, plan, id));
    note(playing, what, recordFault(dataOf(answer), plan, viewedRow(playing, plan, 'create', caller, row)));
  }
  return what;
};

const playUpdate = async (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  id = someId(playing, plan, caller),
): Promise<string> => {
  const { random, state } = playing;
  const body = someBody(playing, plan, caller, state.find(plan.name, id) ?? {});
  const right = state.version(plan.name, id) || 1;
  const version = random.chance(0.7) ? undefined : random.chance(0.7) ? right : right + 1;
  const wanted = updated(playing, plan, caller, id, body, version);
  const what = `${caller.name}: update ${plan.name} ${id} ${JSON.stringify(body)} of ${version}`;
  const byScope = random.chance(0.25);
  const answer = await (byScope
    ? writeByScope(playing, caller, plan, { action: 'update', id, version, values: body })
    : ask(playing, caller, 'update', `/api/v1/${plan.path}/${inPath(id)}`, {
        body: { [plan.singular]: body },
        ifMatch: version === undefined ? undefined : `"${version}-saved"`,
      }));
  if (isRefused(wanted)) noteRefusal(playing, what, answer, wanted, caller, byScope);
  else {
    const seen = viewedRow(playing, plan, 'update', caller, wanted);
    note(playing, what, statusFault(answer, 200) ?? recordFault(dataOf(answer), plan, seen));
    if (answer.status === 200) keep(playing, plan, wanted, caller);
  }
  return what;
};

const playDestroy = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<string> => {
  const { random, state } = playing;
  const id = someId(playing, plan, caller);
  const right = state.version(plan.name, id) || 1;
  const version = random.chance(0.8) ? undefined : random.chance(0.5) ? right : right + 1;
  const wanted = destroyed(playing, plan, caller, id, version);
  const what = `${caller.name}: destroy ${plan.name} ${id} of ${version}`;
  const byScope = random.chance(0.25);
  const answer = await (byScope
    ? writeByScope(playing, caller, plan, { action: 'destroy', id, version, values: {} })
    : ask(playing, caller, 'destroy', `/api/v1/${plan.path}/${inPath(id)}`, {
        ifMatch: version === undefined ? undefined : `"${version}-saved"`,
      }));
  if (isRefused(wanted)) noteRefusal(playing, what, answer, wanted, caller, byScope);
  else {
    note(playing, what, statusFault(answer, 200));
    if (answer.status === 200) takeAway(playing, plan, id, caller);
  }
  return what;
};

/** Reads under way at a time: more would only wait for a connection to PostgreSQL. */
const parallel = 12;

const playReads = async (playing: Playing, share: number): Promise<void> => {
  const { random, models, people } = playing;
  const reads = models.flatMap((plan) => {
    // Many ask the same: a value that is cached for one must not reach another.
    const common = somePages(playing, plan);
    return random
      .some(people.callers, share)
      .flatMap((caller) => [
        () => playList(playing, plan, caller, random.chance(0.5) ? common : somePages(playing, plan)),
        ...[playDetail, playDetail, playExplanation, playScope].map(
          (play) => () => play(playing, plan, caller, someId(playing, plan, caller)),
        ),
      ]);
  });
  const waiting = reads.values();
  const work = async (): Promise<void> => {
    for (const read of waiting) await read();
  };
  await Promise.all(Array.from({ length: parallel }, work));
};

/** Moves some records in and out of what others reach; then everybody asks what there was, and what happened. */
const playPast = async (playing: Playing): Promise<void> => {
  const { random, models, people, state } = playing;
  for (const plan of models)
    for (const id of [...state.table(plan.name).keys()].slice(-2)) {
      for (let times = 0; times < 3; times += 1) await playUpdate(playing, plan, people.administrator, id);
      for (const caller of random.some(people.callers, 0.5)) await playHistory(playing, plan, caller, id);
    }
  for (const caller of people.callers) await playEvents(playing, caller);
};

const writes = [
  ...[playCreate, playCreate, playUpdate, playUpdate, playUpdate, playDestroy],
  ...[playBatch, playBatch, playImport],
];

/** Writes of an administrator, so that there is a past. The timestamps are those of all rows. */
export const playBefore = async (playing: Playing, times: number): Promise<void> => {
  const { random, models, people, state, database } = playing;
  for (let count = 0; count < times; count += 1)
    await random.pick(writes)(playing, random.pick(models), people.administrator);
  for (const plan of models)
    for (const { row, version } of state.table(plan.name).values())
      await putRow(database, plan, row, version);
};

/** Plays a world: reads by all, then writes one after the other, each followed by a look into the tables, and again. */
export const playWorld = async (
  playing: Playing,
  { rounds, writesPerRound }: { readonly rounds: number; readonly writesPerRound: number },
): Promise<void> => {
  const { random, models, people, database } = playing;
  for (let round = 0; round < rounds && playing.faults.length === 0; round += 1) {
    await playReads(playing, 0.25);
    for (let count = 0; count < writesPerRound && playing.faults.length === 0; count += 1) {
      // Administrators open and close what others reach.
      const caller = random.chance(0.15) ? people.administrator : random.pick(people.callers);
      const what = await random.pick(writes)(playing, random.pick(models), caller);
      for (const plan of models)
        for (const fault of await tableFaults(database, playing, plan)) note(playing, what, fault);
    }
  }
  await playPast(playing);
  await playDeleted(playing);
};
