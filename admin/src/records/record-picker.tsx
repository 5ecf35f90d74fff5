/** Inputs that pick a record by its name. */

import { useContext, useState } from 'react';
import { UserPicker } from '../parts/own-pickers.tsx';
import { SearchPicker } from '../parts/search-picker.tsx';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { NewRecord, RecordFormContext } from './make-record.tsx';
import { type AnyRecord, recordName, userModel } from './record.ts';
import { type Among, searchRecords } from './search-records.ts';
import { useModel } from './use-metadata.ts';

export interface RecordPickerProps {
  readonly label: string;
  readonly model: string;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** Values that the offered records have. */
  readonly among?: Among | undefined;
}

/** Finds a record of a model by a part of its name, or by its id; within a form it can be created in place. */
export const RecordPicker = ({ model: name, among = {}, ...props }: RecordPickerProps) => {
  const text = useText();
  const { data: model } = useModel(name);
  const isForm = useContext(RecordFormContext) !== undefined;
  const [words, setWords] = useState<string>();
  const resource = `${recordsPrefix}${model?.path ?? ''}`;
  const label = model?.metadata.label ?? '';
  const end = (id?: number): void => {
    setWords(undefined);
    if (id !== undefined) props.onChange(id);
  };
  return (
    <>
      <SearchPicker<AnyRecord>
        {...props}
        name={`${resource} ${JSON.stringify(among)}`}
        ready={model !== undefined}
        adding={
          isForm && model?.metadata.permissions.create === true
            ? { label: text('picker.add', { label }), onAdd: setWords }
            : undefined
        }
        nameOf={(record) =>
          model === undefined
            ? `#${record.id}`
            : text('common.named', { name: recordName(model.metadata, record), more: `#${record.id}` })
        }
        load={async (id) => (await dataProvider.getOne<AnyRecord>(resource, { id })).data}
        search={(sought, signal) =>
          model === undefined
            ? Promise.resolve({ items: [], total: 0 })
            : searchRecords(resource, model.metadata, sought, among, signal)
        }
      />
      {model === undefined || words === undefined ? null : (
        <NewRecord metadata={model.metadata} path={model.path} words={words} values={among} onEnd={end} />
      )}
    </>
  );
};

/** Finds the record of a reference: a user, or a record of another model. */
export const ReferenceInput = (props: RecordPickerProps) => {
  const { model, among: _, ...rest } = props;
  return model === userModel ? <UserPicker {...rest} /> : <RecordPicker {...props} />;
};
