/** The button that deletes selected records, with its question. */

import Button from '@mui/material/Button';
import { type Identifier, type RaRecord, useDataProvider, useListContext, useNotify } from 'ra-core';
import { useState } from 'react';
import { AskDeletion } from '../deletion/ask-deletion.tsx';
import type { DeleteConfirmProps } from '../deletion/delete-confirm.tsx';
import { recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { useTrashedNotice } from '../trash/undo.tsx';
import { Confirm } from './confirm.tsx';
import { Icon } from './icon.tsx';
import { useTell } from './problem.ts';

/** Names listed in the question; the rest is counted. */
const listed = 5;

/** Texts of the action: credentials are revoked, records deleted. */
const words = {
  delete: { action: 'common.delete', title: 'list.deleteTitle', done: 'common.deleted' },
  revoke: { action: 'common.revoke', title: 'list.revokeTitle', done: 'list.revoked' },
} as const;
export type Deleting = keyof typeof words;

interface BulkDeleteProps<Item extends RaRecord> {
  readonly nameOf: (record: Item) => string;
  /** Path of the resource from which the records can be restored. */
  readonly trash?: string | undefined;
  readonly deleting?: Deleting | undefined;
}

/** The question for records shows the references to them; records of the service have none. */
const Question = ({ action, ...props }: DeleteConfirmProps & { readonly action: string }) => {
  const { title, resource, ids, children, onConfirm, onClose } = props;
  if (resource.startsWith(recordsPrefix)) return <AskDeletion {...props} />;
  return (
    <Confirm open title={title} action={action} onConfirm={() => onConfirm(ids)} onClose={onClose}>
      {children}
    </Confirm>
  );
};

/** Deletes the selected records after a question that names them. */
export const BulkDelete = <Item extends RaRecord>({
  nameOf,
  trash,
  deleting = 'delete',
}: BulkDeleteProps<Item>) => {
  const { resource, selectedIds = [], data = [], onUnselectItems, refetch } = useListContext<Item>();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const tell = useTell();
  const tellTrashed = useTrashedNotice(trash ?? '');
  const text = useText();
  const { action, title, done } = words[deleting];
  const [asking, setAsking] = useState(false);
  const chosen = data.filter(({ id }) => selectedIds.includes(id));
  const count = selectedIds.length;

  const remove = async (ids: readonly Identifier[]): Promise<void> => {
    try {
      await dataProvider.deleteMany(resource, { ids: [...ids] });
      if (trash === undefined) notify(text(done, { count: ids.length }), { type: 'success' });
      else tellTrashed(ids.map(Number));
      onUnselectItems();
    } catch (error) {
      tell(error);
    }
    setAsking(false);
    await refetch();
  };

  if (count === 0) return null;
  return (
    <>
      <Button variant="outlined" startIcon={<Icon name="trash" />} onClick={() => setAsking(true)}>
        {text(action)}
      </Button>
      {asking ? (
        <Question
          action={text(action)}
          title={text(title, { count })}
          resource={resource}
          ids={selectedIds}
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
        </Question>
      ) : null}
    </>
  );
};
