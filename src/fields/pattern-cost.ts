/**
 * Bounds on the steps that a backtracking matcher takes for a pattern (flag `u`, no back-reference, no look-behind).
 * Where the next few characters determine the branch, a wrong branch ends at once. Where they do not, every further
 * branch multiplies the steps of the rest; a loop around such a place has no bound.
 */

type Node =
  /** One character, or one of a class. */
  | { readonly kind: 'atom'; readonly source: string }
  /** `^`, `$`, `\b` or `\B`. */
  | { readonly kind: 'edge'; readonly source: string }
  | { readonly kind: 'lookAhead'; readonly body: Node }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | ChoiceNode
  | RepeatNode;

interface ChoiceNode {
  readonly kind: 'choice';
  readonly options: readonly Node[];
  readonly source: string;
}

interface RepeatNode {
  readonly kind: 'repeat';
  readonly body: Node;
  readonly min: number;
  readonly max: number;
  readonly source: string;
}

const edgeToken = /[\^$]|\\[bB]/uy;
const groupToken = /\((?:\?(?:(?<look>[=!])|:|<[^>]*>))?(?!\?)/uy;
const atomToken =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\.|\[(?:\\.|[^\]\\])*\]|[^\\()[\]{}|*+?^$]/suy;
const countToken = /(?:[*+?]|\{(?<min>\d+)(?<open>,)?(?<max>\d+)?\})\??/uy;

/** Reads the source of a valid RegExp from left to right. A part is undefined where it has a group with modifiers. */
class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(): Node | undefined {
    const start = this.#at;
    const options: Node[] = [];
    do {
      if (options.length > 0) this.#at += 1;
      const option = this.#sequence();
      if (option === undefined) return undefined;
      options.push(option);
    } while (this.#source[this.#at] === '|');
    const [only] = options;
    if (only !== undefined && options.length === 1) return only;
    return { kind: 'choice', options, source: this.#source.slice(start, this.#at) };
  }

  #sequence(): Node | undefined {
    const items: Node[] = [];
    while (
      this.#at < this.#source.length &&
      this.#source[this.#at] !== '|' &&
      this.#source[this.#at] !== ')'
    ) {
      const start = this.#at;
      const body = this.#item();
      if (body === undefined) return undefined;
      const count = this.#take(countToken);
      items.push(count === null ? body : repeatOf(body, count, this.#source.slice(start, this.#at)));
    }
    return { kind: 'sequence', items };
  }

  #item(): Node | undefined {
    const edge = this.#take(edgeToken);
    if (edge !== null) return { kind: 'edge', source: edge[0] };
    const group = this.#take(groupToken);
    if (group === null) {
      const atom = this.#take(atomToken);
      return atom === null ? undefined : { kind: 'atom', source: atom[0] };
    }
    const body = this.choice();
    this.#at += 1;
    if (body === undefined) return undefined;
    return group.groups?.['look'] === undefined ? body : { kind: 'lookAhead', body };
  }

  #take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const taken = token.exec(this.#source);
    if (taken !== null) this.#at += taken[0].length;
    return taken;
  }
}

const repeatOf = (body: Node, count: RegExpExecArray, source: string): Node => {
  const { min, open, max } = count.groups ?? {};
  if (min !== undefined) {
    const minimum = Number(min);
    const maximum = max === undefined ? (open === undefined ? minimum : Infinity) : Number(max);
    return { kind: 'repeat', body, min: minimum, max: maximum, source };
  }
  const sign = count[0][0];
  return { kind: 'repeat', body, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity, source };
};

/**
 * A possible beginning of a part of a pattern: the atoms of its first characters. `isOpen`: anything may follow them;
 * otherwise the part has ended.
 */
interface Opening {
  readonly atoms: readonly string[];
  readonly isOpen: boolean;
}

/** Maximum number of characters that may be needed to decide between two branches. */
const maxAtoms = 8;

/** Maximum number of distinct openings; with more, the first character alone decides. */
const maxOpenings = 200;

const ended: Opening = { atoms: [], isOpen: false };

const openAll = (openings: readonly Opening[]): Opening[] =>
  openings.map(({ atoms }) => ({ atoms, isOpen: true }));

const shorten = (openings: readonly Opening[]): Opening[] => {
  const firsts = new Map(openings.map((opening) => [opening.atoms[0], opening]));
  return [...firsts].map(([atom, { isOpen }]) =>
    atom === undefined ? { atoms: [], isOpen } : { atoms: [atom], isOpen: true },
  );
};

