/** The dialog that changes some fields of several records. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { type Dispatch, type FormEvent, type SetStateAction, useId, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { failureOf, useTell } from '../parts/problem.ts';
import { useUndoNotice } from '../parts/undo.tsx';
import { useUnsaved } from '../parts/unsaved.ts';
import { useText } from '../texts/provider.ts';
import { type ChangedRecord, recordsToChange, undoChanges, writeValues } from './bulk-change.ts';
import { FieldInput } from './field-input.tsx';
import { traitsOf } from './field-kinds.ts';
import { type Metadata, type MetadataField, metadataFor } from './metadata.ts';
import { isNotJson } from './not-json.ts';
import type { RecordId } from './record.ts';

interface BulkFormProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly ids: readonly RecordId[];
  readonly onClose: () => void;
  /** Changes the selection. */
  readonly onChoose: (ids: readonly RecordId[]) => void;
  readonly onDone: () => void;
}

/** Records with messages that are listed; the rest is counted. */
const maxListedRecords = 20;

/** Fields that an update accepts, and that several records can share a value of. */
const sharedFields = (metadata: Metadata): readonly MetadataField[] =>
  metadataFor(metadata, 'update').fields.filter(({ read_only, unique }) => !read_only && unique === false);

const initialOf = (field: MetadataField): unknown => traitsOf(field).initial?.(field.choices ?? []) ?? null;

type Values = Readonly<Record<string, unknown>>;

/** Reports the numbers of changed and unchanged records, and offers to undo the change. */
const useBulkReport = (metadata: Metadata, path: string, chosen: number) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const offer = useUndoNotice();
  const client = useQueryClient();
  return (changed: readonly ChangedRecord[], values: Values): void => {
    const count = changed.length;
    const unchanged = chosen - count;
    const message =
      unchanged === 0 ? text('bulk.saved', { count }) : text('bulk.savedSome', { count, unchanged });
    offer(message, async () => {
      try {
        const undone = await undoChanges(metadata, path, changed, values);
        const left = count - undone;
        const outcome =
          left === 0
            ? text('bulk.undone', { count: undone })
            : text('bulk.undoneSome', { count: undone, left });
        notify(outcome, { type: left === 0 ? 'success' : 'warning' });
        await client.invalidateQueries();
      } catch (error) {
        tell(error);
      }
    });
  };
};

/**
 * Sets some fields of all selected records to the same values, in one transaction. Only these fields are sent, so that
 * concurrent changes of other fields stay.
 */
export const BulkForm = ({ metadata, path, ids, onClose, onChoose, onDone }: BulkFormProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const heading = useId();
  const fields = sharedFields(metadata);
  const [values, setValues] = useState<Values>({});
  const [refused, setRefused] = useState<readonly Refused[]>();
  const [busy, setBusy] = useState(false);
  const names = Object.keys(values);
  const report = useBulkReport(metadata, path, ids.length);

  const { saved, leave } = useUnsaved(names.length > 0);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setRefused(undefined);
    let changed: readonly ChangedRecord[] = [];
    try {
      changed = await recordsToChange(metadata, path, ids, values);
      if (changed.length > 0) {
        await writeValues(
          path,
          changed.map(({ id }) => ({ id, ...values })),
        );
        report(changed, values);
      } else notify(text('bulk.nothing'), { type: 'info' });
      saved();
      onDone();
    } catch (error) {
      const found = refusedIn(
        failureOf(error).fields,
        changed.map(({ id }) => id),
      );
      if (found === undefined) tell(error);
      setRefused(found);
      setBusy(false);
    }
  };

  return (
    <Dialog open onClose={() => leave(onClose)} aria-labelledby={heading} maxWidth="sm" fullWidth>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <DialogTitle id={heading}>{text('bulk.title', { count: ids.length })}</DialogTitle>
        <DialogContent>
          <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('bulk.lead')}</Typography>
          <ChangedFields fields={fields} values={values} onChange={setValues} />
          {refused === undefined ? null : (
            <RefusedList
              refused={refused}
              path={path}
              onWithout={() => {
                onChoose(ids.filter((id) => !refused.some((each) => each.id === id)));
                setRefused(undefined);
              }}
            />
          )}
        </DialogContent>
        <DialogActions>
          <Button onClick={() => leave(onClose)}>{text('common.cancel')}</Button>
          <Button
            type="submit"
            variant="contained"
            loading={busy}
            disabled={names.length === 0 || ids.length === 0 || Object.values(values).some(isNotJson)}
          >
            {text('bulk.save', { count: ids.length })}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};

