import { type Catalogue, fill, type ReasonName } from './catalogue.ts';

/** Value of a placeholder; of `caller` and `action` the word of the catalogue stands for it. Never a secret. */
export type ReasonParam = string | number | readonly string[];

/** The reason of a step of a decision. Its text is made in the reader's language. */
export interface Reason {
  readonly name: ReasonName;
  readonly params: Readonly<Record<string, ReasonParam>>;
}

type Words = Pick<Catalogue, 'reasons' | 'callers' | 'actions'>;

const wordOf = ({ callers, actions }: Words, placeholder: string, value: ReasonParam): string | number => {
  if (typeof value === 'object') return value.join(', ');
  const words: Readonly<Record<string, string>> =
    placeholder === 'caller' ? callers : placeholder === 'action' ? actions : {};
  return words[value] ?? value;
};

/** The text of a reason in the language of the words. */
export const reasonText = (words: Words, { name, params }: Reason): string =>
  fill(
    words.reasons[name],
    Object.fromEntries(
      Object.entries(params).map(([placeholder, value]) => [placeholder, wordOf(words, placeholder, value)]),
    ),
  );