/** The openings of one part followed by another one. */
const concatenate = (left: readonly Opening[], right: readonly Opening[]): Opening[] => {
  const openings = left.flatMap((first) => {
    if (first.isOpen || first.atoms.length >= maxAtoms) return [{ ...first, isOpen: true }];
    return right.map(({ atoms, isOpen }) => ({
      atoms: [...first.atoms, ...atoms].slice(0, maxAtoms),
      isOpen: isOpen || first.atoms.length + atoms.length > maxAtoms,
    }));
  });
  return openings.length > maxOpenings ? shorten(openings) : openings;
};

const openingsOf = (node: Node): readonly Opening[] => {
  switch (node.kind) {
    case 'atom':
      return [{ atoms: [node.source], isOpen: false }];
    case 'edge':
      return [ended];
    case 'lookAhead':
      // A look-ahead takes its time before the next character is examined.
      return [{ atoms: [], isOpen: true }];
    case 'sequence':
      return node.items.reduceRight<readonly Opening[]>(
        (rest, item) => concatenate(openingsOf(item), rest),
        [ended],
      );
    case 'choice':
      return node.options.flatMap(openingsOf);
    case 'repeat': {
      const body = openingsOf(node.body);
      let openings: readonly Opening[] = node.max > node.min ? [ended, ...openAll(body)] : [ended];
      for (let count = Math.min(node.min, maxAtoms); count > 0; count -= 1)
        openings = concatenate(body, openings);
      return openings;
    }
  }
};

/** True if a part can match the empty text. */
const isNullable = (node: Node): boolean => {
  switch (node.kind) {
    case 'atom':
      return false;
    case 'sequence':
      return node.items.every(isNullable);
    case 'choice':
      return node.options.some(isNullable);
    case 'repeat':
      return node.min === 0 || isNullable(node.body);
    default:
      return true;
  }
};

/** True if a part can only match at the beginning of the text. */
const isAnchored = (node: Node): boolean => {
  switch (node.kind) {
    case 'edge':
      return node.source === '^';
    case 'sequence':
      return node.items[0] !== undefined && isAnchored(node.items[0]);
    case 'choice':
      return node.options.every(isAnchored);
    case 'repeat':
      return node.min > 0 && isAnchored(node.body);
    default:
      return false;
  }
};

const hasLookAhead = (node: Node): boolean => {
  switch (node.kind) {
    case 'sequence':
      return node.items.some(hasLookAhead);
    case 'choice':
      return node.options.some(hasLookAhead);
    case 'repeat':
      return hasLookAhead(node.body);
    default:
      return node.kind === 'lookAhead';
  }
};

const charactersBetween = (first: number, last: number): string => {
  let text = '';
  for (let code = first; code <= last; code += 1) text += String.fromCodePoint(code);
  return text;
};

/** All characters, with the low surrogates before the high ones, so that no two form a pair. */
const basicCharacters = (): string =>
  charactersBetween(0xdc00, 0xdfff) +
  charactersBetween(0xd800, 0xdbff) +
  charactersBetween(0, 0xd7ff) +
  charactersBetween(0xe000, 0xffff);
const furtherCharacters = (): string => charactersBetween(0x10000, 0x10ffff);

