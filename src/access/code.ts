/** The code of an application that has a say in access: named with a digest, never decided. */

import { createHash } from 'node:crypto';
import type { Models } from '../model/models.ts';

/** A function of the application. */
export interface CodePart {
  /** A model, the method and path of an endpoint, or a setting. */
  readonly subject: string;
  /** `beforeSave`, `handle`, `number.format`. */
  readonly part: string;
  /** Identifies its text without spaces. Functions that it calls have none. */
  readonly digest: string;
}

/** An endpoint of the application, by its method and its whole path. */
export interface CodeEndpoint {
  readonly subject: string;
  readonly handle: unknown;
}

export interface CodeParts {
  readonly models: Models;
  readonly endpoints: readonly CodeEndpoint[];
  /** Functions of the configuration by name. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Types leave spaces behind, and a formatter moves lines. */
const digestOf = (code: unknown): string =>
  createHash('sha256').update(String(code).replaceAll(/\s+/g, '')).digest('hex').slice(0, 16);

const partsOf = (subject: string, functions: Readonly<Record<string, unknown>>): readonly CodePart[] =>
  Object.entries(functions).flatMap(([part, code]) =>
    typeof code === 'function' ? [{ subject, part, digest: digestOf(code) }] : [],
  );

/** The functions that decide what becomes of a request, in the order of the application. */
export const codePartsOf = ({ models, endpoints, settings }: CodeParts): readonly CodePart[] => [
  ...[...models.values()].flatMap(({ name, hooks, fields }) => [
    ...partsOf(name, { ...hooks }),
    ...[...fields.values()].flatMap((field) =>
      partsOf(name, {
        [`${field.name}.format`]: 'format' in field.options ? field.options.format : undefined,
      }),
    ),
  ]),
  ...endpoints.flatMap(({ subject, handle }) => partsOf(subject, { handle })),
  ...partsOf('configuration', settings),
];
