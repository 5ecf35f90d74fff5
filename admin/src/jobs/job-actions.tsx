import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { Job } from './job.ts';

/** Runs a waiting or failed job now, or deletes it. */
export const JobActions = ({ job: { id, name } }: { readonly job: Pick<Job, 'id' | 'name'> }) => {
  const text = useText();
  const { busy, act } = useAct();
  const [asking, setAsking] = useState(false);
  const labelOf = (action: string): string => `${action}: ${name} #${id}`;
  const repeat = () => act(() => send('POST', `/admin/jobs/${id}/repeat`), text('jobs.repeated'));
  const remove = async (): Promise<void> => {
    await act(() => send('DELETE', `/admin/jobs/${id}`), text('common.deleted', { count: 1 }));
    setAsking(false);
  };
  return (
    <Stack
      direction="row"
      sx={{ '& .MuiButton-root': { minWidth: 0 }, '& .MuiButton-root:first-of-type': { ml: -0.625 } }}
    >
      <Button
        size="small"
        loading={busy && !asking}
        aria-label={labelOf(text('jobs.repeat'))}
        onClick={() => void repeat()}
      >
        {text('jobs.repeat')}
      </Button>
      <Button size="small" aria-label={labelOf(text('common.delete'))} onClick={() => setAsking(true)}>
        {text('common.delete')}
      </Button>
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
    </Stack>
  );
};
