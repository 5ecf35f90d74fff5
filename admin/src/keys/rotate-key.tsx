/** The page that rotates an API key. */

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Loaded } from '../layout/failure.tsx';
import { OverlapPicker, usualOverlap } from '../parts/overlap.tsx';
import { PageForm } from '../parts/page-form.tsx';
import { Time } from '../parts/time.tsx';
import { useOwnRecord } from '../records/own-show.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { AccessSummary } from './access-words.tsx';
import type { ApiKey } from './api-key.ts';
import { type CreatedApiKey, CreatedKey, type NewApiKey } from './created-key.tsx';

/** The response of a rotation. The old key is rejected from `previous_until` on; null means at once. */
type RotatedApiKey = NewApiKey & { readonly previous_until: string | null };

/**
 * Replaces the secret of a key and shows the new one once. During the overlap both work, so that callers can switch
 * without a gap.
 */
export const RotateKey = () => {
  const text = useText();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [rotated, setRotated] = useState<CreatedApiKey & { readonly until: string | null }>();
  const query = useOwnRecord<ApiKey>('api_keys', true);
  if (rotated !== undefined)
    return (
      <CreatedKey
        created={rotated}
        title={text('keys.rotatedTitle', { name: rotated.name })}
        onDone={() => void navigate(`/api_keys/${rotated.id}`)}
      >
        {rotated.until === null ? (
          text('keys.oldKeyEnded')
        ) : (
          <>
            {text('keys.oldKeyUntil')}
            <Time value={rotated.until} format="zoned" />
          </>
        )}
      </CreatedKey>
    );
  return (
    <Loaded query={query}>
      {(apiKey) => (
        <PageForm<{ readonly overlap: number }>
          title={text('keys.rotateTitle', { name: apiKey.name })}
          lead={text('keys.rotateLead')}
          first={{ overlap: usualOverlap }}
          action={text('keys.rotate')}
          back={`/api_keys/${apiKey.id}`}
          onSave={async ({ overlap }) => {
            const path = `/admin/api_keys/${apiKey.id}/rotate`;
            const { data } = await send<RotatedApiKey>('POST', path, { body: { overlap } });
            await client.invalidateQueries();
            return () =>
              setRotated({
                ...data,
                owner: apiKey.user.username,
                access: apiKey,
                until: data.previous_until,
              });
          }}
        >
          {({ overlap }, change, errors) => (
            <>
              <OverlapPicker
                value={overlap}
                onChange={(seconds) => change({ overlap: seconds })}
                error={errors['overlap']}
              />
              <AccessSummary access={apiKey} end={apiKey.expires_at} />
            </>
          )}
        </PageForm>
      )}
    </Loaded>
  );
};
