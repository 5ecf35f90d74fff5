/** What the map says of a cache. */
interface CacheRow {
  readonly key: string;
  readonly holds: string;
  /** Entries that a `BoundedCache` keeps: between this number and twice as many. */
  readonly room?: number;
  /** The declarations that hold a cache made by hand. */
  readonly heldBy?: readonly string[];
  /** What makes an entry untrue, and ends it. */
  readonly ends: string;
  /** Title of the test that fails where the ending is taken away; absent where an entry can never become untrue. */
  readonly test?: string;
}

/**
 * Every cache of the service: what may be answered from memory, and what ends that. Nobody's identity, roles or grants
 * are among them, on purpose: these the database says for every request, and again and again for a stream of events.
 *
 * A `BoundedCache` is made with the name of its row and takes its size from there. Caches made by hand are looked for
 * by a test of the sources (tests/checks/caches.test.ts), which refuses one without a row.
 */
export const caches = {
  adminFiles: {
    key: 'name of a file of the administration pages',
    holds: 'its bytes',
    heldBy: ['openAssets'],
    ends: 'never: the name holds the hash of the content',
  },
  apiDescriptions: {
    key: 'language',
    holds: 'the OpenAPI document as text, compressed, and its tag',
    heldBy: ['createDocumentation'],
    ends: 'never: endpoints and models are those that the process started with',
  },
  apiKeyHashes: {
    key: 'an API key that was good',
    holds: 'its SHA-256',
    room: 1_000,
    ends: 'never, and says nothing of whether the key is good: the database is asked for the hash every time',
    test: 'a key that was good is asked for again at every use',
  },
  applicationList: {
    key: 'the one source of now',
    holds: 'the list of the applications, compiled',
    heldBy: ['adminListEndpoints', 'changing'],
    ends: 'the credentials changed: the source is another one',
    test: '200: what the command line registered, without a secret, also while the service runs',
  },
  collisionStatements: {
    key: 'create or update, fields that are looked up, columns of the row filters of what they refer to',
    holds: 'the statement that finds values that are taken and references to nothing',
    room: 256,
    ends: 'never: the models are fixed, values are bound',
  },
  commonPasswords: {
    key: 'none',
    holds: 'the list of common passwords, once it was needed',
    heldBy: ['common'],
    ends: 'never: it comes with the package',
  },
  credentials: {
    key: 'none',
    holds: 'the content of the credentials file',
    heldBy: ['Vault'],
    ends: 'the file or the key file changed, seen twice a second; removed, it holds nothing',
    test: 'takes over what changed and tells who listens, once',
  },
  deliveryLists: {
    key: 'models that an administrator may read',
    holds: 'the list of deliveries that withholds what was sent of others, compiled',
    room: 16,
    ends: 'never: the models are fixed; which of them an administrator may read is asked every time',
  },
  eventStatements: {
    key: 'how many events are asked about, columns of the row filter',
    holds: 'the statement that finds who may be told of what happened',
    room: 256,
    ends: 'never: the models are fixed, values are bound',
  },
  fieldsOfModels: {
    key: 'model',
    holds: 'the fields that administrators and others may write',
    heldBy: ['fieldsOfModels'],
    ends: 'never: a model is frozen',
  },
  grantStatements: {
    key: 'number of models whose grants are read with an identity',
    holds: 'the statement',
    heldBy: ['forms'],
    ends: 'never: it depends on nothing else, and endpoints name the numbers',
  },
  knownCommits: {
    key: 'caller',
    holds: 'where the last commit of theirs by this process is over, for reads of a replica',
    heldBy: ['KnownCommits'],
    ends: 'one second: no replica is asked that is behind by more; crowded out, it holds for everybody',
    test: 'remembers the last commit of each caller for as long as a replica may be behind',
  },
  includesAsked: {
    key: 'query string of one record',
    holds: 'the relations and fields that it names, and where they led the last time',
    room: 100,
    ends: 'never: it is told by the grants of each request whether they lead there again',
  },
  keyNetworks: {
    key: 'API key and address',
    holds: 'that this process has noted it',
    room: 10_000,
    ends: 'crowded out; what is new, the database says',
    test: 'holds at most twice its room, whatever comes',
  },
  keyed: {
    key: 'none',
    holds: 'tokens, session cookies and login counters under the secret in force',
    heldBy: ['createKeyed'],
    ends: 'the credentials have another secret',
    test: 'a new secret in the credentials ends tokens, also those that were verified, and sessions',
  },
  keptValues: {
    key: 'model',
    holds: 'the values that are kept of its records when these go, and their SQL',
    heldBy: ['collected'],
    ends: 'never: a model is frozen',
  },
  lastHost: {
    key: 'none',
    holds: 'the last Host header that was valid',
    heldBy: ['lastValid'],
    ends: 'another text: only the same one is taken for valid',
    test: 'is judged anew behind a good one',
  },
  lastTimestamp: {
    key: 'milliseconds',
    holds: 'the last moment as text',
    heldBy: ['last'],
    ends: 'another moment',
    test: 'writes each moment as itself, whichever was written before',
  },
  listPlans: {
    key: 'shape of a list: fields, row filter’s columns, filters, sort, paging',
    holds: 'its statements, without values',
    room: 200,
    ends: 'never: the source is fixed, values are bound',
  },
  listRequests: {
    key: 'view, row filter’s columns, query string',
    holds: 'the request as it was read, with its plan',
    room: 500,
    ends: 'never within a view; another view or filter is another key',
    test: 'never mixes up callers whose queries are the same',
  },
  patternVerdicts: {
    key: 'pattern and the longest text that it is matched with',
    holds: 'whether it can take too long',
    heldBy: ['verdicts'],
    ends: 'never: another length is another key',
    test: '%s is refused for texts of %i characters: %s',
  },
  readSnapshot: {
    key: 'none',
    holds: 'the read transaction that the reads of one turn share',
    heldBy: ['SharedSnapshot'],
    ends: 'the turn, the beginning of the next one, a write of this process, or 5 ms',
    test: 'ends its snapshot when a turn begins while the one before it is not over',
  },
  metricsText: {
    key: 'none',
    holds: 'the text of a scrape; what it has of the database may be 5 s old',
    heldBy: ['shortly'],
    ends: '250 ms after it was put together',
    test: 'puts one text together for all who ask at the same time',
  },
  scanTimes: {
    key: 'SQL and values of a scan',
    holds: 'how long it took when it was run last',
    room: 200,
    ends: 'one second',
    test: 'are run where they are asked for only while the same ones were over at once',
  },
  readiness: {
    key: 'none',
    holds: 'the outcome of the last write by which the database showed that it takes some',
    heldBy: ['Readiness'],
    ends: 'one second after it was known',
    test: 'gives a refusal again for a second too, then asks anew',
  },
  showStatements: {
    key: 'view and row filter’s columns',
    holds: 'the statement that shows a record',
    room: 200,
    ends: 'never: the source is fixed, values are bound',
  },
  connectionStatements: {
    key: 'SQL',
    holds: 'the prepared statement of a connection',
    room: 256,
    ends: 'with the connection; the database prepares it anew where the schema has changed',
    test: 'sees a column that another connection has added under a prepared statement',
  },
  statementNames: {
    key: 'SQL',
    holds: 'the name under which sessions prepare it',
    heldBy: ['StatementNames'],
    ends: 'all together when 500 are full; sessions of before are replaced',
    test: 'keep a bounded number of prepared statements',
  },
  statementTopics: {
    key: 'SQL',
    holds: 'the table that it is about',
    room: 1_000,
    ends: 'never: it is read from the key',
  },
  suspectTopics: {
    key: 'table',
    holds: 'that statements about it stand still in front of a lock',
    heldBy: ['Admission'],
    ends: '5 s after one was last seen standing',
    test: 'forgets a table that was locked',
  },
  replicaMarks: {
    key: 'what the first server showed of itself',
    holds: 'when it did so last: a replica that shows none of them has another history',
    heldBy: ['ReplicaWatch'],
    ends: '10 seconds, or another timeline of the first server',
    test: 'is not asked once it was promoted, nor one that stayed with the history of before',
  },
  reachCounts: {
    key: 'row filter’s conditions',
    holds: 'the statement that counts the rows within it',
    room: 200,
    ends: 'never: the source is fixed, values are bound',
  },
  reachSizes: {
    key: 'row filter’s conditions and values',
    holds: 'how many rows are within it, up to 5,001 of each part',
    room: 1_000,
    ends: 'one second, or a clock that was set back',
    test: 'counts the rows of a caller again after a second, and where the clock was set back',
  },
  tableSize: {
    key: 'none',
    holds: 'how many rows a source has, up to 5,001, and whether its table is of few bytes',
    heldBy: ['SizeEstimate'],
    ends: 'one second, or a clock that was set back',
    test: 'counts again after a second, and where the clock was set back',
  },
  totals: {
    key: 'what is counted, values of filters and row filter included',
    holds: 'the total, and the revision of what is counted or what the statement saw',
    room: 200,
    ends: 'any commit, by this process or another, but for those of which it is known that they wrote nothing of it',
    test: 'count what was written meanwhile, by this process or another',
  },
  countedColumns: {
    key: 'SQL of a count, and of what looks at the event log',
    holds: 'the tables and columns that it reads',
    room: 256,
    ends: 'any commit of which it is not known what it wrote: with the schema',
    test: 'is another one after a commit of which nobody knows what it wrote',
  },
  writtenColumns: {
    key: 'column of a table',
    holds: 'the last commit of ours that wrote it',
    heldBy: ['Revisions'],
    ends: 'any commit of which it is not known what it wrote',
    test: 'is another one after a commit of which nobody knows what it wrote',
  },
  streamCredentials: {
    key: 'credentials of a stream of events',
    holds: 'when they were good last; each stream holds what its caller reads',
    heldBy: ['CredentialWatch'],
    ends: 'asked again every 2.5 to 4 s; nothing is told by what was asked 5 s ago',
    test: 'by a permission that is taken away: of one model of several only that one is silent',
  },
  verifiedTokens: {
    key: 'a token whose signature was good',
    holds: 'its claims',
    room: 1_000,
    ends: 'with the secret; whether it has expired is asked of the clock, and the user of the database, every time',
    test: 'is over at its exp, and before its nbf, all the same',
  },
  versionStatements: {
    key: 'columns of the row filter, fields that may be read',
    holds: 'the statements that list and count the versions of a record',
    room: 64,
    ends: 'never: the models are fixed, values are bound',
  },
  views: {
    key: 'fields that may be read',
    holds: 'a source’s view of them',
    heldBy: ['SourceViews'],
    ends: 'never: the source is fixed; an array that could change is known by its names only',
    test: 'does not take an array that was changed for what it was',
  },
  writeStatements: {
    key: 'what is written: columns, fields that may be read, versions, row filter’s columns',
    holds: 'the statement',
    room: 512,
    ends: 'never: the resource is fixed, values are bound',
    test: 'take other values through the statement of the first',
  },
} as const satisfies Readonly<Record<string, CacheRow>>;

type Rows = typeof caches;

/** Names of the caches that are of the class `BoundedCache`. */
export type BoundedCacheName = {
  [Name in keyof Rows]: Rows[Name] extends { readonly room: number } ? Name : never;
}[keyof Rows];
