import { lazy, Suspense, useEffect } from 'react';
import { useSessionEnd } from './session-end.ts';

const load = async () => ({ default: (await import('./sign-in-dialog.tsx')).SignInDialog });

const Dialog = lazy(load);

/** Opens the sign-in dialog over a page after the end of its session. */
export const SignInAgain = () => {
  const end = useSessionEnd();
  useEffect(() => {
    // Loaded before there is input to lose: an update of the service may remove the file meanwhile.
    const prepare = (): void => void load().catch(() => undefined);
    document.addEventListener('input', prepare, { once: true });
    return () => document.removeEventListener('input', prepare);
  }, []);
  if (end.kind === 'none') return null;
  return (
    <Suspense>
      <Dialog end={end} />
    </Suspense>
  );
};
