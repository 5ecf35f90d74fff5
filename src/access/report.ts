/** The output of `gatewright access`: the policy, and the changes between two, as lines and as JSON. */

import type { Json, JsonObject } from '../kernel/json.ts';
import { withoutUndefined } from '../kernel/json.ts';
import type { AccessChange, AccessChanges, CodeChange } from './changes.ts';
import { conditionFromText } from './condition-text.ts';
import { type CallerGroup, type FactLine, factLines } from './lock-file.ts';
import { type FieldVerb, type Policy, type RightAction, rightActions } from './policy.ts';
import type { Shapes } from './shapes.ts';
import type { ConditionVerdict } from './verdict.ts';
import { shownWitness } from './witness-values.ts';
import type { AccessWords } from './words.ts';

const isField = (word: string): word is FieldVerb => ['reads', 'writes', 'names', 'becomes'].includes(word);

/** A fact of the lock file, taken apart. */
const partsOf = ({ fact }: FactLine): readonly [verb: string, fields: string, condition: string] => {
  const [, verb = '', rest = ''] = /^(\S+) (.+)$/.exec(fact) ?? [];
  if (verb === 'records') return [verb, '', rest];
  const at = rest.indexOf(' if: ');
  return at === -1 ? [verb, rest, 'everything'] : [verb, rest.slice(0, at), rest.slice(at + 5)];
};

const reading: readonly RightAction[] = ['list', 'detail', 'history', 'trash'];
const writing: readonly RightAction[] = ['create', 'update'];

/** A fact in words; undefined for what only the file says: fields that the response to a write has. */
const lineOf = (line: FactLine, every: ReadonlySet<RightAction>, words: AccessWords): string | undefined => {
  const { subject, actions } = line;
  const [verb, fields, condition] = partsOf(line);
  const { phrases } = words;
  if (actions.includes('register') && verb === 'records') return phrases.mayRegister;
  if (actions.includes('call')) return phrases.mayCall;
  const rows = (): string => words.rows(subject, conditionFromText(condition));
  if (!isField(verb))
    return phrases.may(
      actions.map((action) => phrases.actions[action]),
      rows(),
    );
  const asked = verb === 'reads' ? reading : verb === 'becomes' ? rightActions : writing;
  const relevant = actions.filter((action) => asked.includes(action));
  if (relevant.length === 0) return undefined;
  const others = asked.filter((action) => every.has(action) && !relevant.includes(action));
  const within = others.length === 0 ? undefined : ` (${words.ways(relevant)})`;
  return phrases.fields[verb](fields, condition === 'everything' ? undefined : rows(), within);
};

const callersKey = ({ kinds, methods }: CallerGroup): string => JSON.stringify([kinds, methods]);

/** The policy in words: for each model and endpoint, what each kind of caller may do. */
export const policyLines = (policy: Policy, words: AccessWords): readonly string[] => {
  const subjects = Map.groupBy(factLines(policy.rights), ({ subject }) => subject);
  const lines = [...subjects].flatMap(([subject, facts]) => {
    const groups = Map.groupBy(facts, ({ callers }) => callersKey(callers));
    const lines = [...groups.values()].flatMap((each) => {
      const [first] = each;
      const every = new Set(each.flatMap(({ actions }) => actions));
      const said = [...new Set(each.flatMap((line) => lineOf(line, every, words) ?? []))];
      if (first === undefined || said.length === 0) return [];
      return [`  ${words.callers([first.callers])}`, ...said.map((line) => `    ${line}`)];
    });
    return [words.subject(subject), ...lines, ''];
  });
  const code = policy.code.map(({ subject, part }) => `  ${subject} ${part}`);
  return code.length === 0 ? lines.slice(0, -1) : [...lines, words.phrases.headings.code, ...code];
};

/** The policy as JSON: each fact with its condition, in the file's words and in sentences. */
export const policyJson = (policy: Policy, words: AccessWords): Json => ({
  rights: factLines(policy.rights).map((line): JsonObject => {
    const [verb, fields, condition] = partsOf(line);
    return withoutUndefined({
      model: line.subject,
      actions: [...line.actions],
      callers: [...line.callers.kinds],
      methods: [...line.callers.methods],
      verb,
      fields: fields === '' ? undefined : fields.split(', '),
      condition,
      words: words.rows(line.subject, conditionFromText(condition)),
    });
  }),
  not_decided: policy.code.map(({ subject, part }) => ({ model: subject, code: part })),
});

/** The same change, of one action or several. */
export interface SaidChange {
  readonly change: AccessChange;
  readonly actions: readonly RightAction[];
}

/** Joins actions that have the same change. */
const joined = (changes: readonly AccessChange[]): readonly SaidChange[] => {
  const groups = Map.groupBy(changes, ({ subject, field, callers, before, after, judgement }) =>
    JSON.stringify([subject, field ?? null, callers, before, after, judgement.verdict]),
  );
  return [...groups.values()].flatMap((each) => {
    const [change] = each;
    return change === undefined ? [] : [{ change, actions: each.map(({ action }) => action) }];
  });
};

