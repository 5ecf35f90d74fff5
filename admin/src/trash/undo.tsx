import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCloseNotification, useNotify } from 'react-admin';
import { useTell } from '../parts/problem.ts';
import { useText } from '../texts/provider.ts';
import { bringAllBack } from './trashed.ts';

/** Milliseconds for which a way back is offered; after that there is the list of what was deleted. */
const offered = 12_000;

interface UndoProps {
  readonly onUndo: () => Promise<void>;
}

const Undo = ({ onUndo }: UndoProps) => {
  const text = useText();
  const close = useCloseNotification();
  const [busy, setBusy] = useState(false);
  return (
    <Button
      color="inherit"
      size="small"
      loading={busy}
      onClick={() => {
        setBusy(true);
        void onUndo().finally(close);
      }}
    >
      {text('trash.undo')}
    </Button>
  );
};

/** Says that records went to the trash, and offers to bring them back at once. */
export const useTrashedNotice = (path: string): ((ids: readonly number[]) => void) => {
  const text = useText();
  const notify = useNotify();
  const tell = useTell();
  const client = useQueryClient();
  return (ids) => {
    const undo = async (): Promise<void> => {
      const refused = await bringAllBack(path, ids);
      const count = ids.length - refused.length;
      const [first] = refused;
      if (first !== undefined) tell(first.error);
      if (count > 0) notify(text('trash.restored', { count }), { type: 'success' });
      await client.invalidateQueries();
    };
    notify(
      <Alert
        severity="success"
        variant="outlined"
        sx={{ bgcolor: 'background.paper' }}
        action={<Undo onUndo={undo} />}
      >
        {text('trash.moved', { count: ids.length })}
      </Alert>,
      { autoHideDuration: offered },
    );
  };
};
