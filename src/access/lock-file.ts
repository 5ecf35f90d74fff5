/**
 * `access.lock`: the policy of an application as text, a fact a line, for reviews of its changes. It has a version, and
 * a checksum that tells a manual edit.
 */

import { createHash } from 'node:crypto';
import type { ColumnKind, ColumnValue } from '../fields/field.ts';
import { errorMessage } from '../kernel/error-message.ts';
import type { RowExpression } from '../model/row-expression.ts';
import type { CodePart } from './code.ts';
import { conditionFromText, conditionText } from './condition-text.ts';
import {
  type FieldRight,
  type FieldVerb,
  type Policy,
  type Right,
  type RightAction,
  rightActions,
} from './policy.ts';
import type { FieldShape, ModelShape, Shapes } from './shapes.ts';
import { modelsAsked } from './verdict.ts';

/** The version of the format. */
const version = 1;

const everything: RowExpression = { kind: 'allOf', rules: [] };

const head = [
  '# Who can do what: a fact a line. `gatewright access --lock` writes this file; a manual edit is refused.',
  `version ${version}`,
];

/** A lock file that cannot be read, in a sentence. */
export class LockFileError extends Error {}

const digestOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex');

/** Callers that have the same right. */
export interface CallerGroup {
  readonly kinds: readonly string[];
  /** Empty for anonymous callers. */
  readonly methods: readonly string[];
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const kindOrder = ['anonymous', 'application', 'user', 'role', 'admin', 'super_admin'];
const rankOf = (kind: string): number => kindOrder.indexOf(kind.split(' ')[0] ?? '');

/** Groups callers, each a kind and a method: kinds that have the same methods. */
export const groupCallers = (
  callers: readonly Pick<Right, 'caller' | 'method'>[],
): readonly CallerGroup[] => {
  const byKind = [...Map.groupBy(callers, ({ caller }) => caller)];
  const kinds = byKind
    .sort(([one], [other]) => rankOf(one) - rankOf(other) || byText(one, other))
    .map(([kind, each]) => ({
      kind,
      methods: [...new Set(each.flatMap(({ method }) => method ?? []))].sort(),
    }));
  return [...Map.groupBy(kinds, ({ methods }) => methods.join()).values()].map((each) => ({
    kinds: each.map(({ kind }) => kind),
    methods: each[0]?.methods ?? [],
  }));
};

/** A name without the signs that separate names in the file. */
const escaped = (kind: string): string =>
  kind.replaceAll(/[%|,\n\r]| (?=by )/g, (sign) => encodeURIComponent(sign));

const groupText = ({ kinds, methods }: CallerGroup): string =>
  `${kinds.map(escaped).join(', ')}${methods.length === 0 ? '' : ` by ${methods.join(', ')}`}`;

/** The facts of a right: its records, and its fields by what is done with them and by their condition. */
export const rightFacts = ({ rows, fields }: Right): readonly string[] => {
  const groups = Map.groupBy(fields, ({ verb, when }) => `${verb} ${conditionText(when)}`);
  const ofFields = [...groups.values()].map((each) => {
    const [{ verb, when } = { verb: 'reads', when: everything }] = each;
    const names = each.map(({ field }) => field).sort();
    const condition = conditionText(when);
    return `${verb} ${names.join(', ')}${condition === 'everything' ? '' : ` if: ${condition}`}`;
  });
  return [`records ${conditionText(rows)}`, ...ofFields];
};

/** A fact, the actions of which it is true, and their callers. */
export interface FactLine {
  readonly subject: string;
  readonly actions: readonly RightAction[];
  readonly callers: CallerGroup;
  readonly fact: string;
}

const lineOrder = ({ actions, callers, fact }: FactLine): string => {
  const kind = rankOf(callers.kinds[0] ?? '');
  const action = rightActions.indexOf(actions[0] ?? 'call');
  const verb = ['records', 'reads', 'writes', 'names', 'becomes'].indexOf(fact.split(' ')[0] ?? '');
  return [kind, callers.kinds.join(), verb, action, fact].map((part) => String(part)).join(' ');
};

/** The facts of some rights, each once, in the order of the file. */
export const factLines = (rights: readonly Right[]): readonly FactLine[] => {
  const subjects = [...Map.groupBy(rights, ({ subject }) => subject)];
  return subjects
    .sort(([one], [other]) => byText(one, other))
    .flatMap(([subject, each]) => {
      const facts = each.flatMap((right) => rightFacts(right).map((fact) => ({ fact, right })));
      const lines = [...Map.groupBy(facts, ({ fact }) => fact)].flatMap(([fact, same]) => {
        const byAction = Map.groupBy(same, ({ right }) => right.action);
        const groups = [...byAction].flatMap(([action, those]) =>
          groupCallers(those.map(({ right }) => right)).map((callers) => ({ action, callers })),
        );
        const byCallers = Map.groupBy(groups, ({ callers }) => groupText(callers));
        return [...byCallers.values()].map((those): FactLine => {
          const actions = rightActions.filter((action) => those.some((one) => one.action === action));
          return { subject, actions, callers: those[0]?.callers ?? { kinds: [], methods: [] }, fact };
        });
      });
      return lines.sort((one, other) => byText(lineOrder(one), lineOrder(other)));
    });
};

const rightLines = (rights: readonly Right[]): readonly string[] =>
  factLines(rights).map(
    ({ subject, actions, callers, fact }) =>
      `${subject} ${actions.join(', ')} | ${groupText(callers)} | ${fact}`,
  );

/** The fields that conditions about records of a model compare, by model. */
const comparedIn = (model: string, expression: RowExpression): readonly (readonly [string, string])[] => {
  switch (expression.kind) {
    case 'own':
    case 'equals':
      return [[model, expression.column]];
    case 'member':
      return [
        [model, expression.column],
        ...[expression.on, expression.owner, ...expression.where.map(({ column }) => column)].map(
          (column) => [expression.model, column] as const,
        ),
      ];
    case 'via':
      return [[model, expression.column], ...comparedIn(expression.model, expression.rule)];
    case 'anyOf':
    case 'allOf':
      return expression.rules.flatMap((rule) => comparedIn(model, rule));
  }
};

const fieldLine = (model: string, field: string, shape: FieldShape): string => {
  const { kind, column, required, values, reference, same, scale } = shape;
  const parts = [
    kind,
    column,
    required ? 'required' : 'optional',
    reference && `to ${reference}`,
    same && `same ${same}`,
    scale !== 0 && `scale ${scale}`,
    values && column !== 'boolean' && `values ${JSON.stringify(values)}`,
  ];
  return `field ${model}.${field} ${parts.filter((part) => part !== undefined && part !== false).join(' ')}`;
};

/** The lines about the data that conditions compare. */
const shapeLines = ({ rights, shapes }: Policy): readonly string[] => {
  const conditions = rights.flatMap(({ subject, rows, fields }) =>
    [rows, ...fields.map(({ when }) => when)].map((expression) => [subject, expression] as const),
  );
  const compared = conditions.flatMap(([subject, expression]) => comparedIn(subject, expression));
  const models = new Set(
    conditions.flatMap(([subject, expression]) => [subject, ...modelsAsked(expression)]),
  );
  const lines = compared.flatMap(([model, field]) => {
    const shape = shapes.get(model)?.fields.get(field);
    return shape === undefined ? [] : [fieldLine(model, field, shape)];
  });
  const unique = [...models].flatMap((model) =>
    (shapes.get(model)?.unique ?? []).map((set) => `unique ${model} ${set.join(', ')}`),
  );
  const given = [...models].flatMap((model) =>
    shapes.get(model)?.givesIds === true ? [`ids ${model} given by callers`] : [],
  );
  return [...new Set([...lines, ...unique, ...given])].sort();
};

/** The text of the file. */
export const lockText = (policy: Policy): string => {
  const code = policy.code.map(({ subject, part, digest }) => `code ${subject} ${part} ${digest}`);
  const lines = [...head, ...rightLines(policy.rights), ...code.sort(), ...shapeLines(policy)];
  return `${[...lines, `sha256 ${digestOf(lines)}`].join('\n')}\n`;
};

const again = 'gatewright access --lock writes it again';

/** The lines of a file that is whole. @throws LockFileError */
const linesOf = (text: string): readonly string[] => {
  const lines = text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');
  if (lines.some((line) => /^(?:<{7}|={7}|>{7})/.test(line)))
    throw new LockFileError(`it has the marks of a merge: ${again}, from the merged models`);
  const [, found] = /^version (\S+)$/m.exec(text.replaceAll('\r', '')) ?? [];
  if (found === undefined) throw new LockFileError(`it has no version: ${again}`);
  if (found !== String(version))
    throw new LockFileError(
      `it has version ${found}, and this gatewright reads version ${version}: ${again}`,
    );
  const last = lines.at(-1) ?? '';
  const content = lines.slice(0, -1);
  if (last !== `sha256 ${digestOf(content)}`)
    throw new LockFileError(`it was edited manually, as its checksum says: ${again}`);
  return content;
};

const isVerb = (word: string): word is FieldVerb => ['reads', 'writes', 'names', 'becomes'].includes(word);
const isAction = (word: string): word is RightAction => rightActions.some((action) => action === word);

const fail = (line: string): never => {
  throw new LockFileError(`it has a line that says nothing, "${line.slice(0, 80)}": ${again}`);
};

const callersIn = (text: string): readonly Pick<Right, 'caller' | 'method'>[] => {
  const at = text.lastIndexOf(' by ');
  const kinds = (at === -1 ? text : text.slice(0, at)).split(', ').map(decodeURIComponent);
  const methods = at === -1 ? [undefined] : text.slice(at + 4).split(', ');
  return kinds.flatMap((caller) => methods.map((method) => ({ caller, method })));
};

interface ReadFact {
  readonly rows?: RowExpression;
  readonly fields: readonly FieldRight[];
}

const readFact = (fact: string, line: string): ReadFact => {
  const [, word = '', rest = ''] = /^(\S+) (.+)$/.exec(fact) ?? [];
  if (word === 'records') return { rows: conditionFromText(rest), fields: [] };
  if (!isVerb(word)) return fail(line);
  const at = rest.indexOf(' if: ');
  const when = at === -1 ? everything : conditionFromText(rest.slice(at + 5));
  const names = (at === -1 ? rest : rest.slice(0, at)).split(', ');
  return { fields: names.map((field): FieldRight => ({ verb: word, field, when })) };
};

const ofPattern = new RegExp(`^(.+?) ((?:${rightActions.join('|')})(?:, (?:${rightActions.join('|')}))*)$`);

const readRights = (lines: readonly string[]): readonly Right[] => {
  const rights = new Map<string, Right>();
  for (const line of lines) {
    const [of = '', callers = '', ...facts] = line.split(' | ');
    const [, subject, actions = ''] = ofPattern.exec(of) ?? [];
    if (subject === undefined || facts.length === 0) return fail(line);
    const { rows, fields } = readFact(facts.join(' | '), line);
    for (const action of actions.split(', ').filter(isAction))
      for (const { caller, method } of callersIn(callers)) {
        const key = JSON.stringify([subject, action, caller, method ?? null]);
        const known = rights.get(key) ?? { subject, action, caller, method, rows: everything, fields: [] };
        rights.set(key, { ...known, rows: rows ?? known.rows, fields: [...known.fields, ...fields] });
      }
  }
  return [...rights.values()];
};

const shapePattern =
  /^field ([^.\s]+)\.(\S+) (\S+) (\S+) (required|optional)(?: to (\S+))?(?: same (\S+))?(?: scale (\d+))?(?: values (.+))?$/;

const columns = {
  text: true,
  integer: true,
  bigint: true,
  decimal: true,
  number: true,
  boolean: true,
  timestamp: true,
  date: true,
  time: true,
  uuid: true,
  json: true,
} as const satisfies Record<ColumnKind, true>;

const isColumn = (word: string): word is ColumnKind => Object.hasOwn(columns, word);

const listIn = (text: string | undefined): readonly ColumnValue[] | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as ColumnValue[]);

