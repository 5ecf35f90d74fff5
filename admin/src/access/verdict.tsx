/** The result of an explained request: one sentence, and its gates. */

import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { reasonText } from '../../../src/kernel/messages.ts';
import { useScopeWords } from '../keys/scopes.ts';
import { Failed } from '../parts/failed.tsx';
import { Gate, type GateOutcome, GateTrace } from '../parts/gate-trace.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { useModelName } from '../records/use-metadata.ts';
import {
  type Language,
  reasonWords,
  serviceTexts,
  type Text,
  useLanguage,
  useText,
} from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { ConditionsOf } from './conditions.tsx';
import { type Condition, changedAt, type Explanation, eachModel, type Step } from './explanation.ts';
import { GrantsOfRoles } from './grants-of-roles.tsx';

interface VerdictProps {
  readonly explanation: Explanation | undefined;
  readonly error: unknown;
}

/** The result in one sentence, and the gates of the request up to the deciding one. */
export const Verdict = ({ explanation, error }: VerdictProps) => {
  const text = useText();
  if (error) return <Failed error={error} />;
  if (explanation === undefined) return null;
  const { allowed, status, method, path, steps } = explanation;
  const decisive = steps.find(({ rule }) => rule === explanation.decided_by);
  return (
    <Stack sx={{ gap: 1.5 }} aria-live="polite">
      <OutcomeHeading
        allowed={allowed}
        title={text(allowed ? 'explain.allowed' : 'explain.refused', { status })}
        because={
          decisive === undefined ? undefined : allowed ? (
            allowsSome(decisive) ? (
              text('explain.onlySome')
            ) : undefined
          ) : (
            <Refusal step={decisive} explanation={explanation} />
          )
        }
      >
        <Typography
          component="code"
          variant="body2"
          sx={{ fontFamily: monospace, overflowWrap: 'anywhere', color: 'text.secondary' }}
        >
          {method} {path}
        </Typography>
      </OutcomeHeading>
      <Paper variant="outlined" sx={{ p: 1 }}>
        <GateTrace label={text('explain.gates')}>
          {steps.map((step) => (
            <StepLine key={step.rule} step={step} lit={step === decisive} explanation={explanation} />
          ))}
        </GateTrace>
      </Paper>
    </Stack>
  );
};

interface OutcomeHeadingProps {
  readonly allowed: boolean;
  readonly title: string;
  /** Continues the title of a refusal. */
  readonly because?: ReactNode;
  readonly children?: ReactNode;
}

/** The result in one sentence. */
export const OutcomeHeading = ({ allowed, title, because, children }: OutcomeHeadingProps) => {
  const text = useText();
  return (
    <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
      <Icon
        name={allowed ? 'check' : 'crossCircle'}
        sx={{ fontSize: 24, color: allowed ? 'success.main' : 'error.main' }}
      />
      <Box sx={{ minWidth: 0 }}>
        <Typography variant="h2">
          <span>{title}</span>
          {because === undefined ? null : (
            <Box component="span" sx={{ fontWeight: 400 }}>
              {text('explain.because')}
              {because}
            </Box>
          )}
        </Typography>
        {children}
      </Box>
    </Box>
  );
};

/** Type of a caller without credentials, in the question. */
const anonymous = 'nobody';

/** True if a step allows access to some records only. */
const allowsSome = ({ outcome, conditions }: Step): boolean =>
  outcome === 'narrowed' && conditions?.about === 'list';

/** The reason of a step in the language of the page; the text of the service if the page does not know the reason. */
const becauseOf = (language: Language, { reason, because }: Step): string => {
  const words = reasonWords(language);
  return reason !== undefined && Object.hasOwn(words.reasons, reason.name)
    ? reasonText(words, reason)
    : because;
};

/** Reasons that consist of names and form no sentence. */
const namesOnly: readonly string[] = ['named', 'caller'];

/** The reason of a refusal, from the deciding step. */
const Refusal = ({ step, explanation }: { readonly step: Step; readonly explanation: Explanation }) => {
  const text = useText();
  const language = useLanguage();
  const nameOf = useModelName();
  const scopes = useScopeWords();
  const { grants, key, reason } = step;
  if (step.rule === 'key_scope' && key !== undefined) return <>{neededText(text, scopes, key.needed)}</>;
  if (grants === undefined)
    return (
      <>
        {reason === undefined || namesOnly.includes(reason.name)
          ? text('explain.stoppedAt', { rule: ruleText(language, step) })
          : becauseOf(language, step)}
      </>
    );
  const who = explanation.caller.name ?? text(`explain.callers.${anonymous}`);
  const action = text(`permissions.action.${grants.action}`);
  return <>{text('explain.noRole', { who, action, model: nameOf(grants.model) })}</>;
};

/** The look of a step in the gate trace, by its outcome. */
export const gateOutcomes = {
  passed: 'passed',
  refused: 'stopped',
  narrowed: 'narrowed',
  off: 'off',
} as const satisfies Record<Step['outcome'], GateOutcome>;

