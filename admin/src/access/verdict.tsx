import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { Failed } from '../parts/failed.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { catalogues } from '../parts/problem.ts';
import { type Language, useLanguage, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { ConditionsOf } from './conditions.tsx';
import { changedAt, type Explanation, type Step } from './explanation.ts';
import { GrantsOfRoles } from './grants-of-roles.tsx';

interface VerdictProps {
  readonly explanation: Explanation | undefined;
  readonly error: unknown;
}

/** Allowed or refused, and every rule in the order in which it was asked. */
export const Verdict = ({ explanation, error }: VerdictProps) => {
  const text = useText();
  if (error) return <Failed error={error} />;
  if (explanation === undefined) return null;
  const { allowed, status, method, path, steps } = explanation;
  return (
    <Stack sx={{ gap: 1.5 }} aria-live="polite">
      <Alert
        severity={allowed ? 'success' : 'error'}
        icon={allowed ? <Icon name="check" /> : <Icon name="crossCircle" />}
        sx={{ fontSize: 15 }}
      >
        <strong>{text(allowed ? 'explain.allowed' : 'explain.refused', { status })}</strong>{' '}
        <Box component="code" sx={{ fontFamily: monospace, overflowWrap: 'anywhere' }}>
          {method} {path}
        </Box>
      </Alert>
      <Paper variant="outlined" component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {steps.map((step) => (
          <StepLine key={step.rule} step={step} explanation={explanation} />
        ))}
      </Paper>
    </Stack>
  );
};

const icons = { passed: 'check', refused: 'crossCircle', narrowed: 'filter', off: 'minusCircle' } as const;
const colours = {
  passed: 'success.main',
  refused: 'error.main',
  narrowed: 'warning.main',
  off: 'text.secondary',
} as const;

const StepLine = ({ step, explanation }: { readonly step: Step; readonly explanation: Explanation }) => {
  const text = useText();
  const language = useLanguage();
  const { rule, outcome, because, conditions, grants } = step;
  const decisive = rule === explanation.decided_by;
  const changed = changedAt(step, explanation);
  const name = ruleText(language, step);
  return (
    <Stack
      component="li"
      direction="row"
      sx={{
        gap: 1.5,
        px: 2,
        py: 1.25,
        borderBottom: 1,
        borderColor: 'divider',
        alignItems: 'flex-start',
        bgcolor: decisive ? 'primary.light' : 'transparent',
        '&:last-child': { borderBottom: 0 },
      }}
    >
      <Icon name={icons[outcome]} fontSize="small" sx={{ color: colours[outcome], mt: 0.25 }} />
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography
          component="div"
          sx={{ display: 'flex', columnGap: 1, flexWrap: 'wrap', alignItems: 'center', fontWeight: 600 }}
        >
          <span>
            {name} · {text(`explain.outcomes.${outcome}`)}
          </span>
          {decisive ? <Chip size="small" color="primary" label={text('explain.decides')} /> : null}
        </Typography>
        {/* A step that is off has no reason; conditions are shown in the language of the page. */}
        {outcome === 'off' || conditions !== undefined ? null : (
          <Typography
            component="code"
            variant="body2"
            sx={{
              display: 'block',
              fontFamily: monospace,
              overflowWrap: 'anywhere',
              color: 'text.secondary',
            }}
          >
            {because}
          </Typography>
        )}
        {grants === undefined ? null : <GrantsOfRoles grants={grants} refused={outcome === 'refused'} />}
        {conditions === undefined ? null : <ConditionsOf conditions={conditions} explanation={explanation} />}
      </Box>
      {changed === undefined ? null : <Link to={changed}>{text('explain.change')}</Link>}
    </Stack>
  );
};

/** The label of a rule in the language of the page; the service's own where these pages do not know the rule. */
const ruleText = (language: Language, { rule, label }: Step): string => {
  const labels: Readonly<Record<string, string>> = catalogues[language].explained;
  return labels[rule] ?? label;
};
