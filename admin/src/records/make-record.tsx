import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { type ComponentType, createContext, useContext, useId } from 'react';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, defaultsOf, namingField } from './record.ts';
import type { Draft } from './use-draft.ts';
import type { RecordFormProps } from './use-save.ts';

/** The form of records, for inputs within one: a referenced record can be created in place. */
export const RecordFormContext = createContext<ComponentType<RecordFormProps> | undefined>(undefined);

interface NewRecordProps {
  readonly metadata: Metadata;
  readonly path: string;
  /** The text that found nothing: usually the name of the new record. */
  readonly words: string;
  /** Values that the new record has at first. */
  readonly values: Draft;
  /** Called with the id of the new record, or without one. */
  readonly onEnd: (id?: number) => void;
}

/** Creates a record without leaving the form that will refer to it. */
export const NewRecord = ({ metadata, path, words, values, onEnd }: NewRecordProps) => {
  const text = useText();
  const heading = useId();
  const Form = useContext(RecordFormContext);
  if (Form === undefined) return null;
  const naming = namingField(metadata);
  const named = naming === undefined || naming.read_only || words === '' ? {} : { [naming.name]: words };
  return (
    <Form
      metadata={metadata}
      path={path}
      first={{ ...defaultsOf(metadata), ...named, ...values }}
      onEnd={onEnd}
      frame={(form, leave) => (
        <Dialog open onClose={leave} fullWidth maxWidth="md" aria-labelledby={heading}>
          <DialogTitle id={heading}>{text('records.create', { label: metadata.label })}</DialogTitle>
          <DialogContent sx={{ pb: { xs: 2, sm: 3 } }}>{form}</DialogContent>
        </Dialog>
      )}
      save={async (draft) =>
        (await dataProvider.create<AnyRecord>(recordsPrefix + path, { data: { ...draft } })).data.id
      }
    />
  );
};
