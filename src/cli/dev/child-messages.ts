/** A migration that was shown. */
export interface ShownMigration {
  /** A hash of its file and of its SQL: another form counts as not shown. */
  readonly form: string;
  /** Time of the last change of its file, in milliseconds since the epoch. */
  readonly written: number;
}

/** Migrations that were shown and not yet confirmed, by name. */
export type Shown = Readonly<Record<string, ShownMigration>>;

/** The message to a waiting process when its turn comes. */
export interface Start {
  /** The application's folder. */
  readonly folder: string;
  /** True if this is the first run, which prints the address and how to sign in. */
  readonly first: boolean;
  /** Routes as they were printed last; they are printed again when they have changed. */
  readonly routes: readonly string[];
  /**
   * Undefined for the first run, which shows pending migrations and applies them; later runs apply only those that
   * were shown in the same form and confirmed.
   */
  readonly shown: Shown | undefined;
  /** True if the user has confirmed the migrations by Enter. */
  readonly agreed: boolean;
}

/** The exit status; errors have been printed already. */
export type Outcome =
  | {
      readonly kind: 'started';
      readonly routes: readonly string[];
      /** True if the application has work to do at its end: `onStop`, or jobs to release. */
      readonly ends: boolean;
    }
  | { readonly kind: 'held'; readonly shown: Shown }
  | { readonly kind: 'failed' };

/** Sent after `held` or `failed`: the database has changed since, and the run may be tried again. */
export interface MigratedElsewhere {
  readonly kind: 'migrated';
}
