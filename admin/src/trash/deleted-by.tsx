import { Actor } from '../history/actor.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import type { TrashedRecord } from './trashed.ts';

const day = 86_400_000;

/** The time until a deleted record is removed for good. */
export const Remaining = ({ until }: { readonly until: string }) => {
  const text = useText();
  const days = Math.ceil((Date.parse(until) - Date.now()) / day);
  return (
    <time dateTime={until} title={until}>
      {days > 0 ? text('trash.remaining', { count: days }) : text('trash.due')}
    </time>
  );
};

/** The user who deleted it, the time, and the time left. */
export const DeletedBy = ({ record }: { readonly record: TrashedRecord }) => (
  <span>
    <Actor actor={record.deleted_by} /> · <RelativeTime value={record.deleted_at} /> ·{' '}
    <Remaining until={record.kept_until} />
  </span>
);
