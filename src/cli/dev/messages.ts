/** Migrations that were shown and not agreed to yet: the time of each one's file when it was shown, by its name. */
export type Shown = Readonly<Record<string, number>>;

/** What a waiting run is told when its turn comes. */
export interface Start {
  /** The application's folder. */
  readonly folder: string;
  /** No run has started yet: this one says where it answers and how to sign in. */
  readonly first: boolean;
  /** Routes as they were printed last; they are printed again when they have changed. */
  readonly routes: readonly string[];
  /**
   * Undefined for the very first run, which applies what is pending as `start` does; later ones apply only what was
   * shown before, once it was agreed to.
   */
  readonly shown: Shown | undefined;
  /** Somebody has pressed Enter behind what was shown. */
  readonly agreed: boolean;
}

/** What it answers. What went wrong it has printed itself. */
export type Outcome =
  | {
      readonly kind: 'started';
      readonly routes: readonly string[];
      /** Whether the application has something to do when it ends: `onStop`, or jobs to give back. */
      readonly ends: boolean;
    }
  | { readonly kind: 'held'; readonly shown: Shown }
  | { readonly kind: 'failed' };
