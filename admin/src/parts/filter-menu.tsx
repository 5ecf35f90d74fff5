/** The menu that adds a condition to a list. */

import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import MenuList from '@mui/material/MenuList';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { ChoiceChip } from '../records/choice-chip.tsx';
import { useText } from '../texts/provider.ts';
import { ConditionForm, type ConditionFormProps } from './condition-form.tsx';
import { type FilterField, keyOf } from './filter-field.ts';
import { Icon } from './icon.tsx';

interface FilterMenuProps extends Pick<ConditionFormProps, 'onAdd' | 'onDraft'> {
  readonly fields: readonly FilterField[];
}

/** The values offered for one click; none if the value must be typed. */
const valuesOf = ({ kind, choices, operators }: FilterField): readonly string[] => {
  if (!operators.includes('eq')) return [];
  if (kind === 'boolean') return ['true', 'false'];
  return kind === 'choice' ? (choices ?? []).map(({ value }) => value) : [];
};

/** Chooses a field, then a value, which applies at once; a form takes other conditions. */
export const FilterMenu = ({ fields, ...form }: FilterMenuProps) => {
  const [field, setField] = useState<FilterField>();
  if (field === undefined)
    return (
      <MenuList autoFocusItem sx={{ minWidth: 220, maxHeight: '60vh', overflowY: 'auto', p: 0.5 }}>
        {fields.map((each) => (
          <MenuItem key={each.name} onClick={() => setField(each)}>
            {each.label}
          </MenuItem>
        ))}
      </MenuList>
    );
  return <ConditionsOf field={field} onBack={() => setField(undefined)} {...form} />;
};

interface ConditionsProps extends ConditionFormProps {
  readonly onBack: () => void;
}

const ConditionsOf = ({ field, onBack, onAdd, onDraft }: ConditionsProps) => {
  const text = useText();
  const values = valuesOf(field);
  const [asForm, setAsForm] = useState(values.length === 0);
  return (
    <Box sx={{ width: 300, maxWidth: '90vw' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, p: 0.5, pb: 0 }}>
        <IconButton size="small" aria-label={text('filter.back')} onClick={onBack}>
          <Icon name="chevronLeft" />
        </IconButton>
        <Typography variant="body2" sx={{ fontWeight: 600 }}>
          {field.label}
        </Typography>
      </Box>
      {asForm ? (
        <ConditionForm field={field} onAdd={onAdd} onDraft={onDraft} />
      ) : (
        <MenuList autoFocusItem sx={{ maxHeight: '60vh', overflowY: 'auto', p: 0.5 }}>
          {values.map((value) => (
            <MenuItem key={value} onClick={() => onAdd(keyOf(field.name, 'eq'), value)}>
              <Value field={field} value={value} />
            </MenuItem>
          ))}
          <MenuItem onClick={() => setAsForm(true)} sx={{ color: 'text.secondary' }}>
            {text('filter.other')}
          </MenuItem>
        </MenuList>
      )}
    </Box>
  );
};

const Value = ({ field, value }: { readonly field: FilterField; readonly value: string }) => {
  const text = useText();
  if (field.kind === 'boolean') return text(value === 'true' ? 'common.yes' : 'common.no');
  const choice = field.choices?.find((each) => each.value === value) ?? { label: value };
  return 'color' in choice && choice.color !== undefined ? <ChoiceChip choice={choice} /> : choice.label;
};
