/** The buttons of identity providers at the sign-in, and the result of a sign-in with one. */

import Button from '@mui/material/Button';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { basePath } from '../base.ts';
import { send } from '../service.ts';
import { filled, useOutsideTexts } from '../texts/outside.ts';

interface Provider {
  readonly name: string;
  readonly label: string;
  readonly url: string;
}

interface ProviderButtonsProps {
  /** True if the sign-in opens in another tab, so that this page stays. */
  readonly elsewhere?: boolean;
}

/** A button for each identity provider; none while the list is read, or if that fails. */
export const ProviderButtons = ({ elsewhere = false }: ProviderButtonsProps) => {
  const texts = useOutsideTexts();
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    send<readonly Provider[]>('GET', '/api/v1/auth/providers', { signal: leaving.signal }).then(
      ({ data }) => setProviders(data),
      () => {},
    );
    return () => leaving.abort();
  }, []);
  const returning = new URLSearchParams({ return: `${basePath}/admin/login` });
  return providers.map(({ name, label }) => (
    <Button
      key={name}
      variant="outlined"
      size="large"
      {...(elsewhere ? { target: '_blank', rel: 'noopener' } : {})}
      href={`${basePath}/api/v1/auth/oidc/${name}?${returning}`}
    >
      {filled(texts.signInWith, { name: label })}
    </Button>
  ));
};

interface ProviderResult {
  readonly code: string | undefined;
  readonly failed: boolean;
}

/** The result of a sign-in with a provider, read from the fragment of the address, which is then removed. */
export const useProviderResult = (): ProviderResult => {
  const { hash, pathname, state } = useLocation();
  const navigate = useNavigate();
  const [returned, setReturned] = useState<ProviderResult>({ code: undefined, failed: false });
  useEffect(() => {
    if (hash === '') return;
    const values = new URLSearchParams(hash.slice(1));
    setReturned({ code: values.get('code') ?? undefined, failed: values.has('error') });
    void navigate(pathname, { replace: true, state: state as unknown });
  }, [hash, pathname, state, navigate]);
  return returned;
};
