import { lazy, Suspense } from 'react';
import type { DeleteConfirmProps } from './delete-confirm.tsx';

const Dialog = lazy(() =>
  import('./delete-confirm.tsx').then(({ DeleteConfirm: part }) => ({ default: part })),
);

/** The question before a deletion, loaded when it is opened. */
export const AskDeletion = (props: DeleteConfirmProps) => (
  <Suspense fallback={null}>
    <Dialog {...props} />
  </Suspense>
);
