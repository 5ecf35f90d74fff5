import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Confirm } from '../parts/confirm.tsx';
import { askBefore, hasUnsaved, useLeaveQuestion } from '../parts/unsaved.ts';
import { useText } from '../texts/provider.ts';

/** Asks before navigation away from a page with unsaved input. */
export const Leaving = () => {
  const text = useText();
  const question = useLeaveQuestion();
  // A change after the path, such as a filter, keeps the forms of the page.
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
