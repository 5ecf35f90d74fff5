/** Plurals of English nouns and singulars of their plurals, only where a rule is safe. */

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

const singulars: ReadonlyMap<string, string> = new Map(
  Object.entries(irregular).map(([singular, plural]) => [plural, singular]),
);

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Singulars that end as plurals do: their `s` belongs to the word. */
const endInS = words(
  `alias apparatus atlas basis bias bonus bus cactus campus canvas census chaos chassis consensus corpus cosmos
   debris diabetes dns focus gas genus gps iris kudos lens mars means nexus news opus os pos radius series sms species
   status surplus syllabus tennis tls trellis virus walrus`,
);

/** Nouns whose `e` stays although other nouns of their ending have none. */
const endInE = words(
  `ache avalanche axe cache creche headache moustache niche quiche brownie calorie cookie freebie genie goalie hoodie
   junkie lie magpie movie newbie pie pixie prairie rookie selfie smoothie sortie tie zombie`,
);

/** Nouns that may be meant by a word with the ending of a plural, the most likely first. */
const candidates = (word: string): readonly string[] => {
  const [withoutS, withoutEs] = [word.slice(0, -1), word.slice(0, -2)];
  if (word.endsWith('ies')) return endInE.has(withoutS) ? [withoutS] : [`${word.slice(0, -3)}y`, withoutS];
  if (!word.endsWith('es')) return [withoutS];
  const takesEs = /(?:ss|sh|ch|x|zz|tz)es$/.test(word) ? !endInE.has(withoutS) : endInS.has(withoutEs);
  return takesEs ? [withoutEs, withoutS] : [withoutS, withoutEs];
};

const singularWord = (word: string): string | undefined => {
  const known = singulars.get(word);
  if (known !== undefined) return known;
  if (!/[^s]s$/.test(word) || endInS.has(word) || Object.hasOwn(irregular, word)) return undefined;
  return candidates(word).find((noun) => noun.length > 1 && pluralOf(noun) === word);
};

/**
 * Singular of an English plural in lower case, so that `pluralOf` of it is the plural again; of a compound
 * (`blog_posts`) the last word changes. Undefined for a word that is no plural by a safe rule: `status`, `staff`.
 */
export const singularOf = (plural: string): string | undefined => {
  const last = plural.slice(plural.lastIndexOf('_') + 1);
  const singular = singularWord(last);
  return singular === undefined ? undefined : plural.slice(0, plural.length - last.length) + singular;
};