interface ReadShape {
  readonly fields: Map<string, FieldShape>;
  readonly unique: string[][];
  givesIds: boolean;
}

const readShapes = (lines: readonly string[]): Shapes => {
  const shapes = new Map<string, ReadShape>();
  const of = (model: string): ReadShape => {
    const known = shapes.get(model) ?? { fields: new Map(), unique: [], givesIds: false };
    shapes.set(model, known);
    return known;
  };
  for (const line of lines) {
    const [, model, field = '', kind = '', column = '', needed, reference, same, scale, values] =
      shapePattern.exec(line) ?? [];
    const [, set, names = ''] = /^unique (\S+) (.+)$/.exec(line) ?? [];
    const [, given] = /^ids (\S+) given by callers$/.exec(line) ?? [];
    if (set !== undefined) of(set).unique.push(names.split(', '));
    else if (given !== undefined) of(given).givesIds = true;
    else if (model === undefined || !isColumn(column)) fail(line);
    else
      of(model).fields.set(field, {
        kind,
        column,
        required: needed === 'required',
        values: column === 'boolean' ? [true, false] : listIn(values),
        reference,
        same,
        scale: Number(scale ?? 0),
      });
  }
  return shapes satisfies ReadonlyMap<string, ModelShape>;
};

const readCode = (lines: readonly string[]): readonly CodePart[] =>
  lines.map((line) => {
    const [, subject = '', part = '', digest = ''] = /^code (.+) (\S+) ([0-9a-f]+)$/.exec(line) ?? [];
    return digest === '' ? fail(line) : { subject, part, digest };
  });

/** Reads the policy of a file. @throws LockFileError that says in a sentence why it cannot be read */
export const readLock = (text: string): Policy => {
  const lines = linesOf(text).filter((line) => !line.startsWith('#') && !line.startsWith('version '));
  const begin = (word: string) => (line: string) => line.startsWith(`${word} `) && !line.includes(' | ');
  const code = lines.filter(begin('code'));
  const shapes = lines.filter((line) => ['field', 'unique', 'ids'].some((word) => begin(word)(line)));
  const rights = lines.filter((line) => !code.includes(line) && !shapes.includes(line));
  try {
    return { rights: readRights(rights), shapes: readShapes(shapes), code: readCode(code) };
  } catch (error) {
    if (error instanceof LockFileError) throw error;
    // Its checksum is right, so another program wrote it.
    throw new LockFileError(`it cannot be read, ${errorMessage(error)}: ${again}`);
  }
};
