import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Confirm } from '../parts/confirm.tsx';
import { askBefore, hasUnsaved, useLeaveQuestion } from '../parts/unsaved.ts';
import { useText } from '../texts/provider.ts';

/** Stands before every way out of a page whose forms have input that is not saved. */
export const Leaving = () => {
  const text = useText();
  const question = useLeaveQuestion();
  // A change in the address behind its path, such as a filter, takes no form away.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => hasUnsaved() && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (blocker.state === 'blocked') askBefore(blocker.proceed, blocker.reset);
  }, [blocker]);
  return (
    <Confirm
      open={question !== undefined}
      title={text('leave.title')}
      cancel={text('leave.stay')}
      action={text('leave.leave')}
      onConfirm={() => question?.leave()}
      onClose={() => question?.stay()}
    >
      {text('leave.lead')}
    </Confirm>
  );
};
