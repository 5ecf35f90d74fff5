/** The conditions of a row rule in an explanation. */

import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import type { MetadataField } from '../records/metadata.ts';
import { useModel, useModelName, useModels } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import { type Condition, type Conditions, conditionChangedAt, type Explanation } from './explanation.ts';

interface ConditionsOfProps {
  readonly conditions: Conditions;
  /** True if one of these conditions decided the request: it is marked. */
  readonly decisive: boolean;
  readonly explanation: Explanation;
}

/** The tree of a row rule: each condition, its outcome, and a link to where the outcome could be changed. */
export const ConditionsOf = ({ conditions: { about, rule }, decisive, explanation }: ConditionsOfProps) => {
  const text = useText();
  return (
    <Box sx={{ mt: 1 }}>
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 0.5 }}>
        {text(`explain.about.${about}`)}
      </Typography>
      <Box component="ul" aria-label={text('explain.conditions')} sx={{ m: 0, p: 0, listStyle: 'none' }}>
        <ConditionLine condition={rule} about={about} decisive={decisive} explanation={explanation} />
      </Box>
    </Box>
  );
};

const icons = { passed: 'tick', refused: 'cross', narrowed: 'dots' } as const;
const colours = {
  passed: 'success.main',
  refused: 'error.main',
  narrowed: 'text.secondary',
} as const;

interface ConditionProps {
  readonly condition: Condition;
  readonly explanation: Explanation;
}

const ConditionLine = ({
  condition,
  about,
  decisive,
  explanation,
}: ConditionProps & Pick<Conditions, 'about'> & Pick<ConditionsOfProps, 'decisive'>) => {
  const text = useText();
  const { outcome, conditions = [] } = condition;
  const decides = decisive && condition.decides;
  return (
    <Box component="li" sx={{ py: 0.375 }}>
      <Stack direction="row" sx={{ gap: 1, alignItems: 'flex-start' }}>
        <Icon name={icons[outcome]} sx={{ fontSize: 18, color: colours[outcome], mt: '2px' }} />
        <Stack direction="row" sx={{ minWidth: 0, flexWrap: 'wrap', columnGap: 1, alignItems: 'baseline' }}>
          <Typography
            component="span"
            variant="body2"
            title={condition.words}
            sx={{ fontWeight: decides ? 600 : 400, color: 'text.primary', overflowWrap: 'anywhere' }}
          >
            <Sentence condition={condition} />
          </Typography>
          {outcome === 'narrowed' && about !== 'record' ? null : (
            <Typography component="span" variant="body2" sx={{ color: colours[outcome] }}>
              {text(`explain.holds.${outcome}`)}
            </Typography>
          )}
          {decides ? (
            <Box component="span" sx={{ typography: 'caption', fontWeight: 600, color: 'secondary.main' }}>
              {text('explain.decides')}
            </Box>
          ) : null}
          <ChangeLink condition={condition} explanation={explanation} />
        </Stack>
      </Stack>
      {conditions.length === 0 ? null : (
        <Box
          component="ul"
          sx={{
            m: 0,
            ml: '8px',
            pl: { xs: 1.25, sm: 2.25 },
            borderLeft: 1,
            borderColor: 'divider',
            listStyle: 'none',
          }}
        >
          {conditions.map((each) => (
            <ConditionLine
              key={each.words}
              condition={each}
              about={about}
              decisive={decisive}
              explanation={explanation}
            />
          ))}
        </Box>
      )}
    </Box>
  );
};

/** A link to the record that could be changed, by its name, or to the list of existing memberships. */
const ChangeLink = ({ condition, explanation }: ConditionProps) => {
  const text = useText();
  const models = useModels();
  const changed = conditionChangedAt(condition, explanation);
  if (changed === undefined) return null;
  const { path, id, to } = changed;
  const entry = models.find((each) => each.path === path);
  return (
    <Typography component="span" variant="body2">
      <Link to={to}>
        {id === undefined
          ? text('explain.memberships', { labels: entry?.plural_label ?? path })
          : text('explain.record', { label: entry?.label ?? path, id })}
      </Link>
    </Typography>
  );
};

const fieldNamed = (fields: readonly MetadataField[] | undefined, name: string | undefined) =>
  fields?.find((field) => field.name === name);

const labelOf = (fields: readonly MetadataField[] | undefined, name = ''): string =>
  fieldNamed(fields, name)?.label ?? name;

const choiceOf = (field: MetadataField | undefined, value: string): string =>
  field?.choices?.find((choice) => choice.value === value)?.label ?? value;

/** A condition as a sentence, with labels of fields and models in the language of the page. */
const Sentence = ({ condition }: { readonly condition: Condition }) => {
  const text = useText();
  const nameOf = useModelName('label');
  const own = useModel(condition.model).data?.metadata.fields;
  const others = useModel(condition.of ?? condition.model).data?.metadata.fields;
  const of = nameOf(condition.of ?? '');
  const field = labelOf(own, condition.field);
  switch (condition.kind) {
    case 'own':
      return text('explain.says.own', { field });
    case 'equals': {
      const value = choiceOf(fieldNamed(own, condition.field), condition.value ?? '');
      return text('explain.says.equals', { field, value });
    }
    case 'member':
      return (
        text('explain.says.member', { field, of, on: labelOf(others, condition.on) }) +
        whereText(text, condition, others)
      );
    case 'via':
      return text('explain.says.via', { field, of });
    default:
      return text(`explain.says.${condition.conditions?.length === 0 ? 'no' : ''}${condition.kind}`);
  }
};

const whereText = (
  text: Text,
  { where = [] }: Condition,
  fields: readonly MetadataField[] | undefined,
): string => {
  if (where.length === 0) return '';
  const conditions = where.map(({ field, values }) => {
    const named = values.map((value) => choiceOf(fieldNamed(fields, field), value));
    return text('explain.says.is', { field: labelOf(fields, field), value: named.join(' / ') });
  });
  return text('explain.says.where', { where: conditions.join(text('common.separator')) });
};
