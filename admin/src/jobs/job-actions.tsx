import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { Job } from './job.ts';

/** Runs a job now that waits or has failed, or takes it away. */
export const JobActions = ({ job: { id, name } }: { readonly job: Pick<Job, 'id' | 'name'> }) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const of = (action: string): string => `${action}: ${name} #${id}`;
  const change = async (method: 'POST' | 'DELETE', path: string, done: string): Promise<void> => {
    setBusy(true);
    try {
      await send(method, path);
      notify(done, { type: 'success' });
    } catch (error) {
      tell(error);
    }
    setAsking(false);
    await client.invalidateQueries();
    setBusy(false);
  };
  const repeat = () => change('POST', `/admin/jobs/${id}/repeat`, text('jobs.repeated'));
  const remove = () => change('DELETE', `/admin/jobs/${id}`, text('common.deleted', { count: 1 }));
  return (
    <Stack
      direction="row"
      sx={{ '& .MuiButton-root': { minWidth: 0 }, '& .MuiButton-root:first-of-type': { ml: -0.625 } }}
    >
      <Button
        size="small"
        loading={busy && !asking}
        aria-label={of(text('jobs.repeat'))}
        onClick={() => void repeat()}
      >
        {text('jobs.repeat')}
      </Button>
      <Button
        size="small"
        color="error"
        aria-label={of(text('common.delete'))}
        onClick={() => setAsking(true)}
      >
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
