/** The state of a link by which a user sets a password. */

import { useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { failureOf } from '../parts/problem.ts';
import { send } from '../service.ts';

/** The invited user. */
export interface Invited {
  readonly username: string;
  readonly email: string | null;
  readonly name: string;
  readonly expires_at: string;
}

export type InvitationState =
  /** The address has no token, and none was read before. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'looking' }
  /** The link could not be checked; the user can try again. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The link has expired or was used, or never existed. */
  | { readonly kind: 'over'; readonly error: unknown }
  | { readonly kind: 'open'; readonly token: string; readonly invited: Invited }
  /** The password was set through this link. */
  | { readonly kind: 'used'; readonly username: string };

/** True if a refusal means that the link can never be used again. */
const isFinal = (error: unknown): boolean => [404, 410].includes(failureOf(error).status);

/** An opened link: a new object for each opening, also of the same link in the same tab. */
interface OpenedLink {
  /** Empty if the address has no token. */
  readonly token: string;
}

/**
 * The token of the address. It is removed from the address bar and the history once it is read, and stays in this page
 * only.
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

/** The state of the opened link. Requests have the token in their body, never in the address. */
export const useInvitation = () => {
  const opened = useOpenedLink();
  const [state, setState] = useState<InvitationState>({ kind: 'looking' });
  const [attempt, setAttempt] = useState(0);

  const refuse = useCallback((error: unknown): boolean => {
    const over = isFinal(error);
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
    retry: (): void => setAttempt((count) => count + 1),
    settle: (username: string): void => setState({ kind: 'used', username }),
    /** Called when an attempt to use the link was refused; returns true if the link has ended. */
    refuse,
  };
};
