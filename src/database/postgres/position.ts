/**
 * A place in the journal (WAL) of a cluster: what was committed before it is to be seen wherever it has been replayed.
 * Bytes, on a timeline: after a failover another server goes on, on a timeline of its own.
 */
export interface Position {
  /** 8 hexadecimal digits, as names of WAL files have it. */
  readonly timeline: string;
  readonly lsn: number;
}

/** Bytes of a page of the journal. */
const page = 8192;

/** What stands at the beginning of a page: of each, and of the first of a file. */
const pageHeaders = [24, 40];

/**
 * The server's text of a place, `16/B374D848`. Where nothing follows the end of a page, it names the place behind the
 * next page's header, which no replica has replayed before something follows: the end of the page is meant.
 */
export const lsnOf = (text: string): number => {
  const [high = '', low = ''] = text.split('/');
  const lsn = Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
  const within = lsn % page;
  return pageHeaders.includes(within) ? lsn - within : lsn;
};

/** As it travels: the timeline and the place, hexadecimal. */
export const formatPosition = ({ timeline, lsn }: Position): string =>
  `${Number.parseInt(timeline, 16).toString(16)}-${lsn.toString(16)}`;

/** What nobody has reached: for a commit whose place nobody knows. It is understood by no one, and so read past no one. */
export const unknownPosition = 'unknown';

/** Undefined for what is none of ours. 52 bits are four thousand terabytes of journal. */
export const parsePosition = (text: string): Position | undefined => {
  const parts = /^(?<timeline>[\da-f]{1,8})-(?<lsn>[\da-f]{1,13})$/.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { timeline = '', lsn = '' } = parts;
  return { timeline: timeline.toUpperCase().padStart(8, '0'), lsn: Number.parseInt(lsn, 16) };
};

const timelineSql = 'substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)';

/**
 * Where a commit that this session was answered just now is over. The place up to which the journal has been inserted,
 * not written or flushed: with `synchronous_commit = off` a commit is answered before it is either.
 */
export const commitPositionQuery = {
  sql: `select pg_current_wal_insert_lsn()::text as lsn, ${timelineSql} as timeline`,
  parameters: [],
};

export interface PositionRow {
  readonly lsn: string;
  readonly timeline: string;
}

/** What a database shows of itself in its only row: another text whenever somebody has written it. */
const markSql = `id || ' ' || checked_at::text || ' ' || xmin::text`;

/**
 * Where everything that has been answered as committed is over. What is inserted but not flushed is either not
 * committed, or was answered without having been flushed, which is what `off` is.
 */
export const primaryQuery = {
  sql: `select (case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn() end)::text as lsn, ${timelineSql} as timeline, ${markSql} as mark
    from gatewright_database`,
  parameters: [],
};

export interface PrimaryRow extends PositionRow {
  readonly mark: string;
}

export const replicaQuery = {
  sql: `select pg_last_wal_replay_lsn()::text as lsn, pg_is_in_recovery() as follows, ${markSql} as mark
    from gatewright_database`,
  parameters: [],
};

export interface ReplicaRow {
  readonly lsn: string | null;
  readonly follows: boolean;
  readonly mark: string;
}

export const replayQuery = { sql: 'select pg_last_wal_replay_lsn()::text as lsn', parameters: [] };

/** Which cluster, database and schema a session is with, and the process that serves it. */
export const serverQuery = {
  sql: `select (select system_identifier::text from pg_control_system()) as cluster,
    (select oid::text from pg_database where datname = current_database()) as database,
    to_regclass('gatewright_database')::oid::text as schema,
    pg_postmaster_start_time()::text as started, pg_is_in_recovery() as follows`,
  parameters: [],
};

export interface ServerRow {
  readonly cluster: string;
  readonly database: string;
  readonly schema: string | null;
  readonly started: string;
  readonly follows: boolean;
}
