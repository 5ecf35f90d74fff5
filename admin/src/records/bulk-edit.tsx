import Button from '@mui/material/Button';
import { useListContext } from 'ra-core';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { useText } from '../texts/provider.ts';
import type { Metadata } from './metadata.ts';
import type { AnyRecord } from './record.ts';

const BulkForm = lazy(() => import('./bulk-form.tsx').then(({ BulkForm: part }) => ({ default: part })));

/** Changes fields of all records that are chosen. */
export const BulkEdit = ({ metadata, path }: { readonly metadata: Metadata; readonly path: string }) => {
  const { selectedIds = [], onSelect, onUnselectItems, refetch } = useListContext<AnyRecord>();
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="outlined" startIcon={<Icon name="pencil" />} onClick={() => setOpen(true)}>
        {text('bulk.edit')}
      </Button>
      {open ? (
        <Suspense fallback={null}>
          <BulkForm
            metadata={metadata}
            path={path}
            ids={selectedIds.map(Number)}
            onClose={() => setOpen(false)}
            onChoose={(ids) => onSelect([...ids])}
            onDone={() => {
              setOpen(false);
              onUnselectItems();
              void refetch();
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
};
