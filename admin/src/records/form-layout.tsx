/** The layout of a record's form: groups of inputs in two columns. */

import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { traitsOf } from './field-kinds.ts';
import { type FieldGroup, groupsOf } from './groups.ts';
import type { MetadataField } from './metadata.ts';

interface FormLayoutProps {
  readonly fields: readonly MetadataField[];
  /** Errors by field: the group of a wrong field is open. */
  readonly wrong: Readonly<Record<string, string>>;
  /** Renders the input of a field. */
  readonly children: (field: MetadataField) => ReactNode;
}

/** Up to this number groups are always open. */
const fewGroups = 3;

/** The inputs of a form, in two columns if there is room, under the headings of the model file. */
export const FormLayout = ({ fields, wrong, children }: FormLayoutProps) => {
  const groups = groupsOf(fields);
  const foldable = groups.filter(({ label }) => label !== undefined).length > fewGroups;
  return (
    <Box sx={{ containerType: 'inline-size', display: 'grid', gap: 1 }}>
      {groups.map((group, index) => (
        <Group
          key={group.label ?? ''}
          group={group}
          foldable={foldable}
          first={index === 0 || (index === 1 && groups[0]?.label === undefined)}
          isWrong={group.fields.some(({ name }) => wrong[name] !== undefined)}
        >
          {children}
        </Group>
      ))}
    </Box>
  );
};

interface GroupProps extends Pick<FormLayoutProps, 'children'> {
  readonly group: FieldGroup;
  readonly foldable: boolean;
  readonly first: boolean;
  readonly isWrong: boolean;
}

const Group = ({ group: { label, fields }, foldable, first, isWrong, children }: GroupProps) => {
  const heading = useId();
  // Required fields are never hidden.
  const [chosen, setChosen] = useState(first || fields.some(({ required }) => required));
  const open = !foldable || chosen || isWrong;
  const inputs = (
    <Box
      id={`${heading}-fields`}
      sx={{
        display: open ? 'grid' : 'none',
        gridTemplateColumns: 'minmax(0, 1fr)',
        columnGap: 2,
        rowGap: 0.5,
        alignItems: 'start',
        '@container (min-width: 620px)': { gridTemplateColumns: 'repeat(2, minmax(0, 1fr))' },
      }}
    >
      {fields.map((field) => (
        <Box key={field.name} sx={traitsOf(field).long ? { gridColumn: '1 / -1' } : { minWidth: 0 }}>
          {children(field)}
        </Box>
      ))}
    </Box>
  );
  if (label === undefined) return inputs;
  return (
    <Box
      component="section"
      aria-labelledby={heading}
      sx={{ borderTop: 1, borderColor: 'divider', pt: 1.5, mt: 1 }}
    >
      <Typography id={heading} variant="h3" component="h2" sx={{ mb: open ? 1 : 0 }}>
        {foldable ? (
          <ButtonBase
            aria-expanded={open}
            aria-controls={`${heading}-fields`}
            onClick={() => setChosen(!open)}
            sx={{
              font: 'inherit',
              gap: 0.5,
              borderRadius: 1,
              width: '100%',
              justifyContent: 'flex-start',
              py: 0.5,
            }}
          >
            {open ? <Icon name="chevronUp" fontSize="small" /> : <Icon name="chevronDown" fontSize="small" />}
            {label}
          </ButtonBase>
        ) : (
          label
        )}
      </Typography>
      {inputs}
    </Box>
  );
};