/** True if an atom may match a character beyond the basic ones; errs on the safe side. */
const mayBeFurther = (atom: string): boolean => /\\[pPDWSu]|^\[\^|^\.$|[\u{10000}-\u{10ffff}]/u.test(atom);

/** Creates a function that says whether one character can match two atoms. */
const createOverlap = (): ((one: string, other: string) => boolean) => {
  const results = new Map<string, boolean>();
  let basic: string | undefined;
  const search = (one: string, other: string): boolean => {
    const both = new RegExp(`(?=${one})${other}`, 'u');
    basic ??= basicCharacters();
    if (both.test(basic)) return true;
    return mayBeFurther(one) && mayBeFurther(other) && both.test(furtherCharacters());
  };
  return (one, other) => {
    if (one === other) return true;
    const key = `${one} ${other}`;
    const overlaps = results.get(key) ?? search(one, other);
    results.set(key, overlaps);
    return overlaps;
  };
};

/** The bound for one pattern. */
export interface PatternCost {
  /** Infinite where no power of the length is a bound. */
  readonly steps: number;
  /** A place where a text can be divided in several ways; undefined when there is none. */
  readonly ambiguous: string | undefined;
  readonly isAnchored: boolean;
}

/** The cost of matching a part: the number of ways in which it can match, and the steps of all of them. */
interface Cost {
  readonly ways: number;
  readonly steps: number;
}

const power = (ways: number, times: number): number => (ways === 1 ? 1 : ways ** times);

/** Computes the cost of the parts of one pattern, for texts of up to `longest` characters. */
class CostAnalysis {
  readonly #longest: number;
  readonly #overlap = createOverlap();
  /** The first part that was found to match a text in several ways. */
  ambiguous: string | undefined;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * @param follow the openings of the rest of the pattern
   * @param isLast whether the part ends the pattern, so that nothing behind it can fail
   */
  costOf(node: Node, follow: readonly Opening[], isLast: boolean): Cost {
    switch (node.kind) {
      case 'sequence':
        return this.#costOfSequence(node.items, follow, isLast);
      case 'choice':
        return this.#costOfChoice(node, follow, isLast);
      case 'repeat':
        return this.#costOfRepeat(node, follow, isLast);
      case 'lookAhead':
        // A look-ahead is left once, in the first way that it matches.
        return { ways: 1, steps: this.costOf(node.body, [ended], false).steps };
      default:
        return { ways: 1, steps: 1 };
    }
  }

  #costOfSequence(items: readonly Node[], follow: readonly Opening[], isLast: boolean): Cost {
    return items.reduceRight<Cost & { readonly follow: readonly Opening[] }>(
      (rest, item, index) => {
        const own = this.costOf(item, rest.follow, isLast && index === items.length - 1);
        return {
          ways: own.ways * rest.ways,
          steps: own.steps + own.ways * rest.steps,
          follow: concatenate(openingsOf(item), rest.follow),
        };
      },
      { ways: 1, steps: 1, follow },
    );
  }

  #costOfChoice(node: ChoiceNode, follow: readonly Opening[], isLast: boolean): Cost {
    const costs = node.options.map((option) => this.costOf(option, follow, isLast));
    const openings = node.options.map((option) => concatenate(openingsOf(option), follow));
    const isAmbiguous = openings.some((one, index) =>
      openings.slice(index + 1).some((other) => this.#areAmbiguous(one, other)),
    );
    if (isAmbiguous) this.ambiguous ??= node.source;
    const ways = costs.map((cost) => cost.ways);
    return {
      ways: isAmbiguous ? ways.reduce((sum, each) => sum + each, 0) : Math.max(...ways),
      steps: costs.reduce((sum, { steps }) => sum + steps, 0),
    };
  }

  #costOfRepeat(node: RepeatNode, follow: readonly Opening[], isLast: boolean): Cost {
    const { body, min, max } = node;
    const again = openAll(openingsOf(body));
    const one = this.costOf(body, max > 1 ? [...again, ...follow] : follow, isLast && max === 1);
    const isAmbiguous = max > min && this.#areAmbiguous(again, follow);
    // Loops with empty iterations are refused.
    const inside = max > 1 && isNullable(body) ? Infinity : power(one.ways, max);
    if (isAmbiguous || inside === Infinity) this.ambiguous ??= node.source;
    // Optional iterations of a last part cannot fail.
    const rounds = isLast ? min : Math.min(max, this.#longest + 1);
    const steps = inside * rounds * one.steps;
    // Iterations without a choice share the text.
    const isShared = inside === 1 && !hasLookAhead(body);
    return {
      ways: inside * (isAmbiguous ? Math.min(max - min, this.#longest) + 1 : 1),
      steps: isShared ? Math.min(steps, this.#longest + 1) : steps,
    };
  }

  #areAmbiguous(one: readonly Opening[], other: readonly Opening[]): boolean {
    return one.some((opening) => other.some((against) => this.#canBeBoth(opening, against)));
  }

  #canBeBoth(one: Opening, other: Opening): boolean {
    // A branch that reaches the end of the pattern is a match.
    if ([one, other].some(({ atoms, isOpen }) => atoms.length === 0 && !isOpen)) return false;
    return one.atoms.every((atom, index) => {
      const against = other.atoms[index];
      return against === undefined || this.#overlap(atom, against);
    });
  }
}

/** The maximum of steps for texts of up to `longest` characters; undefined for a group with modifiers. */
export const patternCost = (source: string, longest: number): PatternCost | undefined => {
  const root = new PatternReader(source).choice();
  if (root === undefined) return undefined;
  const analysis = new CostAnalysis(longest);
  const anchored = isAnchored(root);
  const { steps } = analysis.costOf(root, [ended], true);
  return {
    steps: steps * (anchored ? 1 : longest + 1) + longest,
    ambiguous: analysis.ambiguous,
    isAnchored: anchored,
  };
};
