import { lazy, Suspense, useEffect } from 'react';
import { useSessionEnd } from './session-end.ts';

const load = async () => ({ default: (await import('./sign-in-dialog.tsx')).SignInDialog });

const Dialog = lazy(load);

/** Over a page whose session has ended: the dialog that takes it up again. */
export const SignInAgain = () => {
  const end = useSessionEnd();
  useEffect(() => {
    // At hand before there is input to lose: an update of the service may take the file away meanwhile.
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
