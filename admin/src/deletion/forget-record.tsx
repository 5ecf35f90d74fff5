/** The question before former values of a record are removed for good, and its button for a deleted record. */

import Button from '@mui/material/Button';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { useAct } from '../parts/use-act.ts';
import { recordsPrefix, send } from '../service.ts';
import { useText } from '../texts/provider.ts';

interface ForgetRecordProps {
  readonly path: string;
  readonly id: number | string;
  readonly name: string;
  /** True if the record is deleted: nothing of it is left afterwards. */
  readonly deleted?: boolean;
}

/** Asks, and removes the former values of a record. */
export const AskForget = ({
  path,
  id,
  name,
  deleted = false,
  onClose,
}: ForgetRecordProps & { readonly onClose: () => void }) => {
  const text = useText();
  const { act } = useAct();
  const forget = async (): Promise<void> => {
    const target = `/admin/${recordsPrefix}${path}/${encodeURIComponent(id)}/forget`;
    await act(() => send('POST', target), text('deletion.forgotten'));
    onClose();
  };
  return (
    <Confirm
      open
      wide
      title={text('deletion.forgetTitle', { name })}
      action={text('deletion.forget')}
      onConfirm={forget}
      onClose={onClose}
    >
      <ul>
        <li>{text('deletion.forgetGoes')}</li>
        <li>{text('deletion.forgetStays')}</li>
        <li>{text(deleted ? 'deletion.forgetDeleted' : 'deletion.forgetRecord')}</li>
      </ul>
      {text('common.cannotUndo')}
    </Confirm>
  );
};

/** The button on the page of a deleted record. */
export const ForgetRecord = (props: ForgetRecordProps) => {
  const text = useText();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button color="error" onClick={() => setAsking(true)}>
        {text('deletion.forget')}
      </Button>
      {asking ? <AskForget {...props} onClose={() => setAsking(false)} /> : null}
    </>
  );
};
