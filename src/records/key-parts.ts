/**
 * A part of a cache's key for each member of a shape, so that the compiler names a member without a part: two shapes
 * that differ in it would share a statement or a total. An undefined part leaves its member out of the key; a comment
 * says why.
 */
export type KeyParts<Shape> = { readonly [Member in keyof Shape]-?: unknown };

/**
 * A shape whose key is made as text: the shape itself if `Members` are all of its members, else a type with the names
 * of the others, which no shape fits.
 */
export type Complete<Shape, Members extends keyof Shape> = [Exclude<keyof Shape, Members>] extends [never]
  ? Shape
  : { readonly lacking: Exclude<keyof Shape, Members> };
