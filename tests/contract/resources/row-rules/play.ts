import {
  type Answer,
  ask,
  dataOf,
  missing,
  note,
  type Playing,
  recordFault,
  recordsFault,
  refusalFault,
  statusFault,
} from './asking.ts';
import { queryOf, someList } from './lists.ts';
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
import type { Asking } from './people.ts';
import type { FieldPlan, ModelPlan, Row } from './plan.ts';
import { tableFaults } from './tables.ts';
import { kinds, someValue, type Value } from './values.ts';

/** The parameter `after` of the link to the page behind, or before; undefined where there is none. */
const linkOf = ({ headers }: Answer, relation: 'next' | 'prev'): string | undefined => {
  const link = new RegExp(`<([^>]+)>; rel="${relation}"`).exec(String(headers['link'] ?? ''))?.[1];
  return link === undefined ? undefined : (new URL(link).searchParams.get('after') ?? undefined);
};

/** The whole list, one page of it with its total, and a walk along it by cursor. */
const playList = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<void> => {
  const { random, state, users } = playing;
  const { parameters, answer } = someList(random, plan, [...users, ...state.table(plan.name).keys()]);
  const perPage = 1 + random.below(4);
  const page = 1 + random.below(3);
  const rows = shown(playing, plan, 'list', caller);
  const path = `/api/v1/${plan.path}`;
  const what = `${caller.name}: list ${plan.name} ${queryOf(parameters)}`;
  const whole = await ask(playing, caller, 'list', path + queryOf(parameters));
  if (isRefused(rows)) return note(playing, what, refusalFault(whole, rows));
  const wanted = answer(rows);
  note(playing, what, statusFault(whole, 200) ?? recordsFault(dataOf(whole), plan, wanted));
  const paged = [...parameters, ['page', String(page)], ['per_page', String(perPage)]] as const;
  // Twice: the second time the total may be a remembered one.
  for (const _ of [1, 2]) {
    const one = await ask(playing, caller, 'list', path + queryOf(paged));
    const slice = wanted.slice((page - 1) * perPage, page * perPage);
    note(playing, `${what} page ${page}`, statusFault(one, 200) ?? recordsFault(dataOf(one), plan, slice));
    const total = Number(one.headers['x-total-count']);
    if (total !== wanted.length) note(playing, what, `a total of ${total}, not ${wanted.length}`);
  }
  const walked: unknown[] = [];
  for (let after: string | undefined = ''; after !== undefined && walked.length <= wanted.length; ) {
    const cursor = [...parameters, ['per_page', String(perPage)], ['after', after]] as const;
    const step = await ask(playing, caller, 'list', path + queryOf(cursor));
    note(playing, `${what} after ${after}`, statusFault(step, 200));
    if (step.status !== 200) return;
    const before = linkOf(step, 'prev');
    if (before !== undefined && random.chance(0.3)) {
      const cursor = [...parameters, ['per_page', String(perPage)], ['after', before]] as const;
      const back = await ask(playing, caller, 'list', path + queryOf(cursor));
      const slice = wanted.slice(Math.max(0, walked.length - perPage), walked.length);
      note(
        playing,
        `${what} before ${after}`,
        statusFault(back, 200) ?? recordsFault(dataOf(back), plan, slice),
      );
    }
    walked.push(...(dataOf(step) as unknown[]));
    after = linkOf(step, 'next');
  }
  note(playing, `${what} by cursor`, recordsFault(walked, plan, wanted));
};

const playDetail = async (playing: Playing, plan: ModelPlan, caller: Asking, id: number): Promise<void> => {
  const rows = shown(playing, plan, 'detail', caller);
  const row = isRefused(rows) ? undefined : rows.find((each) => each['id'] === id);
  const answer = await ask(playing, caller, 'detail', `/api/v1/${plan.path}/${id}`);
  const refusal: Refused | undefined = isRefused(rows)
    ? rows
    : row === undefined
      ? { status: 404 }
      : undefined;
  const fault = refusal
    ? refusalFault(answer, refusal)
    : (statusFault(answer, 200) ?? recordFault(dataOf(answer), plan, row ?? {}));
  note(playing, `${caller.name}: detail ${plan.name} ${id}`, fault);
};

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

