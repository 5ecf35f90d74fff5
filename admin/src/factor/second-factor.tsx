/** The page of the own two-step verification. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId, useState } from 'react';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { FactorDialogs, type FactorStep } from './factor-dialogs.tsx';
import { countOf, type Factors, useFactors } from './factors.ts';
import { canUsePasskeys } from './passkey.ts';

/** The page of the own second factor: existing factors, and dialogs that add or remove one. */
export const SecondFactor = () => {
  const text = useText();
  const { data: factors, error } = useFactors();
  const [step, setStep] = useState<FactorStep>({ kind: 'none' });
  if (error) return <FailurePage error={error} />;
  if (factors === undefined) return <Waiting />;
  const count = countOf(factors);
  const section = { factors, onStep: setStep };
  return (
    <Page title={text('factor.title')} lead={text('factor.lead')}>
      <Stack sx={{ gap: 2.5 }}>
        <Alert severity={count > 0 ? 'success' : factors.required ? 'warning' : 'info'}>
          {text(count > 0 ? 'factor.on' : 'factor.off')}
          {factors.required ? ` ${text('factor.required')}` : ''}
        </Alert>
        <TotpSection {...section} />
        <PasskeySection {...section} />
        {count > 0 ? <CodesSection {...section} /> : null}
      </Stack>
      <FactorDialogs step={step} onStep={setStep} />
    </Page>
  );
};

interface SectionProps {
  readonly factors: Factors;
  readonly onStep: (step: FactorStep) => void;
}

interface FrameProps {
  readonly title: string;
  readonly lead: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

const Section = ({ title, lead, action, children }: FrameProps) => {
  const heading = useId();
  return (
    <Paper variant="outlined" component="section" aria-labelledby={heading} sx={{ p: { xs: 2, sm: 2.5 } }}>
      <Stack
        direction="row"
        sx={{ justifyContent: 'space-between', alignItems: 'flex-start', gap: 1.5, flexWrap: 'wrap' }}
      >
        <Box sx={{ minWidth: 0, flex: '1 1 260px' }}>
          <Typography id={heading} variant="h2">
            {title}
          </Typography>
          <Typography sx={{ color: 'text.secondary', mt: 0.5 }}>{lead}</Typography>
        </Box>
        {action}
      </Stack>
      {children}
    </Paper>
  );
};

/** The last factor cannot be removed if every administrator must have one. */
const isKept = (factors: Factors): boolean => factors.required && countOf(factors) === 1;

interface EntryProps {
  readonly name: string;
  readonly times: { readonly created_at: string; readonly last_used_at: string | null };
  readonly label: string;
  readonly kept: boolean;
  readonly onRemove: () => void;
}

const Entry = ({ name, times, label, kept, onRemove }: EntryProps) => {
  const text = useText();
  return (
    <Stack
      component="li"
      direction="row"
      sx={{ alignItems: 'center', justifyContent: 'space-between', gap: 1, flexWrap: 'wrap' }}
    >
      <Box sx={{ minWidth: 0 }}>
        <Typography sx={{ overflowWrap: 'anywhere', fontWeight: 600 }}>{name}</Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text('factor.since')} <RelativeTime value={times.created_at} /> · {text('factor.used')}
          <RelativeTime value={times.last_used_at} />
        </Typography>
      </Box>
      {kept ? (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text('factor.last')}
        </Typography>
      ) : (
        <Button aria-label={label} onClick={onRemove}>
          {text('factor.remove')}
        </Button>
      )}
    </Stack>
  );
};

const Entries = ({ children }: { readonly children: ReactNode }) => (
  <Stack component="ul" sx={{ listStyle: 'none', m: 0, mt: 1.5, p: 0, gap: 1 }}>
    {children}
  </Stack>
);

const TotpSection = ({ factors, onStep }: SectionProps) => {
  const text = useText();
  const { totp } = factors;
  return (
    <Section
      title={text('factor.totp.title')}
      lead={text('factor.totp.lead')}
      action={
        totp === null ? (
          <Button variant="contained" onClick={() => onStep({ kind: 'begin-totp' })}>
            {text('factor.totp.setUp')}
          </Button>
        ) : null
      }
    >
      {totp === null ? null : (
        <Entries>
          <Entry
            name={text('factor.totp.one')}
            times={totp}
            label={text('factor.removeOf', { name: text('factor.totp.one') })}
            kept={isKept(factors)}
            onRemove={() => onStep({ kind: 'remove-totp' })}
          />
        </Entries>
      )}
    </Section>
  );
};

const PasskeySection = ({ factors, onStep }: SectionProps) => {
  const text = useText();
  const { passkeys, passkeys_possible: possible, passkeys_problem: problem } = factors;
  const usable = possible && canUsePasskeys();
  return (
    <Section
      title={text('factor.passkey.title')}
      lead={text('factor.passkey.lead')}
      action={
        usable ? (
          <Button
            variant={passkeys.length === 0 ? 'contained' : 'outlined'}
            onClick={() => onStep({ kind: 'add-passkey' })}
          >
            {text('factor.passkey.add')}
          </Button>
        ) : null
      }
    >
      {usable ? null : (
        <Alert severity="info" sx={{ mt: 1.5 }}>
          {text(
            possible
              ? 'factor.noPasskeysHere'
              : problem === 'ip_address'
                ? 'factor.passkey.ipAddress'
                : 'factor.passkey.notHttps',
          )}
        </Alert>
      )}
      {passkeys.length === 0 ? null : (
        <Entries>
          {passkeys.map((passkey) => (
            <Entry
              key={passkey.id}
              name={passkey.name}
              times={passkey}
              label={text('factor.removeOf', { name: passkey.name })}
              kept={isKept(factors)}
              onRemove={() => onStep({ kind: 'remove-passkey', passkey })}
            />
          ))}
        </Entries>
      )}
    </Section>
  );
};

const CodesSection = ({ factors: { recovery_codes_left: left }, onStep }: SectionProps) => {
  const text = useText();
  return (
    <Section
      title={text('factor.codes.title')}
      lead={text('factor.codes.lead')}
      action={
        <Button variant="outlined" onClick={() => onStep({ kind: 'renew-codes' })}>
          {text('factor.codes.renew')}
        </Button>
      }
    >
      <Typography sx={{ mt: 1.5, color: left < 3 ? 'warning.main' : undefined, fontWeight: 600 }}>
        {text('factor.codes.left', { count: left })}
      </Typography>
    </Section>
  );
};
