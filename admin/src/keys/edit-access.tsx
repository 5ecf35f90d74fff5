import { useNavigate } from 'react-router';
import { Loaded } from '../layout/failure.tsx';
import { PageForm } from '../parts/page-form.tsx';
import { useChanged } from '../parts/use-act.ts';
import { useOwnRecord } from '../records/own-show.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { AccessFields, type AccessInput, toForm, toRequest, validateAccess } from './access-fields.tsx';
import type { ApiKey } from './api-key.ts';

/** Changes the scopes, networks and limits of a key. */
export const EditKeyAccess = () => {
  const text = useText();
  const navigate = useNavigate();
  const changed = useChanged();
  return (
    <Loaded query={useOwnRecord<ApiKey>('api_keys', true)}>
      {(apiKey) => (
        <PageForm<AccessInput>
          title={text('keys.access.editTitle', { name: apiKey.name })}
          lead={text('keys.access.editLead')}
          first={toForm(apiKey)}
          back={`/api_keys/${apiKey.id}`}
          missing={(input) => validateAccess(text, input)}
          onSave={async (input) => {
            await send('PATCH', `/admin/api_keys/${apiKey.id}`, { body: { api_key: toRequest(input) } });
            await changed(text('keys.access.saved', { name: apiKey.name }));
            return () => navigate(`/api_keys/${apiKey.id}`);
          }}
        >
          {(input, change, errors) => <AccessFields input={input} onChange={change} errors={errors} />}
        </PageForm>
      )}
    </Loaded>
  );
};