/** The title of a step: its rule and outcome. */
export const StepTitle = ({ step }: { readonly step: Step }) => {
  const text = useText();
  const language = useLanguage();
  return (
    <>
      {ruleText(language, step)}{' '}
      <Box component="span" sx={{ fontWeight: 400, color: 'text.secondary' }}>
        · {text(`explain.outcomes.${step.outcome}`)}
      </Box>
    </>
  );
};

interface StepProps {
  readonly step: Step;
  readonly lit: boolean;
  readonly explanation: Explanation;
}

const StepLine = ({ step, lit, explanation }: StepProps) => {
  const text = useText();
  const language = useLanguage();
  const { outcome, conditions, grants, key, record } = step;
  const changed = changedAt(step, explanation);
  return (
    <Gate
      outcome={gateOutcomes[outcome]}
      lit={lit}
      title={
        <>
          <StepTitle step={step} />
          {lit && !isDecidedWithin(conditions?.rule) ? <Decides outcome={outcome} /> : null}
        </>
      }
      aside={changed === undefined ? undefined : <Link to={changed}>{text('explain.change')}</Link>}
    >
      {key === undefined ? null : <Restriction rule={step.rule} restriction={key} />}
      {/* A step that is off has no reason; some have a form of their own. */}
      {outcome === 'off' || conditions !== undefined || key !== undefined || grants !== undefined ? null : (
        <Box
          component={step.reason?.name === 'named' ? 'code' : 'span'}
          sx={{
            fontSize: 'var(--meta)',
            ...(step.reason?.name === 'named' ? { fontFamily: monospace } : {}),
          }}
        >
          {becauseOf(language, step)}
        </Box>
      )}
      {record === undefined ? null : <WaysOn record={record} explanation={explanation} />}
      {lit && allowsSome(step) ? <div>{text('explain.maybeEmpty')}</div> : null}
      {grants === undefined ? null : <GrantsOfRoles grants={grants} refused={outcome === 'refused'} />}
      {conditions === undefined ? null : (
        <ConditionsOf conditions={conditions} decisive={lit} explanation={explanation} />
      )}
    </Gate>
  );
};

/** True if a condition of the step carries the mark: only one place has it. */
const isDecidedWithin = (rule: Condition | undefined): boolean =>
  rule !== undefined && (rule.decides || (rule.conditions ?? []).some(isDecidedWithin));

/** The scope that a request needs. */
const neededText = (text: Text, words: ReturnType<typeof useScopeWords>, needed: string | null): string => {
  if (needed === null) return text('explain.noScopeAllows');
  if (needed === eachModel) return text('explain.eachModelDecides');
  return text('explain.neededScope', { scope: words([needed]).join(text('keys.access.separator')) });
};

interface WaysOnProps {
  readonly record: NonNullable<Step['record']>;
  readonly explanation: Explanation;
}

/** Links for a caller without access to a record. */
const WaysOn = ({ record: { path, id, owner }, explanation: { caller } }: WaysOnProps) => {
  const text = useText();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2, mt: 0.5 }}>
      <Link to={`/records/${path}/${encodeURIComponent(id)}${owner === null ? '/show' : ''}`}>
        {text(owner === null ? 'explain.showRecord' : 'explain.handOver')}
      </Link>
      {caller.kind === 'user' ? <Link to={`/users/${caller.id}/view`}>{text('viewAs.action')}</Link> : null}
    </Box>
  );
};

interface RestrictionProps {
  readonly rule: string;
  readonly restriction: NonNullable<Step['key']>;
}

/** The scope that the request needs, or its address, and the restriction of the key. */
const Restriction = ({ rule, restriction: { needed, held } }: RestrictionProps) => {
  const text = useText();
  const words = useScopeWords();
  const separator = text('keys.access.separator');
  if (rule === 'key_network')
    return (
      <>
        {needed === null ? null : <div>{text('explain.cameFrom', { address: needed })}</div>}
        <div>{text('explain.keyHas', { scopes: held.join(separator) })}</div>
      </>
    );
  return (
    <>
      <div>{neededText(text, words, needed)}</div>
      <div>{text('explain.keyHas', { scopes: words(held).join(separator) })}</div>
    </>
  );
};

/** The mark of the deciding step. */
const Decides = ({ outcome }: Pick<Step, 'outcome'>) => {
  const text = useText();
  return (
    <Box component="span" sx={{ ml: 1, typography: 'caption', fontWeight: 600, color: 'secondary.main' }}>
      {text(outcome === 'passed' ? 'explain.letsIn' : 'explain.decides')}
    </Box>
  );
};

/** The label of a rule in the language of the page; the label of the service if the page does not know the rule. */
const ruleText = (language: Language, { rule, label }: Step): string => {
  const labels: Readonly<Record<string, string>> = serviceTexts(language).explained;
  return labels[rule] ?? label;
};
