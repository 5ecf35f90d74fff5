import { type Answer, ask, dataOf, note, type Playing, statusFault } from './asking.ts';
import { someBody, someId } from './bodies.ts';
import { type Id, idAt, idBehind, inPath, missing } from './ids.ts';
import { queryOf, someList } from './lists.ts';
import {
  actingOf,
  batchBody,
  decidedLine,
  sendLines,
  someBatch,
  someLines,
  triedInTurn,
  type Write,
} from './many.ts';
import { created, destroyed, hiddenFields, isRefused, keep, shown, updated, type World } from './oracle.ts';
import { eventsFor, eventsSeen, readsReason, versionsFor } from './past.ts';
import type { Asking } from './people.ts';
import { idOf, type ModelPlan, type Row, type State } from './plan.ts';
import { idsKnown } from './reads.ts';
import { deleteRow, insertRows, putRow, putValues, someRow } from './tables.ts';
import { managedFor } from './trash.ts';
import { kinds } from './values.ts';

/** A request that leaves the tables as they were, and what the oracle says of it: all that rows may decide. */
interface Probe {
  readonly what: string;
  readonly send: () => Promise<Answer>;
  readonly predict: (world: World) => string;
}

const text = (value: unknown): string => JSON.stringify(value);

/** Lists of every kind, and details with and without a tag. */
const reads = (playing: Playing, plan: ModelPlan, caller: Asking): Probe[] => {
  const { random, state } = playing;
  const path = `/api/v1/${plan.path}`;
  const { parameters, answer } = someList(random, plan, idsKnown(playing));
  const pages: readonly (readonly (readonly [string, string])[])[] = [
    [],
    [
      ['page', '1'],
      ['per_page', '2'],
    ],
    [
      ['per_page', '2'],
      ['after', ''],
    ],
  ];
  const lists = pages.map((paging): Probe => {
    const query = queryOf([...parameters, ...paging]);
    return {
      what: `list ${plan.name}${query}`,
      send: () => ask(playing, caller, 'list', path + query),
      predict: (world) => {
        const rows = shown(world, plan, 'list', caller);
        return text(isRefused(rows) ? rows : answer(rows));
      },
    };
  });
  const details = [someId(playing, plan, caller), someId(playing, plan, caller), missing[plan.key]].map(
    (id): Probe => {
      const ifNoneMatch = random.chance(0.3) ? `"${state.version(plan.name, id)}-detail"` : undefined;
      return {
        what: `detail ${plan.name} ${id} ${ifNoneMatch}`,
        send: () => ask(playing, caller, 'detail', `${path}/${inPath(id)}`, { ifNoneMatch }),
        predict: (world) => {
          const rows = shown(world, plan, 'detail', caller);
          return text(isRefused(rows) ? rows : (rows.find((row) => row['id'] === id) ?? null));
        },
      };
    },
  );
  return [...lists, ...details];
};

