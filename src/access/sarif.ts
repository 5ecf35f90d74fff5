/** The changes of a policy as a SARIF 2.1.0 log, which code hosts show beside the lines of a pull request. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type Place, placeOfEndpoint, placeOfModel } from '../app/locate.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { AccessChange, AccessChanges, CodeChange } from './changes.ts';
import { orderedChanges, type SaidChange } from './report.ts';
import type { AccessWords } from './words.ts';

/** The files of an application. */
export interface SourcePlaces {
  /** Its folder. */
  readonly folder: string;
  /** Files of its endpoints, by method and path. */
  readonly endpoints: ReadonlyMap<string, string>;
  /** The lock file, to which changes without a place of their own belong. */
  readonly lock: string;
}

const rules = {
  gained: ['access-gained', 'Somebody gained access', 'error'],
  lost: ['access-lost', 'Somebody lost access', 'warning'],
  undecided: ['access-undecided', 'A change of access that is not decided', 'error'],
} as const;
type ResultKind = keyof typeof rules;

/** The nearest folder that has a repository, else the folder itself: paths of a log begin there. */
const rootOf = (folder: string): string => {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return folder;
  }
};

/** The options of a model file that may have caused a change, the likeliest first. */
const optionsOf = ({ field, action }: AccessChange): readonly string[] => {
  if (field?.verb === 'reads') return ['views', 'isolation'];
  if (field !== undefined) return ['restricted', 'isolation'];
  if (action === 'trash') return ['manage', 'isolation'];
  return ['isolation', 'publicRead', 'permissions', 'ownership', 'auth'];
};

const placeOf = async (
  subject: string,
  options: readonly string[],
  { folder, endpoints, lock }: SourcePlaces,
): Promise<Place> => {
  const file = endpoints.get(subject);
  const found =
    file === undefined ? await placeOfModel(folder, subject, options) : await placeOfEndpoint(file);
  return found ?? { file: lock, line: 1, column: 1 };
};

const resultOf = (name: ResultKind, text: string, place: Place, root: string): JsonObject => {
  const [ruleId, , level] = rules[name];
  const uri = relative(root, place.file).split(sep).map(encodeURIComponent).join('/');
  return {
    ruleId,
    ruleIndex: Object.keys(rules).indexOf(name),
    level,
    message: { text },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri, uriBaseId: '%SRCROOT%' },
          region: { startLine: place.line, startColumn: place.column },
        },
      },
    ],
    partialFingerprints: {
      'gatewrightAccess/v1': createHash('sha256').update(`${ruleId} ${text}`).digest('hex'),
    },
  };
};

/** The log of the changes, who gained first. @param version that of this package */
export const sarifOf = async (
  changes: AccessChanges,
  words: AccessWords,
  places: SourcePlaces,
  version: string,
): Promise<Json> => {
  const { gained, lost, undecided } = orderedChanges(changes);
  const root = rootOf(places.folder);
  const results = (name: ResultKind, said: readonly SaidChange[]) =>
    said.map(async ({ change, actions }) => {
      const text = words.sentence(change, actions, name === 'lost' ? 'lost' : 'gained');
      return resultOf(name, text, await placeOf(change.subject, optionsOf(change), places), root);
    });
  const codeResult = async ({ subject, part, state }: CodeChange): Promise<JsonObject> => {
    const text = words.phrases.codeStates[state](`${subject} ${part}`);
    return resultOf('undecided', text, await placeOf(subject, [part, 'hooks'], places), root);
  };
  const all = await Promise.all([
    ...results('gained', gained),
    ...results('lost', lost),
    ...results('undecided', undecided),
    ...changes.code.filter(({ state }) => state !== 'same').map(codeResult),
  ]);
  const described = Object.values(rules).map(([id, text, level]) => ({
    id,
    shortDescription: { text },
    defaultConfiguration: { level },
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'gatewright access', version, rules: described } }, results: all }],
  };
};
