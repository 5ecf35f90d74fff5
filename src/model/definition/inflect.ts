/** Nouns with an irregular plural. */
const irregular: Readonly<Record<string, string>> = {
  analysis: 'analyses',
  appendix: 'appendices',
  axis: 'axes',
  basis: 'bases',
  calf: 'calves',
  child: 'children',
  crisis: 'crises',
  criterion: 'criteria',
  diagnosis: 'diagnoses',
  echo: 'echoes',
  elf: 'elves',
  foot: 'feet',
  goose: 'geese',
  half: 'halves',
  hero: 'heroes',
  hypothesis: 'hypotheses',
  index: 'indexes',
  knife: 'knives',
  leaf: 'leaves',
  life: 'lives',
  loaf: 'loaves',
  man: 'men',
  matrix: 'matrices',
  medium: 'media',
  mouse: 'mice',
  ox: 'oxen',
  person: 'people',
  phenomenon: 'phenomena',
  potato: 'potatoes',
  quiz: 'quizzes',
  shelf: 'shelves',
  synopsis: 'synopses',
  thesis: 'theses',
  thief: 'thieves',
  tomato: 'tomatoes',
  tooth: 'teeth',
  vertex: 'vertices',
  veto: 'vetoes',
  wife: 'wives',
  wolf: 'wolves',
  woman: 'women',
};

/** Nouns without a plural, or with one that only the application can name. */
const uncountable = new Set(
  `advice aircraft data deer equipment evidence feedback fish furniture hardware information knowledge luggage media
   metadata money music offspring people police research rice sheep software staff traffic weather`.split(
    /\s+/,
  ),
);

/** `ch` pronounced as k takes a plain s. */
const hardCh = /(?:stomach|monarch|patriarch|matriarch|epoch|eunuch|tech|loch)$/;

const regular = (noun: string): string | undefined => {
  if (/[^aeiou]y$|quy$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  if (/(?:ss|us|is|as|os|lens|x|z|sh)$/.test(noun)) return `${noun}es`;
  if (/ch$/.test(noun)) return hardCh.test(noun) ? `${noun}s` : `${noun}es`;
  // `orders`, `news`, `series`, `settings`: a plural already, or a word that no rule can distinguish from one.
  return noun.endsWith('s') ? undefined : `${noun}s`;
};

/**
 * Plural of an English noun in lower case; of a compound (`blog_post`) the last word changes. Undefined where no rule
 * is safe: the model then defines its plural itself.
 */
export const pluralOf = (noun: string): string | undefined => {
  const last = noun.slice(noun.lastIndexOf('_') + 1);
  if (uncountable.has(last)) return undefined;
  const plural = Object.hasOwn(irregular, last) ? irregular[last] : regular(last);
  return plural === undefined ? undefined : noun.slice(0, noun.length - last.length) + plural;
};
