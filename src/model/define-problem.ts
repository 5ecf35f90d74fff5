/** `defineProblem`: errors of an application, with a code, a status and a message in each language. */

import type { Label } from '../kernel/messages.ts';
import { label, type OptionTable, optionsFlaw, wholeNumber } from '../kernel/options.ts';
import { type OwnProblem, Problem, type ProblemDetails } from '../kernel/problem.ts';
import { DefinitionError } from './definition-error.ts';

export interface ProblemDefinition<Message extends Label = Label> {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** 50 to 99; the service uses 0 to 49. The code of the envelope is status × 100 + number. */
  readonly number: number;
  /** A text, or one for every language; `{name}` is replaced by a value of the problem. */
  readonly message: Message;
}

/** Characters that no name of a placeholder has: braces around such a text are literal. */
type Other = ' ' | '"' | ':' | ',' | '.' | '{' | '…';

/** Names in braces in a text. */
type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string}${Other}${string}` ? never : Name) | Placeholders<Rest>
  : never;

/** Names of the placeholders of a message, or of any of its translations. */
type Named<Message> = Message extends string
  ? Placeholders<Message>
  : Message extends object
    ? Placeholders<Message[keyof Message] & string>
    : never;

/** Values of the placeholders. They are sent to the caller, so they must not be secret. */
type Values<Names extends string> = { readonly [Name in Names]: string | number };

/** Creates the problem to throw. The function also has its code and message, for the API description. */
export interface MakeProblem<Names extends string = string> extends OwnProblem {
  (
    ...values: [Names] extends [never]
      ? [values?: undefined, more?: More]
      : [values: Values<Names>, more?: More]
  ): Problem;
}

/** Response headers, and the real cause, which is only logged. */
type More = Pick<ProblemDetails, 'headers' | 'cause'>;

const options = {
  status: wholeNumber(400, 599),
  number: wholeNumber(50, 99),
  message: label,
} satisfies OptionTable<ProblemDefinition>;

const made = new WeakSet<object>();

/**
 * Defines an error of the application, sent in the envelope like those of the service.
 *     export const soldOut = defineProblem({ status: 409, number: 50, message: 'Only {left} left' });
 *     throw soldOut({ left: 3 });      // 409 {"code":40950,"message":"Only 3 left"}
 * @throws DefinitionError for an unknown option or an invalid value
 */
export const defineProblem = <const Message extends Label>(
  definition: ProblemDefinition<Message>,
): MakeProblem<Named<Message>> => {
  const { status, number, message } = definition;
  const missing = Object.entries({ status, number, message }).find(([, value]) => value === undefined)?.[0];
  const flaw = optionsFlaw(definition, options) ?? (missing && `it has no ${missing}`);
  if (flaw !== undefined) throw new DefinitionError('problem', flaw);
  const own: OwnProblem = Object.freeze({ code: status * 100 + number, message });
  const make = (params: Readonly<Record<string, string | number>> = {}, more: More = {}): Problem =>
    new Problem(own, { ...more, params });
  const problem = Object.freeze(Object.assign(make, own));
  made.add(problem);
  return problem as MakeProblem<Named<Message>>;
};

export const isOwnProblem = (value: unknown): value is MakeProblem =>
  typeof value === 'function' && made.has(value);
