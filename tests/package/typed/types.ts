import type {
  AfterCommitContext,
  BeforeCommitContext,
  BeforeSaveContext,
  CreateOf,
  DetailOf,
  HookPrincipal,
  Job,
  JobOptions,
  JobQueue,
  Json,
  JsonObject,
  ListItemOf,
  NamedRecords,
  RecordOf,
  RecordPage,
  Records,
  Scope,
  ScopeSql,
  UpdateOf,
} from 'gatewright';
import type sendMail from './jobs/send-mail.ts';
import type order from './resources/order.ts';
import type product from './resources/product.ts';

type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : never;

interface Detail {
  id: number;
  name: string;
  stock: number;
  price: string;
  kind: 'book' | 'game' | null;
  data: Json;
}

interface Whole {
  id: number;
  product_id: number;
  pieces: number;
  state: 'open' | 'paid';
  user_id: number | null;
  created_at: string;
  updated_at: string;
}

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** The types that the package gives them. */
export const same: [
  Same<DetailOf<typeof product>, Flat<Detail>>,
  Same<RecordOf<typeof order>, Flat<Whole>>,
  Same<ListItemOf<typeof product>, { id: number; name: string; stock: number }>,
  Same<Awaited<ReturnType<Records<typeof product>['get']>>, Flat<Detail>>,
  Same<Awaited<ReturnType<Records<typeof product>['page']>>, RecordPage<Flat<Detail>>>,
  Same<Awaited<ReturnType<NamedRecords['get']>>, JsonObject & { readonly id: number }>,
  Same<Scope['jobs'], JobQueue>,
  Same<Scope['sql'], ScopeSql>,
  Same<Scope<'all'>['principal'], HookPrincipal>,
] = [true, true, true, true, true, true, true, true, true];

export const created: CreateOf<typeof order> = { product_id: 1, pieces: 1 };
export const updated: UpdateOf<typeof order> = { state: 'paid' };
export const options: JobOptions = { key: 'a', at: '2026-01-01T00:00:00Z' };

/** Functions that hooks and endpoints of an application call. */
export const helpers = {
  add: (jobs: JobQueue, job: Job<{ readonly to: string; readonly order: number }>) =>
    jobs.add(job, { to: 'a@example.com', order: 1 }),
  job: (job: typeof sendMail): Job<{ readonly to: string; readonly order: number }> => job,
  before: ({ after, addError }: BeforeCommitContext) => addError(undefined, String(after?.['id'])),
  save: ({ values }: BeforeSaveContext) => Object.keys(values),
  after: ({ record }: AfterCommitContext) => record['id'],
};
