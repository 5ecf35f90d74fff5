import {
  type Answer,
  ask,
  dataOf,
  missing,
  note,
  type Playing,
  recordFault,
  refusalFault,
  statusFault,
} from './asking.ts';
import {
  type Body,
  created,
  destroyed,
  isRefused,
  type Refused,
  shown,
  takeAway,
  updated,
} from './oracle.ts';
import { playEvents, playHistory } from './past.ts';
import type { Asking } from './people.ts';
import type { FieldPlan, ModelPlan, Row } from './plan.ts';
import { playDetail, playExplanation, playList, somePages } from './reads.ts';
import { playScope, refusalOfScope, writeByScope } from './scopes.ts';
import { tableFaults } from './tables.ts';
import { kinds, someValue, type Value } from './values.ts';

export const someId = (playing: Playing, plan: ModelPlan, caller: Asking): number => {
  const { random, state } = playing;
  const rows = shown(playing, plan, 'detail', caller);
  if (!isRefused(rows) && rows.length > 0 && random.chance(0.6)) return Number(random.pick(rows)['id']);
  const ids = [...state.table(plan.name).keys()];
  return ids.length === 0 || random.chance(0.05) ? missing : random.pick(ids);
};

const someReference = (playing: Playing, { to = '', required }: FieldPlan, caller: Asking): Value => {
  const { random, users, models } = playing;
  if (!required && random.chance(0.15)) return null;
  if (to === 'User') return caller.userId !== null && random.chance(0.7) ? caller.userId : random.pick(users);
  const target = models.find(({ name }) => name === to);
  return target === undefined ? missing : someId(playing, target, caller);
};

/** A body with some of the fields; now and then a value is one that the field does not take. */
export const someBody = (playing: Playing, plan: ModelPlan, caller: Asking, before?: Row): Body => {
  const { random } = playing;
  const fields = plan.fields.filter(() => random.chance(before === undefined ? 0.9 : 0.4));
  return Object.fromEntries(
    fields.map((field) => {
      const { name, kind, required } = field;
      // A form sends back what it was shown.
      const kept = before?.[name];
      if (kept !== undefined && random.chance(0.3)) return [name, kept];
      if (kind === 'reference') return [name, someReference(playing, field, caller)];
      if (random.chance(0.03)) return [name, kinds[kind].wrong];
      return [name, someValue(random, kind, !required || random.chance(0.05))];
    }),
  );
};

const keep = (playing: Playing, plan: ModelPlan, row: Row, by: Asking): void => {
  const { state } = playing;
  const id = Number(row['id']);
  const version = state.version(plan.name, id) + 1;
  const before = state.find(plan.name, id);
  const action = before === undefined ? 'create' : 'update';
  const then = state.copy();
  state.past.push({
    model: plan.name,
    id,
    version,
    action,
    by,
    before,
    after: row,
    because: undefined,
    then,
  });
  state.table(plan.name).set(id, { row, version });
};

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
  const values = { ...body, id: missing, version: 7, created_at: 'never' };
  const byScope = playing.random.chance(0.25);
  const answer = await (byScope
    ? writeByScope(playing, caller, plan, { action: 'create', values })
    : ask(playing, caller, 'create', `/api/v1/${plan.path}`, { body: { [plan.singular]: values } }));
  if (isRefused(wanted)) noteRefusal(playing, what, answer, wanted, caller, byScope);
  else {
    note(playing, what, statusFault(answer, 201));
    if (answer.status !== 201) return what;
    const { id } = dataOf(answer) as { id: number };
    if (id <= Math.max(0, ...playing.state.table(plan.name).keys())) note(playing, what, `id ${id} again`);
    const row = { ...wanted, id };
    keep(playing, plan, row, caller);
    note(playing, what, recordFault(dataOf(answer), plan, row));
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
    : ask(playing, caller, 'update', `/api/v1/${plan.path}/${id}`, {
        body: { [plan.singular]: body },
        ifMatch: version === undefined ? undefined : `"${version}-saved"`,
      }));
  if (isRefused(wanted)) noteRefusal(playing, what, answer, wanted, caller, byScope);
  else {
    note(playing, what, statusFault(answer, 200) ?? recordFault(dataOf(answer), plan, wanted));
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
    : ask(playing, caller, 'destroy', `/api/v1/${plan.path}/${id}`, {
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
    // Many ask the same: what is remembered of one must not be told to another.
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

const writes = [playCreate, playCreate, playUpdate, playUpdate, playUpdate, playUpdate, playDestroy] as const;

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
};
