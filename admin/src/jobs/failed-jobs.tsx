/** Actions on several failed jobs: those that are selected, or all of one name. */

import Button from '@mui/material/Button';
import { useListContext, useNotify } from 'ra-core';
import { type ComponentProps, useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icon.tsx';
import type { MoreItem } from '../parts/more-menu.tsx';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { ChangedJobs } from './job.ts';

/** The jobs that an action is about: by their ids, or all failed ones of a name. */
type Chosen = { readonly ids: readonly number[] } | { readonly name: string };

type Verb = 'repeat' | 'delete';

/** Runs an action on failed jobs, and says how many it changed and how many are left. */
const useFailedJobs = () => {
  const text = useText();
  const notify = useNotify();
  const tell = useTell();
  return async (verb: Verb, chosen: Chosen): Promise<void> => {
    try {
      const { data } = await send<ChangedJobs>('POST', `/admin/jobs/${verb}`, { body: chosen });
      const { changed, left } = data;
      const done = text(verb === 'repeat' ? 'jobs.repeatedMany' : 'jobs.deletedMany', { count: changed });
      if (changed === 0) notify(text('jobs.noneChanged'), { type: 'warning' });
      else if (left === 0) notify(done, { type: 'success' });
      else notify(`${done}${text('common.gap')}${text('jobs.left', { count: left })}`, { type: 'info' });
    } catch (error) {
      tell(error);
    }
  };
};

type DeletionQuestionProps = Pick<ComponentProps<typeof Confirm>, 'open' | 'title' | 'onConfirm' | 'onClose'>;

/** The question before several failed jobs are deleted. */
const DeletionQuestion = (props: DeletionQuestionProps) => {
  const text = useText();
  return (
    <Confirm {...props} action={text('common.delete')}>
      {text('jobs.deleteManyLead')}
      {text('common.gap')}
      {text('common.cannotUndo')}
    </Confirm>
  );
};

/** Runs the selected failed jobs again, or deletes them. */
export const BulkJobs = () => {
  const text = useText();
  const run = useFailedJobs();
  const { selectedIds = [], onUnselectItems, refetch } = useListContext();
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const act = async (verb: Verb): Promise<void> => {
    setBusy(true);
    await run(verb, { ids: selectedIds.map(Number) });
    setBusy(false);
    setAsking(false);
    onUnselectItems();
    await refetch();
  };
  const count = selectedIds.length;
  return (
    <>
      <Button
        variant="outlined"
        startIcon={<Icon name="restore" />}
        loading={busy && !asking}
        onClick={() => void act('repeat')}
      >
        {text('jobs.again')}
      </Button>
      <Button variant="outlined" startIcon={<Icon name="trash" />} onClick={() => setAsking(true)}>
        {text('common.delete')}
      </Button>
      <DeletionQuestion
        open={asking}
        title={text('jobs.deleteManyTitle', { count })}
        onConfirm={() => act('delete')}
        onClose={() => setAsking(false)}
      />
    </>
  );
};

/** Menu items for all failed jobs of a name, and the question of one of them. */
export const useFailedNamesakes = (name: string, done: () => Promise<void>) => {
  const text = useText();
  const run = useFailedJobs();
  const [asking, setAsking] = useState(false);
  const act = async (verb: Verb): Promise<void> => {
    await run(verb, { name });
    setAsking(false);
    await done();
  };
  const items: readonly MoreItem[] = [
    { label: text('jobs.allAgain', { name }), onClick: () => void act('repeat') },
    { label: text('jobs.deleteAll', { name }), onClick: () => setAsking(true), dangerous: true },
  ];
  const question = (
    <DeletionQuestion
      open={asking}
      title={text('jobs.deleteAllTitle', { name })}
      onConfirm={() => act('delete')}
      onClose={() => setAsking(false)}
    />
  );
  return { items, question };
};
