/** The form of a record, with its errors and conflicts. */

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
import { type LinesField, rowsOf } from './lines.ts';
import { LinesInput } from './lines-input.tsx';
import { RecordFormContext } from './make-record.tsx';
import type { MetadataField } from './metadata.ts';
import type { AnyRecord } from './record.ts';
import { type Draft, isDifferent, useDraft } from './use-draft.ts';
import { type RecordFormProps, useSave } from './use-save.ts';

/** True if a message is about a list, or something in it. */
const isWithin = (list: string, name: string): boolean => name === list || name.startsWith(`${list}.`);

type Errors = Readonly<Record<string, string>>;

/** Names of the inputs that show errors: fields, and the lists and rows with errors. */
const namesWithErrors = (
  fields: readonly MetadataField[],
  lines: readonly LinesField[],
  wrong: Errors,
): readonly string[] => [
  ...fields.map(({ name }) => name),
  ...Object.keys(wrong).filter((name) => lines.some((field) => isWithin(field.name, name))),
];

interface RecordInputsProps {
  readonly fields: readonly MetadataField[];
  readonly lines: readonly LinesField[];
  readonly draft: Draft;
  /** Changes when inputs have to be created again. */
  readonly version: number;
  readonly wrong: Errors;
  readonly onType: (name: string, value: unknown) => void;
  readonly onCorrect: (name: string) => void;
}

/** The inputs of fields, then the inputs of lists of records. */
const RecordInputs = (props: RecordInputsProps) => {
  const { fields, lines, draft, version, wrong, onType, onCorrect } = props;
  return (
    <>
      <FormLayout fields={fields} wrong={wrong}>
        {(field) => (
          <FieldInput
            key={`${field.name} ${version}`}
            field={field}
            value={draft[field.name]}
            error={wrong[field.name]}
            record={draft}
            onChange={(value) => {
              onType(field.name, value);
              onCorrect(field.name);
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
          bare={fields.length === 0}
          onChange={(rows) => {
            onType(field.name, rows);
            // Removing a row moves the others: messages of the list no longer apply.
            for (const name of Object.keys(wrong)) if (isWithin(field.name, name)) onCorrect(name);
          }}
        />
      ))}
    </>
  );
};

/** The form of a record, as a page or in a dialog. */
export const RecordForm = (props: RecordFormProps) => {
  const { metadata, lines = [], first, path, back, note, frame, onEnd } = props;
  const text = useText();
  const element = useRef<HTMLFormElement>(null);
  const fields = inGroups(metadata.fields.filter((field) => !field.read_only));
  const input = useDraft(first, fields);
  const { before, draft, broken, put } = input;
  const refusals = useRefusal();
  const { refusal, refuseFields, correct, clear } = refusals;
  const changedLines = lines.filter(({ name }) => isDifferent(rowsOf(before[name]), rowsOf(draft[name])));
  const changes = input.changed.length + changedLines.length;
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

  /** Takes the merged fields. Lists are not merged by fields: a list changed in this form wins. */
  const merge = (merged: Draft, before: AnyRecord): Draft => {
    const lists = Object.fromEntries(changedLines.map(({ name }) => [name, draft[name]]));
    const next = { ...merged, ...lists };
    put({ before, draft: next });
    setTheirs(undefined);
    return next;
  };
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
        <RecordInputs
          fields={fields}
          lines={lines}
          draft={draft}
          version={input.version}
          wrong={wrong}
          onType={input.type}
          onCorrect={correct}
        />
        <FormBar
          changes={changes}
          refusal={{ ...refusal, fields: wrong }}
          fields={namesWithErrors(fields, lines, wrong)}
          busy={busy}
          another={props.another === true}
          back={onEnd === undefined ? (back ?? `/records/${path}`) : end}
          onDiscard={() => {
            clear();
            return input.discard();
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
          onContinue={(merged) => void merge(merged, theirs)}
          onSave={(merged) => void submit(merge(merged, theirs), theirs)}
        />
      )}
    </RecordFormContext>
  );
  return frame === undefined ? form : frame(form, end);
};
