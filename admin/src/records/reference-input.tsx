import { UserPicker } from '../parts/user-picker.tsx';
import { userModel } from './record.ts';
import { RecordPicker, type RecordPickerProps } from './record-picker.tsx';

/** Finds what a field refers to: a user, or a record of another model. */
export const ReferenceInput = (props: RecordPickerProps) => {
  const { model, ...rest } = props;
  return model === userModel ? <UserPicker {...rest} /> : <RecordPicker {...props} />;
};