const gains: readonly ConditionVerdict[] = ['wider', 'differs'];
const losses: readonly ConditionVerdict[] = ['narrower', 'differs'];

/** The changes in the order in which they are said: who gained comes first. */
export const orderedChanges = ({ conditions }: AccessChanges) => {
  const changed = joined(conditions.filter(({ changed: isChanged }) => isChanged));
  const of = (verdicts: readonly ConditionVerdict[]) =>
    changed.filter(({ change }) => verdicts.includes(change.judgement.verdict));
  return {
    gained: of(gains),
    lost: of(losses),
    undecided: of(['undecided']),
    reworded: of(['equal']),
  };
};

/** The lines of one change. */
const changeLines = (
  { change, actions }: SaidChange,
  side: 'gained' | 'lost',
  words: AccessWords,
  shapes: Shapes,
): readonly string[] => {
  const { subject, before, after, said, judgement } = change;
  const { phrases } = words;
  const lines = [words.sentence(change, actions, side)];
  if (actions.includes('call') || actions.includes('register')) return lines;
  lines.push(`  ${phrases.before(words.rows(subject, said.before))}`);
  lines.push(`  ${phrases.now(words.rows(subject, said.after))}`);
  const witness = judgement[side];
  if (witness !== undefined)
    lines.push(`  ${words.example(subject, shownWitness(witness, subject, shapes, [before, after]))}`);
  return lines;
};

const codeLines = (code: readonly CodeChange[], { phrases }: AccessWords): readonly string[] =>
  code.map(({ subject, part, state }) => phrases.codeStates[state](`${subject} ${part}`));

/** The changes in words, who gained first. */
export const changesLines = (
  changes: AccessChanges,
  words: AccessWords,
  shapes: Shapes,
): readonly string[] => {
  const { gained, lost, undecided, reworded } = orderedChanges(changes);
  const { headings, unchanged } = words.phrases;
  const section = (heading: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [heading, ...lines.map((line) => `  ${line}`), ''];
  const of = (each: readonly SaidChange[], side: 'gained' | 'lost') =>
    each.flatMap((change) => changeLines(change, side, words, shapes));
  const isQuiet = [gained, lost, undecided].every(({ length }) => length === 0);
  const quiet = isQuiet ? [unchanged, ''] : [];
  return [
    ...section(headings.gained, of(gained, 'gained')),
    ...section(headings.lost, of(lost, 'lost')),
    ...section(headings.undecided, of(undecided, 'gained')),
    ...quiet,
    ...section(
      headings.reworded,
      reworded.map(({ change, actions }) => `${words.subject(change.subject)}: ${words.actions(actions)}`),
    ),
    ...section(headings.code, codeLines(changes.code, words)),
  ].slice(0, -1);
};

const unique = (values: readonly string[]): string[] => [...new Set(values)];

const changeJson = (change: AccessChange, words: AccessWords, shapes: Shapes): JsonObject => {
  const { subject, action, field, callers, before, after, changed, judgement } = change;
  const { verdict, gained, lost } = judgement;
  const shown = (witness: typeof gained): Json =>
    witness === undefined
      ? null
      : ({ ...shownWitness(witness, subject, shapes, [before, after]) } as unknown as Json);
  const said = (side: 'gained' | 'lost', verdicts: readonly ConditionVerdict[]): string | null =>
    verdicts.includes(verdict) ? words.sentence(change, [action], side) : null;
  return withoutUndefined({
    model: subject,
    action,
    field: field?.name,
    verb: field?.verb,
    callers: unique(callers.flatMap(({ kinds }) => kinds)),
    methods: unique(callers.flatMap(({ methods }) => methods)),
    verdict,
    gained: said('gained', gains),
    lost: said('lost', losses),
    witness: shown(gained ?? lost),
    lost_witness: gained === undefined || lost === undefined ? undefined : shown(lost),
    changed,
  });
};

const codeJson = ({ subject, part, state }: CodeChange): JsonObject => ({
  model: subject,
  action: 'code',
  field: part,
  callers: [],
  methods: [],
  verdict: 'undecided',
  gained: null,
  lost: null,
  witness: null,
  changed: state !== 'same',
});

/** Every condition of either version with its verdict, then the code, about which there is none. */
export const changesJson = (changes: AccessChanges, words: AccessWords, shapes: Shapes): Json => [
  ...changes.conditions.map((change) => changeJson(change, words, shapes)),
  ...changes.code.map(codeJson),
];

/** How a comparison ended: nothing changed, somebody gained or lost, or something could not be decided. */
export const checkOutcome = ({ conditions, code }: AccessChanges): 'unchanged' | 'changed' | 'undecided' => {
  const verdicts = new Set(conditions.map(({ judgement }) => judgement.verdict));
  if (verdicts.has('undecided') || code.some(({ state }) => state !== 'same')) return 'undecided';
  return verdicts.size === 0 || (verdicts.size === 1 && verdicts.has('equal')) ? 'unchanged' : 'changed';
};