/** Writes; accepted ones are undone at once. The id of a new record is the next one of all. */
const writes = (playing: Playing, plan: ModelPlan, caller: Asking): Probe[] => {
  const { database, state } = playing;
  const path = `/api/v1/${plan.path}`;
  const create = (): Probe => {
    const body = someBody(playing, plan, caller);
    return {
      what: `create ${plan.name} ${text(body)}`,
      send: async () => {
        const answer = await ask(playing, caller, 'create', path, { body: { [plan.singular]: body } });
        if (answer.status !== 201) return answer;
        const { id } = dataOf(answer) as { id: Id };
        await deleteRow(database, plan, id);
        // The id counts among the bytes of the answer, and of those of which a tag has a digest.
        // Where callers give the id, the version is a moment too.
        const tag = String(answer.headers['etag']).replace(/-[\w-]{22}"$/, '"');
        const etag = plan.key === 'text' ? tag.replace(/^"\d+-/, '"1-') : tag;
        const headers = { ...answer.headers, 'content-length': undefined, etag };
        return { ...answer, headers, text: answer.text.replace(`"id":${text(id)},`, () => '"id":0,') };
      },
      predict: (world) => text(created(world, plan, caller, body)),
    };
  };
  const update = (): Probe => {
    const id = someId(playing, plan, caller);
    const row = state.find(plan.name, id);
    const body = someBody(playing, plan, caller, row ?? {});
    return {
      what: `update ${plan.name} ${id} ${text(body)}`,
      send: async () => {
        const answer = await ask(playing, caller, 'update', `${path}/${inPath(id)}`, {
          body: { [plan.singular]: body },
        });
        // The record as it is now: what is out of the caller's reach may have changed since.
        const kept = playing.state.find(plan.name, id);
        if (answer.status === 200 && kept !== undefined)
          await putRow(database, plan, kept, playing.state.version(plan.name, id));
        return answer;
      },
      predict: (world) => text(updated(world, plan, caller, id, body)),
    };
  };
  const destroy = (): Probe | undefined => {
    const id = someId(playing, plan, caller);
    if (!isRefused(destroyed(playing, plan, caller, id))) return undefined;
    return {
      what: `destroy ${plan.name} ${id}`,
      send: () => ask(playing, caller, 'destroy', `${path}/${inPath(id)}`),
      predict: (world) => text(destroyed(world, plan, caller, id)),
    };
  };
  const gone = destroy();
  return [create(), create(), update(), update(), update(), ...(gone === undefined ? [] : [gone])];
};

/** Records that are named as reasons and known to this caller alone. */
const reasonsFor = (world: World, caller: Asking): readonly boolean[] => {
  const asking = [caller, { ...caller, administers: false, method: undefined }];
  return world.state.past.flatMap(({ because }) =>
    because === undefined ? [] : asking.map((each) => readsReason(world, each, because)),
  );
};

/** The past as it is shown: of some records, of what is in the trash, and of everything that happened. */
const pasts = (playing: Playing, caller: Asking): Probe[] => {
  const { random, models, state } = playing;
  const written = state.past.map(({ model, id }) => ({
    plan: models.find(({ name }) => name === model),
    id,
  }));
  const histories = random.some(written, 0.5).flatMap(({ plan, id }): Probe[] => {
    if (plan === undefined) return [];
    const path = `/api/v1/${plan.path}/${inPath(id)}/history?page=1&per_page=2`;
    const versions = (world: World) => {
      const found = versionsFor(world, plan, caller, id);
      return isRefused(found) ? found : found.map(({ write, seen }) => [write.version, seen]);
    };
    return [
      {
        what: path,
        send: () => ask(playing, caller, 'history', path),
        predict: (world) => text([versions(world), reasonsFor(world, caller)]),
      },
    ];
  });
  const events: Probe = {
    what: 'events',
    send: async () => ({ status: 200, headers: {}, text: text(await eventsSeen(playing, caller)) }) as Answer,
    predict: (world) => text([eventsFor(world, caller), reasonsFor(world, caller)]),
  };
  const deletedOf = ({ name, key }: ModelPlan): readonly Id[] => [
    missing[key],
    ...state.trash.flatMap(({ model, id }) => (model === name ? [id] : [])),
  ];
  const trash = models.flatMap((plan): Probe[] =>
    ['?trashed=true', `/${inPath(random.pick(deletedOf(plan)))}?trashed=true`].map((query) => ({
      what: `trash of ${plan.name}${query}`,
      send: () => ask(playing, caller, 'trash', `/admin/records/${plan.path}${query}`),
      predict: () => '',
    })),
  );
  const managed = models
    .filter(({ manage }) => manage !== undefined)
    .map((plan) => ({
      what: `trash of ${plan.name} in the API`,
      send: () => ask(playing, caller, 'managed', `/api/v1/${plan.path}?trashed=true`),
      predict: (world: World) => text([managedFor(world, plan, caller), reasonsFor(world, caller)]),
    }));
  return [...histories, ...trash, ...managed, events];
};

/** A batch whose last record is no good, and an import that is rolled back: each record is decided, and none is written. */
const jointProbes = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<Probe[]> => {
  const batch = someBatch(playing, plan, caller);
  // A caller may be free to send one of the two, as it is ignored.
  const wrong = {
    action: 'create',
    id: 0,
    body: { order: kinds.string.wrong, select: kinds.enum.wrong },
  } as const;
  const all = [...batch, wrong];
  const lines = [...someLines(playing, plan, caller), wrong];
  const acting = await actingOf(playing, caller);
  const decided = (world: World, writes: readonly Write[]) => text(triedInTurn(world, plan, caller, writes));
  const read = (world: World) => text(triedInTurn(world, plan, caller, lines, decidedLine));
  return [
    {
      what: `batch ${plan.name} ${text(all)}`,
      send: () => ask(playing, caller, 'batch', `/api/v1/${plan.path}/batch`, { body: batchBody(all) }),
      predict: (world) => decided(world, all),
    },
    ...(acting === undefined
      ? []
      : [
          {
            what: `import ${plan.name} ${text(lines)}`,
            send: async () =>
              ({
                status: 200,
                headers: {},
                text: text(await sendLines(playing, plan, acting, lines)),
              }) as Answer,
            predict: read,
          },
        ]),
  ];
};

/** The answer to a caller, but for the moment and the number of the request. */
const comparable = ({ status, headers, text: body }: Answer): string => {
  const { date, 'x-request-id': request, ...rest } = headers;
  return text([status, rest, body]);
};

interface Change {
  readonly plan: ModelPlan;
  readonly what: string;
  /** Does it to a copy of the state. */
  readonly tried: (state: State) => void;
  readonly done: () => Promise<void>;
}

/** Rows that a caller reads in no way, the answer to an update among them. */
const hiddenRows = (world: World, plan: ModelPlan, caller: Asking): readonly Row[] => {
  const seen = new Set(
    (['list', 'detail'] as const).flatMap((action) => {
      const rows = shown(world, plan, action, caller);
      return isRefused(rows) ? [] : rows.map(({ id }) => id);
    }),
  );
  return world.state.rows(plan.name).filter(({ id }) => {
    const answer = updated(world, plan, caller, id as Id, {});
    return !seen.has(id) && isRefused(answer) && (answer.status === 401 || answer.status === 404);
  });
};

const isReferredTo = ({ models, state }: World, plan: ModelPlan, id: Id): boolean =>
  models.some((other) =>
    other.fields.some(
      ({ name, to }) => to === plan.name && state.rows(other.name).some((row) => row[name] === id),
    ),
  );

/** Another value of fields that a row hides from a caller, however it is asked for. */
const someHiddenValue = (playing: Playing, plan: ModelPlan, caller: Asking): Change | undefined => {
  const { random, state, database } = playing;
  const places = (['list', 'detail', 'update'] as const).map(
    (action) => (row: Row) => hiddenFields(playing, plan, action, caller, row),
  );
  const hiding = state.rows(plan.name).flatMap((row) => {
    const [first = new Set<string>(), ...others] = places.map((of) => of(row));
    const names = [...first].filter((name) => others.every((other) => other.has(name)));
    return names.length === 0 ? [] : [{ row, names }];
  });
  if (hiding.length === 0) return undefined;
  const { row, names } = random.pick(hiding);
  const isReference = (name: string) =>
    plan.fields.some((field) => field.name === name && field.kind === 'reference');
  // The database raises the version where a reference becomes null, which a reader of the record sees.
  const fresh = Object.entries(someRow(random, playing, plan)).filter(
    ([name, value]) => names.includes(name) && !(value === null && isReference(name)),
  );
  if (fresh.length === 0) return undefined;
  const changed = { ...row, ...Object.fromEntries(fresh) };
  const id = idOf(row);
  const version = state.version(plan.name, id);
  return {
    plan,
    what: `hidden fields of ${plan.name} ${id}: ${text(Object.fromEntries(fresh))}`,
    tried: (copy) => copy.table(plan.name).set(id, { row: changed, version }),
    done: async () => {
      playing.cells.set('hidden values', (playing.cells.get('hidden values') ?? 0) + 1);
      await putValues(database, plan, id, Object.fromEntries(fresh));
      state.table(plan.name).set(id, { row: changed, version });
    },
  };
};

/** Another value in a hidden row, a hidden row that goes, or one more row, which has to be hidden as well. */
const someChange = (playing: Playing, caller: Asking): Change | undefined => {
  const { random, models, state, database, people } = playing;
  const plan = random.pick(models);
  if (plan.viewed.length > 0 && random.chance(0.5)) return someHiddenValue(playing, plan, caller);
  const fresh = someRow(random, playing, plan);
  if (random.chance(0.3)) {
    const given = idAt(plan.key, 1_000_000 + random.below(1_000_000));
    const id = given ?? idBehind(plan.key === 'bigint' ? 'bigint' : 'integer', state.table(plan.name).keys());
    return {
      plan,
      what: `another ${plan.name}`,
      tried: (copy) => copy.table(plan.name).set(id, { row: { id, ...fresh }, version: 1 }),
      done: async () => {
        const [added = 0] = await insertRows(database, plan, [
          given === undefined ? fresh : { id: given, ...fresh },
        ]);
        state.table(plan.name).set(added, { row: { id: added, ...fresh }, version: 1 });
      },
    };
  }
  const rows = hiddenRows(playing, plan, caller);
  if (rows.length === 0) return undefined;
  const row = random.pick(rows);
  const id = idOf(row);
  if (random.chance(0.3)) {
    if (isReferredTo(playing, plan, id)) return undefined;
    return {
      plan,
      what: `no ${plan.name} ${id}`,
      tried: (copy) => void copy.table(plan.name).delete(id),
      done: async () => {
        await deleteRow(database, plan, id);
        state.table(plan.name).delete(id);
      },
    };
  }
  const values = Object.fromEntries(random.some(Object.entries(fresh), 0.5, 1));
  const made = updated(playing, plan, people.administrator, id, values);
  if (!isRefused(made) && random.chance(0.5))
    return {
      plan,
      what: `update of ${plan.name} ${id} to ${text(made)}`,
      tried: (copy) => keep({ ...playing, state: copy }, plan, made, people.administrator),
      done: async () => {
        const path = `/api/v1/${plan.path}/${inPath(id)}`;
        const body = { [plan.singular]: values };
        note(
          playing,
          path,
          statusFault(await ask(playing, people.administrator, 'update', path, { body }), 200),
        );
        keep(playing, plan, made, people.administrator);
        // Its timestamps are those of all rows, which are shown as soon as a caller reaches it.
        await putRow(database, plan, made, state.version(plan.name, id));
      },
    };
  const changed = { ...row, ...values };
  const version = state.version(plan.name, id) + 1;
  return {
    plan,
    what: `${plan.name} ${id} as ${text(changed)}`,
    tried: (copy) => copy.table(plan.name).set(id, { row: changed, version }),
    done: async () => {
      await putRow(database, plan, changed, version);
      state.table(plan.name).set(id, { row: changed, version });
    },
  };
};

/**
 * Changes what a caller does not reach, as often as asked for. A change is made only where the rules say the same of
 * every probe before and after: a rule may ask hidden records on purpose, such as whether a team is open.
 */
const changeHidden = async (playing: Playing, caller: Asking, probes: readonly Probe[], times: number) => {
  const before = probes.map(({ predict }) => predict(playing));
  const changes: string[] = [];
  for (let attempt = 0; attempt < times; attempt += 1) {
    const change = someChange(playing, caller);
    if (change === undefined) continue;
    const state = playing.state.copy();
    change.tried(state);
    const same = probes.every(({ predict }, index) => predict({ ...playing, state }) === before[index]);
    if (!same) continue;
    await change.done();
    changes.push(change.what);
  }
  return changes;
};

/** Compares the responses to a hidden record, as itself and as what a body refers to, with those to a missing one. */
const playMissing = async (playing: Playing, plan: ModelPlan, caller: Asking): Promise<number> => {
  const { random, models, faults } = playing;
  const path = `/api/v1/${plan.path}`;
  let answers = 0;
  const same = async (
    what: string,
    send: (id: Id) => Promise<Answer>,
    id: Id,
    key = plan.key,
  ): Promise<void> => {
    const [hidden, nowhere] = [comparable(await send(id)), comparable(await send(missing[key]))];
    answers += 2;
    if (hidden !== nowhere) faults.push(`${caller.name}: ${what} ${id}: ${hidden}, and of none ${nowhere}`);
  };
  const unread = hiddenRows(playing, plan, caller).map(idOf);
  const [hidden] = random.some(unread, 1);
  if (hidden !== undefined) {
    await same('detail', (id) => ask(playing, caller, 'detail', `${path}/${inPath(id)}`), hidden);
    await same('history', (id) => ask(playing, caller, 'history', `${path}/${inPath(id)}/history`), hidden);
  }
  const unreached = unread.filter((id) => {
    const answer = updated(playing, plan, caller, id, {});
    return isRefused(answer) && answer.status === 404;
  });
  const [target] = random.some(unreached, 1);
  if (target !== undefined) {
    const body = { [plan.singular]: someBody(playing, plan, caller) };
    await same('update', (id) => ask(playing, caller, 'update', `${path}/${inPath(id)}`, { body }), target);
    await same('destroy', (id) => ask(playing, caller, 'destroy', `${path}/${inPath(id)}`), target);
    for (const list of [(id: Id) => ({ update: [{ id }] }), (id: Id) => ({ delete: [id] })])
      await same('batch', (id) => ask(playing, caller, 'batch', `${path}/batch`, { body: list(id) }), target);
  }
  for (const { name, to, anyone } of plan.fields) {
    const named = models.find((each) => each.name === to);
    if (named === undefined || anyone === true) continue;
    const [unnamed] = random.some(hiddenRows(playing, named, caller), 1);
    if (unnamed === undefined) continue;
    const body = someBody(playing, plan, caller);
    const send = (id: Id) =>
      ask(playing, caller, 'create', path, { body: { [plan.singular]: { ...body, [name]: id } } });
    // A field that the caller may not write is ignored, and the record made.
    if (isRefused(created(playing, plan, caller, { ...body, [name]: missing[named.key] })))
      await same(`create with ${name}`, send, idOf(unnamed), named.key);
  }
  return answers;
};

/** Asks what was written, and writes many at once without a trace; the writes of single records leave one. */
const kindsOfProbes = {
  past: async (playing: Playing, caller: Asking): Promise<Probe[]> => {
    const many = await Promise.all(playing.models.map((plan) => jointProbes(playing, plan, caller)));
    return [...many.flat(), ...pasts(playing, caller)];
  },
  present: async (playing: Playing, caller: Asking): Promise<Probe[]> =>
    playing.models.flatMap((plan) => [...reads(playing, plan, caller), ...writes(playing, plan, caller)]),
};

/** Asks everything, changes what is hidden, and asks again: not a byte may differ. Returns the compared requests. */
export const playInterference = async (
  playing: Playing,
  caller: Asking,
  kind: keyof typeof kindsOfProbes,
): Promise<{ readonly answers: number; readonly changes: number }> => {
  const { models, faults } = playing;
  const probes = await kindsOfProbes[kind](playing, caller);
  const before: string[] = [];
  for (const { send } of probes) before.push(comparable(await send()));
  const changes = await changeHidden(playing, caller, probes, 15);
  for (const [index, { what, send }] of probes.entries()) {
    const after = comparable(await send());
    if (after !== before[index])
      faults.push(`${caller.name}: ${what}: ${before[index]} became ${after} by ${changes.join('; ')}`);
  }
  let answers = probes.length;
  if (kind === 'present') for (const plan of models) answers += await playMissing(playing, plan, caller);
  return { answers, changes: changes.length };
};
