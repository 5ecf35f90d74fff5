import { type Answer, ask } from '../../resources/row-rules/asking.ts';
import { type Id, idAt, idBehind, inPath, missing } from '../../resources/row-rules/ids.ts';
import { queryOf } from '../../resources/row-rules/lists.ts';
import { hiddenFields, isRefused } from '../../resources/row-rules/oracle.ts';
import type { Asking } from '../../resources/row-rules/people.ts';
import { idOf, type Row, type State } from '../../resources/row-rules/plan.ts';
import { deleteRow, insertRows, putRow, someRow } from '../../resources/row-rules/tables.ts';
import { type Parameter, renderer, someIncludes, type Tree } from './asked.ts';
import type { RelatedPlan } from './plan.ts';
import {
  type Across,
  base,
  type ListAsked,
  listed,
  parametersOf,
  readerOf,
  someRows,
  viewsOf,
  wantedOf,
} from './play.ts';
import type { Plain, Reader } from './policy.ts';

/** A request, and what the oracle says of it: all that rows may decide. */
interface Probe {
  readonly path: string;
  readonly send: () => Promise<Answer>;
  readonly predict: (playing: Across) => string;
}

const predicted = (wanted: object): string =>
  JSON.stringify(wanted, (_, value) => (value instanceof Set ? [...value].sort() : value));

const detailProbe = (playing: Across, caller: Asking, plan: RelatedPlan): Probe => {
  const { random, state } = playing;
  const first = readerOf(playing, caller, 'api');
  const { view, known } = viewsOf(first, plan, 'detail');
  const { tree, parameters } = someIncludes(random, first, plan, known);
  const rows = first.rows(plan, 'detail');
  const read = isRefused(rows) ? [] : rows.map((row) => row['id'] as Id);
  const ids =
    read.length > 0 && random.chance(0.9) ? read : [...state.table(plan.name).keys(), missing[plan.key]];
  const id = random.pick(ids);
  const path = `${base('api', plan)}/${inPath(id)}${queryOf(parameters)}`;
  return {
    path,
    send: () => ask(playing, caller, 'detail', path),
    predict: (at) => {
      const reader = readerOf(at, caller, 'api');
      const now = reader.rows(plan, 'detail');
      if (isRefused(now)) return predicted(now);
      const render = () => renderer(reader, plan, view, known, tree);
      const row = now.find((each) => each['id'] === id);
      return predicted(wantedOf([render], () => (row === undefined ? null : render()(row))));
    },
  };
};

const listProbes = (playing: Across, caller: Asking, plan: RelatedPlan): Probe[] => {
  const { random } = playing;
  const first = readerOf(playing, caller, 'api');
  const views = viewsOf(first, plan, 'list');
  const asked = someRows(playing, first, plan, views);
  const { tree, parameters } = someIncludes(random, first, plan, views.known);
  const own = parametersOf(asked);
  const lists: readonly (readonly [string, readonly Parameter[]])[] = [
    ['', own],
    ['', [...own, ...parameters, ['page', '1'], ['per_page', '2']]],
    ['', [...own, ...parameters, ['per_page', '2'], ['after', '']]],
    ['/aggregate', [['count', ''], ...own.filter(([name]) => name !== 'sort')]],
  ];
  const predict = (at: Across, { filters, sort }: ListAsked, behind: Tree): string => {
    const reader = readerOf(at, caller, 'api');
    const rows = reader.rows(plan, 'list');
    if (isRefused(rows)) return predicted(rows);
    const { parts, find } = listed(reader, plan, { filters, sort }, views);
    const render = () => renderer(reader, plan, views.view, views.known, behind);
    return predicted(wantedOf([...parts, render], () => find(rows).map(render())));
  };
  return lists.map(([beside, all]) => {
    const path = base('api', plan) + beside + queryOf(all);
    const has = (parameter: string) => all.some(([name]) => name === parameter);
    // An order that is refused would stand for whatever the aggregate counts: it has none.
    const asks = has('sort') ? asked : { ...asked, sort: [] };
    const behind: Tree = has('include') ? tree : new Map();
    return {
      path,
      send: () => ask(playing, caller, 'list', path),
      predict: (at) => predict(at, asks, behind),
    };
  });
};

/** The answer to a caller, but for the moment and the number of the request. */
const comparable = ({ status, headers, text }: Answer): string => {
  const { date, 'x-request-id': request, ...rest } = headers;
  return JSON.stringify([status, rest, text]);
};

