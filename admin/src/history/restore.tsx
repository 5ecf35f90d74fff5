/** The dialog that gives a record the values of a version again. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useId, useState } from 'react';
import { etagField } from '../../../client/react-admin/data-provider.ts';
import { failureOf, sentenceOf } from '../parts/problem.ts';
import type { Metadata, MetadataField } from '../records/metadata.ts';
import type { AnyRecord } from '../records/record.ts';
import { dataProvider, recordsPrefix, send } from '../service.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import { Changes } from './changes.tsx';
import { changedFields, type Version } from './version.ts';

interface RestoreProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: string;
  readonly version: Version;
  readonly onClose: () => void;
}

/** Asks before a record gets the values of a version again, and shows the resulting changes. */
export const Restore = ({ metadata, path, id, version, onClose }: RestoreProps) => {
  const text = useText();
  const notify = useNotify();
  const client = useQueryClient();
  const heading = useId();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const {
    data: record,
    error,
    refetch,
  } = useQuery({
    queryKey: ['restored record', path, id],
    gcTime: 0,
    staleTime: 0,
    queryFn: async () =>
      (await dataProvider.getOne<AnyRecord>(recordsPrefix + path, { id: Number(id) })).data,
  });
  const writable = metadata.fields.filter((field) => !field.read_only);
  const fields = record === undefined ? [] : changedFields({ fields: writable }, record, version.after);
  const restore = async (): Promise<void> => {
    if (record === undefined) return;
    setBusy(true);
    setFailure(undefined);
    const etag = record[etagField];
    try {
      await send('POST', `/admin/${recordsPrefix}${path}/${encodeURIComponent(id)}/restore`, {
        body: { version: version.version },
        headers: typeof etag === 'string' ? { 'If-Match': etag } : {},
      });
      notify(text('history.restored', { version: version.version }), { type: 'success' });
      onClose();
      await client.invalidateQueries();
    } catch (refused) {
      setFailure(refused);
      if (failureOf(refused).status === 412) await refetch();
      setBusy(false);
    }
  };

  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby={heading}>
      <DialogTitle id={heading}>{text('history.restoreTitle', { version: version.version })}</DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 2 }}>
          <RestoreFailure error={error} failure={failure} fields={fields} />
          {record === undefined ? (
            error ? null : (
              <CircularProgress size={24} aria-label={text('common.loading')} />
            )
          ) : (
            <RestoredFields
              fields={fields}
              record={record}
              version={version}
              errors={failureOf(failure).fields}
            />
          )}
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          {text('common.cancel')}
        </Button>
        <Button
          variant="contained"
          loading={busy}
          disabled={fields.length === 0}
          onClick={() => void restore()}
        >
          {text('history.restoreAction')}
        </Button>
      </DialogActions>
    </Dialog>
  );
};

interface RestoreFailureProps {
  /** The reason why the record could not be read; null if it could. */
  readonly error: unknown;
  /** The reason why the values could not be restored; undefined before an attempt. */
  readonly failure: unknown;
  /** The compared fields: each shows its own error. */
  readonly fields: readonly MetadataField[];
}

/** Failures that no field shows. */
const RestoreFailure = ({ error, failure, fields }: RestoreFailureProps) => {
  const text = useText();
  const language = useLanguage();
  const { status, fields: errors } = failureOf(failure);
  const elsewhere = Object.entries(errors).filter(([name]) => fields.every((field) => field.name !== name));
  const problem = error ?? (failure === undefined || status === 412 ? undefined : failure);
  const isShownByFields = Object.keys(errors).length > 0 && elsewhere.length === 0;
  return (
    <>
      {status === 412 ? <Alert severity="warning">{text('history.stale')}</Alert> : null}
      {problem === undefined || isShownByFields ? null : (
        <Alert severity="error">
          {sentenceOf(problem, language, text)}
          {elsewhere.map(([name, message]) => (
            <div key={name}>{message}</div>
          ))}
        </Alert>
      )}
    </>
  );
};

interface RestoredFieldsProps {
  readonly fields: readonly MetadataField[];
  readonly record: AnyRecord;
  readonly version: Version;
  readonly errors: Readonly<Record<string, string>>;
}

/** The fields that the version would change. */
const RestoredFields = ({ fields, record, version, errors }: RestoredFieldsProps) => {
  const text = useText();
  if (fields.length === 0) return <span>{text('history.same')}</span>;
  return (
    <>
      <span>{text('history.restoreLead', { count: fields.length })}</span>
      <Changes
        fields={fields}
        before={record}
        after={version.after}
        name={text('history.restored', { version: version.version })}
        errors={errors}
      />
    </>
  );
};