const keep = (playing: Playing, plan: ModelPlan, row: Row): void => {
  const id = Number(row['id']);
  const version = playing.state.version(plan.name, id) + 1;
  playing.state.table(plan.name).set(id, { row, version });
};

const playCreate = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<string> => {
  const body = someBody(playing, plan, caller);
  const wanted = created(playing, plan, caller, body);
  const what = `${caller.name}: create ${plan.name} ${JSON.stringify(body)}`;
  const record = { [plan.singular]: { ...body, id: missing, version: 7, created_at: 'never' } };
  const answer = await ask(playing, caller, 'create', `/api/v1/${plan.path}`, { body: record });
  if (isRefused(wanted)) note(playing, what, refusalFault(answer, wanted));
  else {
    note(playing, what, statusFault(answer, 201));
    if (answer.status !== 201) return what;
    const { id } = dataOf(answer) as { id: number };
    if (id <= Math.max(0, ...playing.state.table(plan.name).keys())) note(playing, what, `id ${id} again`);
    const row = { ...wanted, id };
    keep(playing, plan, row);
    note(playing, what, recordFault(dataOf(answer), plan, row));
  }
  return what;
};

const playUpdate = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<string> => {
  const { random, state } = playing;
  const id = someId(playing, plan, caller);
  const body = someBody(playing, plan, caller, state.find(plan.name, id) ?? {});
  const right = state.version(plan.name, id);
  const version = random.chance(0.7) ? undefined : random.chance(0.7) ? right : right + 1;
  const wanted = updated(playing, plan, caller, id, body, version);
  const what = `${caller.name}: update ${plan.name} ${id} ${JSON.stringify(body)} of ${version}`;
  const answer = await ask(playing, caller, 'update', `/api/v1/${plan.path}/${id}`, {
    body: { [plan.singular]: body },
    ifMatch: version === undefined ? undefined : `"${version}-saved"`,
  });
  if (isRefused(wanted)) note(playing, what, refusalFault(answer, wanted));
  else {
    note(playing, what, statusFault(answer, 200) ?? recordFault(dataOf(answer), plan, wanted));
    if (answer.status === 200) keep(playing, plan, wanted);
  }
  return what;
};

const playDestroy = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<string> => {
  const { random, state } = playing;
  const id = someId(playing, plan, caller);
  const right = state.version(plan.name, id);
  const version = random.chance(0.8) ? undefined : random.chance(0.5) ? right : right + 1;
  const wanted = destroyed(playing, plan, caller, id, version);
  const what = `${caller.name}: destroy ${plan.name} ${id} of ${version}`;
  const answer = await ask(playing, caller, 'destroy', `/api/v1/${plan.path}/${id}`, {
    ifMatch: version === undefined ? undefined : `"${version}-saved"`,
  });
  if (isRefused(wanted)) note(playing, what, refusalFault(answer, wanted));
  else {
    note(playing, what, statusFault(answer, 200));
    if (answer.status === 200) takeAway(playing, plan, id);
  }
  return what;
};

/** Reads under way at a time: more would only wait for a connection to PostgreSQL. */
const parallel = 12;

const playReads = async (playing: Playing, share: number): Promise<void> => {
  const { random, models, people } = playing;
  const reads = models.flatMap((plan) =>
    random
      .some(people.callers, share)
      .flatMap((caller) => [
        () => playList(playing, plan, caller),
        () => playDetail(playing, plan, caller, someId(playing, plan, caller)),
        () => playDetail(playing, plan, caller, someId(playing, plan, caller)),
      ]),
  );
  const waiting = reads.values();
  const work = async (): Promise<void> => {
    for (const read of waiting) await read();
  };
  await Promise.all(Array.from({ length: parallel }, work));
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
};