interface Change {
  readonly what: string;
  /** Does it to a copy of the state. */
  readonly tried: (state: State) => void;
  readonly done: () => Promise<void>;
}

const isReferredTo = ({ models, state }: Across, plan: RelatedPlan, id: Id): boolean =>
  models.some((other) =>
    other.fields.some(
      ({ name, to }) => to === plan.name && state.rows(other.name).some((row) => row[name] === id),
    ),
  );

const idsOf = (reader: Reader, plan: RelatedPlan): ReadonlySet<unknown> =>
  new Set(
    (['list', 'detail'] as const).flatMap((action) => {
      const rows = reader.rows(plan, action);
      return isRefused(rows) ? [] : rows.map((row: Plain) => row['id']);
    }),
  );

/** Another value in a hidden row, or in a hidden field of any, a hidden row that goes, or one more row. */
const someChange = (playing: Across, caller: Asking): Change | undefined => {
  const { random, models, state, database } = playing;
  const plan = random.pick(models);
  const fresh = someRow(random, playing, plan);
  if (random.chance(0.3)) {
    const given = idAt(plan.key, 1_000_000 + random.below(1_000_000));
    const id = given ?? idBehind(plan.key === 'bigint' ? 'bigint' : 'integer', state.table(plan.name).keys());
    return {
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
  const seen = idsOf(readerOf(playing, caller, 'api'), plan);
  const row = random.pick(state.rows(plan.name));
  const id = idOf(row);
  if (!seen.has(id) && random.chance(0.3)) {
    if (isReferredTo(playing, plan, id)) return undefined;
    return {
      what: `no ${plan.name} ${id}`,
      tried: (copy) => void copy.table(plan.name).delete(id),
      done: async () => {
        await deleteRow(database, plan, id);
        state.table(plan.name).delete(id);
      },
    };
  }
  // A reference that becomes null raises the version of its record, which stands in the record's tag.
  const hidden = hiddenFields(playing, plan, 'detail', caller, row as Row);
  const isHidden = ([name, value]: readonly [string, unknown]): boolean =>
    !seen.has(id) ||
    !(value === null || ((plan.detail.includes(name) || plan.list.includes(name)) && !hidden.has(name)));
  const values = random.some(Object.entries(fresh).filter(isHidden), 0.7, 1);
  if (values.length === 0) return undefined;
  const changed: Row = { ...row, ...Object.fromEntries(values) };
  const version = state.version(plan.name, id) + (seen.has(id) ? 0 : 1);
  return {
    what: `${plan.name} ${id} as ${JSON.stringify(changed)}`,
    tried: (copy) => copy.table(plan.name).set(id, { row: changed, version }),
    done: async () => {
      await putRow(database, plan, changed, version);
      state.table(plan.name).set(id, { row: changed, version });
    },
  };
};

/**
 * Asks everything, changes what is hidden, and asks again: not a byte may differ. A change is made only where the oracle
 * says the same of every request before and after: a rule may ask hidden records on purpose.
 */
export const playInterference = async (
  playing: Across,
  caller: Asking,
): Promise<{ readonly answers: number; readonly changes: number }> => {
  const { models, faults } = playing;
  const probes = models.flatMap((plan) => [
    detailProbe(playing, caller, plan),
    detailProbe(playing, caller, plan),
    ...listProbes(playing, caller, plan),
  ]);
  const before: string[] = [];
  const said = probes.map(({ predict }) => predict(playing));
  for (const [index, { path, send }] of probes.entries()) {
    const answer = await send();
    before.push(comparable(answer));
    // An oracle that expects a refusal would let any row change.
    if (answer.status === 200 && /^{"status/.test(said[index] ?? ''))
      faults.push(`${caller.name}: ${path}: ${answer.text}, not ${said[index]}`);
  }
  const changes: string[] = [];
  for (let attempt = 0; attempt < 25; attempt += 1) {
    const change = someChange(playing, caller);
    if (change === undefined) continue;
    const state = playing.state.copy();
    change.tried(state);
    if (probes.some(({ predict }, index) => predict({ ...playing, state }) !== said[index])) continue;
    await change.done();
    changes.push(change.what);
  }
  for (const [index, { path, send }] of probes.entries()) {
    const after = comparable(await send());
    if (after !== before[index])
      faults.push(`${caller.name}: ${path}: ${before[index]} became ${after} by ${changes.join('; ')}`);
  }
  return { answers: probes.length, changes: changes.length };
};
