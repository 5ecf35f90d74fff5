/** The pages of links in mails: a forgotten password, a registration, and a new address. */

import Alert from '@mui/material/Alert';
import Typography from '@mui/material/Typography';
import { type ReactNode, useState } from 'react';
import { NewPasswordForm } from '../invitation/new-password-form.tsx';
import { useOpenedLink } from '../invitation/use-invitation.ts';
import { OutsidePage } from '../pages/outside-page.tsx';
import { LinkButton } from '../parts/link.tsx';
import { failureOf, useSentence } from '../parts/problem.ts';
import { send } from '../service.ts';
import { filled, useOutsideTexts } from '../texts/outside.ts';
import { usePageLanguage } from '../texts/provider.ts';
import { LinkForm } from './link-form.tsx';

/** The steps of a page; `over` has the reason why the link does not work. */
type Step =
  | { readonly kind: 'form' }
  | { readonly kind: 'sent' }
  | { readonly kind: 'done'; readonly name: string }
  | { readonly kind: 'over'; readonly error: unknown };

const form: Step = { kind: 'form' };

const Lead = ({ children }: { readonly children: ReactNode }) => (
  <Typography sx={{ color: 'text.secondary', mb: 1 }}>{children}</Typography>
);

const ToSignIn = () => <LinkButton to="/login">{useOutsideTexts().toSignIn}</LinkButton>;

/** The last step of a page: the result, and a link to the sign-in. */
const Ending = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <OutsidePage title={title}>
    <Alert severity="success" sx={{ mb: 1 }}>
      {children}
    </Alert>
    <ToSignIn />
  </OutsidePage>
);

/** An invalid link. @param again path of the page that sends a new one */
const Over = ({ error, again }: { readonly error: unknown; readonly again?: string }) => {
  const texts = useOutsideTexts();
  const sentence = useSentence();
  return (
    <OutsidePage title={texts.over}>
      <Alert severity="error" sx={{ mb: 1 }}>
        {sentence(error)}
      </Alert>
      {again === undefined ? null : <LinkButton to={again}>{texts.again}</LinkButton>}
      <ToSignIn />
    </OutsidePage>
  );
};

/** The current step, and a function that submits the form. An invalid link ends the page. */
const useSteps = () => {
  const [step, setStep] = useState<Step>(form);
  const attempt = async (path: string, body: object, next: Step): Promise<boolean> => {
    try {
      await send('POST', `/api/v1/auth/${path}`, { body });
      setStep(next);
      return true;
    } catch (error) {
      if (failureOf(error).status !== 410) throw error;
      setStep({ kind: 'over', error });
      return false;
    }
  };
  return { step, attempt };
};

const PasswordReset = ({ token }: { readonly token: string }) => {
  const texts = useOutsideTexts();
  const { step, attempt } = useSteps();
  if (step.kind === 'over') return <Over error={step.error} again="/password_reset" />;
  if (step.kind === 'sent') return <Ending title={texts.sentTitle}>{texts.resetSent}</Ending>;
  if (step.kind === 'done') return <Ending title={texts.changed}>{texts.changedLead}</Ending>;
  return token === '' ? (
    <OutsidePage title={texts.resetTitle}>
      <Lead>{texts.resetLead}</Lead>
      <LinkForm
        fields={[{ name: 'account', label: texts.account, autoComplete: 'username' }]}
        submit={texts.send}
        onSubmit={async (values) => void (await attempt('password_reset', values, { kind: 'sent' }))}
      />
      <ToSignIn />
    </OutsidePage>
  ) : (
    <OutsidePage title={texts.newPasswordTitle}>
      <Lead>{texts.newPasswordLead}</Lead>
      <NewPasswordForm
        username=""
        onSubmit={async (password) => {
          await attempt('password_reset/confirm', { token, password }, { kind: 'done', name: '' });
          return () => {};
        }}
      />
    </OutsidePage>
  );
};

const Registration = ({ token }: { readonly token: string }) => {
  const texts = useOutsideTexts();
  const { step, attempt } = useSteps();
  if (step.kind === 'over') return <Over error={step.error} again="/register" />;
  if (step.kind === 'sent') return <Ending title={texts.sentTitle}>{texts.registerSent}</Ending>;
  if (step.kind === 'done')
    return <Ending title={texts.registered}>{filled(texts.registeredLead, { name: step.name })}</Ending>;
  return token === '' ? (
    <OutsidePage title={texts.register}>
      <Lead>{texts.registerLead}</Lead>
      <LinkForm
        fields={[{ name: 'email', label: texts.email, autoComplete: 'email', type: 'email' }]}
        submit={texts.send}
        onSubmit={async (values) => void (await attempt('register', values, { kind: 'sent' }))}
      />
      <ToSignIn />
    </OutsidePage>
  ) : (
    <OutsidePage title={texts.completeTitle}>
      <LinkForm
        fields={[
          { name: 'username', label: texts.username, autoComplete: 'username' },
          { name: 'name', label: texts.name, autoComplete: 'name', optional: true },
          { name: 'password', label: texts.password, autoComplete: 'new-password', type: 'password' },
        ]}
        submit={texts.complete}
        onSubmit={async (values) => {
          const done = { kind: 'done', name: values['username'] ?? '' } as const;
          await attempt('register/confirm', { ...values, token }, done);
        }}
      />
    </OutsidePage>
  );
};

const NewAddress = ({ token }: { readonly token: string }) => {
  const texts = useOutsideTexts();
  const { step, attempt } = useSteps();
  if (step.kind === 'over') return <Over error={step.error} />;
  if (step.kind === 'done') return <Ending title={texts.addressDone}>{texts.addressDoneLead}</Ending>;
  if (token === '')
    return (
      <OutsidePage title={texts.incompleteTitle}>
        <Alert severity="warning">{texts.incomplete}</Alert>
        <ToSignIn />
      </OutsidePage>
    );
  return (
    <OutsidePage title={texts.addressTitle}>
      <Lead>{texts.addressLead}</Lead>
      <LinkForm
        fields={[]}
        submit={texts.confirm}
        onSubmit={async () => void (await attempt('email/confirm', { token }, { kind: 'done', name: '' }))}
      />
    </OutsidePage>
  );
};

const contents = { password_reset: PasswordReset, register: Registration, email: NewAddress } as const;

/** The page that a link in a mail opens, or that requests the link. It ignores the signed-in user. */
export const AccountLinkPage = ({ purpose }: { readonly purpose: keyof typeof contents }) => {
  const opened = useOpenedLink();
  usePageLanguage();
  const Content = contents[purpose];
  return opened === undefined ? null : <Content key={opened.token} token={opened.token} />;
};
