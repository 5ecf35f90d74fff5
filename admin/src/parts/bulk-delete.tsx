import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { type RaRecord, useDataProvider, useListContext, useNotify } from 'react-admin';
import { useText } from '../texts/provider.ts';
import { useTrashedNotice } from '../trash/undo.tsx';
import { Confirm } from './confirm.tsx';
import { useTell } from './problem.ts';

/** Names that are listed in the question; the rest is counted. */
const listed = 5;

interface BulkDeleteProps<Item extends RaRecord> {
  readonly nameOf: (record: Item) => string;
  /** Path of the resource where what is deleted can be brought back. */
  readonly trash?: string | undefined;
}

/** Deletes what was chosen in the list, after a question that names it. */
export const BulkDelete = <Item extends RaRecord>({ nameOf, trash }: BulkDeleteProps<Item>) => {
  const { resource, selectedIds = [], data = [], onUnselectItems, refetch } = useListContext<Item>();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const tell = useTell();
  const tellTrashed = useTrashedNotice(trash ?? '');
  const text = useText();
  const [asking, setAsking] = useState(false);
  if (selectedIds.length === 0) return null;
  const chosen = data.filter(({ id }) => selectedIds.includes(id));
  const count = selectedIds.length;

  const remove = async (): Promise<void> => {
    try {
      await dataProvider.deleteMany(resource, { ids: selectedIds });
      if (trash === undefined) notify(text('common.deleted', { count }), { type: 'success' });
      else tellTrashed(selectedIds.map(Number));
      onUnselectItems();
    } catch (error) {
      tell(error);
    }
    setAsking(false);
    await refetch();
  };

  return (
    <Paper
      variant="outlined"
      role="status"
      sx={{ px: 2, py: 1, display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}
    >
      <Typography sx={{ flex: 1 }}>{text('list.chosen', { count })}</Typography>
      <Button onClick={() => onUnselectItems()}>{text('list.unchoose')}</Button>
      <Button variant="outlined" color="error" startIcon={<DeleteIcon />} onClick={() => setAsking(true)}>
        {text('common.delete')}
      </Button>
      <Confirm
        open={asking}
        title={text('list.deleteTitle', { count })}
        action={text('common.delete')}
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        <ul>
          {chosen.slice(0, listed).map((record) => (
            <li key={record.id}>{nameOf(record)}</li>
          ))}
          {count > listed ? <li>{text('list.more', { count: count - listed })}</li> : null}
        </ul>
        {text(trash === undefined ? 'common.cannotUndo' : 'trash.deleteLead')}
      </Confirm>
    </Paper>
  );
};
