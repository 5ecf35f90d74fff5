/**
 * The responses and writes of a generated resource, worked out from the contract and its decisions alone.
 * Nothing of the service is imported here: a mistake of the service cannot hide in its own oracle.
 * Each rule names the sentence that it comes from.
 */

export type Method = 'jwt' | 'api_key' | 'signature';
export type Action = 'list' | 'detail' | 'create' | 'update' | 'delete';
export type PermissionCheck = 'none' | 'writes' | 'all';

/** One combination of the recommended rules, each of which "is independent". */
export type Switches = {
  readonly views: boolean;
  readonly permissions: PermissionCheck;
  readonly isolation: boolean;
  readonly ownership: boolean;
  readonly restricted: boolean;
  readonly publicRead: boolean;
  /** Undefined: the default behaviour, "every endpoint requires JWT". */
  readonly methods: Readonly<Record<Action, readonly Method[]>> | undefined;
};

export type Presented = { readonly method: Method; readonly valid: boolean };

export type Caller = {
  /** Null for an application and for nobody: no user is bound. */
  readonly userId: number | null;
  readonly roles: readonly string[];
  /** Permission entries that one of the roles was granted for the resource. */
  readonly granted: readonly string[];
  readonly presents: readonly Presented[];
};

export type Row = {
  readonly title: string;
  readonly note: string | null;
  readonly published: boolean;
  readonly user_id: number | null;
};

/** The body of a request. `invalid` breaks a rule of the model, `malformed` is not JSON. */
export type Sent = 'invalid' | 'malformed' | Partial<Row>;

export type Refusal =
  | 'unauthenticated'
  | 'token'
  | 'key'
  | 'signature'
  | 'no_permission'
  | 'malformed'
  | 'no_record'
  | 'validation';

export type Verdict =
  | { readonly refused: Refusal; readonly status: number }
  | {
      readonly refused: undefined;
      readonly status: 200 | 201;
      /** Names of the fields of each record answered; undefined where `data` is absent. */
      readonly fields: readonly string[] | undefined;
      /** The row as it is in the database afterwards: undefined when it is gone. */
      readonly row: Row | undefined;
    };

/** "Responses contain all fields of the record." */
export const allFields = ['id', 'title', 'note', 'published', 'user_id', 'created_at', 'updated_at'];
/** "Field filtering: only a whitelist … detail may contain more than list"; "saved … a smaller field set than detail". */
export const whitelist = {
  list: ['id', 'title', 'created_at'],
  detail: ['id', 'title', 'note', 'created_at', 'user_id'],
  saved: ['id', 'title'],
};

const statusOf: Readonly<Record<Refusal, number>> = {
  unauthenticated: 401,
  token: 401,
  key: 401,
  signature: 401,
  no_permission: 403,
  malformed: 400,
  no_record: 404,
  validation: 422,
};

/** "A 401 says only which kind failed (token, key, signature, timestamp)." */
const failedKind: Readonly<Record<Method, Refusal>> = {
  jwt: 'token',
  api_key: 'key',
  signature: 'signature',
};

const refuse = (refused: Refusal): Verdict => ({ refused, status: statusOf[refused] });

const isRead = (action: Action): boolean => action === 'list' || action === 'detail';

/** "Mixed access: list and detail may be public." They "replace authentication, read check and isolation". */
export const isPublic = (switches: Switches, action: Action): boolean =>
  switches.publicRead && isRead(action);

/** "Mixed endpoints try every listed method that the request carries credentials for; one success is enough." */
const authentication = (switches: Switches, action: Action, caller: Caller): Refusal | undefined => {
  const accepted = switches.methods?.[action] ?? ['jwt'];
  const tried = caller.presents.filter(({ method }) => accepted.includes(method));
  if (tried.some(({ valid }) => valid)) return undefined;
  const [first] = tried;
  return first === undefined ? 'unauthenticated' : failedKind[first.method];
};

