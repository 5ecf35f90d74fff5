/** The shape of texts in another language: the same keys. */
export type SameKeys<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends string ? string : SameKeys<Tree[Name]>;
};
