/** The form of a record, as a page or in a dialog. */

import Stack from '@mui/material/Stack';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { focusFirstField } from '../parts/focus-errors.ts';
import { FormBar, wantsAnother } from '../parts/form-bar.tsx';
import { useRefusal } from '../parts/refusal.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { useText } from '../texts/provider.ts';
import { Conflict } from './conflict.tsx';
import { FieldInput } from './field-input.tsx';
import { FormLayout } from './form-layout.tsx';
import { inGroups } from './groups.ts';
import { rowsOf } from './lines.ts';
import { LinesInput } from './lines-input.tsx';
import { RecordFormContext } from './make-record.tsx';
import { type Draft, isDifferent, useDraft } from './use-draft.ts';
import { type RecordFormProps, useSave } from './use-save.ts';

/** True if a message is about a list, or something in it. */
const isWithin = (list: string, name: string): boolean => name === list || name.startsWith(`${list}.`);

/** The form of a record, as a page or in a dialog. */
export const RecordForm = (props: RecordFormProps) => {
  const { metadata, lines = [], first, path, back, note, frame, onEnd } = props;
  const text = useText();
  const element = useRef<HTMLFormElement>(null);
  const fields = inGroups(metadata.fields.filter((field) => !field.read_only));
  const {
    before,
    draft,
    version,
    changed: changedFields,
    broken,
    type,
    put,
    discard,
  } = useDraft(first, fields);
  const refusals = useRefusal();
  const { refusal, refuseFields, correct, clear } = refusals;
  const changedLines = lines.filter(({ name }) => isDifferent(rowsOf(before[name]), rowsOf(draft[name])));
  const changes = changedFields.length + changedLines.length;
  const { saved, leave } = useUnsaved(changes > 0);
  const [added, setAdded] = useState(0);
  const { busy, submit, theirs, setTheirs } = useSave(props, refusals, saved, () => {
    put({ before: first, draft: first });
    setAdded((count) => count + 1);
  });
  useEffect(() => {
    if (added > 0 && element.current) focusFirstField(element.current);
  }, [added]);
  const unreadable = Object.fromEntries(broken.map((name) => [name, text('records.notJson')]));
  const wrong = { ...refusal.fields, ...unreadable };

  /** Lists are not merged by fields: a list changed in this form wins. */
  const withMine = (merged: Draft): Draft => ({
    ...merged,
    ...Object.fromEntries(changedLines.map(({ name }) => [name, draft[name]])),
  });
  const end = (): void => leave(() => onEnd?.());
  const form = (
    <RecordFormContext value={RecordForm}>
      <Stack
        ref={element}
        component="form"
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          // The form of the dialog is not part of the form that opened it.
          event.stopPropagation();
          if (broken.length > 0) refuseFields(wrong);
          else void submit(draft, before, wantsAnother(event));
        }}
        sx={{ gap: 0.5 }}
      >
        {note}
        <FormLayout fields={fields} wrong={wrong}>
          {(field) => (
            <FieldInput
              key={`${field.name} ${version}`}
              field={field}
              value={draft[field.name]}
              error={wrong[field.name]}
              onChange={(value) => {
                type(field.name, value);
                correct(field.name);
              }}
            />
          )}
        </FormLayout>
        {lines.map((field) => (
          <LinesInput
            key={`${field.name} ${version}`}
            field={field}
            value={draft[field.name]}
            wrong={wrong}
            onChange={(rows) => {
              type(field.name, rows);
              // Removing a row moves the others: messages of the list no longer apply.
              for (const name of Object.keys(wrong)) if (isWithin(field.name, name)) correct(name);
            }}
          />
        ))}
        <FormBar
          changes={changes}
          refusal={{ ...refusal, fields: wrong }}
          fields={[
            ...fields.map(({ name }) => name),
            ...Object.keys(wrong).filter((name) => lines.some((field) => isWithin(field.name, name))),
          ]}
          busy={busy}
          another={props.another === true}
          back={onEnd === undefined ? (back ?? `/records/${path}`) : end}
          onDiscard={() => {
            clear();
            return discard();
          }}
        />
      </Stack>
      {theirs === undefined ? null : (
        <Conflict
          metadata={metadata}
          before={before}
          mine={draft}
          theirs={theirs}
          onClose={() => setTheirs(undefined)}
          onContinue={(merged) => {
            put({ before: theirs, draft: withMine(merged) });
            setTheirs(undefined);
          }}
          onSave={(merged) => {
            put({ before: theirs, draft: withMine(merged) });
            setTheirs(undefined);
            void submit(withMine(merged), theirs);
          }}
        />
      )}
    </RecordFormContext>
  );
  return frame === undefined ? form : frame(form, end);
};
