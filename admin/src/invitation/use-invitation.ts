import { useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { failureOf } from '../parts/problem.ts';
import { send } from '../service.ts';

/** Whom a link is for. */
export interface Invited {
  readonly username: string;
  readonly email: string | null;
  readonly name: string;
  readonly expires_at: string;
}

export type InvitationState =
  /** The address holds no token, and none was read before. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'looking' }
  /** It is unknown whether the link is good: it can be asked again. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The link is good for nothing any more, or never was. */
  | { readonly kind: 'over'; readonly error: unknown }
  | { readonly kind: 'open'; readonly token: string; readonly invited: Invited }
  /** By it the password was set. */
  | { readonly kind: 'used'; readonly username: string };

/** Whether a refusal says that the link can never be used again. */
const isOver = (error: unknown): boolean => [404, 410].includes(failureOf(error).status);

/** A link as it was opened: another one each time, also where it is the same link in the same tab. */
interface OpenedLink {
  /** Empty where the address holds none. */
  readonly token: string;
}

/**
 * The token of the address. It is taken out of the address bar and of the history once it is read, so that neither
 * shows it, and stays in this page only.
 */
export const useOpenedLink = (): OpenedLink | undefined => {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<OpenedLink>();
  useEffect(() => {
    const token = hash.slice(1);
    setOpened((before) => (token === '' && before !== undefined ? before : { token }));
    if (token !== '') void navigate(pathname, { replace: true });
  }, [hash, pathname, navigate]);
  return opened;
};

/** The state of the link by which the page was opened. The token is sent in a body only, never in an address. */
export const useInvitation = () => {
  const opened = useOpenedLink();
  const [state, setState] = useState<InvitationState>({ kind: 'looking' });
  const [attempt, setAttempt] = useState(0);

  const refuse = useCallback((error: unknown): boolean => {
    const over = isOver(error);
    if (over) setState({ kind: 'over', error });
    return over;
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt looks again
  useEffect(() => {
    const leaving = new AbortController();
    const look = async (): Promise<void> => {
      if (opened === undefined) return;
      const { token } = opened;
      if (token === '') return setState({ kind: 'incomplete' });
      setState({ kind: 'looking' });
      try {
        const options = { body: { token }, signal: leaving.signal };
        const { data } = await send<Invited>('POST', '/admin/invitation/lookup', options);
        setState({ kind: 'open', token, invited: data });
      } catch (error) {
        if (!leaving.signal.aborted && !refuse(error)) setState({ kind: 'failed', error });
      }
    };
    void look();
    return () => leaving.abort();
  }, [opened, attempt, refuse]);

  return {
    state,
    /** Asks again. */
    retry: (): void => setAttempt((count) => count + 1),
    settle: (username: string): void => setState({ kind: 'used', username }),
    /** An attempt to use the link was refused; returns whether the link has ended with it. */
    refuse,
  };
};