/** "create, update and destroy" of the contract; "`read` where reads are checked". */
const entryOf = (action: Action): string => {
  if (isRead(action)) return 'read';
  return action === 'delete' ? 'destroy' : action;
};

/** "super_admin always passes. Otherwise 403"; "`admin` has no bypass"; "a signature has no user: permission check 403". */
const permitted = (switches: Switches, action: Action, caller: Caller): boolean => {
  if (switches.permissions === 'none') return true;
  if (switches.permissions === 'writes' && isRead(action)) return true;
  return caller.roles.includes('super_admin') || caller.granted.includes(entryOf(action));
};

/** "`isolation: true` without `ownership`: … administrators can set any user, others only themselves." */
export const namesOnlyItself = (switches: Switches, caller: Caller): boolean =>
  switches.isolation && !switches.ownership && !administers(caller);

const administers = (caller: Caller): boolean =>
  caller.roles.includes('super_admin') || caller.roles.includes('admin');

/** True if the row is there for this caller; any other "behaves as a missing record". */
export const inScope = (switches: Switches, action: Action, caller: Caller, row: Row): boolean => {
  // "Return only published records"; "a signed-in caller sees the same".
  if (isPublic(switches, action)) return row.published;
  // "super_admin and admin see all records; every other caller … only records whose user_id equals the caller's".
  if (!switches.isolation || administers(caller)) return true;
  return caller.userId !== null && row.user_id === caller.userId;
};

const view = (switches: Switches, name: keyof typeof whitelist): readonly string[] =>
  switches.views ? whitelist[name] : allFields;

/** "Fields that are writable only by super_admin and admin. Others are silently not permitted." */
const permittedValues = (switches: Switches, caller: Caller, sent: Partial<Row>): Partial<Row> => {
  const values: Record<string, unknown> = { ...sent };
  if (switches.restricted && !administers(caller)) delete values['note'];
  // "Ownership: on create, the record's owner is set to the caller."
  if (switches.ownership) delete values['user_id'];
  return values;
};

const created = (switches: Switches, caller: Caller, sent: Partial<Row>): Row => ({
  title: '',
  note: null,
  published: false,
  // "If omitted it stays null"; "a signature has no user: … owner null".
  user_id: switches.ownership ? caller.userId : null,
  ...permittedValues(switches, caller, sent),
});

/** The answer to one request. `row` is the record that the path names; undefined when there is none. */
export const expected = (
  switches: Switches,
  action: Action,
  caller: Caller,
  row: Row | undefined,
  sent: Sent,
): Verdict => {
  // "Order of refusal: 401, 403 (permission), 400 (malformed), 404 (missing or out of scope), 412, 422."
  if (!isPublic(switches, action)) {
    const failed = authentication(switches, action, caller);
    if (failed !== undefined) return refuse(failed);
    if (!permitted(switches, action, caller)) return refuse('no_permission');
  }
  if (action === 'list') return { refused: undefined, status: 200, fields: view(switches, 'list'), row };
  const writesBody = action === 'create' || action === 'update';
  if (writesBody && sent === 'malformed') return refuse('malformed');
  if (action !== 'create' && (row === undefined || !inScope(switches, action, caller, row)))
    return refuse('no_record');
  if (writesBody && sent === 'invalid') return refuse('validation');
  if (action === 'detail') return { refused: undefined, status: 200, fields: view(switches, 'detail'), row };
  if (action === 'delete') return { refused: undefined, status: 200, fields: undefined, row: undefined };
  const values = typeof sent === 'string' ? {} : sent;
  const fields = view(switches, 'saved');
  // The contract: 201 for the creation of a record, 200 for everything else.
  if (action === 'create')
    return { refused: undefined, status: 201, fields, row: created(switches, caller, values) };
  if (row === undefined) return refuse('no_record');
  return {
    refused: undefined,
    status: 200,
    fields,
    row: { ...row, ...permittedValues(switches, caller, values) },
  };
};
