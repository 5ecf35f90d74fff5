/** A migration as it was shown. */
export interface ShownMigration {
  /** A hash of its file and of the SQL that it runs: another form has not been shown. */
  readonly form: string;
  /** When its file was last written, in milliseconds since the epoch. */
  readonly written: number;
}

/** Migrations that were shown and not agreed to yet, by name. */
export type Shown = Readonly<Record<string, ShownMigration>>;

/** The message to a waiting run when its turn comes. */
export interface Start {
  /** The application's folder. */
  readonly folder: string;
  /** No run has started yet: this one prints its address and how to sign in. */
  readonly first: boolean;
  /** Routes as they were printed last; they are printed again when they have changed. */
  readonly routes: readonly string[];
  /**
   * Undefined for the very first run, which shows what is pending and applies it; later ones apply only what was shown
   * before in the same form, once it was agreed to.
   */
  readonly shown: Shown | undefined;
  /** Somebody has pressed Enter behind what was shown. */
  readonly agreed: boolean;
}

/** The exit status. Errors have been printed before. */
export type Outcome =
  | {
      readonly kind: 'started';
      readonly routes: readonly string[];
      /** Whether the application has something to do when it ends: `onStop`, or jobs to give back. */
      readonly ends: boolean;
    }
  | { readonly kind: 'held'; readonly shown: Shown }
  | { readonly kind: 'failed' };

/** Sent after `held` or `failed`: the database is another one since, and the run may be tried again. */
export interface MigratedElsewhere {
  readonly kind: 'migrated';
}
