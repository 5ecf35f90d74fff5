/** What a waiting run is told when its turn comes. */
export interface Start {
  /** The application's folder. */
  readonly folder: string;
  /** No run has started yet: this one says where it answers and how to sign in. */
  readonly first: boolean;
  /** Routes as they were printed last; they are printed again when they have changed. */
  readonly routes: readonly string[];
}

/** What it answers. What went wrong it has printed itself. */
export type Outcome =
  | { readonly kind: 'started'; readonly routes: readonly string[] }
  | { readonly kind: 'failed' };
