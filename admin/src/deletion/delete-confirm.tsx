/** The question before a deletion, with its effects. */

import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { useText } from '../texts/provider.ts';
import { Consequences } from './consequences.tsx';
import { useForecast } from './forecast.ts';

export type RecordKey = number | string;

export interface DeleteConfirmProps {
  readonly title: string;
  /** The records to be deleted, and whether they can be restored. */
  readonly children: ReactNode;
  /** Path below `/admin` of the deleted records: `records/orders`. */
  readonly resource: string;
  readonly ids: readonly RecordKey[];
  /** Name by which other records refer to it, if not its id. */
  readonly name?: string;
  /** Deletes the records that can be deleted. */
  readonly onConfirm: (ids: readonly RecordKey[]) => Promise<void> | void;
  readonly onClose: () => void;
}

/** Asks before a deletion, and shows the records that refer to the deleted ones and their fate. */
export const DeleteConfirm = ({
  title,
  children,
  resource,
  ids,
  name,
  onConfirm,
  onClose,
}: DeleteConfirmProps) => {
  const text = useText();
  const { data: forecast, isPending, isError } = useForecast(resource, ids);
  const kept = new Set(forecast?.refused.map(({ id }) => String(id)));
  const deletable = ids.filter((id) => !kept.has(String(id)));
  const isPart = deletable.length > 0 && deletable.length < ids.length;
  return (
    <Confirm
      open
      wide
      title={title}
      action={isPart ? text('deletion.theOthers', { count: deletable.length }) : text('common.delete')}
      disabled={isPending || deletable.length === 0}
      onConfirm={() => onConfirm(deletable)}
      onClose={onClose}
    >
      {children}
      <div aria-live="polite">
        {isPending ? (
          <Typography variant="body2" sx={{ mt: 1.5 }}>
            {text('deletion.looking')}
          </Typography>
        ) : null}
        {isError ? (
          <Typography variant="body2" sx={{ mt: 1.5 }}>
            {text('deletion.unknown')}
          </Typography>
        ) : null}
        {forecast === undefined ? null : <Consequences forecast={forecast} count={ids.length} name={name} />}
      </div>
    </Confirm>
  );
};
