/** Actions on one job: as buttons, or in its row. */

import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { Job } from './job.ts';

interface JobActionsProps {
  readonly job: Pick<Job, 'id' | 'name'>;
  /** Leads away from the page of the job once it is deleted. */
  readonly leave?: () => Promise<void> | void;
}

/** Runs a waiting or failed job now, by a button or by itself, and deletes it after a question. */
export const useJobActions = ({ job: { id, name }, leave }: JobActionsProps) => {
  const text = useText();
  const { busy, act } = useAct();
  const [asking, setAsking] = useState(false);
  const repeat = () => act(() => send('POST', `/admin/jobs/${id}/repeat`), text('jobs.repeated'));
  const remove = async (): Promise<void> => {
    await act(() => send('DELETE', `/admin/jobs/${id}`), text('common.deleted', { count: 1 }), leave);
    setAsking(false);
  };
  const question = (
    <Confirm
      open={asking}
      title={text('jobs.deleteTitle', { name })}
      action={text('common.delete')}
      onConfirm={remove}
      onClose={() => setAsking(false)}
    >
      {text('jobs.deleteLead')}
      {text('common.cannotUndo')}
    </Confirm>
  );
  const again = (
    <Button
      size="small"
      loading={busy && !asking}
      aria-label={`${text('jobs.repeat')}: ${name} #${id}`}
      onClick={() => void repeat()}
    >
      {text('jobs.repeat')}
    </Button>
  );
  return { repeat, again, ask: () => setAsking(true), question };
};

/** Runs a waiting or failed job now, or deletes it. */
export const JobActions = (props: JobActionsProps) => {
  const { id, name } = props.job;
  const text = useText();
  const { again, ask, question } = useJobActions(props);
  return (
    <Stack
      direction="row"
      sx={{ '& .MuiButton-root': { minWidth: 0 }, '& .MuiButton-root:first-of-type': { ml: -0.625 } }}
    >
      {again}
      <Button size="small" aria-label={`${text('common.delete')}: ${name} #${id}`} onClick={ask}>
        {text('common.delete')}
      </Button>
      {question}
    </Stack>
  );
};

/** The same in a row: the deletion is behind "⋯". */
export const RowActions = (props: JobActionsProps) => {
  const { id, name } = props.job;
  const text = useText();
  const { again, ask, question } = useJobActions(props);
  return (
    <>
      {again}
      <MoreMenu
        small
        of={`${name} #${id}`}
        items={[{ label: text('common.delete'), onClick: ask, dangerous: true }]}
      />
      {question}
    </>
  );
};
