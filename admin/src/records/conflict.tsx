/** The dialog that merges two versions of a record. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId, useState } from 'react';
import { etagField } from '../../../client/react-admin/data-provider.ts';
import { useText } from '../texts/provider.ts';
import { FieldValue } from './field-value.tsx';
import type { Metadata, MetadataField } from './metadata.ts';
import type { AnyRecord } from './record.ts';
import { changedBetween, type Draft, isDifferent } from './use-draft.ts';

interface ConflictProps {
  readonly metadata: Metadata;
  /** The record when the form was opened. */
  readonly before: Draft;
  readonly mine: Draft;
  /** The record as another user has saved it since. */
  readonly theirs: AnyRecord;
  /** Both receive the saved record with the values kept from this form. */
  readonly onSave: (merged: Draft) => void;
  readonly onContinue: (merged: Draft) => void;
  readonly onClose: () => void;
}

type Side = 'mine' | 'theirs';

/**
 * Shows that another user saved the record first. Fields that both changed need a choice; fields that only one user
 * changed take that value, and are marked.
 */
export const Conflict = (props: ConflictProps) => {
  const { metadata, before, mine, theirs, onSave, onContinue, onClose } = props;
  const text = useText();
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const writable = metadata.fields.filter((field) => !field.read_only);
  const touched = changedBetween(writable, before, mine);
  const both = touched.filter(
    ({ name }) => isDifferent(theirs[name], before[name]) && isDifferent(theirs[name], mine[name]),
  );
  const onlyMine = touched.filter(({ name }) => !isDifferent(theirs[name], before[name]));
  const onlyTheirs = changedBetween(writable, before, theirs).filter((field) => !touched.includes(field));
  const kept = touched.filter(({ name }) => sides[name] !== 'theirs');
  const merged = { ...theirs, ...Object.fromEntries(kept.map(({ name }) => [name, mine[name]])) };
  const result: Draft = { ...merged, [etagField]: theirs[etagField] };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby="conflict">
      <DialogTitle id="conflict">{text('conflict.title')}</DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 2 }}>
          <Alert severity="warning">{text('conflict.lead')}</Alert>
          {both.length === 0 ? null : (
            <Section title={text('conflict.both')}>
              {both.map((field) => (
                <Choice
                  key={field.name}
                  field={field}
                  mine={mine[field.name]}
                  theirs={theirs[field.name]}
                  side={sides[field.name] ?? 'mine'}
                  onChoose={(side) => setSides({ ...sides, [field.name]: side })}
                />
              ))}
            </Section>
          )}
          <OneSide title={text('conflict.onlyMine')} fields={onlyMine} values={mine} />
          <OneSide title={text('conflict.onlyTheirs')} fields={onlyTheirs} values={theirs} />
        </Stack>
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap', gap: 0.5 }}>
        <Button onClick={onClose}>{text('common.cancel')}</Button>
        <Button onClick={() => onContinue(result)}>{text('conflict.continue')}</Button>
        <Button variant="contained" onClick={() => onSave(result)}>
          {text('common.save')}
        </Button>
      </DialogActions>
    </Dialog>
  );
};

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => {
  const heading = useId();
  return (
    <Box component="section" aria-labelledby={heading}>
      <Typography id={heading} variant="h3" component="h3" sx={{ mb: 0.5 }}>
        {title}
      </Typography>
      {children}
    </Box>
  );
};

interface OneSideProps {
  readonly title: string;
  readonly fields: readonly MetadataField[];
  readonly values: Draft;
}

const OneSide = ({ title, fields, values }: OneSideProps) =>
  fields.length === 0 ? null : (
    <Section title={title}>
      <Box component="dl" sx={{ m: 0 }}>
        {fields.map((field) => (
          <Stack
            key={field.name}
            direction={{ xs: 'column', sm: 'row' }}
            sx={{ py: 0.75, columnGap: 2, borderBottom: 1, borderColor: 'divider' }}
          >
            <Box component="dt" sx={{ color: 'text.secondary', width: { sm: 180 }, flexShrink: 0 }}>
              {field.label}
            </Box>
            <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
              <FieldValue field={field} value={values[field.name]} />
            </Box>
          </Stack>
        ))}
      </Box>
    </Section>
  );

interface ChoiceProps {
  readonly field: MetadataField;
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly side: Side;
  readonly onChoose: (side: Side) => void;
}

/** Both values of a field, one of which is kept. */
const Choice = ({ field, mine, theirs, side, onChoose }: ChoiceProps) => {
  const text = useText();
  const label = useId();
  const options = [
    ['mine', text('conflict.mine'), mine],
    ['theirs', text('conflict.theirs'), theirs],
  ] as const;
  return (
    <Box sx={{ py: 0.75, borderBottom: 1, borderColor: 'divider' }}>
      <Typography id={label} variant="body2" sx={{ fontWeight: 600 }}>
        {field.label}
      </Typography>
      <RadioGroup
        aria-labelledby={label}
        value={side}
        onChange={(event) => onChoose(event.target.value === 'mine' ? 'mine' : 'theirs')}
        sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' }, columnGap: 2 }}
      >
        {options.map(([value, name, shown]) => (
          <FormControlLabel
            key={value}
            value={value}
            control={<Radio size="small" />}
            sx={{ m: 0, alignItems: 'flex-start', '& .MuiFormControlLabel-label': { minWidth: 0, pt: 0.75 } }}
            label={
              <>
                <Typography
                  component="span"
                  variant="body2"
                  sx={{ color: 'text.secondary', display: 'block' }}
                >
                  {name}
                </Typography>
                <Box component="span" sx={{ overflowWrap: 'anywhere' }}>
                  <FieldValue field={field} value={shown} />
                </Box>
              </>
            }
          />
        ))}
      </RadioGroup>
    </Box>
  );
};