interface ChangedFieldsProps {
  readonly fields: readonly MetadataField[];
  readonly values: Values;
  readonly onChange: Dispatch<SetStateAction<Values>>;
}

/** The inputs of the changed fields, and the selection of another one. */
const ChangedFields = ({ fields, values, onChange }: ChangedFieldsProps) => {
  const text = useText();
  const set = (name: string, value: unknown): void => onChange((before) => ({ ...before, [name]: value }));
  const names = Object.keys(values);
  return (
    <>
      {names.map((name) => {
        const field = fields.find((each) => each.name === name);
        if (field === undefined) return null;
        return (
          <Stack key={name} direction="row" sx={{ gap: 1, alignItems: 'flex-start' }}>
            <Box sx={{ flex: 1, minWidth: 0 }}>
              <FieldInput
                field={field}
                value={values[name]}
                error={undefined}
                onChange={(value) => set(name, value)}
              />
            </Box>
            <IconButton
              sx={{ mt: 1 }}
              aria-label={text('bulk.leave', { name: field.label })}
              onClick={() =>
                onChange(Object.fromEntries(Object.entries(values).filter(([each]) => each !== name)))
              }
            >
              <Icon name="cross" fontSize="small" />
            </IconButton>
          </Stack>
        );
      })}
      <TextField
        select
        label={text('bulk.field')}
        value=""
        onChange={(event) => {
          const field = fields.find(({ name }) => name === event.target.value);
          if (field !== undefined) set(field.name, initialOf(field));
        }}
      >
        {fields
          .filter(({ name }) => !names.includes(name))
          .map(({ name, label }) => (
            <MenuItem key={name} value={name}>
              {label}
            </MenuItem>
          ))}
      </TextField>
    </>
  );
};

interface RefusedListProps {
  readonly refused: readonly Refused[];
  readonly path: string;
  readonly onWithout: () => void;
}

const RefusedList = ({ refused, path, onWithout }: RefusedListProps) => {
  const text = useText();
  const rest = refused.length - maxListedRecords;
  return (
    <Alert severity="error" sx={{ mt: 2, alignItems: 'flex-start' }}>
      {text('bulk.refused', { count: refused.length })}
      <Box component="ul" sx={{ pl: 2.5, my: 1 }}>
        {refused.slice(0, maxListedRecords).map(({ id, messages }) => (
          <li key={id}>
            <Link to={`/records/${path}/${encodeURIComponent(id)}/show`}>#{id}</Link>
            {` ${messages.join(' ')}`}
          </li>
        ))}
        {rest > 0 ? <li>{text('list.more', { count: rest })}</li> : null}
      </Box>
      <Button size="small" onClick={onWithout}>
        {text('bulk.without', { count: refused.length })}
      </Button>
    </Alert>
  );
};

/** The errors of one record of a batch. */
export interface Refused {
  readonly id: RecordId;
  readonly messages: readonly string[];
}

/**
 * The messages of a batch by record: its fields are named `update.3.price`. Undefined if a message is about no record.
 */
export const refusedIn = (
  fields: Readonly<Record<string, string>>,
  ids: readonly RecordId[],
): readonly Refused[] | undefined => {
  const found = new Map<RecordId, string[]>();
  for (const [name, message] of Object.entries(fields)) {
    const [, place] = /^update\.(\d+)(?:\.|$)/.exec(name) ?? [];
    const id = place === undefined ? undefined : ids[Number(place)];
    if (id === undefined) return undefined;
    found.set(id, [...(found.get(id) ?? []), message]);
  }
  return found.size === 0 ? undefined : [...found].map(([id, messages]) => ({ id, messages }));
};
